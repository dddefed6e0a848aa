package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/verify"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// begin takes the session lock and brings what killed commands left to an end.
// say is told, a sentence each, what was found and what became of it.
func begin(ctx context.Context, repo *gitops.Repo, what string, say func(format string, args ...any)) (end func(), err error) {
	end, err = lock(ctx, repo, what)
	if err != nil {
		return nil, err
	}
	r := &recovery{repo: repo, say: say}
	if err := r.run(ctx); err != nil {
		end()
		return nil, fmt.Errorf("bring what was interrupted to an end: %w", err)
	}
	return end, nil
}

// recovery finishes, takes back or keeps what killed commands had begun. Killed
// itself at any point, it can be run again.
type recovery struct {
	repo *gitops.Repo
	say  func(format string, args ...any)
	dead []*workspace.Remains
}

func (r *recovery) run(ctx context.Context) (err error) {
	log, err := readCrashLog(r.repo.AgentDir())
	if err != nil || log.there && log.last.Session == "" {
		log = r.unreadable(err)
	}
	if err := r.dropLocks(log); err != nil {
		return err
	}
	root, err := workspace.StateRoot()
	if err != nil {
		return err
	}
	if r.dead, err = workspace.Dead(ctx, r.repo, root); err != nil {
		return err
	}
	defer func() {
		for _, d := range r.dead {
			_ = d.Leave() // those that are not done with stay for another time
		}
	}()
	if log.last.Session != "" {
		if err := r.finish(ctx, log.last); err != nil {
			return err
		}
	}
	for len(r.dead) > 0 { // of which no crash log tells
		d := r.dead[0]
		if err := r.session(ctx, crashLine{Session: d.Session, Base: d.Base, Time: time.Now().UTC()}); err != nil {
			return err
		}
	}
	if log.there {
		if err := os.Remove(crashPath(r.repo.AgentDir())); err != nil {
			return err
		}
	}
	r.sweep(ctx, root)
	return nil
}

// unreadable puts a crash log aside that tells nothing; an empty one was never
// begun. What the session had is found by its trees.
func (r *recovery) unreadable(why error) crashed {
	path := crashPath(r.repo.AgentDir())
	st, err := os.Lstat(path)
	if err != nil {
		return crashed{}
	}
	c := crashed{there: true, first: st.ModTime()}
	if why == nil && st.Mode().IsRegular() && st.Size() == 0 {
		return c
	}
	aside := path + ".unreadable"
	if os.RemoveAll(aside) != nil || os.Rename(path, aside) != nil {
		return c
	}
	r.say("the crash log of a killed command could not be read; it is put aside as %s", aside)
	c.there = false
	return c
}

// dropLocks removes the locks of a git that was killed with its command.
func (r *recovery) dropLocks(log crashed) error {
	if log.first.IsZero() {
		return nil
	}
	dropped, err := r.repo.DropStaleLocks(log.first, log.last.Branch)
	if err != nil {
		return err
	}
	for _, path := range dropped {
		r.say("%s was left by a git that was killed; it is removed", filepath.Base(path))
	}
	return nil
}

func (r *recovery) finish(ctx context.Context, last crashLine) error {
	switch last.Phase {
	case phaseUndo:
		return r.undo(ctx, last)
	case phaseRevert:
		return r.revert(ctx, last)
	case phaseEdit:
		return r.edit(ctx, last)
	}
	return r.session(ctx, last)
}

// session brings a killed session to an end: its commit lands if it was about
// to, else what it had is kept and the log told.
func (r *recovery) session(ctx context.Context, last crashLine) error {
	remains := r.remains(last.Session)
	commit, err := r.landed(ctx, last)
	if err != nil {
		return err
	}
	if commit != "" {
		if remains != nil && remains.Transcript() != nil {
			if err := workspace.KeepRecord(ctx, r.repo, last.Session, commit, r.attachments(remains)); err != nil {
				return err
			}
		}
		return r.drop(remains)
	}
	booked, err := r.booked(ctx, last.Session)
	if err != nil {
		return err
	}
	if !booked {
		if err := r.keep(ctx, last, remains); err != nil {
			return err
		}
	}
	return r.drop(remains)
}

