package workspace_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

// files is every file below dir but .git, with mode, content and time.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = info.Mode().String() + " " + info.ModTime().String() + " " + string(data)
		return err
	}))
	return out
}

// story is a repository in which a session from base wants to land next.
func story(t *testing.T) (dir string, r *gitops.Repo, spec workspace.LandSpec) {
	t.Helper()
	dir = testenv.Repo(t)
	base := commit(t, dir, "app.js", "1\n", "mine.txt", "1\n", "both.txt", "1\n", ".gitignore", "*.log\n")
	r = open(t, dir)
	next := with(t, r, treeOf(t, r, base), "app.js", "2\n", "new.js", "n\n", "out.log", "l\n", "features.json", "{}\n")
	return dir, r, workspace.LandSpec{Branch: "refs/heads/main", Base: base, Tree: next, Message: "add it\n\nAgent-Feature: F001\n", Session: "s1"}
}

func TestLandingLeavesTheUsersWorkAlone(t *testing.T) {
	testenv.Clean(t)
	dir, r, spec := story(t)
	testenv.Write(t, dir, "mine.txt", "unstaged\n")
	testenv.Write(t, dir, "both.txt", "staged\n")
	testenv.Write(t, dir, "staged.txt", "new and staged\n")
	testenv.Git(t, dir, "add", "both.txt", "staged.txt")
	testenv.Write(t, dir, "both.txt", "staged, then changed\n")
	testenv.Write(t, dir, "untracked.txt", "u\n")
	testenv.Write(t, dir, "ignored.log", "i\n")
	testenv.Git(t, dir, "branch", "other")
	testenv.Git(t, dir, "stash", "store", "-m", "s", testenv.Git(t, dir, "stash", "create"))
	before := files(t, dir)
	staged, refs := testenv.Git(t, dir, "diff", "--cached"), testenv.Git(t, dir, "for-each-ref")
	l, err := workspace.Land(t.Context(), r, spec)
	if err != nil || l.How != workspace.Moved || l.Ref != "refs/heads/main" {
		t.Fatalf("Land = %+v, %v", l, err)
	}
	after := files(t, dir)
	for path, want := range map[string]string{"app.js": "2\n", "new.js": "n\n", "out.log": "l\n", "features.json": "{}\n"} {
		if read(t, dir, path) != want {
			t.Errorf("%s = %q", path, read(t, dir, path))
		}
		delete(after, path)
		delete(before, path)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the user's files changed:\n%s", diff)
	}
	if got := testenv.Git(t, dir, "diff", "--cached"); got != staged {
		t.Errorf("staged changes:\n%s\nwere\n%s", got, staged)
	}
	want := strings.ReplaceAll(refs, string(spec.Base)+" commit\trefs/heads/main", string(l.Commit)+" commit\trefs/heads/main")
	if got := testenv.Git(t, dir, "for-each-ref"); got != want {
		t.Errorf("refs:\n%s\nwant\n%s", got, want)
	}
	c, err := r.Commit(t.Context(), string(l.Commit))
	must(t, err)
	if c.Author != "A Person <person@example.org>" || c.Tree != spec.Tree || len(c.Parents) != 1 || c.Trailer("Agent-Feature") == nil {
		t.Errorf("the commit: %+v", c)
	}
	if log := testenv.Git(t, dir, "reflog", "-1", "--format=%gs", "main"); !strings.HasPrefix(log, "git agent") {
		t.Errorf("reflog: %q", log)
	}
}

