package gitops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/testenv"
)

// A folder that only says that it belongs to a repository is refused; real
// linked work trees, git folders kept apart and links to them are not.
func TestForgedGitFoldersAreRefused(t *testing.T) {
	testenv.Clean(t)
	trusted := testenv.Repo(t)
	commit(t, trusted, "a", "1\n")
	linked := filepath.Join(t.TempDir(), "linked")
	testenv.Git(t, trusted, "worktree", "add", "-q", linked)
	inside := filepath.Join(trusted, ".git", "worktrees", "linked")
	cases := map[string]struct {
		make func(t *testing.T, dir string)
		says string // "" is no refusal
	}{
		"a linked work tree's name": {func(t *testing.T, dir string) { testenv.Write(t, dir, ".git", "gitdir: "+inside+"\n") }, "does not know it"},
		"another's git folder": {func(t *testing.T, dir string) {
			testenv.Write(t, dir, ".git", "gitdir: "+trusted+"/.git\n")
		}, "another work tree"},
		"commondir": {func(t *testing.T, dir string) {
			testenv.Git(t, dir, "init", "-q")
			testenv.Write(t, dir, ".git/commondir", trusted+"/.git\n")
		}, "another repository"},
		"a git folder of its own that names another's": {func(t *testing.T, dir string) {
			testenv.Write(t, dir, "g/HEAD", "ref: refs/heads/main\n")
			testenv.Write(t, dir, "g/commondir", trusted+"/.git\n")
			testenv.Write(t, dir, "g/gitdir", dir+"/.git\n")
			testenv.Write(t, dir, ".git", "gitdir: g\n")
		}, "another repository"},
		"kept apart": {func(t *testing.T, dir string) {
			testenv.Git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "apart"))
		}, ""},
		"a symlink": {func(t *testing.T, dir string) {
			apart := filepath.Join(t.TempDir(), "apart")
			testenv.Git(t, dir, "init", "-q")
			if err := os.Rename(filepath.Join(dir, ".git"), apart); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(apart, filepath.Join(dir, ".git")); err != nil {
				t.Skip(err)
			}
		}, ""},
		"no git folder at all": {func(t *testing.T, dir string) { testenv.Write(t, dir, ".git", "gitdir: /nowhere\n") }, "not in a git repository"},
		"a symlink to nothing": {func(t *testing.T, dir string) {
			if err := os.Symlink("/nowhere", filepath.Join(dir, ".git")); err != nil {
				t.Skip(err)
			}
		}, "git"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			r, err := gitops.Open(t.Context(), dir)
			if err == nil {
				r.Close()
			}
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Fatalf("Open: %v, want %q", err, c.says)
			}
			if strings.Contains(c.says, "another") && len(hint.Of(err)) == 0 {
				t.Error("no advice")
			}
		})
	}
	for _, dir := range []string{linked, trusted} {
		r, err := gitops.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
}
