package session

import (
	"context"
	"fmt"
	"time"

	"gitagent/hooks"
	"gitagent/internal/plain"
)

// pastLines bounds how many broken rules of the past are told one by one, pastTime
// how long a session may look for them.
const (
	pastLines = 5
	pastTime  = 2 * time.Minute
)

// checkPast holds the rules against what came to any branch since the last
// session, before anything of it is trusted: hooks are early feedback, and can
// be passed by. What was found is told once; flags without a proof are replayed
// like all that is not proved for these files.
func (s *step) checkPast(ctx context.Context) error {
	if hooks.Skipped(s.repo) {
		s.warn("commits of an earlier time were never checked, for want of time; git agent check looks at all")
	}
	look, stop := context.WithTimeout(ctx, pastTime)
	defer stop()
	rep, err := hooks.CheckMoved(look, s.repo)
	if look.Err() != nil && ctx.Err() == nil {
		s.warn("too much is new since the last session to check it in %s; git agent check looks at all of it", pastTime)
		return hooks.Skip(ctx, s.repo) // the next session must not wait for it again
	}
	if err != nil {
		s.warn("what is new since the last session could not be checked: %v", err)
		return nil
	}
	told := 0
	for _, v := range rep.Violations {
		if v.Warn {
			continue
		}
		if told++; told <= pastLines {
			s.warn("commit %s breaks a rule: %s", v.Commit.Short(), v.Violation.String())
		}
	}
	if told > pastLines {
		s.warn("and %d more; see them all with: git agent check", told-pastLines)
	}
	for _, m := range rep.Moved {
		if m.How == "rewritten" {
			s.emit(Event{Kind: "note", Text: fmt.Sprintf("%s was rewritten since the last session; it was at %s", plain.Line(branchName(m.Ref), 80), m.Old.Short())})
		}
	}
	return hooks.Remember(ctx, s.repo)
}
