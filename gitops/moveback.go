package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// OnRemote says whether any remote-tracking branch holds commit.
func (r *Repo) OnRemote(ctx context.Context, commit OID) (bool, error) {
	out, err := r.line(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--contains", string(commit), "refs/remotes")
	if err != nil {
		return false, fmt.Errorf("look for the commit on remotes: %w", err)
	}
	return out != "", nil
}

// Before is where HEAD was before it came to where head says it is, by the
// reflog of its branch.
func (r *Repo) Before(ctx context.Context, head Head) (OID, error) {
	ref := head.Branch
	if ref == "" {
		ref = "HEAD"
	}
	now, err := r.Resolve(ctx, ref+"@{0}")
	if err != nil {
		return "", fmt.Errorf("where %s was before: %w", ref, err)
	}
	if now != head.Commit {
		return "", fmt.Errorf("where %s was before: %w", ref, ErrRefMoved)
	}
	return r.Resolve(ctx, ref+"@{1}")
}

// MoveBack moves the checked-out branch, the index and the work tree to an
// earlier commit, as a checkout would: what is staged or changed elsewhere stays
// so, and where a change would be lost it refuses with *LocalChangesError.
func (r *Repo) MoveBack(ctx context.Context, commit OID) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	flags, err := r.localFiltersOff(ctx, commit)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	// Its failure is that of a file that changed, which is no news.
	_, _ = r.run(ctx, call{mode: checkout, flags: flags, args: []string{"update-index", "-q", "--refresh"}})
	if err := r.switchTree(ctx, flags, head.Commit, commit); err != nil {
		return err
	}
	ref := head.Branch
	if ref == "" {
		ref = "HEAD"
	}
	if err := r.UpdateRef(ctx, ref, commit, head.Commit, "git agent undo"); err != nil {
		return errors.Join(err, r.switchTree(ctx, flags, commit, head.Commit))
	}
	return nil
}

// switchTree takes index and work tree from one commit to another.
func (r *Repo) switchTree(ctx context.Context, flags []string, from, to OID) error {
	_, err := r.run(ctx, call{mode: checkout, flags: flags, args: []string{"read-tree", "-m", "-u", string(from), string(to)}})
	var e *Error
	if errors.As(err, &e) {
		for _, before := range []string{"Entry '", "file '"} {
			if _, rest, found := strings.Cut(e.Stderr, before); found {
				path, _, _ := strings.Cut(rest, "'")
				return &LocalChangesError{Paths: []string{path}}
			}
		}
	}
	if err != nil {
		return fmt.Errorf("move the branch back: %w", err)
	}
	return nil
}
