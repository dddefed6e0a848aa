package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// landTries bounds how often work is made anew because a hook reformatted it
// or the branch moved.
const landTries = 4

// act makes the one commit that holds code, flip, log, evidence, and lands it.
// What the guards or the user's hooks refuse comes back as defects.
func (s *step) act(ctx context.Context, tree gitops.OID, rec evidence.Record) ([]string, error) {
	s.emit(Event{Kind: "phase", Phase: "act"})
	s.mark("act")
	for range landTries {
		full, err := s.assemble(ctx, tree, rec)
		if err != nil {
			return nil, err
		}
		if defects, err := s.guard(ctx, full); err != nil || len(defects) > 0 {
			return defects, err
		}
		hook, err := workspace.RunUserHooks(ctx, s.repo, s.sb, s.base.ID, full, s.message(rec), hooks.Ours, s.ws.CheckDir())
		if err != nil {
			return nil, fmt.Errorf("the repository's own hooks: %w", err)
		}
		if hook.Refused != "" {
			return []string{"a hook of this repository refuses the commit:\n" + plain.Clip(plain.Text(hook.Refused), 2000)}, nil
		}
		var again bool
		if hook.Tree != full {
			tree, err = workspace.ProductTree(ctx, s.repo, hook.Tree)
			again = true
		} else {
			again, err = s.land(ctx, full, hook.Message, &tree)
		}
		if err != nil || !again {
			return nil, err
		}
		if err := s.ws.RestoreSession(ctx, tree); err != nil {
			return nil, err
		}
		s.tree, s.out.Tree = tree, tree
		v, err := s.check(ctx, tree)
		if err != nil || len(v.defects) > 0 {
			return v.defects, err
		}
		rec = v.record
	}
	return nil, ended(Incomplete, "the work was verified but could not be landed: the branch or a hook changed it each time")
}

// assemble builds the commit's tree: the verified product tree with the
// harness files of the base, brought up to date.
func (s *step) assemble(ctx context.Context, product gitops.OID, rec evidence.Record) (gitops.OID, error) {
	read := s.reader(ctx)
	files := s.journal.Fold(read.file(progress.Path), read.file)
	log := files[progress.Path]
	if log == nil {
		log = read.file(progress.Path)
	}
	for _, e := range append(append([]progress.Entry{}, s.noted...), s.entry(Verified, "")) {
		log = progress.Append(log, e)
	}
	files[progress.Path] = log
	path := progress.StatusPath(s.feature.ID)
	status := files[path]
	if status == nil {
		status = read.file(path)
	}
	if read.err != nil {
		return "", read.err
	}
	flip := progress.Event{Time: time.Now().UTC(), Phase: "act", Session: s.id, Attempt: s.attempt, Revision: s.contract.Revision, Kind: "verified", Evidence: evidence.Path(s.feature.ID)}
	for _, e := range append(append([]progress.Event{}, s.events...), flip) {
		status = progress.AppendEvent(status, s.feature.ID, e)
	}
	files[path] = status
	files[evidence.Path(s.feature.ID)] = rec.Bytes()
	if s.claimed {
		files[contract.Path(s.feature.ID)] = s.contract.Bytes()
	} else if !s.mending { // else flag and contract stay as they are
		list, err := s.list.Flip(s.feature.ID)
		if err != nil {
			return "", err
		}
		files[features.Path], files[contract.Path(s.feature.ID)] = list, s.contract.Bytes()
	}
	return workspace.BuildTree(ctx, s.repo, s.base.Tree, product, files)
}

// guard holds the session's own commit to the rules that hold for everybody.
func (s *step) guard(ctx context.Context, full gitops.OID) ([]string, error) {
	violations, err := hooks.Check(ctx, s.repo, s.base.Tree, full, hooks.Policy{Session: true, Feature: s.feature.ID})
	if err != nil {
		return nil, err
	}
	var defects []string
	for _, v := range violations {
		if !v.Warn {
			defects = append(defects, fmt.Sprintf("%s: %s: %s", v.Guard, v.Path, v.What))
		}
	}
	return defects, nil
}

// land puts the commit on the branch. Where the branch moved it merges the
// work onto the new tip and asks for another round of checks.
func (s *step) land(ctx context.Context, full gitops.OID, message string, product *gitops.OID) (again bool, err error) {
	s.mark(phaseLand)
	landed, err := workspace.Land(ctx, s.repo, workspace.LandSpec{Branch: s.head.Branch, Base: s.base.ID, Tree: full, Message: message, Session: s.id})
	if errors.Is(err, workspace.ErrBranchMoved) {
		*product, err = s.replant(ctx, *product)
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	s.out.Commit, s.out.Next = landed.Commit, landed.Next
	s.out.Already, s.out.Repaired = s.already && !s.claimed, s.mending && !s.claimed
	ctx = context.WithoutCancel(ctx) // it has landed: an interrupt comes too late
	if landed.How == workspace.Aside {
		s.out.Aside = landed.Ref
		s.warn("the commit is kept aside: %s", landed.Why)
	} else {
		if !s.mending {
			s.out.Passing++
		}
		if err := progress.ClearJournal(ctx, s.repo, s.journal.Tip()); err != nil {
			s.warn("the journal could not be cleared: %v", err)
		}
	}
	s.keepRecord(ctx)
	return false, nil
}

// entry is this session's line in the log.
func (s *step) entry(end End, reason string) progress.Entry {
	facts := append([]string{}, s.facts...)
	if reason != "" {
		facts = append(facts, reason)
	}
	if s.claimed && end == Verified {
		facts = append(facts, "proved: its flag had no evidence before")
	} else if s.mending && end == Verified {
		facts = append(facts, "repaired: its flag stays, its evidence is new")
	}
	if s.already && !s.claimed {
		facts = append(facts, "already-met: an earlier session had built it")
	}
	use := s.out.Receipt.Totals()
	facts = append(facts, fmt.Sprintf("%d turns, %d tokens in, %d out", s.out.Receipt.Turns, use.TokensIn, use.TokensOut))
	e := progress.Entry{Time: time.Now().UTC(), Kind: "session", Session: s.id, Outcome: string(end), Facts: facts, Note: s.note, Tree: string(s.out.Tree)}
	if s.feature != nil {
		e.Feature = s.feature.ID
	}
	if s.loaded != nil {
		e.Model = s.loaded.Name
	}
	return e
}

// message is the commit's message: a subject a person would write, and
// trailers.
func (s *step) message(rec evidence.Record) string {
	var b strings.Builder
	switch {
	case s.claimed:
		b.WriteString("Prove: ")
	case s.mending:
		b.WriteString("Repair: ")
	}
	fmt.Fprintf(&b, "%s\n\n", plain.Line(s.feature.Description, 72))
	for i, st := range s.feature.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, plain.Line(st, 200))
	}
	fmt.Fprintf(&b, "\nAgent-Feature: %s\nAgent-Session: %s\nAgent-Model: %s\nAgent-Verdict: %s\n", s.feature.ID, s.id, plain.Line(rec.Model, 80), rec.Verdict)
	return b.String()
}