func TestLandingStepsAside(t *testing.T) {
	testenv.Clean(t)
	git := testenv.Git
	linked := func(t *testing.T, dir string) string {
		git(t, dir, "checkout", "-q", "-b", "elsewhere")
		w := filepath.Join(t.TempDir(), "a tree")
		git(t, dir, "worktree", "add", "-q", w, "main")
		return w
	}
	cases := map[string]struct {
		change func(t *testing.T, dir string)
		why    string
		free   func(t *testing.T, dir string) // makes way for the command
	}{
		"overlapping change": {func(t *testing.T, dir string) { testenv.Write(t, dir, "app.js", "mine\n") }, "local changes are in the way: app.js",
			func(t *testing.T, dir string) { git(t, dir, "stash", "-q") }},
		"overlapping, committed": {func(t *testing.T, dir string) { testenv.Write(t, dir, "new.js", "mine\n") }, "untracked or ignored files are in the way: new.js",
			func(t *testing.T, dir string) {
				must(t, os.Rename(filepath.Join(dir, "new.js"), filepath.Join(dir, "my.js")))
				commit(t, dir)
			}},
		"ignored file": {func(t *testing.T, dir string) { testenv.Write(t, dir, "out.log", "mine\n") }, "untracked or ignored files are in the way: out.log",
			func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "out.log"))) }},
		"merge under way": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "-b", "side")
			commit(t, dir, "mine.txt", "side\n")
			git(t, dir, "checkout", "-q", "main")
			git(t, dir, "merge", "-q", "--no-commit", "--no-ff", "side")
		}, "a merge is under way here; finish it first", func(t *testing.T, dir string) { git(t, dir, "commit", "-q", "-m", "merged") }},
		"detached":             {func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") }, "", nil},
		"in another work tree": {func(t *testing.T, dir string) { linked(t, dir) }, "main is checked out, or being rebased, in ", func(t *testing.T, dir string) {}},
		"filter of the repository": {func(t *testing.T, dir string) {
			git(t, dir, "config", "filter.f.smudge", "false")
			testenv.Write(t, dir, ".git/info/attributes", "app.js filter=f\n")
		}, "filters from this repository's own config apply to app.js", func(t *testing.T, dir string) { git(t, dir, "config", "--unset", "filter.f.smudge") }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, r, spec := story(t)
			c.change(t, dir)
			before, status, tip := files(t, dir), git(t, dir, "status", "--porcelain=v2", "--branch"), git(t, dir, "rev-parse", "main")
			l, err := workspace.Land(t.Context(), r, spec)
			must(t, err)
			if name == "detached" { // the branch is checked out nowhere: it moves by itself
				if l.How != workspace.Moved || git(t, dir, "rev-parse", "main") != string(l.Commit) {
					t.Errorf("Land = %+v", l)
				}
				if diff := cmp.Diff(before, files(t, dir)); diff != "" {
					t.Error(diff)
				}
				return
			}
			if l.How != workspace.Aside || l.Ref != "refs/agent/landing/s1" || !strings.HasPrefix(l.Why, c.why) || git(t, dir, "rev-parse", l.Ref) != string(l.Commit) {
				t.Errorf("Land = %+v", l)
			}
			if diff := cmp.Diff(before, files(t, dir)); diff != "" {
				t.Errorf("files changed:\n%s", diff)
			}
			if got := git(t, dir, "status", "--porcelain=v2", "--branch"); got != status || git(t, dir, "rev-parse", "main") != tip {
				t.Errorf("status was\n%s\nand is\n%s", status, got)
			}
			c.free(t, dir)
			cmd := exec.Command("sh", "-c", l.Next)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("the advice %q fails: %v\n%s", l.Next, err, out)
			}
			if got := git(t, dir, "show", "main:app.js"); got != "2" {
				t.Errorf("after the advice main has app.js = %q", got)
			}
		})
	}
}

