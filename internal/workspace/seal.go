package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// seal remembers what lies beside the tree in the check tree, and in the caches
// of its checks, before any work is tried there. What the work leaves behind is
// then known: evidence must not rest on it, since nobody else has it.
type seal struct {
	dirs   []string // besides the check tree
	stamps map[string]stamp
}

// Seal takes what the check tree and dirs hold now for the harness's own.
func (w *Workspace) Seal(ctx context.Context, dirs ...string) error {
	s := &seal{dirs: dirs}
	var err error
	if s.stamps, err = w.beside(ctx, dirs); err != nil {
		return fmt.Errorf("seal the check tree: %w", err)
	}
	w.seal = s
	return nil
}

// Sealed says whether nothing was added, changed or removed since.
func (w *Workspace) Sealed(ctx context.Context) (bool, error) {
	if w.seal == nil {
		return true, nil
	}
	now, err := w.beside(ctx, w.seal.dirs)
	if err != nil {
		return false, fmt.Errorf("look at the seal: %w", err)
	}
	if len(now) != len(w.seal.stamps) {
		return false, nil
	}
	for path, s := range now {
		if w.seal.stamps[path] != s {
			return false, nil
		}
	}
	return true, nil
}

// Unseal removes what was added or changed since. intact says that everything
// that was sealed is still there.
func (w *Workspace) Unseal(ctx context.Context) (intact bool, err error) {
	if w.seal == nil {
		return true, nil
	}
	now, err := w.beside(ctx, w.seal.dirs)
	if err != nil {
		return false, fmt.Errorf("restore the check tree: %w", err)
	}
	for path, s := range now {
		if w.seal.stamps[path] == s {
			continue
		}
		if err := w.removeBeside(path); err != nil {
			return false, fmt.Errorf("restore the check tree: %w", err)
		}
	}
	for path, s := range w.seal.stamps {
		if now[path] != s {
			return false, nil
		}
	}
	return true, nil
}

// beside stamps every file beside the tree, by its full path.
func (w *Workspace) beside(ctx context.Context, dirs []string) (map[string]stamp, error) {
	out := map[string]stamp{}
	extra, err := w.check.Extra(ctx)
	if err != nil {
		return nil, err
	}
	var nested []string
	for _, p := range extra {
		path := filepath.Join(w.CheckDir(), filepath.FromSlash(p))
		if p[len(p)-1] == '/' {
			nested = append(nested, path)
			continue
		}
		if s, ok := stampOf(path); ok {
			out[path] = s
		}
	}
	for _, dir := range append(nested, dirs...) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			if s, ok := stampOf(path); ok {
				out[path] = s
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// removeBeside removes one file through the folder that it belongs to, since a
// link may have been put in the way; a folder that is not writable is made so.
func (w *Workspace) removeBeside(path string) error {
	for _, dir := range append([]string{w.CheckDir()}, w.seal.dirs...) {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		if err = root.Remove(rel); errors.Is(err, fs.ErrPermission) {
			if err = root.Chmod(filepath.Dir(rel), 0o700); err == nil {
				err = root.Remove(rel)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return nil
}
