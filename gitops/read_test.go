package gitops_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// fill commits content that is hard to read right.
func fill(t *testing.T, dir string) {
	t.Helper()
	commit(t, dir, "a.txt", "one\n", "crlf.txt", "x\r\ny\r\n", "dir/sub/deep.txt", "deep\n", "dir.x", "sorts before dir/\n",
		"ü ñ\t\"q\".txt", "odd\n", "empty", "", "bin", "\x00\x01\xff")
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad\xff.txt"), []byte("not utf-8\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	commit(t, dir, "a.txt", "two\n")
	testenv.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "subject\nsecond line\n\nbody\n\nAgent-Feature: F001\nSigned-off-by: A <a@b>")
}

// reading is everything the read methods say about a repository.
func reading(t *testing.T, r *gitops.Repo) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	note := func(what string, v any, err error) { fmt.Fprintf(&b, "%s: %#v %v\n", what, v, err) }
	commits, err := r.Log(ctx, gitops.LogOptions{})
	for _, c := range commits {
		zone := c.Time.Format("2006-01-02T15:04:05Z07:00")
		c.Time = c.Time.UTC()
		note("log", []any{c.ID, c.Tree, c.Parents, c.Author, zone, c.Subject, c.Body, c.Trailers}, err)
		entries, err := r.ListTree(ctx, c.Tree)
		note("list", entries, err)
		for _, e := range entries {
			data, err := r.ReadBlob(ctx, e.OID)
			note("blob "+e.Path, data, err)
			at, err := r.EntryAt(ctx, c.Tree, e.Path)
			note("entry", at, err)
			if at != e {
				t.Errorf("EntryAt(%q) = %v, ListTree has %v", e.Path, at, e)
			}
			data, err = r.ReadFile(ctx, c.Tree, e.Path)
			note("file", data, err)
		}
		for _, p := range c.Parents {
			pt, err := r.TreeOf(ctx, string(p))
			note("tree", pt, err)
			changes, err := r.DiffTrees(ctx, pt, c.Tree)
			note("diff", changes, err)
		}
	}
	for _, path := range []string{"nope", "dir/nope", "a.txt/x", "", "/a.txt", "../a.txt", "dir", "link"} {
		_, err := r.ReadFile(ctx, commits[0].Tree, path)
		note("bad path "+path, nil, err)
	}
	_, err = r.ReadBlob(ctx, gitops.OID(strings.Repeat("1", len(commits[0].ID))))
	note("missing", errors.Is(err, gitops.ErrNotFound), nil)
	_, err = r.ReadBlob(ctx, commits[0].Tree)
	note("wrong kind", nil, err)
	return b.String()
}

