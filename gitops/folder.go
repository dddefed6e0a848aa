package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Folder is a plain folder without .git whose content is driven from outside.
// It has a small git folder of its own beside its index, which shares only the
// repository's objects: the user's config, excludes, attributes, filters and
// hooks have no part in it, so bytes come through exactly.
type Folder struct {
	repo  *Repo
	dir   string
	index string
	keep  []string // exclude patterns that outrank every .gitignore
}

// Folder drives dir with the index file at index; neither need exist. What else
// is kept lies in index + ".d".
func (r *Repo) Folder(dir, index string) *Folder {
	return &Folder{repo: r, dir: dir, index: index}
}

// Dir is the folder.
func (f *Folder) Dir() string { return f.dir }

// rawBytes outranks every .gitattributes in the tree.
const rawBytes = "* -text !eol !filter !ident !working-tree-encoding\n"

func (f *Folder) gitDir() string { return f.index + ".d" }

// prepare makes the folder and its git folder if they are not there.
func (f *Folder) prepare() error {
	if _, err := os.Lstat(filepath.Join(f.gitDir(), "HEAD")); err == nil {
		return nil
	}
	for _, dir := range []string{f.dir, filepath.Join(f.gitDir(), "refs"), filepath.Join(f.gitDir(), "info"), filepath.Join(f.gitDir(), "objects")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make a tree: %w", err)
		}
	}
	version, extra := 0, ""
	if f.repo.format != "sha1" {
		version, extra = 1, "[extensions]\n\tobjectFormat = "+f.repo.format+"\n"
	}
	mac := runtime.GOOS == "darwin"
	config := fmt.Sprintf("[core]\n\trepositoryFormatVersion = %d\n\tbare = false\n\tfileMode = true\n\tsymlinks = true\n"+
		"\tautocrlf = false\n\tignoreCase = %v\n\tprecomposeUnicode = %v\n%s", version, mac, mac, extra)
	// HEAD is written last: it says that the rest is there.
	for _, file := range [][2]string{{"config", config}, {"info/attributes", rawBytes}, {"HEAD", "ref: refs/heads/none\n"}} {
		if err := os.WriteFile(filepath.Join(f.gitDir(), filepath.FromSlash(file[0])), []byte(file[1]), 0o600); err != nil {
			return fmt.Errorf("make a tree: %w", err)
		}
	}
	return nil
}

// run runs git on the folder, with no config but its own.
func (f *Folder) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	if err := f.prepare(); err != nil {
		return nil, err
	}
	c := call{
		args: args, stdin: stdin, dir: f.dir,
		flags: []string{"-c", "core.safecrlf=false", "-c", "checkout.workers=2", "-c", "checkout.thresholdForParallelism=500"},
		env: []string{
			"GIT_DIR=" + f.gitDir(), "GIT_COMMON_DIR=" + f.gitDir(), "GIT_WORK_TREE=" + f.dir, "GIT_INDEX_FILE=" + f.index,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=0", "GIT_CONFIG_PARAMETERS=",
		},
	}
	if len(f.repo.quarantine) == 0 {
		c.env = append(c.env, "GIT_OBJECT_DIRECTORY="+filepath.Join(f.repo.commonDir, "objects"))
	}
	return f.repo.run(ctx, c)
}

// Checkout makes the folder equal to tree. Leftovers that the tree's ignore
// rules do not cover are removed; ignored files stay.
func (f *Folder) Checkout(ctx context.Context, tree OID) error {
	if tree == "" {
		var err error
		if tree, err = f.repo.EmptyTree(ctx); err != nil {
			return err
		}
	}
	entries, err := f.repo.ListTree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode == ModeGitlink {
			return fmt.Errorf("check out %s: %s is a submodule", tree.Short(), e.Path)
		}
	}
	if err := f.prepare(); err != nil {
		return err
	}
	if err := f.dropNested(entries); err != nil {
		return err
	}
	if _, err := f.run(ctx, nil, "read-tree", "-u", "--reset", "--no-recurse-submodules", string(tree)); err != nil {
		return fmt.Errorf("check out %s: %w", tree.Short(), err)
	}
	clean := []string{"clean", "-ffdq"}
	for _, pattern := range f.keep {
		clean = append(clean, "-e", pattern)
	}
	if _, err := f.run(ctx, nil, clean...); err != nil {
		return fmt.Errorf("remove leftovers: %w", err)
	}
	return nil
}

