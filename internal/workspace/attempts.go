package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

const (
	attemptsRefs = "refs/agent/attempts/"
	recordsRefs  = "refs/agent/records/"
	landingRefs  = "refs/agent/landing/"
	movingRefs   = "refs/agent/moving/" // while a commit lands
	undoneRefs   = "refs/agent/undone/" // see UndoneRef
)

// Attempt is the kept work of a session that did not land.
type Attempt struct {
	Session, Ref string
	Commit, Base gitops.OID // Base "" = none
	Tree         gitops.OID
	Time         time.Time
	Subject      string
}

// Keep saves tree, a product tree, as a commit on base (a commit, "" = none)
// under refs/agent/attempts/, and extra (path → content: transcript,
// screenshots) beside it. The commit has base's harness files, so that a branch
// made of it differs by the work alone. Kept again, an attempt is replaced.
func Keep(ctx context.Context, repo *gitops.Repo, session string, base, tree gitops.OID, extra map[string][]byte, message string) (ref string, commit gitops.OID, err error) {
	if err := checkSession(session); err != nil {
		return "", "", err
	}
	spec := gitops.CommitSpec{Tree: tree, Message: message + "\n", Internal: true}
	if base != "" {
		spec.Parents = []gitops.OID{base}
		spec.Tree, err = withHarnessOf(ctx, repo, base, tree)
	}
	ref = attemptsRefs + session
	if err == nil {
		commit, err = repo.CommitTree(ctx, spec)
	}
	if err == nil {
		err = setRef(ctx, repo, ref, commit, "keep the attempt of "+session)
	}
	if err == nil && len(extra) > 0 {
		err = KeepRecord(ctx, repo, session, commit, extra)
	}
	if err != nil {
		return "", "", fmt.Errorf("keep the attempt: %w", err)
	}
	return ref, commit, nil
}

// withHarnessOf is product with the harness files of a commit.
func withHarnessOf(ctx context.Context, repo *gitops.Repo, commit, product gitops.OID) (gitops.OID, error) {
	tree, err := repo.TreeOf(ctx, string(commit))
	if err != nil {
		return "", err
	}
	return BuildTree(ctx, repo, tree, product, nil)
}

// KeepRecord saves the files of a session under refs/agent/records/; about is
// the commit they belong to ("" = none), named in the message.
func KeepRecord(ctx context.Context, repo *gitops.Repo, session string, about gitops.OID, files map[string][]byte) error {
	if err := checkSession(session); err != nil {
		return err
	}
	var edits []gitops.Edit
	for _, path := range slices.Sorted(maps.Keys(files)) {
		edits = append(edits, gitops.Edit{Path: path, Data: files[path]})
	}
	tree, err := repo.EditTree(ctx, "", edits)
	if err != nil {
		return fmt.Errorf("keep the record: %w", err)
	}
	message := "record of session " + session + "\n"
	if about != "" {
		message += "\nAgent-Commit: " + string(about) + "\n"
	}
	commit, err := repo.CommitTree(ctx, gitops.CommitSpec{Tree: tree, Message: message, Internal: true})
	if err != nil {
		return fmt.Errorf("keep the record: %w", err)
	}
	return setRef(ctx, repo, recordsRefs+session, commit, "keep the record of "+session)
}

// LoadRecord reads what was kept of a session: path → content.
func LoadRecord(ctx context.Context, repo *gitops.Repo, session string) (map[string][]byte, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	tree, err := repo.TreeOf(ctx, recordsRefs+session)
	if err != nil {
		return nil, fmt.Errorf("no record of session %s: %w", session, err)
	}
	entries, err := repo.ListTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Path], err = repo.ReadBlob(ctx, e.OID); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Attempts lists the kept attempts, newest first.
func Attempts(ctx context.Context, repo *gitops.Repo) ([]Attempt, error) {
	return keptBelow(ctx, repo, attemptsRefs, func(ref string) string { return strings.TrimPrefix(ref, attemptsRefs) })
}

