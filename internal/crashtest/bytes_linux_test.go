package crashtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gitagent/features"
)

// prints are the fingerprints of all that is a person's, by name: every file
// and folder of the checkout with its mode, time and content, every file of
// .git but objects and what belongs to git agent, and every ref.
type prints map[string]string

func (p *place) prints(t testing.TB) prints {
	t.Helper()
	all := prints{}
	err := filepath.WalkDir(p.repo, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.repo, full)
		if err != nil {
			return err
		}
		inGit := name == ".git" || strings.HasPrefix(name, ".git/")
		switch name {
		case ".git/objects", ".git/agent", ".git/refs", ".git/packed-refs", ".git/logs/refs/agent":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil // refs are asked for below
		}
		if inGit && d.IsDir() || name == "." {
			return nil
		}
		all[name], err = print(full)
		return err
	})
	must(t, err)
	for ref := range strings.Lines(p.git(t, "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(ref), " ")
		if !strings.HasPrefix(name, "refs/agent/") {
			all["ref "+name] = id
		}
	}
	all["stash list"] = p.git(t, "stash", "list", "--format=%H %gd %s")
	return all
}

func print(full string) (string, error) {
	st, err := os.Lstat(full)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s %s", st.Mode(), st.ModTime().Format("15:04:05.000000000"))
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		return text + " -> " + target, err
	case st.Mode().IsRegular():
		data, err := os.ReadFile(full)
		return fmt.Sprintf("%s %d %x", text, st.Size(), sha256.Sum256(data)), err
	}
	return text, nil
}

// diff names what differs, but for what skip accepts.
func (a prints) diff(b prints, skip func(name string) bool) string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a[name] != b[name] && (skip == nil || !skip(name)) {
			lines = append(lines, fmt.Sprintf("%s\n  was %s\n  is  %s", name, a[name], b[name]))
		}
	}
	return strings.Join(lines, "\n")
}

// untouched fails unless nothing of the person's has changed.
func (p *place) untouched(t testing.TB, before prints) {
	t.Helper()
	if d := before.diff(p.prints(t), nil); d != "" {
		t.Fatalf("the person's files, index or refs have changed:\n%s", d)
	}
}

// landed fails unless exactly the commits on main since head have come, each
// of a session, and nothing else has changed.
func (p *place) landed(t testing.TB, before prints, head, status, staged string, commits int) {
	t.Helper()
	if got := p.git(t, "rev-list", "--count", head+"..main"); got != fmt.Sprint(commits) {
		t.Fatalf("%s commits landed, want %d:\n%s", got, commits, p.git(t, "log", "--oneline", "--all"))
	}
	changed := map[string]bool{".git/index": true, ".git/ORIG_HEAD": true, ".git/logs/HEAD": true, ".git/logs/refs/heads/main": true, "ref refs/heads/main": true}
	for _, name := range strings.Split(p.git(t, "-c", "core.quotePath=false", "diff", "--name-only", head, "main"), "\n") {
		for ; name != "."; name = path.Dir(name) {
			changed[name] = true
		}
	}
	if d := before.diff(p.prints(t), func(name string) bool { return changed[name] }); d != "" {
		t.Fatalf("more has changed than the commit:\n%s", d)
	}
	if got := p.git(t, "status", "--porcelain"); got != status {
		t.Fatalf("git status says\n%s\nand said\n%s", got, status)
	}
	if got := p.git(t, "diff", "--cached", "--raw", "--no-abbrev"); got != staged {
		t.Fatalf("staged is\n%s\nand was\n%s", got, staged)
	}
}

// wholeList fails unless the list can be read, at HEAD and in the checkout.
func (p *place) wholeList(t testing.TB) *features.List {
	t.Helper()
	l, err := features.Parse([]byte(p.git(t, "show", "HEAD:features.json") + "\n"))
	must(t, err)
	data, err := os.ReadFile(filepath.Join(p.repo, "features.json"))
	must(t, err)
	if _, err := features.Parse(data); err != nil {
		t.Fatalf("features.json in the checkout: %v", err)
	}
	return l
}

// swept fails when anything is left of a session: trees, temporary folders,
// locks, refs of a landing.
func (p *place) swept(t testing.TB) {
	t.Helper()
	var left []string
	add := func(pattern ...string) {
		found, err := filepath.Glob(filepath.Join(append([]string{p.root}, pattern...)...))
		must(t, err)
		left = append(left, found...)
	}
	add("state", "git-agent", "trees", "*")
	add("tmp", "*")
	add("repo", ".git", "refs", "agent", "moving", "*")
	must(t, filepath.WalkDir(filepath.Join(p.repo, ".git"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".lock") && d.Name() != "trust.lock" {
			left = append(left, name)
		}
		return err
	}))
	entries, err := os.ReadDir(filepath.Join(p.repo, ".git", "agent"))
	must(t, err)
	for _, e := range entries {
		switch e.Name() {
		case "lock", "trust", "trust.lock", "checked", "kept": // the last two: where the refs were, and results that need no second run
		default:
			left = append(left, e.Name())
		}
	}
	if len(left) > 0 {
		t.Fatalf("left behind: %s", strings.Join(left, "\n"))
	}
}