// dropNested removes .git from folders of the tree: git would never look at it.
// Elsewhere it goes with the leftovers, or lies in an ignored folder.
func (f *Folder) dropNested(entries []Entry) error {
	seen := map[string]bool{}
	for _, e := range append(entries, Entry{Path: ".git"}) {
		dir := filepath.Dir(filepath.FromSlash(e.Path))
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if err := f.dropGit(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropGit removes dir/.git. Through os.Root, since a command may have put a
// symlink in the way.
func (f *Folder) dropGit(dir string) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", f.dir, err)
	}
	defer root.Close()
	path := filepath.Join(dir, ".git")
	if _, err := root.Lstat(path); err != nil {
		return nil // absent, or not reachable without leaving the folder
	}
	if err := root.RemoveAll(path); err != nil {
		return fmt.Errorf("remove a nested repository: %w", err)
	}
	return nil
}

// Snapshot stores the folder as a tree: everything but what its own .gitignore
// files cover. A nested repository is refused with *NestedRepoError, since git
// would store it as a bare link.
func (f *Folder) Snapshot(ctx context.Context) (OID, error) {
	if err := f.prepare(); err != nil {
		return "", err
	}
	if err := f.refuseNested(); err != nil {
		return "", err
	}
	if _, err := f.run(ctx, nil, "add", "-A", "--", "."); err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	out, err := f.run(ctx, nil, "write-tree")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

func (f *Folder) refuseNested() error {
	nested := &NestedRepoError{}
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !strings.EqualFold(d.Name(), ".git") {
			return nil
		}
		rel, err := filepath.Rel(f.dir, path)
		if err != nil {
			return err
		}
		nested.Paths = append(nested.Paths, filepath.ToSlash(rel))
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if len(nested.Paths) > 0 {
		return nested
	}
	return nil
}

// Untracked lists the files that a snapshot would add, change or remove,
// sorted; a nested repository is listed as "path/".
func (f *Folder) Untracked(ctx context.Context) ([]string, error) {
	args := []string{"ls-files", "-z", "--others", "--modified", "--deleted", "--deduplicate", "--exclude-standard"}
	for _, pattern := range f.keep {
		args = append(args, "--exclude="+pattern)
	}
	out, err := f.run(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("look for changes: %w", err)
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	return uniq(records(out)), nil
}

// maxKeep is how many ignored paths KeepIgnored takes; folders count as one.
const maxKeep = 400

// KeepIgnored has the files that are ignored now stay ignored in this folder,
// whatever the .gitignore of a later tree says: Checkout leaves them, Untracked
// does not list them.
func (f *Folder) KeepIgnored(ctx context.Context) error {
	out, err := f.run(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return fmt.Errorf("look for ignored files: %w", err)
	}
	kept := f.keep
	f.keep = nil
	if len(out) > 0 {
		for _, path := range records(out) {
			f.keep = append(f.keep, "/"+literal(path))
		}
	}
	for _, pattern := range kept { // they may not look ignored any more
		if !slices.Contains(f.keep, pattern) {
			f.keep = append(f.keep, pattern)
		}
	}
	f.keep = f.keep[:min(len(f.keep), maxKeep)]
	return nil
}

// literal takes the magic out of a path, as an exclude pattern.
func literal(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`*?[]\! #`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// Extra lists the files of the folder that are not in its tree, ignored ones
// too; a nested repository is listed as "path/".
func (f *Folder) Extra(ctx context.Context) ([]string, error) {
	out, err := f.run(ctx, nil, "ls-files", "-z", "--others")
	if err != nil {
		return nil, fmt.Errorf("look for files beside the tree: %w", err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return records(out), nil
}

func uniq(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Ignored says whether the folder's own .gitignore files cover path, relative
// to the folder, so that a snapshot would leave it out.
func (f *Folder) Ignored(ctx context.Context, path string) (bool, error) {
	out, err := f.run(ctx, []byte("./"+path+"\x00"), "--no-literal-pathspecs", "check-ignore", "-z", "--stdin")
	if exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("is %s ignored: %w", path, err)
	}
	return len(out) > 0, nil
}
