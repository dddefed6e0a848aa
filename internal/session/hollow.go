package session

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify"
)

// checkHollow tries the contract's commands with the files of the work emptied:
// what failed before the work and passes now would pass whatever the files hold.
// What passed before as well is tried in an empty folder. Such a contract is
// nobody's proof: the session ends and the contract is forgotten.
func (s *step) checkHollow(ctx context.Context, tree gitops.OID, _ *verdict) error {
	hollow, err := s.hollowed(ctx, tree)
	if err != nil {
		return err
	}
	target := s.target(s.ws.CheckDir(), tree)
	target.Reset = func(ctx context.Context) error { return s.ws.SyncCheck(ctx, hollow) }
	if err := s.ws.SyncCheck(ctx, hollow); err != nil {
		return err
	}
	passing, err := s.ver.BiteHollow(ctx, s.contract, target, nil)
	if err != nil {
		return err
	}
	var vacuous, held []string
	for _, id := range passing {
		if s.failedBefore(id) {
			vacuous = append(vacuous, id)
		} else {
			held = append(held, id)
		}
	}
	if len(held) > 0 {
		if target.Dir, err = os.MkdirTemp(s.ws.TempDir(), "empty-"); err != nil {
			return err
		}
		target.Reset = nil
		if passing, err = s.ver.BiteHollow(ctx, s.contract, target, held); err != nil {
			return err
		}
		vacuous = append(vacuous, passing...)
	}
	if len(vacuous) > 0 {
		s.voidContract = s.compiled
		next := "the next session makes a new one"
		if !s.compiled {
			next = "change it: git agent contract " + s.feature.ID + " --edit"
		}
		return ended(Blocked, "the contract of %s proves nothing: check %s passes although the files of the work are empty; %s", s.feature.ID, plain.Line(strings.Join(vacuous, ", "), 100), next)
	}
	return s.ws.SyncCheck(ctx, tree)
}

// hollowed is tree with every file emptied that differs from the tree on which
// the contract had to fail. Ignore rules stay: they keep what is installed.
func (s *step) hollowed(ctx context.Context, tree gitops.OID) (gitops.OID, error) {
	changes, err := s.repo.DiffTrees(ctx, s.biteTree, tree)
	if err != nil {
		return "", err
	}
	var edits []gitops.Edit
	for _, c := range changes {
		if (c.NewMode == gitops.ModeFile || c.NewMode == gitops.ModeExecutable) && path.Base(c.Path) != ".gitignore" {
			edits = append(edits, gitops.Edit{Path: c.Path, Mode: c.NewMode})
		}
	}
	hollow, err := s.repo.EditTree(ctx, tree, edits)
	if err != nil {
		return "", fmt.Errorf("empty the files of the work: %w", err)
	}
	return hollow, nil
}

// failedBefore says whether a check did not pass before the work.
func (s *step) failedBefore(id string) bool {
	for _, c := range s.bite {
		if c.ID == id {
			return c.Verdict != verify.Pass
		}
	}
	return false
}
