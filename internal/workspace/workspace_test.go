package workspace_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

func create(t *testing.T, r *gitops.Repo, base gitops.OID) *workspace.Workspace {
	t.Helper()
	root, err := workspace.StateRoot()
	must(t, err)
	w, err := workspace.Create(t.Context(), r, root, "s1", base)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func TestProductAndBuildTree(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "features.json", "{}", "progress.md", "p", ".agent/config", "c", ".agent/evidence/F1.json", "e",
		"src/features.json", "product", ".agents/x", "product", "a", "1")
	r, ctx := open(t, dir), t.Context()
	product, err := workspace.ProductTree(ctx, r, treeOf(t, r, base))
	must(t, err)
	if got := names(t, r, product); got != ".agent/config .agents/x a src/features.json" {
		t.Errorf("product tree: %s", got)
	}
	if again, err := workspace.ProductTree(ctx, r, product); again != product || err != nil {
		t.Errorf("a product tree's product tree: %s, %v", again, err)
	}
	changed := with(t, r, product, "a", "2", ".agent/config", "c2", ".agent/evidence/F1.json", "forged", "features.json", "forged")
	full, err := workspace.BuildTree(ctx, r, treeOf(t, r, base), changed, map[string][]byte{"progress.md": []byte("p2"), ".agent/status/F1.md": []byte("s")})
	must(t, err)
	want := map[string]string{"features.json": "{}", "progress.md": "p2", ".agent/config": "c2", ".agent/evidence/F1.json": "e", ".agent/status/F1.md": "s", "a": "2"}
	for path, content := range want {
		if data, err := r.ReadFile(ctx, full, path); err != nil || string(data) != content {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if _, err := workspace.BuildTree(ctx, r, "", product, map[string][]byte{"src/x": nil}); err == nil {
		t.Error("a product file was written as a harness file")
	}
	if got, err := workspace.ProductTree(ctx, r, with(t, r, "", ".agent", "a file of that name")); err != nil || names(t, r, got) != "" {
		t.Errorf("a file named .agent: %q, %v", names(t, r, got), err)
	}
}

func names(t *testing.T, r *gitops.Repo, tree gitops.OID) string {
	t.Helper()
	entries, err := r.ListTree(t.Context(), tree)
	must(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Path)
	}
	return strings.Join(list, " ")
}

func TestTreesAreApartFromTheRepository(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "a", "1", "features.json", "{}", ".gitignore", "dist/\n")
	testenv.Write(t, dir, "a", "uncommitted")
	before := testenv.Git(t, dir, "status", "--porcelain=v2", "--branch")
	r, ctx := open(t, dir), t.Context()
	w := create(t, r, base)
	for _, d := range []string{w.SessionDir(), w.ScratchDir(), w.CheckDir()} {
		cmd := exec.Command("git", "rev-parse", "--git-dir")
		cmd.Dir = d
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("a repository is found from %s: %s", d, out)
		}
	}
	if got := read(t, w.SessionDir(), "a"); got != "1" {
		t.Errorf("the session tree holds uncommitted work: %q", got)
	}
	if _, err := os.Lstat(filepath.Join(w.SessionDir(), "features.json")); err == nil {
		t.Error("a harness file is in the session tree")
	}
	testenv.Write(t, w.SessionDir(), "a", "2")
	testenv.Write(t, w.SessionDir(), "features.json", "forged")
	tree, err := w.SyncScratch(ctx)
	must(t, err)
	if got := names(t, r, tree); got != ".gitignore a" {
		t.Errorf("the snapshot holds %s", got)
	}
	if got := read(t, w.ScratchDir(), "a"); got != "2" {
		t.Errorf("scratch a = %q", got)
	}
	must(t, w.SyncCheck(ctx, treeOf(t, r, base)))
	if got := read(t, w.CheckDir(), "a"); got != "1" {
		t.Errorf("check a = %q", got)
	}
	must(t, w.RestoreSession(ctx, tree))
	if _, err := os.Lstat(filepath.Join(w.SessionDir(), "features.json")); err == nil {
		t.Error("the forged list survives")
	}
	for path, want := range map[string]bool{"dist/x.js": true, "src/x.js": false, "a": false} {
		if got := w.Ignored(path); got != want {
			t.Errorf("Ignored(%s) = %v", path, got)
		}
	}
	must(t, w.Close())
	if after := testenv.Git(t, dir, "status", "--porcelain=v2", "--branch"); after != before {
		t.Errorf("status was\n%s\nand is\n%s", before, after)
	}
	if _, err := os.Lstat(filepath.Dir(w.SessionDir())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the trees are still there: %v", err)
	}
}

