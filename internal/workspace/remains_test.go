package workspace_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

// leaveTrees has another process make trees for a repository that ask to be
// found, and kills it.
func leaveTrees(t *testing.T, dir, root string, base gitops.OID) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	child := exec.Command(exe)
	child.Dir = dir
	child.Env = append(os.Environ(), "TEST_HOLD_TREES="+root, "TEST_HOLD_BASE="+string(base))
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready <nil>\n" {
		t.Fatalf("the other process: %q, %v", line, err)
	}
	must(t, child.Process.Kill())
	child.Wait()
}

func TestWhatTheDeadLeft(t *testing.T) {
	testenv.Clean(t)
	dir, other := testenv.Repo(t), testenv.Repo(t)
	base := commit(t, dir, "a", "1", ".gitignore", "dist/\n")
	root, err := workspace.StateRoot()
	must(t, err)
	r, ctx := open(t, dir), t.Context()
	leaveTrees(t, dir, root, base)
	trees, err := filepath.Glob(filepath.Join(root, "trees", "*-held"))
	if err != nil || len(trees) != 1 {
		t.Fatalf("%v, %v", trees, err)
	}
	testenv.Write(t, trees[0], "session/b", "2")
	testenv.Write(t, trees[0], "session/sub/.git/HEAD", "no repository")
	testenv.Write(t, trees[0], "transcript.jsonl", "{}\n")
	testenv.Write(t, trees[0], "git/session.index.lock", "")
	testenv.Write(t, trees[0], "scratch/big", "big")

	// Another repository's sweep spares the files and takes the bulk.
	if dead, err := workspace.Dead(ctx, open(t, other), root); len(dead) != 0 || err != nil {
		t.Errorf("found from another repository: %v, %v", dead, err)
	}
	spared := func(commonDir, session string) bool { return commonDir == r.CommonDir() && session == "held" }
	if n, err := workspace.Sweep(ctx, root, spared); n != 0 || err != nil {
		t.Errorf("Sweep: %d, %v", n, err)
	}
	if _, err := os.Lstat(filepath.Join(trees[0], "scratch")); err == nil {
		t.Error("the scratch tree is still there")
	}

	dead, err := workspace.Dead(ctx, r, root)
	if err != nil || len(dead) != 1 || dead[0].Session != "held" || dead[0].Base != base {
		t.Fatalf("Dead = %+v, %v", dead, err)
	}
	if again, err := workspace.Dead(ctx, r, root); len(again) != 0 || err != nil {
		t.Errorf("claimed twice: %v, %v", again, err)
	}
	tree, err := dead[0].Tree(ctx)
	must(t, err)
	if got := names(t, r, tree); got != ".gitignore a b" {
		t.Errorf("the tree holds %s", got)
	}
	if got := string(dead[0].Transcript()); got != "{}\n" {
		t.Errorf("the transcript is %q", got)
	}
	must(t, dead[0].Remove())
	for _, dir := range []string{filepath.Join(root, "trees"), r.AgentDir()} {
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left over in %s: %v", dir, left)
		}
	}
}

// TestRescueNeedsNoIndex: a snapshot is made where the index of the session
// tree cannot be written.
func TestRescueNeedsNoIndex(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "a", "1")
	r := open(t, dir)
	w := create(t, r, base)
	testenv.Write(t, w.SessionDir(), "b", "2")
	testenv.Write(t, filepath.Dir(w.SessionDir()), "git/session.index.lock", "")
	if tree, err := w.Snapshot(t.Context()); err == nil {
		t.Fatalf("a snapshot beside a lock: %s", tree)
	}
	tree, err := w.Rescue(t.Context())
	must(t, err)
	if got := names(t, r, tree); got != "a b" {
		t.Errorf("the tree holds %s", got)
	}
	must(t, w.Leave())
	must(t, w.Close()) // does nothing any more
	if _, err := os.Lstat(filepath.Join(w.SessionDir(), "b")); err != nil {
		t.Errorf("after Leave: %v", err)
	}
}
