package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// Latest as Options.Resume takes the last session whose work was kept.
const Latest = "latest"

// ErrNothingKept says that there is nothing to go on with.
var ErrNothingKept = errors.New("no work is kept")

// findAttempt finds the kept work that this session is to go on with, and takes
// its feature.
func (s *step) findAttempt(ctx context.Context) error {
	if s.opt.Resume == "" {
		return nil
	}
	kept, err := workspace.Attempts(ctx, s.repo)
	if err != nil {
		return err
	}
	byName := map[string]workspace.Attempt{}
	for _, a := range kept {
		byName[a.Session] = a
	}
	// In the order of the log, and not of the clock, which can be set back.
	for _, e := range slices.Backward(s.entries) {
		a, ok := byName[e.Session]
		if !ok || e.Kind != progress.KindSession || s.opt.Resume != Latest && s.opt.Resume != e.Session {
			continue
		}
		f := s.list.Get(e.Feature)
		if s.opt.Resume == Latest && (f == nil || f.Passes) {
			continue
		}
		if f == nil {
			return fmt.Errorf("session %s worked on %s: %w", e.Session, e.Feature, features.ErrUnknown)
		}
		s.resumed, s.opt.ID = &a, e.Feature
		return nil
	}
	if s.opt.Resume == Latest {
		return hint.New(ErrNothingKept, "begin anew with: git agent step")
	}
	return hint.New(fmt.Errorf("%w of session %s", ErrNothingKept, plain.Line(s.opt.Resume, 60)), "list the sessions with: git agent log")
}

// goOn puts the files of the kept attempt into the session tree, on top of what
// the branch has now.
func (s *step) goOn(ctx context.Context) error {
	if s.resumed == nil {
		return nil
	}
	theirs, err := workspace.ProductTree(ctx, s.repo, s.resumed.Tree)
	if err != nil {
		return err
	}
	var base gitops.OID
	if s.resumed.Base != "" {
		full, err := s.repo.TreeOf(ctx, string(s.resumed.Base))
		if err != nil {
			return err
		}
		if base, err = workspace.ProductTree(ctx, s.repo, full); err != nil {
			return err
		}
	}
	merged, conflicts, err := s.repo.MergeTrees(ctx, base, s.baseID, theirs)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return ended(Blocked, "what session %s had conflicts with the branch in %s; look at it with: git agent take %s", s.resumed.Session, plain.Line(strings.Join(conflicts, ", "), 300), s.resumed.Session)
	}
	if err := s.ws.RestoreSession(ctx, merged); err != nil {
		return err
	}
	s.tree = merged
	s.facts = append(s.facts, "it went on with the files of session "+s.resumed.Session)
	s.emit(Event{Kind: "note", Text: "going on with the files of session " + s.resumed.Session})
	return nil
}

// inherited tells the executor of the files that it goes on with.
func (s *step) inherited(ctx context.Context) (string, error) {
	if s.resumed == nil {
		return "", nil
	}
	changes, err := s.repo.DiffTrees(ctx, s.baseID, s.tree)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return fmt.Sprintf("You go on where an earlier session was stopped. Its files are in place, and nothing of them is proved: look at them before you write.\nFiles that it changed: %s\n",
		plain.Line(strings.Join(paths, ", "), 600)), nil
}
