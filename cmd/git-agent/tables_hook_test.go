package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/internal/testenv"
)

const (
	hugeTree  = 100_000
	smallHook = 30 * time.Millisecond
	overDiff  = 15 * time.Millisecond
)

// TestTableHook measures the pre-commit hook in a small and in a large
// repository, beside git itself and beside lefthook and husky that do nothing.
func TestTableHook(t *testing.T) {
	if os.Getenv("GIT_AGENT_TABLES") == "" {
		t.Skip("it measures times; make costs runs it")
	}
	f := &figures{t: t, bin: build(t)}
	testenv.Clean(t)
	idle := f.idleHooks()
	for _, n := range []int{20, hugeTree} {
		dir := f.filled(n)
		commands := [][]string{{f.bin, "hook", "pre-commit"}, {"sh", "-c", "! git diff --cached --quiet"}, {f.bin, "--version"}}
		got := f.race(dir, 40, append(commands, idle...)...)
		took, how := got[0].judged(got[1])
		diff, _ := got[1].judged(got[1])
		bound := smallHook
		words := "≤ " + bound.String()
		if n == hugeTree {
			bound = diff*3/2 + overDiff
			words = "≤ 1.5 × git diff + 15 ms = " + ms(bound)
		}
		beside := "git diff --cached --quiet " + ms(diff) + ", git-agent --version " + ms(min(got[2].best, got[2].cpu))
		for i, argv := range idle {
			other := min(got[3+i].best, got[3+i].cpu)
			beside += fmt.Sprintf(", %s doing nothing %s", filepath.Base(argv[len(argv)-1]), ms(other))
		}
		f.row(fmt.Sprintf("pre-commit, %d files, 2 staged", n), ms(took)+" "+how, beside, words, took <= bound)
		calls := f.gitCalls(dir, f.bin, "hook", "pre-commit")
		f.row("  git processes", fmt.Sprint(calls), "", fmt.Sprintf("≤ %d", hookCalls), calls <= hookCalls)
		cmd := exec.Command(f.bin, "hook", "pre-commit")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("a commit that touches nothing guarded is told: %v %s", err, out)
		}
	}
	f.print(t.Output())
}

// filled is a repository with a list and n more files, all in one pack, of which
// two are staged with a change.
func (f *figures) filled(n int) string {
	f.t.Helper()
	list, err := features.New("large", "many files", []features.Feature{{ID: "F001", Category: "functional", Description: "d", Steps: []string{"s"}, Priority: 1}})
	if err != nil {
		f.t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\nM 100644 inline features.json\ndata %d\n%s\n", len(list.Bytes()), list.Bytes())
	for i := range n {
		text := fmt.Sprintf("package p\n\nconst N = %d\n", i)
		fmt.Fprintf(&b, "M 100644 inline d%d/e%d/f%d.go\ndata %d\n%s\n", i%50, i/50%100, i, len(text), text)
	}
	dir := testenv.Repo(f.t)
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin = dir, &b
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("fast-import: %v: %s", err, out)
	}
	testenv.Git(f.t, dir, "read-tree", "main")
	for i := range 2 {
		name := fmt.Sprintf("d%d/e0/f%d.go", i, i)
		testenv.Write(f.t, dir, name, "package p\n\nfunc F() int { return 1 }\n")
		testenv.Git(f.t, dir, "update-index", "--add", "--cacheinfo", "100644,"+testenv.Git(f.t, dir, "hash-object", "-w", name)+","+name)
	}
	testenv.Git(f.t, dir, "write-tree") // as git commit leaves its cache
	return dir
}

// idleHooks are what lefthook and husky run for a commit, with nothing to do; as
// many as npm can install here.
func (f *figures) idleHooks() [][]string {
	if _, err := exec.LookPath("npm"); err != nil {
		f.t.Log("npm is not installed: lefthook and husky are left out")
		return nil
	}
	dir := testenv.Repo(f.t)
	testenv.Write(f.t, dir, "package.json", "{ \"name\": \"x\", \"private\": true }\n")
	testenv.Write(f.t, dir, "lefthook.yml", "pre-commit:\n  commands: {}\n")
	testenv.Write(f.t, dir, ".husky/pre-commit", "exit 0\n")
	for _, argv := range [][]string{
		{"npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-dev", "husky@9", "lefthook"},
		{"node_modules/.bin/husky"},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		if !strings.HasPrefix(argv[0], "npm") {
			cmd.Path = filepath.Join(dir, argv[0])
		}
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			f.t.Logf("lefthook and husky are left out: %v: %s", err, out)
			return nil
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "node_modules", "lefthook-*", "bin", "lefthook*"))
	out := [][]string{{"sh", "-c", "cd " + dir + " && exec sh -e .husky/_/pre-commit", "husky"}}
	if len(found) > 0 {
		out = append(out, []string{"sh", "-c", "cd " + dir + " && exec " + found[0] + " run --no-auto-install pre-commit", "lefthook"})
	}
	return out
}
