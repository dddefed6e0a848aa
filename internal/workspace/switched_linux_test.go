package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

// TestSwitchedAtTheLastMoment has a person switch between the last look at HEAD
// and the merge: the branch of the session moves and no other does.
func TestSwitchedAtTheLastMoment(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ command, branch, dirty string }{
		"to a new branch":         {"switch -q -c other", "other", ""},
		"to an older branch":      {"switch -q older", "older", ""},
		"to no branch":            {"switch -q --detach", "", ""},
		"with a change elsewhere": {"switch -q -c other", "other", "mine.txt"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			testenv.Clean(t)
			bin := t.TempDir()
			testenv.Write(t, bin, "git", `#!/bin/sh
for a; do case $a in
merge) case "$*" in *--ff-only*) [ -e "`+bin+`/done" ] || { touch "`+bin+`/done"; (unset GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_INDEX_FILE; `+git+` -C "$STORY" `+c.command+`); };; esac;;
esac; done
exec `+git+` "$@"
`)
			if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
				t.Fatal(err)
			}
			path := os.Getenv("PATH")
			dir, _, spec := story(t)
			testenv.Git(t, dir, "branch", "older", "HEAD")
			if c.dirty != "" {
				testenv.Write(t, dir, c.dirty, "changed by me\n")
			}
			wrapper(t, bin, dir, path)
			r, err := gitops.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			l, err := workspace.Land(t.Context(), r, spec)
			if err != nil || l.How != workspace.Moved || l.Ref != spec.Branch {
				t.Fatalf("Land = %+v, %v", l, err)
			}
			if _, err := os.Stat(filepath.Join(bin, "done")); err != nil {
				t.Fatal("nobody switched")
			}
			if got := testenv.Git(t, dir, "rev-parse", "main"); got != string(l.Commit) {
				t.Errorf("main is at %s", got)
			}
			for _, ref := range []string{"HEAD", "older"} {
				if got := testenv.Git(t, dir, "rev-parse", ref); got != string(spec.Base) {
					t.Errorf("%s is at %s", ref, got)
				}
			}
			if got := testenv.Git(t, dir, "branch", "--show-current"); got != c.branch {
				t.Errorf("on %q", got)
			}
			want := ""
			if c.dirty != "" {
				want = " M " + c.dirty
			}
			if got := testenv.Git(t, dir, "status", "--porcelain"); got != want {
				t.Errorf("the checkout: %q", got)
			}
			for path, content := range files(t, dir) {
				if path == "new.js" || path == "out.log" || path == "features.json" {
					t.Errorf("%s is left: %s", path, content)
				}
			}
		})
	}
}

// wrapper puts a git of its own before the real one.
func wrapper(t *testing.T, bin, story, path string) {
	t.Helper()
	t.Setenv("STORY", story)
	t.Setenv("PATH", bin+":"+path)
}
