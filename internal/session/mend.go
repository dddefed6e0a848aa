package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/project"
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
		if back := s.backToBase(ctx); err == nil {
			err = back
		}
	}()
	deadline := time.Now().Add(sinceBudget)
	bad := len(line) - 1 // line[good] holds, line[bad] fails
	good, err := s.lastHeld(ctx, o, line[:bad])
	if err != nil {
		return found, false, err
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

// lastHeld is the last point of line where the feature is known to hold, -1 for
// none: what was broken before that, and mended or taken back, is over.
func (s *step) lastHeld(ctx context.Context, o *older, line []point) (int, error) {
	for i, p := range slices.Backward(line) {
		if o.provedOn(p.tree) {
			return i, nil
		}
		if r, ok := s.keptResult(o.contract, p.tree); ok && r.Verdict == verify.Pass {
			if same, err := s.sameSettings(ctx, p.tree); err != nil || same {
				return i, err
			}
		}
	}
	return -1, nil
}

// provedOn says whether the evidence is a proof of this contract on this tree:
// a contract that was replaced since says nothing of what it would have shown.
func (o *older) provedOn(tree gitops.OID) bool {
	return o.record != nil && gitops.OID(o.record.Tree) == tree && o.record.Contract == o.contract.Digest()
}

// backToBase makes the check tree hold the base again, with what it needs.
func (s *step) backToBase(ctx context.Context) error {
	missing, err := s.installedFor(ctx, s.baseID)
	if err == nil && missing != "" {
		err = errors.New(missing)
	}
	if err != nil {
		return fmt.Errorf("go back to the base: %w", err)
	}
	return nil
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
	same, err := s.sameSettings(ctx, tree)
	if err != nil {
		return false, false, err
	}
	if r, ok := s.keptResult(o.contract, tree); ok && same {
		return r.Verdict == verify.Pass, true, nil
	}
	if !same {
		cfg, trusted, err := s.settingsOf(ctx, tree)
		if err != nil || !trusted {
			return false, false, err
		}
		defer func(own project.Config) { s.cfg = own }(s.cfg)
		s.cfg = cfg
	}
	missing, err := s.installedFor(ctx, tree)
	if err != nil || missing != "" {
		return false, false, err
	}
	out, err := s.tryOn(ctx, o.contract, tree)
	if err != nil || out.Verdict == verify.Unverified {
		return false, false, err
	}
	if same {
		s.keepResult(o.contract, tree, out)
	}
	s.emit(Event{Kind: "detail", Text: fmt.Sprintf("%s on tree %s: %s", o.f.ID, tree.Short(), out.Verdict)})
	return out.Verdict == verify.Pass, true, nil
}

// sameSettings says whether a tree of history has the settings of the base: what
// is kept of a tree was found out by the settings that HEAD had then.
func (s *step) sameSettings(ctx context.Context, tree gitops.OID) (bool, error) {
	return s.sameFile(ctx, tree, project.ConfigPath)
}

// settingsOf reads the settings of a tree of history; trusted says whether this
// clone may run them.
func (s *step) settingsOf(ctx context.Context, tree gitops.OID) (cfg project.Config, trusted bool, err error) {
	digest, err := CommandsDigest(ctx, s.repo, tree)
	if err != nil || !s.trust.Has(project.TrustCommands, digest) {
		return cfg, false, err
	}
	conf, err := s.repo.ReadFile(ctx, tree, project.ConfigPath)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return cfg, false, err
	}
	if cfg, err = project.Parse(conf); err != nil {
		return cfg, false, nil //nolint:nilerr // settings that nobody can read can be followed by nobody
	}
	return cfg, true, nil
}

// sameFile says whether a file of tree is that of the base.
func (s *step) sameFile(ctx context.Context, tree gitops.OID, path string) (bool, error) {
	var entries [2]gitops.Entry
	for i, t := range []gitops.OID{s.baseID, tree} {
		var err error
		if entries[i], err = s.repo.EntryAt(ctx, t, path); err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return false, err
		}
	}
	return entries[0].OID == entries[1].OID && entries[0].Mode == entries[1].Mode, nil
}

// installedFor makes the check tree hold a tree of history, with what that tree
// needs. missing says in words what could not be installed.
func (s *step) installedFor(ctx context.Context, tree gitops.OID) (missing string, err error) {
	if err := s.ws.SyncCheck(ctx, tree); err != nil {
		return "", err
	}
	if project.LockDigest(os.DirFS(s.ws.CheckDir())) == s.installed {
		return "", nil
	}
	if may, err := s.maySetUp(ctx, tree); err != nil || !may {
		return "its " + project.InitScript + " is not trusted in this clone", err
	}
	return s.install(ctx, tree)
}

// maySetUp says whether the set-up of a tree of history may run: its script is
// that of the base, or this clone has trusted it with the settings of its time.
func (s *step) maySetUp(ctx context.Context, tree gitops.OID) (bool, error) {
	if same, err := s.sameFile(ctx, tree, project.InitScript); err != nil || same {
		return same, err
	}
	digest, err := CommandsDigest(ctx, s.repo, tree)
	return err == nil && s.trust.Has(project.TrustCommands, digest), err
}
