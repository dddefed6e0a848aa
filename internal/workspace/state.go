package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

// StateRoot is the user's state folder of git agent. It is not created.
func StateRoot() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "git-agent"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hint.Errorf("set HOME or XDG_STATE_HOME", "no folder for private state: %w", err)
	}
	return filepath.Join(home, ".local", "state", "git-agent"), nil
}

func treesDir(root string) string { return filepath.Join(root, "trees") }

var goodSession = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

// checkSession refuses names that could not be part of a ref or of a path.
func checkSession(session string) error {
	if !goodSession.MatchString(session) || len(session) > 100 || strings.HasSuffix(session, ".lock") {
		return fmt.Errorf("%q cannot be the name of a session", session)
	}
	return nil
}

// IsSession says whether a session can have this name.
func IsSession(name string) bool { return checkSession(name) == nil }

// repoHash tells the trees of one repository from those of another.
func repoHash(repo *gitops.Repo) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(repo.CommonDir())))[:12]
}

// claim is a folder below trees/ that belongs to this process. The lock on its
// pid file ends with the process, whatever ends that, and cannot be mistaken
// for that of a later process with the same number.
type claim struct {
	dir  string
	lock *flock.Flock
}

func pidFile(dir string) string { return dir + ".pid" }

// take claims root/trees/name, which must not be claimed by a living process.
// The folder is empty afterwards.
func take(root, name string) (*claim, error) {
	trees := treesDir(root)
	if err := os.MkdirAll(trees, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for trees: %w", err)
	}
	c := &claim{dir: filepath.Join(trees, name)}
	ok, err := c.acquire()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("another process works in %s", c.dir)
	}
	if err := removeTree(c.dir); err != nil {
		return nil, errors.Join(err, c.lock.Close())
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make a folder for trees: %w", err), c.lock.Close())
	}
	if err := c.note(about{}); err != nil {
		return nil, errors.Join(err, c.release())
	}
	return c, nil
}

// note writes the pid file. The number is for people; what counts is the lock.
func (c *claim) note(a about) error {
	text := fmt.Sprintf("%d\n", os.Getpid())
	if a.commonDir != "" {
		text += a.commonDir + "\n" + string(a.base) + "\n"
	}
	if err := os.WriteFile(pidFile(c.dir), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the pid file: %w", err)
	}
	return nil
}

// acquire locks the pid file. A sweep may remove the file between opening and
// locking it, and a lock on a removed file protects nothing: then again.
func (c *claim) acquire() (bool, error) {
	for range 100 {
		lock := flock.New(pidFile(c.dir), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if err != nil {
			return false, fmt.Errorf("lock %s: %w", pidFile(c.dir), err)
		}
		if !ok {
			return false, lock.Close()
		}
		held, err1 := lock.Stat()
		named, err2 := os.Stat(pidFile(c.dir))
		if err1 == nil && err2 == nil && os.SameFile(held, named) {
			c.lock = lock
			return true, nil
		}
		if err := lock.Close(); err != nil {
			return false, fmt.Errorf("lock %s: %w", pidFile(c.dir), err)
		}
	}
	return false, fmt.Errorf("lock %s: it is removed again and again", pidFile(c.dir))
}

// release removes the folder, then its pid file, then lets go. The folder goes
// under another name first: half removed, it must not be taken for a session's.
func (c *claim) release() error {
	going := c.dir + ".gone"
	err := removeTree(going)
	if err == nil && os.Rename(c.dir, going) != nil {
		going = c.dir // not there, or it cannot be renamed
	}
	if err == nil {
		err = removeTree(going)
	}
	if err == nil {
		err = os.Remove(pidFile(c.dir))
	}
	return errors.Join(err, c.lock.Close())
}

// Sweep removes the trees that dead processes left below root and counts them.
// Where spare says so of a session that died (see Outlive), its session tree
// and its transcript stay for Dead.
func Sweep(ctx context.Context, root string, spare func(commonDir, session string) bool) (n int, err error) {
	names, err := claimed(root)
	if err != nil {
		return 0, fmt.Errorf("sweep: %w", err)
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		c := &claim{dir: filepath.Join(treesDir(root), name)}
		ok, aerr := c.acquire()
		if aerr != nil || !ok {
			err = errors.Join(err, aerr)
			continue
		}
		a := readAbout(c.dir)
		if _, session, found := strings.Cut(name, "-"); found && a.commonDir != "" && spare != nil && spare(a.commonDir, session) {
			err = errors.Join(err, c.thin(), c.lock.Close())
			continue
		}
		if rerr := c.release(); rerr != nil {
			err = errors.Join(err, fmt.Errorf("sweep: %w", rerr))
			continue
		}
		n++
	}
	return n, err
}

// claimed names the folders below root's trees, also those of which only the
// pid file is left.
func claimed(root string) ([]string, error) {
	entries, err := os.ReadDir(treesDir(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".pid"))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// removeTree removes dir also where folders in it are read-only, as in Go's
// module cache, and while a process that is about to die still writes there. It
// follows no symlink.
func removeTree(dir string) (err error) {
	for pause := time.Millisecond; pause < time.Second; pause *= 3 {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EBUSY) {
			break
		}
		time.Sleep(pause)
	}
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, rerr := os.OpenRoot(dir)
	if rerr != nil {
		return err
	}
	defer root.Close()
	openUp(root, ".")
	return os.RemoveAll(dir)
}

// openUp makes every folder below path writable for us.
func openUp(root *os.Root, path string) {
	if root.Chmod(path, 0o700) != nil {
		return
	}
	f, err := root.Open(path)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		if e.IsDir() {
			openUp(root, filepath.Join(path, e.Name()))
		}
	}
}