// remains are the trees of a session, nil when there are none.
func (r *recovery) remains(session string) *workspace.Remains {
	for _, d := range r.dead {
		if d.Session == session {
			return d
		}
	}
	return nil
}

// drop removes trees that are done with.
func (r *recovery) drop(remains *workspace.Remains) error {
	for i, d := range r.dead {
		if d == remains {
			r.dead = append(r.dead[:i:i], r.dead[i+1:]...)
			if err := d.Remove(); err != nil {
				r.say("%v", err)
			}
			break
		}
	}
	return nil
}

// landed finishes a landing that was cut short. It returns the session's
// commit where the branch has it, or where it waits aside, "" otherwise.
func (r *recovery) landed(ctx context.Context, last crashLine) (gitops.OID, error) {
	landed, found, err := workspace.FinishLanding(ctx, r.repo, last.Branch, last.Session)
	if err != nil {
		return "", err
	}
	switch {
	case found && landed.How == workspace.Moved:
		r.say("session %s was killed while its verified commit %s landed; it is on %s now", last.Session, landed.Commit.Short(), branchName(last.Branch))
	case found:
		r.say("session %s was killed while its verified commit landed; the commit waits, because %s: %s", last.Session, landed.Why, landed.Next)
		return landed.Commit, nil
	default:
		if landed.Commit, err = r.hasEvidence(ctx, last); err != nil {
			return "", err
		}
		if landed.Commit == "" {
			return r.aside(ctx, last)
		}
		r.say("session %s was killed after its work had landed; nothing is lost", last.Session)
	}
	return landed.Commit, r.clearJournal(ctx, landed.Commit)
}