func TestUnbornBranchHasEmptyTrees(t *testing.T) {
	testenv.Clean(t)
	r := open(t, testenv.Repo(t))
	w := create(t, r, "")
	testenv.Write(t, w.SessionDir(), "first", "1")
	tree, err := w.SyncScratch(t.Context())
	must(t, err)
	if got := names(t, r, tree); got != "first" {
		t.Errorf("snapshot: %q", got)
	}
}

func TestCreateRefusesBadNames(t *testing.T) {
	testenv.Clean(t)
	r := open(t, testenv.Repo(t))
	for _, name := range []string{"", "..", "a/b", "a..b", ".a", "a.lock", "-a", "a b", "a\nb", strings.Repeat("x", 200)} {
		if w, err := workspace.Create(t.Context(), r, t.TempDir(), name, ""); err == nil {
			w.Close()
			t.Errorf("%q is a session", name)
		}
	}
}

func TestSweepRemovesOnlyTreesOfTheDead(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	root, err := workspace.StateRoot()
	must(t, err)
	if n, err := workspace.Sweep(t.Context(), root, nil); n != 0 || err != nil {
		t.Fatalf("Sweep of nothing: %d, %v", n, err)
	}
	mine := create(t, open(t, dir), "")
	exe, err := os.Executable()
	must(t, err)
	child := exec.Command(exe)
	child.Dir = dir
	child.Env = append(os.Environ(), "TEST_HOLD_TREES="+root)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready <nil>\n" {
		t.Fatalf("the other process: %q, %v", line, err)
	}
	held, err := filepath.Glob(filepath.Join(root, "trees", "*-held"))
	if err != nil || len(held) != 1 {
		t.Fatalf("trees of the other process: %v, %v", held, err)
	}
	if n, err := workspace.Sweep(t.Context(), root, nil); n != 0 || err != nil {
		t.Errorf("Sweep while both live: %d, %v", n, err)
	}
	// What is hard to remove: read-only folders, and a link that leads out.
	must(t, os.MkdirAll(filepath.Join(held[0], "cache", "mod", "x"), 0o755))
	testenv.Write(t, filepath.Join(held[0], "cache", "mod", "x"), "f", "1")
	must(t, os.Chmod(filepath.Join(held[0], "cache", "mod", "x"), 0o555))
	must(t, os.Chmod(filepath.Join(held[0], "cache", "mod"), 0o500))
	testenv.Write(t, dir, "precious", "p")
	must(t, os.Symlink(dir, filepath.Join(held[0], "scratch", "out")))
	must(t, child.Process.Kill())
	child.Wait()
	if n, err := workspace.Sweep(t.Context(), root, nil); n != 1 || err != nil {
		t.Errorf("Sweep after its end: %d, %v", n, err)
	}
	if _, err := os.Lstat(held[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead process's trees: %v", err)
	}
	if _, err := os.Lstat(mine.SessionDir()); err != nil {
		t.Errorf("our own trees: %v", err)
	}
	if read(t, dir, "precious") != "p" {
		t.Error("a link was followed")
	}
	must(t, mine.Close())
	if left, _ := os.ReadDir(filepath.Join(root, "trees")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestAfterCommand(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "a.js", "1\n", "package.json", "{\n  \"name\": \"x\",\n  \"scripts\": {\"test\": \"node --test\"}\n}\n",
		"go.mod", "module x\n\ngo 1.22\n", ".gitignore", "node_modules/\n", "sub/go.sum", "old\n")
	r, ctx := open(t, dir), t.Context()
	outside := t.TempDir()
	testenv.Write(t, outside, "secret", "s")
	cases := map[string]struct {
		command func(t *testing.T, dir string)
		kept    string
		lost    string
		files   map[string]string // in the session tree afterwards
	}{
		"nothing": {func(t *testing.T, d string) {}, "", "", nil},
		"npm install": {func(t *testing.T, d string) {
			testenv.Write(t, d, "package.json", "{\n  \"name\": \"x\",\n  \"scripts\": {\"test\": \"node --test\"},\n  \"dependencies\": {\"left\": \"1\"}\n}\n")
			testenv.Write(t, d, "package-lock.json", "{}\n")
			testenv.Write(t, d, "node_modules/left/index.js", "x")
		}, "package-lock.json package.json", "", map[string]string{
			"package.json": "{\n  \"name\": \"x\",\n  \"scripts\": {\"test\": \"node --test\"},\n  \"dependencies\": {\"left\": \"1\"}\n}\n", "package-lock.json": "{}\n"}},
		"dependencies and a changed test script": {func(t *testing.T, d string) {
			testenv.Write(t, d, "package.json", `{"name":"x","scripts":{"test":"true"},"devDependencies":{"d":"2"}}`)
		}, "package.json", "package.json (other than its dependencies)", map[string]string{
			"package.json": "{\n  \"name\": \"x\",\n  \"scripts\": {\"test\": \"node --test\"},\n  \"devDependencies\": {\"d\":\"2\"}\n}\n"}},
		"only a changed test script": {func(t *testing.T, d string) {
			testenv.Write(t, d, "package.json", `{"name":"x","scripts":{"test":"true"}}`)
		}, "", "package.json", nil},
		"broken manifest": {func(t *testing.T, d string) { testenv.Write(t, d, "package.json", `{"name":`) }, "", "package.json", nil},
		"go get": {func(t *testing.T, d string) {
			testenv.Write(t, d, "go.mod", "module x\n\ngo 1.22\n\nrequire example.org/y v1.0.0\n")
			testenv.Write(t, d, "go.sum", "sum\n")
		}, "go.mod go.sum", "", map[string]string{"go.mod": "module x\n\ngo 1.22\n\nrequire example.org/y v1.0.0\n", "go.sum": "sum\n"}},
		"go get and replace": {func(t *testing.T, d string) {
			testenv.Write(t, d, "go.mod", "module x\n\ngo 1.22\n\nrequire example.org/y v1.0.0\n\nreplace example.org/y => /tmp/y\n")
		}, "go.mod", "go.mod (other than its dependencies)", map[string]string{"go.mod": "module x\n\ngo 1.22\n\nrequire (\n\texample.org/y v1.0.0\n)\n"}},
		"shell redirect": {func(t *testing.T, d string) {
			testenv.Write(t, d, "a.js", "hacked\n")
			testenv.Write(t, d, "new.js", "n\n")
		}, "", "a.js new.js", map[string]string{"a.js": "1\n"}},
		"lockfile as a way out": {func(t *testing.T, d string) {
			must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(d, "yarn.lock")))
			must(t, os.RemoveAll(filepath.Join(d, "sub")))
			must(t, os.Symlink(outside, filepath.Join(d, "sub")))
		}, "", "sub sub/go.sum yarn.lock", map[string]string{"sub/go.sum": "old\n"}},
		"what may not be written": {func(t *testing.T, d string) { testenv.Write(t, d, "tests/package-lock.json", "{}") }, "", "tests/package-lock.json", nil},
		"deleted":                 {func(t *testing.T, d string) { must(t, os.Remove(filepath.Join(d, "a.js"))) }, "", "a.js", map[string]string{"a.js": "1\n"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := create(t, r, base)
			tree, err := w.SyncScratch(ctx)
			must(t, err)
			c.command(t, w.ScratchDir())
			n, err := w.AfterCommand(ctx, tree, func(p string) bool { return strings.HasPrefix(p, "tests/") })
			must(t, err)
			if got := strings.Join(n.Kept, " "); got != c.kept {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
			if got := strings.Join(n.Lost, " "); got != c.lost {
				t.Errorf("lost %q, want %q", got, c.lost)
			}
			for path, want := range c.files {
				if got := read(t, w.SessionDir(), path); got != want {
					t.Errorf("%s = %q, want %q", path, got, want)
				}
			}
			next, err := w.SyncScratch(ctx)
			must(t, err)
			if c.kept == "" && next != tree {
				t.Error("a command changed the session tree")
			}
			if n, err := w.AfterCommand(ctx, next, nil); len(n.Kept)+len(n.Lost) != 0 || err != nil {
				t.Errorf("the next sync left %+v, %v", n, err)
			}
			must(t, w.Close())
		})
	}
}

