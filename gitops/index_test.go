package gitops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// TestMain lets this test binary be a hook: it prints what it sees.
func TestMain(m *testing.M) {
	if out := os.Getenv("TEST_HOOK_OUT"); out != "" {
		asHook(out)
		return
	}
	os.Exit(m.Run())
}

func asHook(out string) {
	t := &hookReport{}
	ctx := t.ctx()
	r, err := gitops.OpenLenient(ctx, ".")
	t.note("open", err)
	if err == nil {
		changes, err := r.DiffIndex(ctx)
		t.note("diff", err)
		for _, c := range changes {
			t.add(string(c.Status) + " " + c.Path)
		}
		tree, err := r.IndexTree(ctx)
		t.note("tree", err)
		t.add("tree " + string(tree))
	}
	os.WriteFile(out, []byte(t.String()), 0o600)
}

func TestHooksSeeWhatIsCommitted(t *testing.T) {
	testenv.Clean(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	t.Setenv("TEST_HOOK_OUT", seen)
	start := func(t *testing.T) string {
		dir := testenv.Repo(t)
		commit(t, dir, "a", "1\n", "b", "1\n", "sub/c", "1\n")
		testenv.Write(t, dir, ".git/hooks/pre-commit", "#!/bin/sh\nexec '"+exe+"'\n")
		if err := os.Chmod(filepath.Join(dir, ".git/hooks/pre-commit"), 0o755); err != nil {
			t.Fatal(err)
		}
		testenv.Write(t, dir, "a", "2\n")
		testenv.Write(t, dir, "b", "2\n")
		testenv.Git(t, dir, "add", "a")
		return dir
	}
	cases := map[string]struct {
		args []string
		want string
	}{
		"commit":        {[]string{"commit", "-qm", "x"}, "M a"},
		"commit -a":     {[]string{"commit", "-qam", "x"}, "M a\nM b"},
		"commit path":   {[]string{"commit", "-qm", "x", "--", "b"}, "M b"},
		"from a subdir": {[]string{"-C", "sub", "commit", "-qm", "x"}, "M a"},
	}
	for name, c := range cases {
		for _, linked := range []bool{false, true} {
			dir := start(t)
			if linked {
				w := filepath.Join(t.TempDir(), "w")
				testenv.Git(t, dir, "worktree", "add", "-q", "-b", "w", w)
				testenv.Write(t, w, "a", "2\n")
				testenv.Write(t, w, "b", "2\n")
				testenv.Git(t, w, "add", "a")
				dir = w
			}
			testenv.Git(t, dir, c.args...)
			data, err := os.ReadFile(seen)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want + "\ntree " + testenv.Git(t, dir, "rev-parse", "HEAD^{tree}") + "\n"
			if string(data) != want {
				t.Errorf("%s, linked %v: hook saw\n%s\nwant\n%s", name, linked, data, want)
			}
		}
	}
}

func TestDiffIndexBeforeTheFirstCommit(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	r := open(t, dir)
	if tree, err := r.IndexTree(t.Context()); err != nil || tree[:4] != "4b82" {
		t.Fatalf("IndexTree without an index = %s, %v", tree, err)
	}
	testenv.Write(t, dir, "a", "1\n")
	testenv.Write(t, dir, "later", "1\n")
	testenv.Git(t, dir, "add", "a")
	testenv.Git(t, dir, "add", "-N", "later")
	changes, err := r.DiffIndex(t.Context())
	if err != nil || len(changes) != 1 || changes[0].Status != 'A' || changes[0].OldOID != "" || changes[0].Path != "a" {
		t.Fatalf("DiffIndex = %+v, %v", changes, err)
	}
}

func TestIndexOutsideTheRepositoryIsRefused(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n")
	outside := filepath.Join(t.TempDir(), "index")
	t.Setenv("GIT_INDEX_FILE", outside)
	r := open(t, dir)
	if _, err := r.DiffIndex(t.Context()); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("DiffIndex: %v", err)
	}
	if _, err := r.IndexTree(t.Context()); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("IndexTree: %v", err)
	}
}

func TestIndexTreeLeavesTheIndexAlone(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n", "d/b", "1\n")
	testenv.Write(t, dir, "a", "2\n")
	testenv.Git(t, dir, "add", "a") // invalidates git's cache of trees
	index := filepath.Join(dir, ".git", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := open(t, dir).IndexTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the index was rewritten")
	}
	if want := testenv.Git(t, dir, "write-tree"); string(tree) != want {
		t.Errorf("IndexTree = %s, want %s", tree, want)
	}
}

