package tools

import (
	"context"
	"strings"

	"gitagent/internal/plain"
)

func endSessionTool() tool {
	return tool{
		name:  "end_session",
		about: "End: done (the harness then checks), cannot_verify or blocked, with a reason.",
		params: []param{
			{name: "status", kind: text, enum: []string{Done, CannotVerify, Blocked}, aliases: []string{"state", "outcome", "result", "verdict"}},
			{name: "reason", kind: text, optional: true, aliases: []string{"message", "summary", "explanation", "why", "text"}},
		},
		run: endSession,
	}
}

// endSession accepts one of the three ends. The two that prove nothing need a
// reason, since the next session starts from it.
func endSession(_ context.Context, _ *Env, a values) Result {
	status, reason := a.text("status"), strings.TrimSpace(plain.Text(a.text("reason")))
	switch squash(status) {
	case "done", "success", "complete", "completed", "finished":
		status = Done
	case "cannotverify", "unverified", "unverifiable":
		status = CannotVerify
	case "blocked":
		status = Blocked
	default:
		return refuse("end_session: status must be done, cannot_verify or blocked, not %q.", clipWord(status))
	}
	if reason == "" && status != Done {
		return refuse("end_session: %s needs a reason: say what stands in the way.", status)
	}
	reason = plain.Clip(reason, 2000)
	return Result{Text: "The session ends: " + status + ".", OK: true, Note: reason, End: &End{Status: status, Reason: reason}}
}
