package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/kept"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// replayBudget bounds the replay of older features before the work; beyond
// quickly of them a rota decides which come first.
const (
	replayBudget = 90 * time.Second
	quickly      = 6
)

// older is a feature that passes, as it is replayed.
type older struct {
	f        features.Feature
	contract *contract.Contract
	proved   time.Time // its newest proof
	record   *evidence.Record
	broken   bool // by the log
	touched  bool // the last commits changed files that its own did
}

// replay proves features that pass again where their evidence is of another
// product tree and nothing is kept of this one. What no longer holds becomes a
// regression entry.
func (s *step) replay(ctx context.Context) error {
	due, err := s.rota(ctx)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(replayBudget)
	for i, o := range due {
		if time.Now().After(deadline) {
			s.emit(Event{Kind: "note", Text: fmt.Sprintf("replayed %d of %d older features in %s; the others come first next time", i, len(due), replayBudget)})
			break
		}
		if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
			return err
		}
		out, err := s.ver.Contract(ctx, o.contract, s.target(s.ws.CheckDir(), s.baseID), "")
		if err != nil {
			return err
		}
		s.emit(Event{Kind: "check", OK: out.Verdict == verify.Pass, Text: "replay " + o.f.ID + ": " + out.Verdict})
		s.keepResult(o.contract, s.baseID, out)
		if err := s.noteReplay(ctx, o, out); err != nil {
			return err
		}
	}
	return s.ws.SyncCheck(ctx, s.baseID)
}

// rota are the features to replay: those that the log calls broken, then those
// that the last commits touched, then the one whose proof is the oldest.
func (s *step) rota(ctx context.Context) ([]*older, error) {
	var due []*older
	for _, f := range s.list.Features {
		if !f.Passes {
			continue
		}
		c, proved := s.provedHere(ctx, f.ID)
		proved = proved && !s.knownBroken(f.ID) // it may hold again, as after a revert: the log is to say so
		if c == nil || proved || !s.trust.Has(project.TrustContract, c.Digest()) {
			continue
		}
		o := &older{f: f, contract: c, broken: s.knownBroken(f.ID)}
		if r, ok := s.keptResult(c, s.baseID); ok && r.Verdict == verify.Pass && !o.broken {
			continue
		}
		if o.record = s.recordOf(ctx, f.ID); o.record != nil {
			o.proved = o.record.Time
		}
		due = append(due, o)
	}
	if len(due) > quickly {
		if err := s.markTouched(ctx, due); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(due, func(a, b *older) int {
		for _, first := range [][2]bool{{a.broken, b.broken}, {a.touched, b.touched}} {
			if first[0] != first[1] {
				if first[0] {
					return -1
				}
				return 1
			}
		}
		return a.proved.Compare(b.proved)
	})
	return due, nil
}

// markTouched marks the features whose own commit changed a file that was
// changed since the newest proof.
func (s *step) markTouched(ctx context.Context, due []*older) error {
	var newest *evidence.Record
	for _, o := range due {
		if o.record != nil && (newest == nil || o.record.Time.After(newest.Time)) {
			newest = o.record
		}
	}
	if newest == nil {
		return nil
	}
	changes, err := s.repo.DiffTrees(ctx, gitops.OID(newest.Tree), s.baseID)
	if err != nil {
		return nil //nolint:nilerr // the tree of a proof from elsewhere may not be here; the order is all that is lost
	}
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
	}
	for _, o := range due {
		flip, ok, err := s.flipOf(ctx, o.f.ID)
		if err != nil {
			return err
		}
		if !ok || len(flip.Parents) == 0 {
			continue
		}
		before, err := s.repo.TreeOf(ctx, string(flip.Parents[0]))
		if err != nil {
			return err
		}
		own, err := s.repo.DiffTrees(ctx, before, flip.Tree)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		o.touched = slices.ContainsFunc(own, func(c gitops.Change) bool { return !workspace.IsHarnessFile(c.Path) && changed[c.Path] })
	}
	return nil
}

// flipOf is the commit that brought the newest evidence of a feature.
func (s *step) flipOf(ctx context.Context, id string) (gitops.CommitInfo, bool, error) {
	commits, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(s.base.ID), FirstParent: true, Max: 1, Paths: []string{evidence.Path(id)}})
	if err != nil || len(commits) == 0 {
		return gitops.CommitInfo{}, false, err
	}
	return commits[0], true, nil
}

// recordOf reads a feature's evidence at the base, nil when there is none.
func (s *step) recordOf(ctx context.Context, id string) *evidence.Record {
	raw, err := s.repo.ReadFile(ctx, s.base.Tree, evidence.Path(id))
	if err != nil {
		return nil
	}
	rec, err := evidence.Parse(raw)
	if err != nil {
		return nil
	}
	return rec
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
	rec := s.recordOf(ctx, id)
	return c, rec != nil && rec.Proves(id, string(s.baseID), c.Digest()) == nil && rec.Drawn(c.Varying()) == nil
}

// keptResult is what this clone found out about a contract on a tree.
func (s *step) keptResult(c *contract.Contract, tree gitops.OID) (r kept.Result, ok bool) {
	ok = kept.Open(s.repo.AgentDir()).Get(kept.Contracts, kept.Key(string(tree), c.Digest()), &r)
	return r, ok
}

// keepResult keeps it for the next session; what could not be verified is no
// result.
func (s *step) keepResult(c *contract.Contract, tree gitops.OID, out verify.Outcome) {
	if out.Verdict == verify.Unverified {
		return
	}
	r := kept.Result{Time: time.Now().UTC(), Verdict: out.Verdict, Reason: firstReason(out.Checks)}
	if err := kept.Open(s.repo.AgentDir()).Put(kept.Contracts, kept.Key(string(tree), c.Digest()), r); err != nil {
		s.emit(Event{Kind: "detail", Text: err.Error()})
	}
}

// noteReplay writes a regression when a feature holds no longer, and a repair
// when it holds again; each once.
func (s *step) noteReplay(ctx context.Context, o *older, out verify.Outcome) error {
	id := o.f.ID
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
		if known {
			s.warn("%s passes no longer: %s", id, reason)
			return nil
		}
		who, err := s.brokenBy(ctx, o)
		if err != nil {
			return err
		}
		s.warn("%s passes no longer, %s: %s", id, who, reason)
		entry.Kind, entry.Outcome = progress.KindRegression, "regression"
		entry.Facts = []string{who + ": " + reason, "its contract fails at " + s.base.ID.Short()}
	case out.Verdict == verify.Pass && known:
		entry.Kind, entry.Outcome = progress.KindRepair, "repair"
		entry.Facts = []string{"its contract passes again at " + s.base.ID.Short()}
	default:
		return nil
	}
	s.noted = append(s.noted, entry)
	return nil
}

// knownBroken says whether the log's last word on a feature is a regression.
func (s *step) knownBroken(id string) bool { return s.regression(id) != nil }

// regression is the log's last word on a feature, nil when it is none.
func (s *step) regression(id string) *progress.Entry {
	var last *progress.Entry
	for i := range s.entries {
		e := &s.entries[i]
		switch {
		case e.Feature != id:
		case e.Kind == progress.KindRegression:
			last = e
		case e.Kind == progress.KindRepair, e.Kind == progress.KindSession && e.Outcome == string(Verified):
			last = nil
		}
	}
	for _, e := range s.noted {
		if e.Feature == id && e.Kind == progress.KindRepair {
			return nil
		}
	}
	return last
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
