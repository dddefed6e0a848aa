package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitagent/gitops"
)

// IsHarnessFile says whether path, relative to the top, belongs to the harness:
// it is left out of the verified tree.
func IsHarnessFile(path string) bool {
	switch path {
	case "features.json", "progress.md", ".agent":
		return true
	case ".agent/config":
		return false
	}
	return strings.HasPrefix(path, ".agent/")
}

// ProductTree is tree without the harness files.
func ProductTree(ctx context.Context, repo *gitops.Repo, tree gitops.OID) (gitops.OID, error) {
	var drop []gitops.Edit
	for _, path := range []string{"features.json", "progress.md", ".agent"} {
		e, err := repo.EntryAt(ctx, tree, path)
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("product tree: %w", err)
		}
		drop = append(drop, gitops.Edit{Path: path, Delete: true})
		if path == ".agent" {
			if e, err = repo.EntryAt(ctx, tree, ".agent/config"); err == nil && regular(e.Mode) {
				drop = append(drop, gitops.Edit{Path: ".agent/config", Mode: e.Mode, Blob: e.OID})
			} else if err != nil && !errors.Is(err, gitops.ErrNotFound) {
				return "", fmt.Errorf("product tree: %w", err)
			}
		}
	}
	if len(drop) == 0 && tree != "" {
		return tree, nil
	}
	return repo.EditTree(ctx, tree, drop)
}

func regular(mode string) bool {
	return mode == gitops.ModeFile || mode == gitops.ModeExecutable
}

// BuildTree makes the tree of a commit: the files of product, the harness files
// of base, and harness over those (path → content). base may be "".
func BuildTree(ctx context.Context, repo *gitops.Repo, base, product gitops.OID, harness map[string][]byte) (gitops.OID, error) {
	entries, err := repo.ListTree(ctx, base)
	if err != nil {
		return "", fmt.Errorf("build tree: %w", err)
	}
	var edits []gitops.Edit
	for _, e := range entries {
		if IsHarnessFile(e.Path) && e.Mode != gitops.ModeGitlink {
			edits = append(edits, gitops.Edit{Path: e.Path, Mode: e.Mode, Blob: e.OID})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(harness)) {
		if !IsHarnessFile(path) {
			return "", fmt.Errorf("build tree: %s is not a file of the harness", path)
		}
		edits = append(edits, gitops.Edit{Path: path, Data: harness[path]})
	}
	clean, err := ProductTree(ctx, repo, product)
	if err != nil {
		return "", err
	}
	return repo.EditTree(ctx, clean, edits)
}
