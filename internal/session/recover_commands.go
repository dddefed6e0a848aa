package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
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

// edit takes a change of the list or of a contract back that was killed before
// its commit. What a person has changed since is theirs.
func (r *recovery) edit(ctx context.Context, last crashLine) error {
	id := contractIn(last.Wrote)
	what := "the list"
	if id != "" {
		what = "the contract of " + id
	}
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
		if id != "" {
			if err := r.keepWord(ctx, id, last.Wrote[contract.Path(id)]); err != nil {
				return fmt.Errorf("bring a change of %s to its end: %w", what, err)
			}
		}
		r.say("a change of %s was killed after its commit; nothing is lost", what)
		return nil
	}
	if len(written) > 0 {
		if err := putBack(ctx, r.repo, written); err != nil {
			return fmt.Errorf("take a change of %s back: %w", what, err)
		}
	}
	r.say("a change of %s was killed before its commit; the files are as they were, say it again if you still want it", what)
	return nil
}

// contractIn is the feature whose contract is among the files, "" for none.
func contractIn(files map[string]string) string {
	for path := range files {
		if id, ok := strings.CutSuffix(filepath.Base(path), ".json"); ok && path == contract.Path(id) {
			return id
		}
	}
	return ""
}

// keepWord does what follows the commit of a person's contract: it is trusted
// here, and takes the place of what a session had agreed on or proposed. What
// stands there by now may be another.
func (r *recovery) keepWord(ctx context.Context, id, wrote string) error {
	view, err := LoadContract(ctx, r.repo, id)
	if err != nil {
		return err
	}
	if view.Current == nil || digestOf(view.Current.Bytes()) != wrote {
		return nil
	}
	if err := project.OpenTrust(r.repo.AgentDir()).Grant(project.TrustContract, view.Current.Digest()); err != nil {
		return err
	}
	return errors.Join(forgetPending(ctx, r.repo, view), dropProposal(ctx, r.repo, id))
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