func TestLandingAfterASwitchMovesTheBranchAlone(t *testing.T) {
	testenv.Clean(t)
	dir, r, spec := story(t)
	testenv.Git(t, dir, "checkout", "-q", "-b", "mine")
	testenv.Write(t, dir, "app.js", "my change\n")
	before := files(t, dir)
	l, err := workspace.Land(t.Context(), r, spec)
	if err != nil || l.How != workspace.Moved {
		t.Fatalf("Land = %+v, %v", l, err)
	}
	if got := testenv.Git(t, dir, "rev-parse", "main", "mine"); got != string(l.Commit)+"\n"+string(spec.Base) {
		t.Errorf("main and mine are at\n%s", got)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

func TestLandingFromADetachedHead(t *testing.T) {
	testenv.Clean(t)
	dir, r, spec := story(t)
	testenv.Git(t, dir, "checkout", "-q", "--detach")
	spec.Branch = ""
	l, err := workspace.Land(t.Context(), r, spec)
	if err != nil || l.How != workspace.Aside || l.Why != "HEAD is not on a branch" {
		t.Fatalf("Land = %+v, %v", l, err)
	}
}

func TestLandingOnABranchThatMoved(t *testing.T) {
	testenv.Clean(t)
	for _, gone := range []bool{false, true} {
		dir, r, spec := story(t)
		if gone {
			testenv.Git(t, dir, "checkout", "-q", "-b", "other")
			testenv.Git(t, dir, "branch", "-q", "-D", "main")
		} else {
			commit(t, dir, "mine.txt", "moved\n")
		}
		if _, err := workspace.Land(t.Context(), r, spec); !errors.Is(err, workspace.ErrBranchMoved) {
			t.Errorf("gone %v: %v", gone, err)
		}
	}
}

func TestLandingTheFirstCommit(t *testing.T) {
	testenv.Clean(t)
	for name, c := range map[string]struct{ file, how string }{
		"free": {"x.txt", workspace.Moved}, "in the way": {"app.js", workspace.Aside}, "ignored, in the way": {"app.js", workspace.Aside}} {
		dir := testenv.Repo(t)
		r := open(t, dir)
		testenv.Write(t, dir, "staged.txt", "s\n")
		testenv.Git(t, dir, "add", "staged.txt")
		testenv.Write(t, dir, c.file, "mine\n")
		if strings.HasPrefix(name, "ignored") {
			testenv.Write(t, dir, ".git/info/exclude", c.file+"\n")
		}
		spec := workspace.LandSpec{Branch: "refs/heads/main", Tree: with(t, r, "", "app.js", "1\n"), Message: "first\n", Session: "s1"}
		l, err := workspace.Land(t.Context(), r, spec)
		if err != nil || l.How != c.how {
			t.Errorf("%s: %+v, %v", name, l, err)
			continue
		}
		if got := read(t, dir, c.file); got != "mine\n" {
			t.Errorf("%s: %s = %q", name, c.file, got)
		}
		want := "A  staged.txt\n?? " + c.file
		if strings.HasPrefix(name, "ignored") {
			want = "A  staged.txt"
		}
		if got := testenv.Git(t, dir, "status", "--porcelain"); got != want {
			t.Errorf("%s: status\n%s", name, got)
		}
	}
}

func TestLandingThatWouldHaveToAsk(t *testing.T) {
	home := testenv.Clean(t)
	dir, r, spec := story(t)
	must(t, os.WriteFile(filepath.Join(home, "sign"), []byte("#!/bin/sh\nread x </dev/tty && exit 0\nexit 2\n"), 0o755))
	testenv.Git(t, dir, "config", "--global", "gpg.program", filepath.Join(home, "sign"))
	testenv.Git(t, dir, "config", "--global", "commit.gpgSign", "true")
	l, err := workspace.Land(t.Context(), r, spec)
	if err != nil || l.How != workspace.Aside || !strings.Contains(l.Why, "signed") || l.Next != "git cherry-pick refs/agent/landing/s1" {
		t.Fatalf("Land = %+v, %v", l, err)
	}
	if got := testenv.Git(t, dir, "rev-parse", "main"); got != string(spec.Base) {
		t.Error("an unsigned commit landed")
	}
}

func TestAttemptsAreKeptAndTaken(t *testing.T) {
	testenv.Clean(t)
	dir, r, spec := story(t)
	ctx := t.Context()
	product, err := workspace.ProductTree(ctx, r, spec.Tree)
	must(t, err)
	extra := map[string][]byte{"transcript.jsonl": []byte("{}\n"), "shots/1.png": []byte("\x89PNG")}
	for _, session := range []string{"s1", "s1", "s2"} {
		ref, id, err := workspace.Keep(ctx, r, session, spec.Base, product, extra, "attempt at F001")
		must(t, err)
		if got := testenv.Git(t, dir, "rev-parse", ref); got != string(id) {
			t.Errorf("%s is at %s", ref, got)
		}
	}
	list, err := workspace.Attempts(ctx, r)
	must(t, err)
	if len(list) != 2 || list[0].Base != spec.Base || list[0].Subject != "attempt at F001" {
		t.Errorf("Attempts = %+v", list)
	}
	got, err := workspace.LoadRecord(ctx, r, "s1")
	must(t, err)
	if diff := cmp.Diff(extra, got); diff != "" {
		t.Error(diff)
	}
	if _, err := workspace.LoadRecord(ctx, r, "nope"); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("record of nothing: %v", err)
	}
	_, err = workspace.Take(ctx, r, "s2", "agent/s2")
	must(t, err)
	if got := testenv.Git(t, dir, "show", "agent/s2:app.js"); got != "2" {
		t.Errorf("the taken branch has %q", got)
	}
	if got := testenv.Git(t, dir, "diff", "--name-only", "main", "agent/s2"); got != "app.js\nnew.js\nout.log" {
		t.Errorf("the taken branch differs in more than the work: %q", got)
	}
	for _, branch := range []string{"agent/s2", "main", "", "-x", "a..b"} {
		if _, err := workspace.Take(ctx, r, "s2", branch); err == nil {
			t.Errorf("taken to %q", branch)
		}
	}
	if got := testenv.Git(t, dir, "rev-parse", "main"); got != string(spec.Base) {
		t.Error("an existing branch moved")
	}
	if _, err := workspace.Take(ctx, r, "nope", "x"); err == nil {
		t.Error("nothing was taken")
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("the work tree changed: %s", got)
	}
}
