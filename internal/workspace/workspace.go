package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gitagent/gitops"
)

// Workspace is the set of trees of one session. Its methods are not for
// concurrent use.
type Workspace struct {
	claim                   *claim
	closed                  bool
	repo                    *gitops.Repo
	session, scratch, check *gitops.Folder
	seal                    *seal
}

// Create makes the trees of session below root: the session tree holds the
// product files of the commit base ("" = nothing yet), the others are empty.
func Create(ctx context.Context, repo *gitops.Repo, root, session string, base gitops.OID) (*Workspace, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	c, err := take(root, repoHash(repo)+"-"+session)
	if err != nil {
		return nil, err
	}
	w := &Workspace{claim: c, repo: repo}
	if err := w.fill(ctx, base); err != nil {
		return nil, errors.Join(fmt.Errorf("make the trees: %w", err), c.release())
	}
	return w, nil
}

func (w *Workspace) fill(ctx context.Context, base gitops.OID) error {
	for _, name := range []string{"session", "scratch", "check", "tmp", "cache", "git"} {
		if err := os.Mkdir(w.path(name), 0o700); err != nil {
			return err
		}
	}
	index := func(name string) string { return filepath.Join(w.path("git"), name+".index") }
	w.session = w.repo.Folder(w.path("session"), index("session"))
	w.scratch = w.repo.Folder(w.path("scratch"), index("scratch"))
	w.check = w.repo.Folder(w.path("check"), index("check"))
	var tree gitops.OID
	if base != "" {
		full, err := w.repo.TreeOf(ctx, string(base))
		if err != nil {
			return err
		}
		if tree, err = ProductTree(ctx, w.repo, full); err != nil {
			return err
		}
	}
	return w.session.Checkout(ctx, tree)
}

func (w *Workspace) path(name string) string { return filepath.Join(w.claim.dir, name) }

// SessionDir is what write_file and edit_file change.
func (w *Workspace) SessionDir() string { return w.path("session") }

// ScratchDir is where the model's commands run.
func (w *Workspace) ScratchDir() string { return w.path("scratch") }

// CheckDir is where the harness's checks run.
func (w *Workspace) CheckDir() string { return w.path("check") }

// TempDir is for temporary files of what runs in the trees.
func (w *Workspace) TempDir() string { return w.path("tmp") }

// CacheDir is for caches and the home folder of what runs in the trees.
func (w *Workspace) CacheDir() string { return w.path("cache") }

// Close removes the trees.
func (w *Workspace) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if err := w.claim.release(); err != nil {
		return fmt.Errorf("remove the trees: %w", err)
	}
	return nil
}

// Snapshot stores the session tree. Should a harness file have got into it, it
// is left out.
func (w *Workspace) Snapshot(ctx context.Context) (gitops.OID, error) {
	tree, err := w.session.Snapshot(ctx)
	if err != nil {
		return "", fmt.Errorf("session tree: %w", err)
	}
	return ProductTree(ctx, w.repo, tree)
}

// Ignored says whether a snapshot of the session tree would leave path out.
func (w *Workspace) Ignored(path string) bool {
	ignored, err := w.session.Ignored(context.Background(), path)
	return err != nil || ignored // what cannot be told apart is better not written
}

// SyncScratch makes the scratch tree equal to the session tree and returns the
// tree that both hold. Ignored files of the scratch tree stay.
func (w *Workspace) SyncScratch(ctx context.Context) (gitops.OID, error) {
	tree, err := w.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	if err := w.scratch.Checkout(ctx, tree); err != nil {
		return "", fmt.Errorf("scratch tree: %w", err)
	}
	return tree, nil
}

// SyncCheck makes the check tree equal to tree; its ignored files stay.
func (w *Workspace) SyncCheck(ctx context.Context, tree gitops.OID) error {
	if err := w.check.Checkout(ctx, tree); err != nil {
		return fmt.Errorf("check tree: %w", err)
	}
	return nil
}

// KeepInstalled has what set-up has just made in the ignored folders of the
// scratch and the check tree stay there, whatever the work does to .gitignore.
func (w *Workspace) KeepInstalled(ctx context.Context) error {
	if err := w.check.KeepIgnored(ctx); err != nil {
		return fmt.Errorf("check tree: %w", err)
	}
	if err := w.scratch.KeepIgnored(ctx); err != nil {
		return fmt.Errorf("scratch tree: %w", err)
	}
	return nil
}

// RestoreSession makes the session tree equal to tree.
func (w *Workspace) RestoreSession(ctx context.Context, tree gitops.OID) error {
	if err := w.session.Checkout(ctx, tree); err != nil {
		return fmt.Errorf("session tree: %w", err)
	}
	return nil
}