func TestLostPathsAreCapped(t *testing.T) {
	testenv.Clean(t)
	r := open(t, testenv.Repo(t))
	w := create(t, r, "")
	tree, err := w.SyncScratch(t.Context())
	must(t, err)
	for i := range 70 {
		testenv.Write(t, w.ScratchDir(), "out/"+strings.Repeat("x", i+1), "")
	}
	n, err := w.AfterCommand(t.Context(), tree, nil)
	if err != nil || len(n.Lost) != 50 || n.More != 20 {
		t.Errorf("%d lost, %d more, %v", len(n.Lost), n.More, err)
	}
}

// Lockfiles are the one thing that a command can write: they are no way to fill
// the repository.
func TestWhatComesBackIsBounded(t *testing.T) {
	testenv.Clean(t)
	r := open(t, testenv.Repo(t))
	w := create(t, r, "")
	tree, err := w.SyncScratch(t.Context())
	must(t, err)
	for i := range 60 {
		testenv.Write(t, w.ScratchDir(), fmt.Sprintf("d%02d/yarn.lock", i), "x")
	}
	for i := range 3 {
		testenv.Write(t, w.ScratchDir(), fmt.Sprintf("a%d/go.sum", i), strings.Repeat("x", 14<<20))
	}
	testenv.Write(t, w.ScratchDir(), "a/go.sum", strings.Repeat("x", 17<<20))
	n, err := w.AfterCommand(t.Context(), tree, nil)
	if err != nil || len(n.Kept) != 40 || len(n.Lost)+n.More != 24 || n.Kept[1] != "a1/go.sum" || n.Kept[2] != "d00/yarn.lock" {
		t.Errorf("%d kept, %d lost, %v: %v", len(n.Kept), len(n.Lost)+n.More, err, n.Kept)
	}
}