// A repository can name programs in many places. None of them may run.
func TestNothingOfAHostileRepositoryRuns(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a.txt", "1\n", "b.bin", "1\n", ".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	tip := commit(t, dir, "b.bin", "2\n", "new", "n\n")
	testenv.Git(t, dir, "reset", "-q", "--hard", "HEAD~1")
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	testenv.Write(t, filepath.Dir(evil), "evil", "#!/bin/sh\necho \"$0 $*\" >>'"+ran+"'\ncat\n")
	hooks := filepath.Join(dir, ".git", "hooks")
	for _, hook := range []string{"pre-commit", "post-index-change", "reference-transaction", "post-checkout", "post-merge", "pre-merge-commit", "post-commit", "pre-auto-gc", "fsmonitor-watchman"} {
		testenv.Write(t, hooks, hook, "#!/bin/sh\n"+evil+" "+hook+" </dev/null\n")
		os.Chmod(filepath.Join(hooks, hook), 0o755)
	}
	os.Chmod(evil, 0o755)
	for _, kv := range []string{"core.fsmonitor=" + evil, "filter.evil.clean=" + evil, "filter.evil.smudge=" + evil, "filter.evil.required=true",
		"filter.evil.process=" + evil, "diff.external=" + evil, "diff.evil.textconv=" + evil, "diff.evil.command=" + evil, "merge.evil.driver=" + evil + " %A",
		"gpg.program=" + evil, "commit.gpgSign=true", "core.pager=" + evil, "core.editor=" + evil, "core.sshCommand=" + evil, "credential.helper=" + evil,
		"log.showSignature=true", "core.askPass=" + evil, "pager.diff=" + evil, "merge.verifySignatures=true", "core.alternateRefsCommand=" + evil,
		"gc.auto=1", "uploadpack.packObjectsHook=" + evil, "branch.main.mergeOptions=--verify-signatures --no-ff"} {
		key, value, _ := strings.Cut(kv, "=")
		testenv.Git(t, dir, "config", key, value)
	}
	touch(t, dir, "a.txt")
	ctx := t.Context()
	r := open(t, dir)
	h, err := r.Head(ctx)
	must(t, err)
	tree, err := r.TreeOf(ctx, "HEAD")
	must(t, err)
	_, err = r.DiffIndex(ctx)
	must(t, err)
	_, err = r.IndexTree(ctx)
	must(t, err)
	_, err = r.Log(ctx, gitops.LogOptions{Range: string(tip), Paths: []string{"a.txt"}})
	must(t, err)
	text, err := r.DiffText(ctx, tree, "", "a.txt")
	must(t, err)
	if !strings.Contains(text, "-1") {
		t.Errorf("DiffText = %q", text)
	}
	_, err = r.HooksPath(ctx)
	must(t, err)
	_, err = r.IsIgnored(ctx, "x")
	must(t, err)
	blob, err := r.WriteBlob(ctx, []byte("x"))
	must(t, err)
	edited, err := r.EditTree(ctx, tree, []gitops.Edit{{Path: "x.txt", Blob: blob}})
	must(t, err)
	c, err := r.CommitTree(ctx, gitops.CommitSpec{Tree: edited, Message: "m", Internal: true})
	must(t, err)
	must(t, r.UpdateRef(ctx, "refs/agent/x", c, "", "test"))
	must(t, r.DeleteRef(ctx, "refs/agent/x", c))
	_, _, err = r.CheckedOutAt(ctx, h.Branch)
	must(t, err)
	f := r.Folder(t.TempDir(), filepath.Join(t.TempDir(), "i"))
	must(t, f.Checkout(ctx, edited))
	testenv.Write(t, f.Dir(), "y.txt", "y\n")
	_, err = f.Snapshot(ctx)
	must(t, err)
	_, err = f.Untracked(ctx)
	must(t, err)
	must(t, r.FastForward(ctx, tip))
	if data, err := os.ReadFile(ran); err == nil {
		t.Fatalf("programs of the repository ran:\n%s", data)
	}
	// The traps are real: git itself falls into them.
	exec.Command("git", "-C", dir, "status").Run()
	if _, err := os.Stat(ran); err != nil {
		t.Fatal("the trap does not work, so the test shows nothing")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