// hasEvidence gives the branch's tip where the evidence of the feature names
// the session: its work landed, whatever became of its commit since.
func (r *recovery) hasEvidence(ctx context.Context, last crashLine) (gitops.OID, error) {
	if last.Feature == "" {
		return "", nil
	}
	tip, err := r.repo.Resolve(ctx, cmp.Or(last.Branch, "HEAD"))
	if errors.Is(err, gitops.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	tree, err := r.repo.TreeOf(ctx, string(tip))
	if err != nil {
		return "", err
	}
	data, err := r.repo.ReadFile(ctx, tree, evidence.Path(last.Feature))
	if err != nil {
		return "", nil // none, or nothing that proves anything
	}
	if rec, err := evidence.Parse(data); err != nil || rec.Session != last.Session {
		return "", nil
	}
	return tip, nil
}

// aside gives the commit of a session that waits aside.
func (r *recovery) aside(ctx context.Context, last crashLine) (gitops.OID, error) {
	waiting, err := workspace.Waiting(ctx, r.repo)
	if err != nil {
		return "", err
	}
	for _, a := range waiting {
		if a.Session == last.Session {
			r.say("session %s was killed after its verified commit had been put aside at %s", last.Session, a.Ref)
			return a.Commit, nil
		}
	}
	return "", nil
}

// clearJournal clears the journal where all of it has landed in commit.
func (r *recovery) clearJournal(ctx context.Context, commit gitops.OID) error {
	tree, err := r.repo.TreeOf(ctx, string(commit))
	if err != nil {
		return err
	}
	read := &reader{ctx: ctx, repo: r.repo, tree: tree}
	journal, err := progress.LoadJournal(ctx, r.repo)
	if err != nil {
		return err
	}
	left := journal.Unlanded(read.file(progress.Path), read.file)
	if read.err != nil || !left.Empty() {
		return read.err
	}
	return progress.ClearJournal(ctx, r.repo, journal.Tip())
}

// booked says whether the journal knows how the session ended: it was killed
// while it cleaned up.
func (r *recovery) booked(ctx context.Context, session string) (bool, error) {
	journal, err := progress.LoadJournal(ctx, r.repo)
	if err != nil {
		return false, err
	}
	for _, e := range journal.Entries() {
		if e.Session == session && e.Kind == progress.KindSession {
			return true, nil
		}
	}
	return false, nil
}

// keep keeps what a killed session had: the session tree as it stands, or the
// last one that the crash log names.
func (r *recovery) keep(ctx context.Context, last crashLine, remains *workspace.Remains) error {
	tree := last.Tree
	if remains != nil {
		var err error
		if tree, err = remains.Tree(ctx); err != nil {
			return hint.New(err, "see what is there in "+remains.Dir(), "make room on the disk, or move that folder away when nothing in it matters")
		}
	}
	state := cmp.Or(last.Phase, "unknown")
	facts := []string{"the session was killed in state " + state}
	ref, err := r.keepTree(ctx, last, tree, remains)
	switch {
	case err != nil && remains != nil:
		return err // there will be another time
	case err != nil:
		facts = append(facts, "its last tree could not be kept: "+err.Error())
		r.say("session %s was killed; what it had is lost: %v", last.Session, err)
	case ref == "":
		facts = append(facts, "it had changed no file")
		r.say("session %s was killed (%s) before it had changed a file", last.Session, state)
	default:
		facts = append(facts, "its last tree is kept at "+ref)
		r.say("session %s was killed; what it had is kept (%s); go on with it by git agent resume", last.Session, strings.TrimSpace("git agent show "+last.Feature))
	}
	entry := progress.Entry{Time: last.Time, Kind: progress.KindSession, Session: last.Session, Feature: last.Feature, Outcome: string(Interrupted), Facts: facts}
	var events map[string][]progress.Event
	if last.Feature != "" {
		events = map[string][]progress.Event{last.Feature: {{Time: last.Time, Phase: state, Session: last.Session, Kind: progress.EventInterrupted}}}
	}
	return progress.RecordJournal(ctx, r.repo, []progress.Entry{entry}, events, nil)
}

// keepTree keeps a tree and the transcript; ref is "" where the tree is that
// of the base.
func (r *recovery) keepTree(ctx context.Context, last crashLine, tree gitops.OID, remains *workspace.Remains) (ref string, err error) {
	base, before := last.Base, gitops.OID("")
	full, err := r.repo.TreeOf(ctx, string(base))
	switch {
	case errors.Is(err, gitops.ErrNotFound): // its branch is gone, and git has cleaned up
		base = ""
	case err == nil:
		before, err = workspace.ProductTree(ctx, r.repo, full)
	}
	if tree == "" || tree == before || err != nil && base != "" {
		return "", err
	}
	ref, _, err = workspace.Keep(ctx, r.repo, last.Session, base, tree, r.attachments(remains), strings.TrimSpace("interrupted attempt at "+last.Feature))
	return ref, err
}

func (r *recovery) attachments(remains *workspace.Remains) map[string][]byte {
	if remains == nil {
		return nil
	}
	if script := remains.Transcript(); script != nil {
		return map[string][]byte{"transcript.jsonl": script}
	}
	return nil
}

// sweep removes what dead processes left outside the repository. Trees of a
// session of another repository wait for the next command there.
func (r *recovery) sweep(ctx context.Context, root string) {
	verify.SweepRooms()
	_, err := workspace.Sweep(ctx, root, func(commonDir, _ string) bool {
		_, err := os.Lstat(crashPath(filepath.Join(commonDir, "agent")))
		return err == nil && commonDir != r.repo.CommonDir()
	})
	if err != nil {
		r.say("trees of dead sessions could not be swept: %v", err)
	}
	if err := workspace.TrimRecords(ctx, r.repo); err != nil {
		r.say("old records could not be dropped: %v", err)
	}
}
