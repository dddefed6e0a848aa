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

// open opens dir and closes it with the test.
func open(t testing.TB, dir string) *gitops.Repo {
	t.Helper()
	r, err := gitops.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// commit writes files (path, content, …) in dir and commits all.
func commit(t testing.TB, dir string, files ...string) gitops.OID {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		testenv.Write(t, dir, files[i], files[i+1])
	}
	testenv.Git(t, dir, "add", "-A")
	testenv.Git(t, dir, "commit", "-q", "-m", "change")
	return gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
}

func real(t testing.TB, path string) string {
	t.Helper()
	p, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOpenRefusesWithAdvice(t *testing.T) {
	testenv.Clean(t)
	origin := testenv.Repo(t)
	commit(t, origin, "a", "1\n", "d/b", "2\n")
	testenv.Git(t, origin, "config", "uploadpack.allowFilter", "true")
	cases := map[string]struct {
		make func(t *testing.T) string
		says string
	}{
		"no repository": {func(t *testing.T) string { return t.TempDir() }, "not in a git repository"},
		"bare": {func(t *testing.T) string {
			d := t.TempDir()
			testenv.Git(t, d, "init", "-q", "--bare")
			return d
		}, "bare repository"},
		"inside .git": {func(t *testing.T) string { return filepath.Join(testenv.Repo(t), ".git") }, "not in a work tree"},
		"submodules": {func(t *testing.T) string {
			d := testenv.Repo(t)
			testenv.Git(t, d, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "sub")
			return d
		}, "submodules"},
		"sparse": {func(t *testing.T) string {
			d := t.TempDir()
			testenv.Git(t, d, "clone", "-q", origin, ".")
			testenv.Git(t, d, "sparse-checkout", "set", "d")
			return d
		}, "sparse"},
		"partial": {func(t *testing.T) string {
			d := t.TempDir()
			testenv.Git(t, d, "clone", "-q", "--filter=blob:none", "file://"+origin, ".")
			return d
		}, "partial"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := gitops.Open(t.Context(), c.make(t))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("Open: %v, want it to say %q", err, c.says)
			}
			if len(hint.Of(err)) == 0 {
				t.Errorf("no advice with %q", err)
			}
		})
	}
}

func TestOpenRefusesAnOldGit(t *testing.T) {
	testenv.Clean(t)
	bin := t.TempDir()
	testenv.Write(t, bin, "git", "#!/bin/sh\necho git version 2.35.9\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if _, err := gitops.Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Fatalf("Open: %v", err)
	}
	for version, want := range map[string]bool{
		"git version 2.36.0": true, "git version 2.35.8": false, "git version 3.0.1": true, "git version 1.99.0": false,
		"git version 2.39.5 (Apple Git-154)": true, "git version 2.45.1.windows.1": true, "nonsense": false,
	} {
		if got := gitops.AtLeast(version, 2, 36); got != want {
			t.Errorf("AtLeast(%q) = %v", version, got)
		}
	}
}

func TestOpenFindsThePlaces(t *testing.T) {
	testenv.Clean(t)
	dir := real(t, testenv.Repo(t))
	commit(t, dir, "sub/deep/f", "1\n")
	linked := filepath.Join(real(t, t.TempDir()), "linked")
	testenv.Git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
	cases := map[string]struct{ dir, top, git string }{
		"top":        {dir, dir, filepath.Join(dir, ".git")},
		"below":      {filepath.Join(dir, "sub", "deep"), dir, filepath.Join(dir, ".git")},
		"linked":     {filepath.Join(linked, "sub"), linked, filepath.Join(dir, ".git", "worktrees", "linked")},
		"through ..": {filepath.Join(dir, "sub") + "/..", dir, filepath.Join(dir, ".git")},
	}
	for name, c := range cases {
		r := open(t, c.dir)
		if r.Top() != c.top || r.GitDir() != c.git || r.CommonDir() != filepath.Join(dir, ".git") {
			t.Errorf("%s: top %s, git dir %s, common dir %s", name, r.Top(), r.GitDir(), r.CommonDir())
		}
		if r.AgentDir() != filepath.Join(dir, ".git", "agent") {
			t.Errorf("%s: agent dir %s", name, r.AgentDir())
		}
	}
}

func TestOpenHonoursGitDirOfTheUser(t *testing.T) {
	testenv.Clean(t)
	dir := real(t, testenv.Repo(t))
	want := commit(t, dir, "f", "1\n")
	elsewhere := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_DIR", ".git") // relative, as `git --git-dir=.git agent` exports it
	t.Setenv("GIT_WORK_TREE", ".")
	r := open(t, elsewhere)
	if r.Top() != dir {
		t.Fatalf("top = %s, want %s", r.Top(), dir)
	}
	h, err := r.Head(t.Context())
	if err != nil || h.Commit != want {
		t.Fatalf("Head = %+v, %v", h, err)
	}
	testenv.Write(t, dir, "g", "2\n")
	if _, err := r.CommitPaths(t.Context(), "as the user", []string{"g"}); err != nil {
		t.Fatal(err)
	}
}

func TestLenientReadsWhatSessionsRefuse(t *testing.T) {
	testenv.Clean(t)
	src := testenv.Repo(t)
	want := commit(t, src, "f", "1\n")
	bare := t.TempDir()
	testenv.Git(t, bare, "clone", "-q", "--bare", src, ".")
	r, err := gitops.OpenLenient(t.Context(), bare)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := r.Commit(t.Context(), "main")
	if err != nil || c.ID != want || r.Top() != "" || !r.Bare() {
		t.Fatalf("Commit = %+v, %v; top %q", c, err, r.Top())
	}
	data, err := r.ReadFile(t.Context(), c.Tree, "f")
	if err != nil || string(data) != "1\n" {
		t.Fatalf("ReadFile = %q, %v", data, err)
	}
}
