package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify"
	"gitagent/internal/workspace"
)

// A feature that passed and broke keeps its flag. What a session broke the next
// session repairs before any new work; what people's commits changed may be
// meant, so it is reported, and repaired when a person names it.

// bySession is what a regression entry says of a commit that a session made.
const bySession = "by session "

// The bounds of looking for the commit that broke a feature.
const (
	maxProbes   = 9
	sinceBudget = 2 * time.Minute
)

// toMend is the first feature that a session broke, by the log, and that is not
// parked; nil when there is none.
func (s *step) toMend(ctx context.Context) (*features.Feature, error) {
	for i := range s.list.Features {
		f := &s.list.Features[i]
		e := s.regression(f.ID)
		if !f.Passes || e == nil || len(e.Facts) == 0 || !strings.Contains(e.Facts[0], bySession) {
			continue
		}
		st, err := s.statusOf(ctx, f.ID)
		if err != nil {
			return nil, err
		}
		if st.Parked(s.set.Park) {
			s.warn("%s is broken and parked after %s; git agent step %s tries again", f.ID, plain.Count(st.Incomplete, "session"), f.ID)
			continue
		}
		return f, nil
	}
	return nil, nil
}

// stillBroken is for after the replay: a feature that was to be mended and holds
// again needs no work, so another is chosen.
func (s *step) stillBroken(ctx context.Context) error {
	if !s.mending || s.claimed || s.broken[s.feature.ID] {
		return nil
	}
	s.emit(Event{Kind: "note", Text: s.feature.ID + " holds again; it needs no repair"})
	s.mending, s.opt.ID = false, ""
	if err := s.pick(ctx); err != nil {
		return err
	}
	var err error
	if s.status, err = s.statusOf(ctx, s.feature.ID); err != nil {
		return err
	}
	s.out.Feature = s.feature.ID
	s.mark("orient")
	s.emit(Event{Kind: "note", Text: fmt.Sprintf("%s %s", s.feature.ID, plain.Line(s.feature.Description, 100))})
	return nil
}

// whatBroke tells the executor of a repair what is known.
func (s *step) whatBroke() string {
	if !s.mending {
		return ""
	}
	if s.claimed {
		return "\nThe list says that this feature works, and nobody has proved it; it does not do what its steps say. Build what is missing.\n"
	}
	text := "\nThis feature worked before and broke. Repair it; keep what else works.\n"
	if e := s.regression(s.feature.ID); e != nil && len(e.Facts) > 0 {
		text += "Known: " + plain.Line(e.Facts[0], 400) + "\n"
	}
	return text
}

// brokenBy says since which commit a feature fails, and whose commit that is.
func (s *step) brokenBy(ctx context.Context, o *older) (string, error) {
	c, ok, err := s.since(ctx, o)
	if err != nil {
		return "", err
	}
	if !ok {
		return "regressed since it was proved (which commit did it could not be found)", nil
	}
	if ids := c.Trailers["Agent-Session"]; len(ids) > 0 {
		return "regressed since " + c.ID.Short() + " " + bySession + plain.Line(ids[0], 60), nil
	}
	return "regressed since " + c.ID.Short() + " by " + plain.Line(c.Author, 60) + " (" + plain.Line(c.Subject, 60) + ")", nil
}

// since finds, by bisection over the product trees of the branch, the commit
// from which on a feature's contract fails. The checkout is not touched.
func (s *step) since(ctx context.Context, o *older) (found gitops.CommitInfo, ok bool, err error) {
	flip, ok, err := s.flipOf(ctx, o.f.ID)
	if err != nil || !ok {
		return found, false, err
	}
	commits, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(flip.ID) + ".." + string(s.base.ID), FirstParent: true, Reverse: true})
	if err != nil {
		return found, false, err
	}
	line, err := s.lineOf(ctx, append([]gitops.CommitInfo{flip}, commits...))
	if err != nil || len(line) == 0 {
		return found, false, err
	}
	defer func() {
		if missing, back := s.installedFor(ctx, s.baseID); err == nil && (back != nil || missing != "") {
			err = fmt.Errorf("go back to the base: %s %w", missing, back)
		}
	}()
	deadline := time.Now().Add(sinceBudget)
	good, bad := -1, len(line)-1 // line[good] holds, line[bad] fails
	if o.record != nil && gitops.OID(o.record.Tree) == line[0].tree {
		good = 0
	}
	for probe := 0; bad-good > 1; probe++ {
		if probe == maxProbes || time.Now().After(deadline) {
			return found, false, nil
		}
		mid := (good + bad) / 2
		holds, sure, err := s.heldOn(ctx, o, line[mid].tree)
		if err != nil || !sure {
			return found, false, err
		}
		if holds {
			good = mid
		} else {
			bad = mid
		}
	}
	return line[bad].commit, true, nil
}

// point is a commit with its product tree.
type point struct {
	commit gitops.CommitInfo
	tree   gitops.OID
}

// lineOf leaves out commits whose product is that of the one before.
func (s *step) lineOf(ctx context.Context, commits []gitops.CommitInfo) (line []point, err error) {
	for _, c := range commits {
		tree, err := workspace.ProductTree(ctx, s.repo, c.Tree)
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[len(line)-1].tree != tree {
			line = append(line, point{c, tree})
		}
	}
	return line, nil
}

// heldOn says whether a feature's contract passes on a tree of history; sure is
// false where that cannot be known.
func (s *step) heldOn(ctx context.Context, o *older, tree gitops.OID) (holds, sure bool, err error) {
	if r, ok := s.keptResult(o.contract, tree); ok {
		return r.Verdict == verify.Pass, true, nil
	}
	missing, err := s.installedFor(ctx, tree)
	if err != nil || missing != "" {
		return false, false, err
	}
	out, err := s.tryOn(ctx, o.contract, tree)
	if err != nil || out.Verdict == verify.Unverified {
		return false, false, err
	}
	s.keepResult(o.contract, tree, out)
	s.emit(Event{Kind: "detail", Text: fmt.Sprintf("%s on tree %s: %s", o.f.ID, tree.Short(), out.Verdict)})
	return out.Verdict == verify.Pass, true, nil
}
