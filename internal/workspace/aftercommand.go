package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gitagent/gitops"
)

const (
	maxLost      = 50       // how many lost paths are named
	maxKept      = 40       // files that one command brings back
	maxKeptFile  = 16 << 20 // bytes of a lockfile that comes back
	maxKeptTotal = 32 << 20 // bytes of all that one command brings back
)

// NotKept says what became of the changes that a command made in the scratch
// tree. The next sync undoes those that were lost.
type NotKept struct {
	Kept []string // lockfiles, and manifests whose dependency entries came back
	Lost []string // what else changed, at most 50 paths
	More int      // how many further paths were lost
}

func (n *NotKept) lose(path string) {
	if len(n.Lost) < maxLost {
		n.Lost = append(n.Lost, path)
	} else {
		n.More++
	}
}

// lockfile says whether a package manager writes files of this name, and
// nobody else does.
func lockfile(name string) bool {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "deno.lock",
		"go.sum", "go.work.sum", "Cargo.lock", "poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "composer.lock",
		"Gemfile.lock", "mix.lock", "pubspec.lock", "flake.lock", "Package.resolved":
		return true
	}
	return false
}

// AfterCommand compares the scratch tree with tree, which it was synced to
// before the command. Lockfiles and dependency entries of manifests go into
// the session tree, unless their path is refused; everything else is reported
// as lost. Nothing that the command started may still run.
func (w *Workspace) AfterCommand(ctx context.Context, tree gitops.OID, refused func(path string) bool) (NotKept, error) {
	var n NotKept
	changed, err := w.scratch.Untracked(ctx)
	if err != nil {
		return n, fmt.Errorf("what the command changed: %w", err)
	}
	if len(changed) == 0 {
		return n, nil
	}
	from, err := os.OpenRoot(w.ScratchDir())
	if err != nil {
		return n, fmt.Errorf("open the scratch tree: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(w.SessionDir())
	if err != nil {
		return n, fmt.Errorf("open the session tree: %w", err)
	}
	defer to.Close()
	room := int64(maxKeptTotal)
	for _, p := range changed {
		var whole, partly bool
		if len(n.Kept) < maxKept && comesBack(p) && (refused == nil || !refused(p)) {
			whole, partly, err = w.bringBack(ctx, from, to, tree, p, &room)
		}
		if err != nil {
			return n, fmt.Errorf("bring %s back: %w", p, err)
		}
		if whole || partly {
			n.Kept = append(n.Kept, p)
		}
		if partly {
			n.lose(p + " (other than its dependencies)")
		} else if !whole {
			n.lose(p)
		}
	}
	return n, nil
}

// comesBack says whether a package manager writes files of this name.
func comesBack(p string) bool {
	name := path.Base(p)
	return (lockfile(name) || manifest(name) != nil) && !IsHarnessFile(p)
}

// bringBack copies a lockfile whole, and of a manifest the dependency entries.
func (w *Workspace) bringBack(ctx context.Context, from, to *os.Root, tree gitops.OID, p string, room *int64) (whole, partly bool, err error) {
	merge := manifest(path.Base(p))
	data, ok := readRegular(from, p)
	if !ok || int64(len(data)) > *room {
		return false, false, nil
	}
	*room -= int64(len(data))
	if merge == nil {
		return true, false, writeFile(to, p, data)
	}
	old, err := w.repo.ReadFile(ctx, tree, p)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return false, false, err
	}
	merged, rest, ok := merge(old, data)
	if !ok || bytes.Equal(merged, old) {
		return false, false, nil
	}
	return !rest, rest, writeFile(to, p, merged)
}

// readRegular reads a regular file of the scratch tree. What a command left
// there is hostile: symlinks, pipes and huge files are not read.
func readRegular(root *os.Root, p string) ([]byte, bool) {
	name := filepath.FromSlash(p)
	st, err := root.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxKeptFile {
		return nil, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if again, err := f.Stat(); err != nil || !os.SameFile(st, again) {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeptFile+1))
	return data, err == nil && len(data) <= maxKeptFile
}

// writeFile replaces a file of the session tree; its mode stays.
func writeFile(root *os.Root, p string, data []byte) error {
	name := filepath.FromSlash(p)
	mode := os.FileMode(0o644)
	if st, err := root.Lstat(name); err == nil && st.Mode().IsRegular() {
		mode = st.Mode().Perm()
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp := name + ".git-agent-new"
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// manifest returns how the dependency entries of a manifest of this name are
// merged: of old with those of new, whether new differs in anything else, and
// whether both could be read.
func manifest(name string) func(old, new []byte) (merged []byte, rest, ok bool) {
	switch name {
	case "package.json":
		return mergePackageJSON
	case "go.mod":
		return mergeGoMod
	}
	return nil
}

// mergeGoMod takes the require lines of new into old.
func mergeGoMod(old, new []byte) (merged []byte, rest, ok bool) {
	oldRest, oldReq := splitGoMod(string(old))
	newRest, newReq := splitGoMod(string(new))
	if len(old) == 0 {
		return nil, true, true // a module of the command's own making
	}
	if squeeze(oldRest) == squeeze(newRest) {
		return new, false, true
	}
	if strings.Join(oldReq, "\n") == strings.Join(newReq, "\n") {
		return old, true, true
	}
	text := strings.TrimRight(oldRest, "\n") + "\n"
	if len(newReq) > 0 {
		text += "\nrequire (\n\t" + strings.Join(newReq, "\n\t") + "\n)\n"
	}
	return []byte(text), true, true
}

// splitGoMod separates the require entries from the rest.
func splitGoMod(text string) (rest string, require []string) {
	var b strings.Builder
	block := false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		switch {
		case block && t == ")":
			block = false
		case block:
			if t != "" && !strings.HasPrefix(t, "//") {
				require = append(require, t)
			}
		case strings.HasPrefix(t, "require") && strings.HasSuffix(strings.TrimSpace(strings.TrimPrefix(t, "require")), "("):
			block = true
		case strings.HasPrefix(t, "require "), strings.HasPrefix(t, "require\t"):
			require = append(require, strings.TrimSpace(strings.TrimPrefix(t, "require")))
		default:
			b.WriteString(line)
		}
	}
	return b.String(), require
}

// squeeze drops blank lines.
func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if t := strings.TrimSpace(line); t != "" {
			lines = append(lines, t)
		}
	}
	return strings.Join(lines, "\n")
}
