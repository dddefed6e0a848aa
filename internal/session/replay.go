package session

import (
	"context"
	"slices"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// replayBudget bounds the replay of older features before the work.
const replayBudget = 90 * time.Second

// replay proves features that pass again where their evidence is of another
// product tree. What no longer holds becomes a regression entry.
func (s *step) replay(ctx context.Context) error {
	deadline := time.Now().Add(replayBudget)
	for _, f := range s.list.Features {
		if !f.Passes || time.Now().After(deadline) {
			continue
		}
		c, proved := s.provedHere(ctx, f.ID)
		if c == nil || proved || !s.trust.Has(project.TrustContract, c.Digest()) {
			continue
		}
		if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
			return err
		}
		out, err := s.ver.Contract(ctx, c, s.target(s.ws.CheckDir(), s.baseID), "")
		if err != nil {
			return err
		}
		s.emit(Event{Kind: "check", OK: out.Verdict == verify.Pass, Text: "replay " + f.ID + ": " + out.Verdict})
		s.noteReplay(f.ID, out)
	}
	return s.ws.SyncCheck(ctx, s.baseID)
}

// provedHere reads a feature's contract and whether its evidence is of the
// base's product tree.
func (s *step) provedHere(ctx context.Context, id string) (*contract.Contract, bool) {
	data, err := s.repo.ReadFile(ctx, s.base.Tree, contract.Path(id))
	if err != nil {
		return nil, false
	}
	c, err := contract.Parse(data)
	if err != nil {
		return nil, false
	}
	raw, err := s.repo.ReadFile(ctx, s.base.Tree, evidence.Path(id))
	if err != nil {
		return c, false
	}
	rec, err := evidence.Parse(raw)
	return c, err == nil && rec.Proves(id, string(s.baseID), c.Digest()) == nil && rec.Drawn(c.Varying()) == nil
}

// noteReplay writes a regression when a feature holds no longer, and a repair
// when it holds again; each once.
func (s *step) noteReplay(id string, out verify.Outcome) {
	entry := progress.Entry{Time: time.Now().UTC(), Session: s.id, Feature: id, Tree: string(s.baseID)}
	if out.Verdict != verify.Pass {
		if s.broken == nil {
			s.broken = map[string]bool{}
		}
		s.broken[id] = true
	}
	switch known := s.knownBroken(id); {
	case out.Verdict == verify.Fail:
		reason := firstReason(out.Checks)
		s.warn("%s passes no longer: %s", id, reason)
		if known {
			return
		}
		entry.Kind, entry.Outcome = progress.KindRegression, "regression"
		entry.Facts = []string{"its contract fails at " + s.base.ID.Short() + ": " + reason}
	case out.Verdict == verify.Pass && known:
		entry.Kind, entry.Outcome = progress.KindRepair, "repair"
		entry.Facts = []string{"its contract passes again at " + s.base.ID.Short()}
	default:
		return
	}
	s.noted = append(s.noted, entry)
}

// knownBroken says whether the log's last word on a feature is a regression.
func (s *step) knownBroken(id string) bool {
	broken := false
	for _, e := range s.entries {
		if e.Feature == id && (e.Kind == progress.KindRegression || e.Kind == progress.KindRepair) {
			broken = e.Kind == progress.KindRegression
		}
	}
	return broken
}

// firstReason is the reason of the first check that does not pass.
func firstReason(checks []evidence.Check) string {
	for _, c := range checks {
		if c.Verdict != verify.Pass {
			return plain.Line(c.ID+": "+c.Reason, 300)
		}
	}
	return ""
}

// lookAgain is for when every flag is set: a feature that the log calls broken
// may hold again, and what does not is no finished project. It costs nothing
// where the log knows of none.
func (s *step) lookAgain(ctx context.Context) error {
	var known []string
	for _, f := range s.list.Features {
		if s.knownBroken(f.ID) {
			known = append(known, f.ID)
		}
	}
	if len(known) == 0 {
		return nil
	}
	for _, do := range []func(context.Context) error{s.openSandbox, s.openTrees, s.setUp, s.replay} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	for _, id := range known {
		repaired := slices.ContainsFunc(s.noted, func(e progress.Entry) bool { return e.Feature == id && e.Kind == progress.KindRepair })
		if !repaired {
			s.out.Regressed = append(s.out.Regressed, id)
		}
	}
	for _, e := range s.noted {
		if e.Kind == progress.KindRegression {
			s.out.Regressed = append(s.out.Regressed, e.Feature)
		}
	}
	if len(s.noted) == 0 {
		return nil
	}
	return progress.RecordJournal(ctx, s.repo, s.noted, nil, nil)
}
