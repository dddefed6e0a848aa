package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// ahead makes a repository with a commit on top of HEAD that is not checked out.
func ahead(t *testing.T) (dir string, base, tip gitops.OID) {
	t.Helper()
	dir = testenv.Repo(t)
	base = commit(t, dir, "a", "1\n", "b", "1\n", "mine", "1\n", ".gitignore", "*.log\n")
	tip = commit(t, dir, "a", "2\n", "new", "n\n")
	testenv.Write(t, dir, "x.log/y", "in a folder\n")
	testenv.Git(t, dir, "add", "-f", "x.log/y")
	testenv.Git(t, dir, "add", "-f", "--", ".gitignore")
	testenv.Write(t, dir, "out.log", "from the tip\n")
	testenv.Git(t, dir, "add", "-f", "out.log")
	testenv.Git(t, dir, "commit", "-q", "--amend", "--no-edit")
	tip = gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
	testenv.Git(t, dir, "reset", "-q", "--hard", string(base))
	return dir, base, tip
}

func TestFastForwardTouchesOnlyTheCommit(t *testing.T) {
	testenv.Clean(t)
	dir, _, tip := ahead(t)
	testenv.Write(t, dir, "mine", "staged\n")
	testenv.Git(t, dir, "add", "mine")
	testenv.Write(t, dir, "mine", "unstaged on top\n")
	testenv.Write(t, dir, "b", "unstaged\n")
	testenv.Write(t, dir, "untracked", "u\n")
	testenv.Write(t, dir, "other.log", "ignored\n")
	staged := testenv.Git(t, dir, "diff", "--cached")
	before := state(t, dir, ".git")
	must(t, open(t, dir).FastForward(t.Context(), tip))
	want := before
	want["a"], want["new"], want["out.log"] = "-rw-r--r-- 2\n", "-rw-r--r-- n\n", "-rw-r--r-- from the tip\n"
	want["x.log/y"] = "-rw-r--r-- in a folder\n"
	if diff := cmp.Diff(want, state(t, dir, ".git")); diff != "" {
		t.Errorf("the work tree differs by more than the commit:\n%s", diff)
	}
	if got := testenv.Git(t, dir, "diff", "--cached"); got != staged {
		t.Errorf("staged changes were\n%s\nand are\n%s", staged, got)
	}
	if got := testenv.Git(t, dir, "rev-parse", "main"); got != string(tip) {
		t.Errorf("main is at %s", got)
	}
}

func TestFastForwardOverwritesNothing(t *testing.T) {
	testenv.Clean(t)
	cases := map[string]struct {
		change    func(t *testing.T, dir string)
		path      string
		untracked bool
	}{
		"changed":                   {func(t *testing.T, dir string) { testenv.Write(t, dir, "a", "mine\n") }, "a", false},
		"staged":                    {func(t *testing.T, dir string) { testenv.Write(t, dir, "a", "m\n"); testenv.Git(t, dir, "add", "a") }, "a", false},
		"untracked":                 {func(t *testing.T, dir string) { testenv.Write(t, dir, "new", "mine\n") }, "new", true},
		"ignored":                   {func(t *testing.T, dir string) { testenv.Write(t, dir, "out.log", "mine\n") }, "out.log", true},
		"ignored file for a folder": {func(t *testing.T, dir string) { testenv.Write(t, dir, "x.log", "mine\n") }, "x.log", true},
		"assumed unchanged": {func(t *testing.T, dir string) {
			testenv.Git(t, dir, "update-index", "--assume-unchanged", "a")
			testenv.Write(t, dir, "a", "mine\n")
		}, "a", false},
		"skipped in the work tree": {func(t *testing.T, dir string) {
			testenv.Git(t, dir, "update-index", "--skip-worktree", "a")
			testenv.Write(t, dir, "a", "mine\n")
		}, "a", false},
		"folder": {func(t *testing.T, dir string) { testenv.Write(t, dir, "new/file", "mine\n") }, "new", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, base, tip := ahead(t)
			c.change(t, dir)
			before := state(t, dir, ".git")
			err := open(t, dir).FastForward(t.Context(), tip)
			var local *gitops.LocalChangesError
			if !errors.As(err, &local) || len(local.Paths) != 1 || local.Paths[0] != c.path || local.Untracked != c.untracked {
				t.Errorf("FastForward: %#v", err)
			}
			if diff := cmp.Diff(before, state(t, dir, ".git")); diff != "" {
				t.Errorf("files changed:\n%s", diff)
			}
			if got := testenv.Git(t, dir, "rev-parse", "HEAD"); got != string(base) {
				t.Errorf("HEAD moved to %s", got)
			}
		})
	}
}

func TestFastForwardAndFilters(t *testing.T) {
	for _, scope := range []string{"--global", "--local"} {
		t.Run(scope, func(t *testing.T) {
			testenv.Clean(t)
			dir := testenv.Repo(t)
			base := commit(t, dir, "a.up", "one\n", ".gitattributes", "*.up filter=up\n")
			tip := commit(t, dir, "a.up", "two\n")
			testenv.Git(t, dir, "reset", "-q", "--hard", string(base))
			testenv.Git(t, dir, "config", scope, "filter.up.smudge", "tr a-z A-Z")
			testenv.Git(t, dir, "config", scope, "filter.up.clean", "tr A-Z a-z")
			err := open(t, dir).FastForward(t.Context(), tip)
			data, rerr := os.ReadFile(filepath.Join(dir, "a.up"))
			must(t, rerr)
			var local *gitops.LocalFilterError
			if scope == "--global" && (err != nil || string(data) != "TWO\n") {
				t.Errorf("the user's filter: %v, file %q", err, data)
			}
			if scope == "--local" && (!errors.As(err, &local) || string(data) != "one\n") {
				t.Errorf("the repository's filter: %v, file %q", err, data)
			}
		})
	}
}

