package gitops

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gitagent/internal/testenv"
)

// kinds are the repositories in which both ways of reading must agree. make
// returns the folder to read from, or why this git cannot make one.
var repositoryKinds = []struct {
	name string
	make func(t *testing.T) (dir string, cannot string)
}{
	{"ordinary", func(t *testing.T) (string, string) { dir := testenv.Repo(t); fill(t, dir); return dir, "" }},
	{"packed", func(t *testing.T) (string, string) {
		dir := testenv.Repo(t)
		fill(t, dir)
		testenv.Git(t, dir, "gc", "-q", "--aggressive", "--prune=now")
		return dir, ""
	}},
	{"linked worktree", func(t *testing.T) (string, string) {
		dir, linked := testenv.Repo(t), filepath.Join(t.TempDir(), "linked")
		fill(t, dir)
		testenv.Git(t, dir, "config", "extensions.worktreeConfig", "true")
		testenv.Git(t, dir, "worktree", "add", "-q", linked, "-b", "linked")
		return linked, ""
	}},
	{"borrowed objects", func(t *testing.T) (string, string) {
		dir, copied := testenv.Repo(t), filepath.Join(t.TempDir(), "copied")
		fill(t, dir)
		testenv.Git(t, dir, "clone", "-q", "--shared", dir, copied)
		return copied, ""
	}},
	{"bare", func(t *testing.T) (string, string) {
		dir, copied := testenv.Repo(t), filepath.Join(t.TempDir(), "bare.git")
		fill(t, dir)
		testenv.Git(t, dir, "clone", "-q", "--bare", dir, copied)
		return copied, ""
	}},
	{"sha256", func(t *testing.T) (string, string) { return special(t, "--object-format=sha256") }},
	{"reftable", func(t *testing.T) (string, string) { return special(t, "--ref-format=reftable") }},
}

// special makes a repository that not every git can make.
func special(t *testing.T, flag string) (string, string) {
	dir := filepath.Join(t.TempDir(), "repo")
	cmd := exec.Command("git", "init", "-q", "-b", "main", flag, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(out), "\n")
		return "", "this git cannot make one: " + line
	}
	testenv.Git(t, dir, "config", "user.name", "A")
	testenv.Git(t, dir, "config", "user.email", "a@example.org")
	fill(t, dir)
	return dir, ""
}

// fill makes a history with names, modes and merges of every kind.
func fill(t *testing.T, dir string) {
	t.Helper()
	git := func(args ...string) { t.Helper(); testenv.Git(t, dir, args...) }
	testenv.Write(t, dir, "a.txt", "one\n")
	testenv.Write(t, dir, "empty", "")
	testenv.Write(t, dir, "sub/deep er/ü.txt", strings.Repeat("text\n", 5000))
	git("add", "-A")
	git("update-index", "--chmod=+x", "a.txt")
	git("commit", "-qm", "first\n\nwith a body\n\nAllow-Tests: a reason")
	git("checkout", "-qb", "side")
	testenv.Write(t, dir, "side.txt", "side\n")
	git("add", "-A")
	git("commit", "-qm", "side")
	git("checkout", "-q", "main")
	testenv.Write(t, dir, "sub/deep er/ü.txt", strings.Repeat("text\n", 5001))
	git("add", "-A")
	git("commit", "-qm", "changed")
	git("merge", "-q", "--no-edit", "side")
	git("rm", "-q", "a.txt")
	git("commit", "-qm", "gone")
	git("tag", "-m", "tagged", "v1")
}

// answers are what every method that reads says of a repository.
func answers(t *testing.T, repo *Repo) map[string]any {
	t.Helper()
	ctx := context.Background()
	out := map[string]any{}
	note := func(name string, value any, err error) {
		if err != nil {
			value = fmt.Sprintf("%v, not found: %v", err, errors.Is(err, ErrNotFound))
		}
		out[name] = value
	}
	commits, err := repo.Log(ctx, LogOptions{Range: "main", Reverse: true})
	note("Log", commits, err)
	if err != nil {
		return out
	}
	for i, c := range commits {
		key := func(s string) string { return fmt.Sprintf("%s of commit %d", s, i) }
		info, err := repo.Commit(ctx, string(c.ID))
		note(key("Commit"), info, err)
		entries, err := repo.ListTree(ctx, c.Tree)
		note(key("ListTree"), entries, err)
		level, err := repo.Level(ctx, c.Tree)
		note(key("Level"), level, err)
		for _, name := range []string{"a.txt", "empty", "sub", "sub/deep er/ü.txt", "sub/none", "", "../a.txt"} {
			e, err := repo.EntryAt(ctx, c.Tree, name)
			note(key("EntryAt "+name), e, err)
			data, err := repo.ReadFile(ctx, c.Tree, name)
			note(key("ReadFile "+name), string(data), err)
		}
		for _, e := range entries {
			data, size, err := repo.ReadBlobUpTo(ctx, e.OID, 1000)
			note(key("ReadBlobUpTo "+e.Path), fmt.Sprint(len(data), size), err)
		}
		if i > 0 {
			changes, err := repo.DiffTrees(ctx, commits[i-1].Tree, c.Tree)
			note(key("DiffTrees"), changes, err)
		}
	}
	var past []Past
	err = repo.History(ctx, []string{"main"}, nil, func(p *Past) error { past = append(past, *p); return nil })
	note("History", past, err)
	tree, err := repo.HeadTree(ctx)
	note("HeadTree", tree, err)
	_, err = repo.Commit(ctx, strings.Repeat("1", len(commits[0].ID)))
	note("Commit of nothing", nil, err)
	blob, err := repo.ReadBlob(ctx, commits[0].Tree)
	note("ReadBlob of a tree", string(blob), err)
	tag, err := repo.Resolve(ctx, "v1")
	note("Resolve a tag", tag, err)
	return out
}

// Reading through go-git and reading through git alone gives the same, wherever
// either can read at all.
func TestBothWaysOfReadingAgree(t *testing.T) {
	for _, kind := range repositoryKinds {
		t.Run(kind.name, func(t *testing.T) {
			testenv.Clean(t)
			dir, cannot := kind.make(t)
			if cannot != "" {
				t.Skipf("%s: %s", kind.name, cannot)
			}
			var got [2]map[string]any
			for i := range got {
				repo, err := OpenLenient(context.Background(), dir)
				if err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					repo.ReadThroughGit()
				}
				got[i] = answers(t, repo)
				if err := repo.Close(); err != nil {
					t.Error(err)
				}
			}
			if len(got[0]) < 40 || len(got[0]) != len(got[1]) {
				t.Fatalf("%d answers and %d", len(got[0]), len(got[1]))
			}
			for name, a := range got[0] {
				if b := got[1][name]; !reflect.DeepEqual(a, b) {
					t.Errorf("%s: go-git %v, git %v", name, a, b)
				}
			}
		})
	}
}
