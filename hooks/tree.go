package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
)

// tree reads one snapshot; what was read once is kept.
type tree struct {
	repo   *gitops.Repo
	id     gitops.OID // "" for the empty tree
	commit gitops.OID // whose tree it is, where that was not looked up yet

	looked, listed bool // whether there is a list, once looked for

	parsed  bool
	list    *features.List
	listErr error
}

// find looks up the tree of a commit, once it is asked for.
func (t *tree) find(ctx context.Context) error {
	if t.id != "" || t.commit == "" {
		return nil
	}
	info, err := t.repo.Commit(ctx, string(t.commit))
	if err == nil {
		t.id = info.Tree
	}
	return err
}

// has says whether the snapshot has anything at path.
func (t *tree) has(ctx context.Context, path string) (bool, error) {
	if err := t.find(ctx); err != nil || t.id == "" {
		return false, err
	}
	_, err := t.repo.EntryAt(ctx, t.id, path)
	if errors.Is(err, gitops.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// hasList says whether the snapshot has a list.
func (t *tree) hasList(ctx context.Context) (bool, error) {
	if !t.looked {
		has, err := t.has(ctx, features.Path)
		if err != nil {
			return false, err
		}
		t.looked, t.listed = true, has
	}
	return t.listed, nil
}

// read returns a regular file; gitops.ErrNotFound where there is none.
func (t *tree) read(ctx context.Context, path string) ([]byte, error) {
	if err := t.find(ctx); err != nil {
		return nil, err
	}
	if t.id == "" {
		return nil, gitops.ErrNotFound
	}
	entry, err := t.repo.EntryAt(ctx, t.id, path)
	if err != nil {
		return nil, err
	}
	if entry.Mode != modeFile && entry.Mode != modeExec {
		return nil, gitops.ErrNotFound
	}
	return t.repo.ReadFile(ctx, t.id, path) // which tells a missing object from a missing file
}

// features returns the list, nil where there is none. A list that cannot be
// parsed is a *features.SyntaxError in bad; err is a fault of reading.
func (t *tree) features(ctx context.Context) (list *features.List, bad, err error) {
	if t.parsed {
		return t.list, t.listErr, nil
	}
	data, err := t.read(ctx, features.Path)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return nil, nil, err
	}
	if err == nil {
		t.list, t.listErr = features.Parse(data)
	}
	t.parsed = true
	return t.list, t.listErr, nil
}

// passing says whether the feature is in the snapshot's list and passes.
func (t *tree) passing(ctx context.Context, id string) (bool, error) {
	list, _, err := t.features(ctx)
	if err != nil || list == nil {
		return false, err
	}
	f := list.Get(id)
	return f != nil && f.Passes, nil
}

func sortChanges(cs []gitops.Change) {
	slices.SortFunc(cs, func(a, b gitops.Change) int { return strings.Compare(a.Path, b.Path) })
}
