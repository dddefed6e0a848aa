package gitops

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// MergeTrees merges what base → theirs changed into ours, path by path, text by
// text where both changed a file. The paths that conflict are returned, and no
// tree then. No ref, index or work tree is touched, and no merge driver runs.
func (r *Repo) MergeTrees(ctx context.Context, base, ours, theirs OID) (OID, []string, error) {
	var sides [3]map[string]Entry
	for i, tree := range []OID{base, ours, theirs} {
		entries, err := r.ListTree(ctx, tree)
		if err != nil {
			return "", nil, err
		}
		sides[i] = map[string]Entry{}
		for _, e := range entries {
			sides[i][e.Path] = e
		}
	}
	paths := map[string]bool{}
	for _, side := range sides {
		for p := range side {
			paths[p] = true
		}
	}
	var edits []Edit
	var conflicts []string
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		edit, changed, ok, err := r.mergePath(ctx, sides[0][p], sides[1][p], sides[2][p])
		switch {
		case err != nil:
			return "", nil, err
		case !ok:
			conflicts = append(conflicts, p)
		case changed:
			edit.Path = p
			edits = append(edits, edit)
		}
	}
	if len(conflicts) > 0 {
		return "", conflicts, nil
	}
	merged, err := r.EditTree(ctx, ours, edits)
	return merged, nil, err
}

// mergePath merges one path; the zero Entry is absence.
func (r *Repo) mergePath(ctx context.Context, base, ours, theirs Entry) (edit Edit, changed, ok bool, err error) {
	same := func(a, b Entry) bool { return a.OID == b.OID && a.Mode == b.Mode }
	switch {
	case same(ours, theirs), same(base, theirs):
		return Edit{}, false, true, nil
	case same(base, ours):
		if theirs.OID == "" {
			return Edit{Delete: true}, true, true, nil
		}
		return Edit{Mode: theirs.Mode, Blob: theirs.OID}, true, true, nil
	case base.OID == "" || ours.OID == "" || theirs.OID == "":
		return Edit{}, false, false, nil
	case !regular(base.Mode) || !regular(ours.Mode) || !regular(theirs.Mode):
		return Edit{}, false, false, nil
	}
	mode := ours.Mode
	if ours.Mode == base.Mode {
		mode = theirs.Mode
	}
	data, ok, err := r.mergeText(ctx, base.OID, ours.OID, theirs.OID)
	return Edit{Mode: mode, Data: data}, true, ok, err
}

// mergeText runs git merge-file on three blobs; ok is false on a conflict and
// on binary files.
func (r *Repo) mergeText(ctx context.Context, base, ours, theirs OID) ([]byte, bool, error) {
	dir, err := os.MkdirTemp("", "git-agent-merge-")
	if err != nil {
		return nil, false, fmt.Errorf("merge: %w", err)
	}
	defer os.RemoveAll(dir)
	names := []string{"ours", "base", "theirs"}
	for i, id := range []OID{ours, base, theirs} {
		data, err := r.ReadBlob(ctx, id)
		if err != nil {
			return nil, false, err
		}
		if err := os.WriteFile(filepath.Join(dir, names[i]), data, 0o600); err != nil {
			return nil, false, fmt.Errorf("merge: %w", err)
		}
	}
	out, err := r.run(ctx, call{args: append([]string{"merge-file", "-p", "-q"}, names...), dir: dir})
	if err == nil {
		return out, true, nil
	}
	if code := exitCode(err); code > 0 { // the number of conflicts, or 255 for a binary file
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("merge: %w", err)
}

// regular says whether a mode is that of a file.
func regular(mode string) bool { return mode == ModeFile || mode == ModeExecutable }