// UndoneWork lists the commits that undo kept, by the session that made them,
// newest first.
func UndoneWork(ctx context.Context, repo *gitops.Repo) ([]Attempt, error) {
	return keptBelow(ctx, repo, undoneRefs, undoneSession)
}

// keptBelow lists the commits that refs below prefix keep, newest first; session
// is what made the one of a ref.
func keptBelow(ctx context.Context, repo *gitops.Repo, prefix string, session func(ref string) string) ([]Attempt, error) {
	refs, err := repo.Refs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var list []Attempt
	for _, ref := range refs {
		c, err := repo.Commit(ctx, string(ref.OID))
		if err != nil {
			return nil, fmt.Errorf("what %s keeps: %w", ref.Name, err)
		}
		a := Attempt{Session: session(ref.Name), Ref: ref.Name, Commit: c.ID, Tree: c.Tree, Time: c.Time, Subject: c.Subject}
		if len(c.Parents) > 0 {
			a.Base = c.Parents[0]
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b Attempt) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// undoneSession is the session in the name of a ref that undo made; a second
// undo of the same session has a suffix.
func undoneSession(ref string) string {
	session, _, _ := strings.Cut(strings.TrimPrefix(ref, undoneRefs), ".")
	return session
}

// Waiting are the verified commits that were left aside, by their feature.
func Waiting(ctx context.Context, repo *gitops.Repo) (map[string]Attempt, error) {
	refs, err := repo.Refs(ctx, landingRefs)
	if err != nil {
		return nil, err
	}
	waiting := map[string]Attempt{}
	for _, ref := range refs {
		c, err := repo.Commit(ctx, string(ref.OID))
		if err != nil {
			return nil, fmt.Errorf("commit left aside %s: %w", ref.Name, err)
		}
		for _, id := range c.Trailer("Agent-Feature") {
			waiting[id] = Attempt{Session: strings.TrimPrefix(ref.Name, landingRefs), Ref: ref.Name, Commit: c.ID, Tree: c.Tree, Time: c.Time, Subject: c.Subject}
		}
	}
	return waiting, nil
}

// Take puts a commit that was left aside (verified is true then), or a kept
// attempt, on a new branch. An existing branch is never moved.
func Take(ctx context.Context, repo *gitops.Repo, session, branch string) (verified bool, err error) {
	if err := checkSession(session); err != nil {
		return false, err
	}
	branch = strings.TrimPrefix(branch, "refs/heads/")
	if branch == "" || strings.HasPrefix(branch, "-") || branch == "HEAD" {
		return false, fmt.Errorf("%q cannot be the name of a branch", branch)
	}
	commit, err := repo.Resolve(ctx, landingRefs+session)
	verified = err == nil
	if errors.Is(err, gitops.ErrNotFound) {
		commit, err = repo.Resolve(ctx, attemptsRefs+session)
	}
	if errors.Is(err, gitops.ErrNotFound) {
		return false, hint.Errorf("list the sessions with: git agent log", "nothing is kept of session %q", session)
	}
	if err != nil {
		return false, err
	}
	err = repo.UpdateRef(ctx, "refs/heads/"+branch, commit, "", "git agent take "+session)
	if errors.Is(err, gitops.ErrRefMoved) {
		return false, hint.Errorf("choose another name with --branch", "the branch %s exists already", branch)
	}
	return verified, err
}

// UndoneRef keeps the commit of a session that was taken back.
func UndoneRef(session string) string { return undoneRefs + session }

// setRef points one of our own refs at commit, whatever it held.
func setRef(ctx context.Context, repo *gitops.Repo, ref string, commit gitops.OID, reason string) error {
	for range 5 {
		old, err := repo.Resolve(ctx, ref)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return err
		}
		err = repo.UpdateRef(ctx, ref, commit, old, reason)
		if !errors.Is(err, gitops.ErrRefMoved) {
			return err
		}
	}
	return fmt.Errorf("update %s: %w", ref, gitops.ErrRefMoved)
}
