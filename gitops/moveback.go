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

// MoveBack moves the checked-out branch, the index and the work tree to an
// earlier commit. It refuses with *LocalChangesError where local changes would
// be lost; those elsewhere stay.
func (r *Repo) MoveBack(ctx context.Context, commit OID) error {
	flags, err := r.localFiltersOff(ctx, commit)
	if err != nil {
		return err
	}
	_, err = r.run(context.WithoutCancel(ctx), call{
		mode: checkout, flags: flags, args: []string{"reset", "--keep", "-q", string(commit)},
		env: []string{"GIT_REFLOG_ACTION=git agent undo"},
	})
	var e *Error
	if errors.As(err, &e) {
		if _, rest, found := strings.Cut(e.Stderr, "Entry '"); found {
			path, _, _ := strings.Cut(rest, "'")
			return &LocalChangesError{Paths: []string{path}}
		}
	}
	if err != nil {
		return fmt.Errorf("move the branch back: %w", err)
	}
	return nil
}