// A file whose object is missing is not a file that does not exist.
func TestMissingObjectsAreNoAbsence(t *testing.T) {
	testenv.Clean(t)
	for name, object := range map[string]string{"file": "HEAD:dir/a", "folder": "HEAD:dir", "top": "HEAD^{tree}"} {
		t.Run(name, func(t *testing.T) {
			dir := testenv.Repo(t)
			commit(t, dir, "dir/a", "1\n")
			tree := gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD^{tree}"))
			id := testenv.Git(t, dir, "rev-parse", object)
			if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
				t.Fatal(err)
			}
			_, err := open(t, dir).ReadFile(t.Context(), tree, "dir/a")
			if err == nil || errors.Is(err, gitops.ErrNotFound) || !strings.Contains(err.Error(), "missing") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBothBackendsReadTheSame(t *testing.T) {
	testenv.Clean(t)
	cases := map[string]func(t *testing.T, dir string) string{
		"loose":  func(t *testing.T, dir string) string { return dir },
		"packed": func(t *testing.T, dir string) string { testenv.Git(t, dir, "gc", "-q"); return dir },
		"linked work tree": func(t *testing.T, dir string) string {
			w := filepath.Join(t.TempDir(), "w")
			testenv.Git(t, dir, "worktree", "add", "-q", "--detach", w)
			return w
		},
		"shared objects": func(t *testing.T, dir string) string {
			d := t.TempDir()
			testenv.Git(t, d, "clone", "-q", "--shared", dir, ".")
			return d
		},
		"worktreeConfig": func(t *testing.T, dir string) string {
			testenv.Git(t, dir, "config", "extensions.worktreeConfig", "true")
			return dir
		},
		"index 4, split": func(t *testing.T, dir string) string {
			testenv.Git(t, dir, "update-index", "--index-version", "4", "--split-index")
			return dir
		},
		"replaced blob": func(t *testing.T, dir string) string {
			old, forged := testenv.Git(t, dir, "rev-parse", "HEAD:a.txt"), testenv.Git(t, dir, "rev-parse", "HEAD:empty")
			testenv.Git(t, dir, "replace", old, forged)
			return dir
		},
	}
	for name, make := range cases {
		t.Run(name, func(t *testing.T) {
			dir := testenv.Repo(t)
			fill(t, dir)
			dir = make(t, dir)
			slow := open(t, dir)
			gitops.WithoutGoGit(slow)
			fast := reading(t, open(t, dir))
			if diff := cmp.Diff(reading(t, slow), fast); diff != "" {
				t.Errorf("go-git (+) and git (-) differ:\n%s", diff)
			}
			if !strings.Contains(fast, `bad\xff.txt`) {
				t.Error("the odd file was not read")
			}
		})
	}
}

func TestSHA256IsReadThroughGit(t *testing.T) {
	testenv.Clean(t)
	dir := t.TempDir()
	testenv.Git(t, dir, "init", "-q", "-b", "main", "--object-format=sha256")
	fill(t, dir)
	r := open(t, dir)
	tree, err := r.TreeOf(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err = r.EditTree(t.Context(), tree, []gitops.Edit{{Path: "new/file", Data: []byte("n")}})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Folder(t.TempDir(), filepath.Join(t.TempDir(), "index"))
	if err := f.Checkout(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Snapshot(t.Context()); got != tree || err != nil {
		t.Fatalf("Snapshot = %s, %v, want %s", got, err, tree)
	}
	if reading(t, r) == "" {
		t.Fatal("nothing read")
	}
}

func TestAPackMadeMeanwhileIsFound(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	first := commit(t, dir, "f", "1\n")
	r := open(t, dir)
	if _, err := r.Commit(t.Context(), string(first)); err != nil {
		t.Fatal(err)
	}
	second := commit(t, dir, "f", "2\n")
	testenv.Git(t, dir, "gc", "-q", "--prune=now")
	for _, id := range []gitops.OID{first, second} {
		if _, err := r.Commit(t.Context(), string(id)); err != nil {
			t.Errorf("after gc: %v", err)
		}
	}
}

func TestDiffTreesAgreesWithGit(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	r := open(t, dir)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	names := []string{"a", "b", "a.x", "d"}
	random := func() gitops.OID {
		var edits []gitops.Edit
		for range 8 {
			var parts []string
			for range 1 + rnd.IntN(3) {
				parts = append(parts, names[rnd.IntN(len(names))])
			}
			mode := []string{"100644", "100755", "120000"}[rnd.IntN(3)]
			edits = append(edits, gitops.Edit{Path: strings.Join(parts, "/"), Mode: mode, Data: []byte{byte('0' + rnd.IntN(3))}})
		}
		tree, err := r.EditTree(t.Context(), "", edits)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	empty, _ := r.EmptyTree(t.Context())
	trees := []gitops.OID{empty}
	for range 25 {
		trees = append(trees, random())
	}
	for i := 1; i < len(trees); i++ {
		old, new := trees[i-1], trees[i]
		got, err := r.DiffTrees(t.Context(), old, new)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range got {
			lines = append(lines, fmt.Sprintf("%c %s", c.Status, c.Path))
		}
		var want []string
		out := testenv.Git(t, dir, "diff-tree", "-r", "--no-renames", "--name-status", string(old), string(new))
		for line := range strings.Lines(out) {
			want = append(want, strings.Replace(strings.TrimRight(line, "\n"), "\t", " ", 1))
		}
		sorted := cmp.Transformer("sort", func(s []string) map[string]bool {
			m := map[string]bool{}
			for _, x := range s {
				m[x] = true
			}
			return m
		})
		if diff := cmp.Diff(want, lines, sorted); diff != "" {
			t.Fatalf("%s..%s:\n%s", old, new, diff)
		}
	}
}

func TestTrailersAgreeWithGit(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	cases := []string{
		"s\n\nAgent-Feature: F001\nAllow-Tests: because it was wrong\n",
		"s\n\nbody\n\nkey: one\nKey: two\n  folded\n",
		"s\n\nbody with: colon and more words\nsecond line\n",
		"s\n\nprose\nSigned-off-by: A <a@b>\n",
		"s\n\np\np\np\np\np\nSigned-off-by: A <a@b>\n",
		"Agent-Feature: in the subject\n",
		"s\n\nAgent-Feature: F1\n\nlast paragraph\n",
		"s\n\nx y: not a key\n",
		"s\n\nA: 1\n(cherry picked from commit 1234)\n",
		"s\n\nEmpty:\nB: 2\n",
		"s\n\n",
	}
	for _, msg := range cases {
		testenv.Git(t, dir, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", msg)
		out := testenv.Git(t, dir, "log", "-1", "--format=%(trailers:only,unfold)")
		want := map[string][]string{}
		for line := range strings.Lines(out) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				want[key] = append(want[key], strings.TrimSpace(value))
			}
		}
		c, err := open(t, dir).Commit(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, c.Trailers); diff != "" {
			t.Errorf("%q: git (-), ours (+)\n%s", msg, diff)
		}
	}
}

func FuzzTrailers(f *testing.F) {
	f.Add("a: b\n c\n")
	f.Add("\n\nSigned-off-by: x\n\t\n")
	f.Fuzz(func(t *testing.T, body string) {
		for key, values := range gitops.ParseTrailers(body) {
			if key == "" || len(values) == 0 {
				t.Fatalf("%q: key %q has %q", body, key, values)
			}
		}
	})
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0100\n\ns\n\nA: b\n"))
	f.Add([]byte(":100644 000000 a b M\x00path\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, info, changes, err := gitops.Parsers(data)
		for _, e := range entries {
			if err[0] == nil && (len(e.Mode) != 6 || len(e.OID) != 40 || e.Path == "") {
				t.Fatalf("%q: entry %+v", data, e)
			}
		}
		if err[1] == nil && info.Tree == "" {
			t.Fatalf("%q: a commit without a tree", data)
		}
		for _, c := range changes {
			if c.Status == 0 {
				t.Fatalf("%q: change %+v", data, c)
			}
		}
	})
}

// TestPacksComeAndGo reads while packs are rewritten below an open repository,
// and after Close.
func TestPacksComeAndGo(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	first := commit(t, dir, "a", "1\n")
	testenv.Git(t, dir, "gc", "-q")
	r := open(t, dir)
	read := func(commit gitops.OID, path, want string) {
		t.Helper()
		c, err := r.Commit(t.Context(), string(commit))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := r.ReadFile(t.Context(), c.Tree, path); err != nil || string(data) != want {
			t.Fatalf("ReadFile(%s) = %q, %v", path, data, err)
		}
	}
	read(first, "a", "1\n")
	second := commit(t, dir, "b", "2\n")
	testenv.Git(t, dir, "gc", "-q", "--prune=now")
	read(first, "a", "1\n")
	read(second, "b", "2\n")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	read(second, "a", "1\n")
	read(second, "b", "2\n")
}
