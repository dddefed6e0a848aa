package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitagent/gitops"
)

// about is what a pid file tells beside the number: whose trees these are, and
// the commit that they were made from ("" = none).
type about struct {
	commonDir string
	base      gitops.OID
}

// readAbout reads the pid file of dir; what it does not say is empty.
func readAbout(dir string) about {
	data, err := os.ReadFile(pidFile(dir))
	lines := strings.Split(string(data), "\n")
	if err != nil || len(lines) != 4 || !filepath.IsAbs(lines[1]) {
		return about{}
	}
	return about{commonDir: lines[1], base: gitops.OID(lines[2])}
}

// Outlive lets the session tree and the transcript be found should this process
// die: see Dead. base is the commit that the trees were made from.
func (w *Workspace) Outlive(base gitops.OID) error {
	return w.claim.note(about{w.repo.CommonDir(), base})
}

// Leave lets go of the trees without removing them: for Dead to find what could
// not be kept.
func (w *Workspace) Leave() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.claim.lock.Close()
}

// TranscriptFile is where the session writes its transcript.
func (w *Workspace) TranscriptFile() string { return w.path(transcriptFile) }

const transcriptFile = "transcript.jsonl"

// Remains are the trees of a session whose process died. They belong to this
// process until Remove or Leave.
type Remains struct {
	Session string
	Base    gitops.OID
	repo    *gitops.Repo
	claim   *claim
}

// Dead claims what sessions of this repository left below root that asked for
// it (Outlive) and whose process died.
func Dead(ctx context.Context, repo *gitops.Repo, root string) ([]*Remains, error) {
	names, err := claimed(root)
	if err != nil {
		return nil, fmt.Errorf("look for trees of dead sessions: %w", err)
	}
	var dead []*Remains
	for _, name := range names {
		session, ours := strings.CutPrefix(name, repoHash(repo)+"-")
		dir := filepath.Join(treesDir(root), name)
		if !ours || checkSession(session) != nil || readAbout(dir).commonDir != repo.CommonDir() {
			continue
		}
		if st, err := os.Lstat(filepath.Join(dir, "session")); err != nil || !st.IsDir() {
			continue
		}
		c := &claim{dir: dir}
		ok, err := c.acquire()
		if err != nil {
			return dead, errors.Join(err, leaveAll(dead))
		}
		if ok {
			dead = append(dead, &Remains{Session: session, Base: readAbout(dir).base, repo: repo, claim: c})
		}
	}
	return dead, nil
}

func leaveAll(all []*Remains) (err error) {
	for _, r := range all {
		err = errors.Join(err, r.Leave())
	}
	return err
}

// Dir is the session tree, for people.
func (r *Remains) Dir() string { return filepath.Join(r.claim.dir, "session") }

// Tree stores what the session tree holds, as Workspace.Rescue does.
func (r *Remains) Tree(ctx context.Context) (gitops.OID, error) { return rescue(ctx, r.repo, r.Dir()) }

// Rescue is Snapshot where that fails: it trusts no index, which a killed git
// may have left half written, and needs no room beside the trees.
func (w *Workspace) Rescue(ctx context.Context) (gitops.OID, error) {
	return rescue(ctx, w.repo, w.SessionDir())
}

func rescue(ctx context.Context, repo *gitops.Repo, dir string) (tree gitops.OID, err error) {
	index := filepath.Join(repo.AgentDir(), "rescue.index")
	clear := func() error {
		var errs []error
		for _, name := range []string{index, index + ".lock", index + ".d"} {
			errs = append(errs, os.RemoveAll(name))
		}
		return errors.Join(errs...)
	}
	if err := clear(); err != nil {
		return "", fmt.Errorf("the session tree: %w", err)
	}
	defer func() { err = errors.Join(err, clear()) }()
	folder := repo.Folder(dir, index)
	tree, err = folder.Snapshot(ctx)
	var nested *gitops.NestedRepoError
	if errors.As(err, &nested) && dropAll(dir, nested.Paths) == nil {
		tree, err = folder.Snapshot(ctx) // what is in a .git can be in no tree
	}
	if err != nil {
		return "", fmt.Errorf("the session tree: %w", err)
	}
	return ProductTree(ctx, repo, tree)
}

func dropAll(dir string, paths []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range paths {
		err = errors.Join(err, root.RemoveAll(filepath.FromSlash(path)))
	}
	return err
}

// Transcript is what the session had written of it, nil when there is none.
func (r *Remains) Transcript() []byte {
	data, err := os.ReadFile(filepath.Join(r.claim.dir, transcriptFile))
	if err != nil {
		return nil
	}
	return data
}

// Remove removes the trees.
func (r *Remains) Remove() error {
	if err := r.claim.release(); err != nil {
		return fmt.Errorf("remove the trees of %s: %w", r.Session, err)
	}
	return nil
}

// Leave lets go of the trees; they stay.
func (r *Remains) Leave() error { return r.claim.lock.Close() }

// thin removes what nobody looks for after a session's death, which is the
// bulk.
func (c *claim) thin() (err error) {
	for _, name := range []string{"scratch", "check", "tmp", "cache"} {
		err = errors.Join(err, removeTree(filepath.Join(c.dir, name)))
	}
	return err
}
