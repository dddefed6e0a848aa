package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gitagent/gitops"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// announce writes what is about to happen to the crash log. done is called
// when it has happened, or was taken back.
func announce(repo *gitops.Repo, l crashLine) (done func(), err error) {
	log, err := openCrashLog(repo.AgentDir())
	if err != nil {
		return nil, err
	}
	l.Time = time.Now().UTC()
	if err := log.note(l); err != nil {
		log.close()
		return nil, err
	}
	return log.close, nil
}

// undo brings an undo to an end that was killed while the branch moved back.
func (r *recovery) undo(ctx context.Context, last crashLine) error {
	moved, err := r.repo.SettleMove(ctx, last.Branch, last.Base, last.To)
	if err != nil {
		return err
	}
	if moved {
		if err := r.rememberUndone(ctx, last); err != nil {
			return err
		}
		r.say("an undo of session %s was killed; it is done now, %s is at %s", last.Session, branchName(last.Branch), last.To.Short())
		return nil
	}
	r.say("an undo of session %s was killed before the branch moved; say it again if you still want it", last.Session)
	return r.forgetUndone(ctx, last)
}

// rememberUndone writes the journal's part of an undo, unless that was done.
func (r *recovery) rememberUndone(ctx context.Context, last crashLine) error {
	journal, err := progress.LoadJournal(ctx, r.repo)
	if err != nil {
		return err
	}
	for _, e := range journal.Entries() {
		if e.Session == last.Session && e.Outcome == outcomeUndone {
			return nil
		}
	}
	tip, err := r.repo.Commit(ctx, string(last.Base))
	if err != nil {
		return err
	}
	return remember(ctx, r.repo, tip, Undone{Session: last.Session, Feature: trailer(tip, "Agent-Feature"), Kept: undoneRef(last.Session)})
}

// forgetUndone removes the ref of an undo that did not happen.
func (r *recovery) forgetUndone(ctx context.Context, last crashLine) error {
	ref := undoneRef(last.Session)
	held, err := r.repo.Resolve(ctx, ref)
	if errors.Is(err, gitops.ErrNotFound) || err == nil && held != last.Base {
		return nil
	}
	if err != nil {
		return err
	}
	return r.repo.DeleteRef(ctx, ref, held)
}

// revert brings an undo to an end that was killed while its commit landed.
func (r *recovery) revert(ctx context.Context, last crashLine) error {
	landed, found, err := workspace.FinishLanding(ctx, r.repo, last.Branch, last.Session)
	switch {
	case err != nil:
		return err
	case !found:
		r.say("an undo was killed before its commit was made, or after it had landed: see git log -1")
	case landed.How == workspace.Moved:
		r.say("an undo was killed while its commit %s landed; it is on %s now", landed.Commit.Short(), branchName(last.Branch))
	default:
		r.say("an undo was killed while its commit landed; the commit waits, because %s: %s", landed.Why, landed.Next)
	}
	return nil
}

// edit takes a change of the list back that was killed before its commit. What
// a person has changed since is theirs.
func (r *recovery) edit(ctx context.Context, last crashLine) error {
	head, err := r.repo.Head(ctx)
	if err != nil {
		return err
	}
	var written []string
	for _, path := range slices.Sorted(maps.Keys(last.Wrote)) {
		full := filepath.Join(r.repo.Top(), path)
		if err := os.RemoveAll(unfinished(full)); err != nil {
			return err
		}
		if data, err := os.ReadFile(full); err == nil && digestOf(data) == last.Wrote[path] {
			written = append(written, path)
		}
	}
	if head.Commit != last.Base {
		r.say("a change of the list was killed after its commit; nothing is lost")
		return nil
	}
	if len(written) > 0 {
		if err := putBack(ctx, r.repo, written); err != nil {
			return fmt.Errorf("take a change of the list back: %w", err)
		}
	}
	r.say("a change of the list was killed before its commit; the files are as they were, say it again if you still want it")
	return nil
}

// putBack makes files what the last commit has: those that it does not have are
// removed.
func putBack(ctx context.Context, repo *gitops.Repo, paths []string) error {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return err
	}
	var known []string
	for _, path := range paths {
		_, err := repo.EntryAt(ctx, tree, path)
		switch {
		case err == nil:
			known = append(known, path)
			continue
		case !errors.Is(err, gitops.ErrNotFound):
			return err
		}
		if err := repo.Unstage(ctx, []string{path}); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(repo.Top(), path)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return repo.RestoreFiles(ctx, known)
}
