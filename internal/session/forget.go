package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// Kept is a kept attempt, as a person decides about it.
type Kept struct {
	Session string    `json:"session"`
	Feature string    `json:"feature"`
	Time    time.Time `json:"time"`
	Passes  bool      `json:"passes"` // its feature has its flag in the list of this branch
}

// ListKept lists the kept attempts, newest first.
func ListKept(ctx context.Context, repo *gitops.Repo) ([]Kept, error) {
	attempts, err := workspace.Attempts(ctx, repo)
	if err != nil {
		return nil, err
	}
	list, err := ListAt(ctx, repo, "HEAD")
	if err != nil {
		return nil, err
	}
	feature, err := featuresOfSessions(ctx, repo)
	if err != nil {
		return nil, err
	}
	var kept []Kept
	for _, a := range attempts {
		k := Kept{Session: a.Session, Feature: feature[a.Session], Time: a.Time}
		f := list.Get(k.Feature)
		k.Passes = f != nil && f.Passes
		kept = append(kept, k)
	}
	return kept, nil
}

// featuresOfSessions says what each session of log and journal worked on.
func featuresOfSessions(ctx context.Context, repo *gitops.Repo) (map[string]string, error) {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	read := &reader{ctx: ctx, repo: repo, tree: tree}
	entries, err := progress.Parse(read.file(progress.Path))
	if read.err != nil || err != nil {
		return nil, errors.Join(read.err, err)
	}
	journal, err := progress.LoadJournal(ctx, repo)
	if err != nil {
		return nil, err
	}
	by := map[string]string{}
	for _, e := range append(entries, journal.Entries()...) {
		if e.Feature != "" {
			by[e.Session] = e.Feature
		}
	}
	return by, nil
}

// ForgetOptions choose what is let go of; what any of them names goes.
type ForgetOptions struct {
	Sessions []string
	Passing  bool          // attempts at features that pass
	Older    time.Duration // 0 = none
}

// Forget lets go of kept attempts and their records. git frees the space when it
// next cleans up. say is told what killed commands had left.
func Forget(ctx context.Context, repo *gitops.Repo, opt ForgetOptions, say func(format string, args ...any)) ([]Kept, error) {
	end, err := begin(ctx, repo, "forget", say)
	if err != nil {
		return nil, err
	}
	defer end()
	all, err := ListKept(ctx, repo)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, s := range opt.Sessions {
		named[s] = true
	}
	var gone []Kept
	for _, k := range all {
		if !named[k.Session] && !(opt.Passing && k.Passes) && !(opt.Older > 0 && time.Since(k.Time) > opt.Older) {
			continue
		}
		if _, err := workspace.Forget(ctx, repo, k.Session); err != nil {
			return gone, err
		}
		delete(named, k.Session)
		gone = append(gone, k)
	}
	for _, s := range opt.Sessions {
		if !named[s] {
			continue
		}
		found, err := false, error(nil)
		if workspace.IsSession(s) {
			found, err = workspace.Forget(ctx, repo, s)
		}
		if err != nil {
			return gone, err
		}
		if !found {
			return gone, hint.New(fmt.Errorf("%w of session %s", ErrNothingKept, plain.Line(s, 60)), "list what is kept with: git agent forget")
		}
		gone = append(gone, Kept{Session: s})
	}
	return gone, nil
}