func TestCommitPathsLeavesTheRestStaged(t *testing.T) {
	testenv.Clean(t)
	for _, unborn := range []bool{false, true} {
		dir := testenv.Repo(t)
		if !unborn {
			commit(t, dir, "old", "1\n", "gone", "1\n")
		}
		testenv.Write(t, dir, "staged", "s\n")
		testenv.Git(t, dir, "add", "staged")
		testenv.Write(t, dir, "untracked", "u\n")
		testenv.Write(t, dir, ".gitignore", "*.json\n")
		testenv.Write(t, dir, "features.json", "{}\n")
		testenv.Write(t, dir, ".agent/config", "[agent]\n")
		paths := []string{"features.json", ".agent/config"}
		if !unborn {
			testenv.Write(t, dir, "old", "2\n")
			must(t, os.Remove(filepath.Join(dir, "gone")))
			paths = append(paths, "old", "gone")
		}
		id, err := open(t, dir).CommitPaths(t.Context(), "start\n\nwith a body\n", paths)
		if err != nil {
			t.Fatalf("unborn %v: %v", unborn, err)
		}
		got := testenv.Git(t, dir, "show", "--no-renames", "--format=%s", "--name-status", string(id))
		want := "start\n\nA\t.agent/config\nA\tfeatures.json"
		if !unborn {
			want += "\nD\tgone\nM\told"
		}
		if got != want {
			t.Errorf("unborn %v: the commit holds\n%s", unborn, got)
		}
		if got := testenv.Git(t, dir, "status", "--porcelain"); got != "A  staged\n?? .gitignore\n?? untracked" {
			t.Errorf("unborn %v: status afterwards\n%s", unborn, got)
		}
	}
}

func TestCommitPathsUndoesItsStaging(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "old", "1\n")
	testenv.Write(t, dir, ".git/hooks/pre-commit", "#!/bin/sh\necho the hook says no >&2\nexit 1\n")
	must(t, os.Chmod(filepath.Join(dir, ".git/hooks/pre-commit"), 0o755))
	testenv.Write(t, dir, "staged", "s\n")
	testenv.Git(t, dir, "add", "staged")
	testenv.Write(t, dir, "old", "2\n")
	testenv.Write(t, dir, "new", "n\n")
	before := testenv.Git(t, dir, "status", "--porcelain")
	_, err := open(t, dir).CommitPaths(t.Context(), "m", []string{"new", "old"})
	if err == nil || !strings.Contains(err.Error(), "the hook says no") {
		t.Errorf("CommitPaths: %v", err)
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != before {
		t.Errorf("status was\n%s\nand is\n%s", before, got)
	}
}

func TestOperationAndCheckedOutAt(t *testing.T) {
	testenv.Clean(t)
	cases := map[string][]string{
		"merge": {"merge", "side"}, "rebase": {"rebase", "side"}, "cherry-pick": {"cherry-pick", "side"},
		"revert": {"revert", "--no-edit", "HEAD~1"}, "bisect": {"bisect", "start"}, "": {"status"},
	}
	for want, args := range cases {
		dir := testenv.Repo(t)
		commit(t, dir, "a", "1\n")
		testenv.Git(t, dir, "branch", "side")
		commit(t, dir, "a", "2\n")
		commit(t, dir, "a", "3\n")
		testenv.Git(t, dir, "checkout", "-q", "side")
		commit(t, dir, "a", "other\n")
		testenv.Git(t, dir, "checkout", "-q", "main")
		gitMayFail(dir, args...)
		r := open(t, dir)
		if got, err := r.Operation(t.Context()); got != want || err != nil {
			t.Errorf("%v: %q, %v", args, got, err)
		}
		if at, ok, err := r.CheckedOutAt(t.Context(), "refs/heads/main"); !ok || err != nil {
			t.Errorf("%v: main is checked out at %q, %v, %v", args, at, ok, err)
		}
		if at, ok, err := r.CheckedOutAt(t.Context(), "refs/heads/side"); ok || err != nil {
			t.Errorf("%v: side is checked out at %q, %v", args, at, err)
		}
	}
}

func TestIsIgnored(t *testing.T) {
	home := testenv.Clean(t)
	dir := testenv.Repo(t)
	testenv.Write(t, home, ".config/git/ignore", "global.txt\n")
	testenv.Write(t, dir, ".git/info/exclude", "private.txt\n")
	commit(t, dir, ".gitignore", "*.log\n!keep.log\nbuild/\n")
	testenv.Write(t, dir, "tracked.log", "t\n")
	testenv.Git(t, dir, "add", "-f", "tracked.log")
	r := open(t, dir)
	for path, want := range map[string]bool{
		"a.log": true, "keep.log": false, "build/x/y": true, "src/a.js": false, "global.txt": true, "private.txt": true,
		"tracked.log": false, ":(glob)x": false, "-x": false,
	} {
		if got, err := r.IsIgnored(t.Context(), path); got != want || err != nil {
			t.Errorf("IsIgnored(%q) = %v, %v", path, got, err)
		}
	}
}
