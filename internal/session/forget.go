package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// Kept is what is kept of a session, as a person decides about it.
type Kept struct {
	Session string    `json:"session"`
	Feature string    `json:"feature"`
	Time    time.Time `json:"time"`
	Passes  bool      `json:"passes"` // its feature has its flag in the list of this branch
	// Undone is of work that had landed and was taken back: what is kept may be
	// its only copy.
	Undone bool `json:"undone,omitempty"`
	// Commit can be had back by its id until git cleans up.
	Commit gitops.OID `json:"commit"`
}

// ListKept lists the kept attempts, newest first, and after them what was undone.
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
	undone, err := workspace.UndoneWork(ctx, repo)
	if err != nil {
		return nil, err
	}
	var kept []Kept
	for i, a := range slices.Concat(attempts, undone) {
		k := Kept{Session: a.Session, Feature: feature[a.Session], Time: a.Time, Commit: a.Commit, Undone: i >= len(attempts)}
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

// ForgetOptions choose what is let go of; what any of them names goes. What was
// undone goes only when its session is named.
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
	var gone []Kept
	for _, k := range all {
		named := slices.Contains(opt.Sessions, k.Session)
		if !named && (k.Undone || !(opt.Passing && k.Passes) && !(opt.Older > 0 && time.Since(k.Time) > opt.Older)) {
			continue
		}
		if _, err := workspace.Forget(ctx, repo, k.Session, named); err != nil {
			return gone, err
		}
		gone = append(gone, k)
	}
	for _, s := range opt.Sessions {
		if slices.ContainsFunc(gone, func(k Kept) bool { return k.Session == s }) {
			continue
		}
		var refs []gitops.Ref
		if workspace.IsSession(s) { // it may have a record alone
			if refs, err = workspace.Forget(ctx, repo, s, true); err != nil {
				return gone, err
			}
		}
		if len(refs) == 0 {
			return gone, hint.New(fmt.Errorf("%w of session %s", ErrNothingKept, plain.Line(s, 60)), "list what is kept with: git agent forget")
		}
		gone = append(gone, Kept{Session: s, Commit: refs[0].OID})
	}
	return gone, nil
}
