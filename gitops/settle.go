package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Outlast lets the git processes that are started from now on hold f, a locked
// file: should this process be killed in the middle of a change, the lock lasts
// until the change is made. What runs as the user does not get it. nil ends it.
func (r *Repo) Outlast(f *os.File) { r.lasting.Store(f) }

// SettleMove brings a move of branch, index and work tree from one commit to
// another, which the death of every process cut short, to one of its two ends:
// where the index was moved the branch follows, else the files go back. It says
// whether the branch holds to. What is not git's own half work is not touched.
// The caller makes sure that nothing works here.
func (r *Repo) SettleMove(ctx context.Context, branch string, from, to OID) (moved bool, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return false, err
	}
	tip := head.Commit
	if head.Branch != branch {
		if tip, err = r.Resolve(ctx, branch); err != nil && !errors.Is(err, ErrNotFound) {
			return false, err
		}
		return tip == to, nil // a person went elsewhere: the files are theirs
	}
	if tip == to || tip != from {
		return tip == to, nil
	}
	changes, err := r.between(ctx, from, to)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	indexed, err := r.indexHolds(ctx, to, changes)
	if err != nil {
		return false, err
	}
	if indexed {
		return true, r.UpdateRef(ctx, branch, to, from, "git agent: finish what was cut short")
	}
	if err := r.takeBack(ctx, to, changes); err != nil {
		return false, fmt.Errorf("put the files back: %w", err)
	}
	return false, nil
}

// between are the changes from one commit ("" = none) to another.
func (r *Repo) between(ctx context.Context, from, to OID) ([]Change, error) {
	var old OID
	var err error
	if from != "" {
		if old, err = r.TreeOf(ctx, string(from)); err != nil {
			return nil, err
		}
	}
	tree, err := r.TreeOf(ctx, string(to))
	if err != nil {
		return nil, err
	}
	return r.DiffTrees(ctx, old, tree)
}

// indexHolds says whether the index has all changed paths as commit has them.
func (r *Repo) indexHolds(ctx context.Context, commit OID, changes []Change) (bool, error) {
	out, err := r.run(ctx, call{args: []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", string(commit), "--"}})
	if err != nil {
		return false, fmt.Errorf("look at the index: %w", err)
	}
	differing, err := ParseRaw(out)
	if err != nil {
		return false, err
	}
	differs := map[string]bool{}
	for _, d := range differing {
		differs[d.Path] = true
	}
	return !slices.ContainsFunc(changes, func(c Change) bool { return differs[c.Path] }), nil
}

// takeBack undoes in the work tree what a checkout of changes had done so far:
// files that are missing, or that hold the beginning of what they were to
// become.
func (r *Repo) takeBack(ctx context.Context, to OID, changes []Change) error {
	flags, err := r.localFiltersOff(ctx, to)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return err
	}
	defer root.Close()
	var restore []string
	for _, c := range changes {
		half, err := r.halfDone(ctx, root, flags, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		switch {
		case !half:
		case c.OldOID != "":
			restore = append(restore, c.Path)
		default:
			if err := removeFile(root, filepath.FromSlash(c.Path)); err != nil {
				return err
			}
		}
	}
	if len(restore) == 0 {
		return nil
	}
	return r.restore(ctx, flags, restore)
}

// halfDone says whether a path is as a checkout of the change leaves it, or
// left it in the middle.
func (r *Repo) halfDone(ctx context.Context, root *os.Root, flags []string, c Change) (bool, error) {
	now, mode, err := contentOf(root, filepath.FromSlash(c.Path))
	if err != nil {
		return false, err
	}
	if mode == "" {
		return c.OldOID != "", nil
	}
	if c.NewOID == "" { // it was to go and is still there
		return false, nil
	}
	if c.OldOID != "" && mode == c.OldMode {
		old, err := r.smudged(ctx, flags, c.Path, c.OldMode, c.OldOID)
		if err != nil || bytes.Equal(now, old) {
			return false, err
		}
	}
	new, err := r.smudged(ctx, flags, c.Path, c.NewMode, c.NewOID)
	return err == nil && bytes.HasPrefix(new, now), err
}

// contentOf reads a file or a symlink; mode "" means that there is none.
func contentOf(root *os.Root, name string) (data []byte, mode string, err error) {
	st, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && st.IsDir(), isNotDir(err):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		return []byte(target), ModeSymlink, err
	case !st.Mode().IsRegular() || st.Size() > maxObject:
		return nil, "other", nil
	}
	mode = ModeFile
	if st.Mode()&0o100 != 0 {
		mode = ModeExecutable
	}
	data, err = root.ReadFile(name)
	return data, mode, err
}

// smudged is what a checkout writes for a blob at path.
func (r *Repo) smudged(ctx context.Context, flags []string, path, mode string, id OID) ([]byte, error) {
	if mode == ModeSymlink {
		return r.ReadBlob(ctx, id)
	}
	return r.run(ctx, call{mode: checkout, flags: flags, args: []string{"cat-file", "--filters", "--path=" + path, string(id)}})
}

// removeFile removes a file and the folders that become empty by it.
func removeFile(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if root.Remove(dir) != nil { // it holds something
			return nil
		}
	}
	return nil
}

// DropStaleLocks removes the lock files of git that were made since then and
// that nobody holds, because no git is at work in this repository: those of a
// git that was killed. The caller holds whatever keeps our own git away.
func (r *Repo) DropStaleLocks(since time.Time, branch string) ([]string, error) {
	var stale []string
	for _, path := range r.lockFiles(branch) {
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() && st.ModTime().After(since.Add(-lockSlack)) {
			stale = append(stale, path)
		}
	}
	if len(stale) == 0 {
		return nil, nil
	}
	busy, err := gitAtWork([]string{r.top, r.gitDir, r.commonDir})
	if err != nil {
		return nil, fmt.Errorf("is a git at work here: %w", err)
	}
	if busy {
		return nil, nil
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove the lock of a dead git: %w", err)
		}
	}
	return stale, nil
}

// lockSlack is how much older a file may look than it is: file systems count
// time in steps.
const lockSlack = 2 * time.Second

// lockFiles are the locks that our own git may have held.
func (r *Repo) lockFiles(branch string) []string {
	paths, _ := filepath.Glob(filepath.Join(r.gitDir, "next-index-*.lock")) // the pattern is good
	for _, name := range []string{"index.lock", "HEAD.lock", "ORIG_HEAD.lock"} {
		paths = append(paths, filepath.Join(r.gitDir, name))
	}
	for _, name := range []string{"packed-refs.lock", "reftable/tables.list.lock"} {
		paths = append(paths, filepath.Join(r.commonDir, filepath.FromSlash(name)))
	}
	if strings.HasPrefix(branch, "refs/heads/") {
		paths = append(paths, filepath.Join(r.commonDir, filepath.FromSlash(branch)+".lock"))
	}
	_ = filepath.WalkDir(filepath.Join(r.commonDir, "refs", "agent"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
			paths = append(paths, path)
		}
		return nil // what cannot be read holds no lock of ours
	})
	return paths
}