func TestSeal(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "a.js", "1\n", ".gitignore", "node_modules/\n.cache/\n")
	r, ctx := open(t, dir), t.Context()
	w := create(t, r, base)
	tree := treeOf(t, r, base)
	must(t, w.SyncCheck(ctx, tree))
	cache, outside := t.TempDir(), t.TempDir()
	testenv.Write(t, w.CheckDir(), "node_modules/m/index.js", "m\n")
	testenv.Write(t, cache, "go-build/x", "x\n")
	testenv.Write(t, outside, "precious", "p\n")
	must(t, w.Seal(ctx, cache))
	sealed := func(want bool) {
		t.Helper()
		if got, err := w.Sealed(ctx); got != want || err != nil {
			t.Errorf("Sealed = %v, %v", got, err)
		}
	}
	sealed(true)
	must(t, w.SyncCheck(ctx, tree))
	sealed(true)

	testenv.Write(t, w.CheckDir(), ".cache/impl", "i\n")
	testenv.Write(t, cache, "impl", "i\n")
	must(t, os.Symlink(outside, filepath.Join(w.CheckDir(), ".cache", "way")))
	testenv.Git(t, filepath.Join(w.CheckDir(), ".cache"), "init", "-q", "nested")
	testenv.Write(t, w.CheckDir(), ".cache/nested/x", "x\n")
	sealed(false)
	if intact, err := w.Unseal(ctx); !intact || err != nil {
		t.Errorf("Unseal = %v, %v", intact, err)
	}
	sealed(true)
	for _, gone := range []string{".cache/impl", ".cache/way", ".cache/nested/x"} {
		if _, err := os.Lstat(filepath.Join(w.CheckDir(), gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if read(t, outside, "precious") != "p\n" || read(t, w.CheckDir(), "node_modules/m/index.js") != "m\n" {
		t.Error("more was removed")
	}

	// The same size and times, another content.
	path := filepath.Join(w.CheckDir(), "node_modules/m/index.js")
	st, err := os.Stat(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte("X\n"), 0o644))
	must(t, os.Chtimes(path, st.ModTime(), st.ModTime()))
	sealed(false)
	if intact, err := w.Unseal(ctx); intact || err != nil {
		t.Errorf("Unseal = %v, %v", intact, err)
	}
}
