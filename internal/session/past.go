package session

import (
	"context"
	"fmt"

	"gitagent/hooks"
	"gitagent/internal/plain"
)

// pastLines bounds how many broken rules of the past are told one by one.
const pastLines = 5

// checkPast holds the rules against what came to any branch since the last
// session, before anything of it is trusted: hooks are early feedback, and can
// be passed by. What was found is told once; flags without a proof are replayed
// like all that is not proved for these files.
func (s *step) checkPast(ctx context.Context) error {
	rep, err := hooks.CheckMoved(ctx, s.repo)
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
