package gitops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// twoCommits makes a branch with two commits that differ in every way, checks
// the first one out and returns both.
func twoCommits(t *testing.T, dir string) (from, to gitops.OID) {
	t.Helper()
	commit(t, dir, "changed", "one\n", "longer", "a\n", "goes", "x\n", "mode", "m\n", "crlf.txt", "a\nb\n", "folder/x", "x\n", "kept", "k\n", ".gitattributes", "*.txt text eol=crlf\n")
	from = gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
	must(t, os.RemoveAll(filepath.Join(dir, "folder")))
	must(t, os.Remove(filepath.Join(dir, "goes")))
	must(t, os.Chmod(filepath.Join(dir, "mode"), 0o755))
	must(t, os.Symlink("kept", filepath.Join(dir, "link")))
	commit(t, dir, "changed", "two\n", "longer", "a\nb\n", "crlf.txt", "a\nb\nc\n", "folder", "a file now\n", "new/deep/file", "brand new\n")
	to = gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
	testenv.Git(t, dir, "reset", "-q", "--hard", string(from))
	testenv.Write(t, dir, "kept", "changed by a person\n")
	testenv.Write(t, dir, "untracked", "mine\n")
	return from, to
}

func TestSettleMoveTakesAHalfCheckoutBack(t *testing.T) {
	for name, half := range map[string]func(t *testing.T, dir string, to gitops.OID){
		"nothing done":  func(*testing.T, string, gitops.OID) {},
		"all files":     func(t *testing.T, dir string, to gitops.OID) { files(t, dir, to) },
		"new file torn": func(t *testing.T, dir string, _ gitops.OID) { testenv.Write(t, dir, "new/deep/file", "bra") },
		"old file gone": func(t *testing.T, dir string, _ gitops.OID) { must(t, os.Remove(filepath.Join(dir, "changed"))) },
		"file torn":     func(t *testing.T, dir string, _ gitops.OID) { testenv.Write(t, dir, "changed", "tw") },
		"file empty":    func(t *testing.T, dir string, _ gitops.OID) { testenv.Write(t, dir, "crlf.txt", "") },
		"folder gone":   func(t *testing.T, dir string, _ gitops.OID) { must(t, os.RemoveAll(filepath.Join(dir, "folder"))) },
	} {
		t.Run(name, func(t *testing.T) {
			testenv.Clean(t)
			dir := testenv.Repo(t)
			from, to := twoCommits(t, dir)
			want, index := state(t, dir), testenv.Git(t, dir, "ls-files", "-s")
			half(t, dir, to)
			moved, err := open(t, dir).SettleMove(t.Context(), "refs/heads/main", from, to)
			if moved || err != nil {
				t.Fatalf("moved %v, %v", moved, err)
			}
			if diff := cmp.Diff(want, state(t, dir)); diff != "" {
				t.Errorf("the files:\n%s", diff)
			}
			if got := testenv.Git(t, dir, "ls-files", "-s"); got != index {
				t.Errorf("the index:\n%s\nwas\n%s", got, index)
			}
		})
	}
}

// files puts the files of a commit into the work tree; index and branch stay.
func files(t *testing.T, dir string, commit gitops.OID) {
	t.Helper()
	cmd := exec.Command("git", "read-tree", "-m", "-u", "HEAD", string(commit))
	cmd.Dir = dir
	other := filepath.Join(t.TempDir(), "index")
	data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	must(t, err)
	must(t, os.WriteFile(other, data, 0o600))
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+other)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestSettleMoveLeavesWhatIsAPersons(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	from, to := twoCommits(t, dir)
	testenv.Write(t, dir, "changed", "three\n")
	testenv.Write(t, dir, "link", "a file of mine\n")
	want := state(t, dir)
	r, ctx := open(t, dir), t.Context()
	if moved, err := r.SettleMove(ctx, "refs/heads/main", from, to); moved || err != nil {
		t.Fatalf("moved %v, %v", moved, err)
	}
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Errorf("what a person wrote:\n%s", diff)
	}
	// Neither another branch nor a branch that went on is looked at.
	must(t, os.Remove(filepath.Join(dir, "longer")))
	want = state(t, dir)
	if moved, err := r.SettleMove(ctx, "refs/heads/elsewhere", from, to); moved || err != nil {
		t.Errorf("another branch: moved %v, %v", moved, err)
	}
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Errorf("the files:\n%s", diff)
	}
	testenv.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "on")
	want = state(t, dir)
	if moved, err := r.SettleMove(ctx, "refs/heads/main", from, to); moved || err != nil {
		t.Errorf("a branch that went on: moved %v, %v", moved, err)
	}
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Errorf("the files:\n%s", diff)
	}
}

func TestSettleMoveFollowsTheIndex(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	from, to := twoCommits(t, dir)
	testenv.Git(t, dir, "read-tree", "-m", "-u", string(from), string(to))
	r := open(t, dir)
	for range 2 { // the second time it finds it done
		if moved, err := r.SettleMove(t.Context(), "refs/heads/main", from, to); !moved || err != nil {
			t.Fatalf("moved %v, %v", moved, err)
		}
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != " M kept\n?? untracked" {
		t.Errorf("git status:\n%s", got)
	}
}

func TestOnlyLocksOfTheDeadAreDropped(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n")
	r := open(t, dir)
	begun := time.Now()
	testenv.Write(t, dir, ".git/refs/agent/x.lock", "")
	old := filepath.Join(dir, ".git", "HEAD.lock")
	must(t, os.WriteFile(old, nil, 0o600))
	must(t, os.Chtimes(old, begun.Add(-time.Hour), begun.Add(-time.Hour)))
	must(t, os.WriteFile(filepath.Join(dir, ".git", "index.lock"), nil, 0o600))

	// While a git that we did not start is at work, all stay.
	person := exec.Command("sh", "-c", "git cat-file --batch; :")
	person.Dir = dir
	in, err := person.StdinPipe()
	must(t, err)
	out, err := person.StdoutPipe()
	must(t, err)
	must(t, person.Start())
	_, err = in.Write([]byte("HEAD\n"))
	must(t, err)
	_, err = out.Read(make([]byte, 1)) // it is up
	must(t, err)
	if dropped, err := r.DropStaleLocks(begun, "refs/heads/main"); len(dropped) != 0 || err != nil {
		t.Errorf("while a git works: dropped %v, %v", dropped, err)
	}
	in.Close()
	_, _ = out.Read(make([]byte, 1<<16))
	_ = person.Wait()

	dropped, err := r.DropStaleLocks(begun, "refs/heads/main")
	must(t, err)
	want := []string{filepath.Join(dir, ".git", "index.lock"), filepath.Join(dir, ".git", "refs", "agent", "x.lock")}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat(old); err != nil {
		t.Errorf("a lock from before: %v", err)
	}
}
