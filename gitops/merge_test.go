package gitops_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// commitAll commits everything in dir and returns the commit.
func commitAll(t *testing.T, dir, message string) string {
	t.Helper()
	testenv.Git(t, dir, "add", "-A")
	testenv.Git(t, dir, "commit", "-q", "-m", message)
	return testenv.Git(t, dir, "rev-parse", "HEAD")
}

func TestMergeTrees(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	testenv.Write(t, dir, "both.txt", "a\nb\nc\nd\ne\nf\ng\n")
	testenv.Write(t, dir, "mine.txt", "old\n")
	testenv.Write(t, dir, "gone.txt", "x\n")
	base := commitAll(t, dir, "base")
	testenv.Write(t, dir, "both.txt", "A\nb\nc\nd\ne\nf\ng\n")
	testenv.Write(t, dir, "ours/new.txt", "n\n")
	ours := commitAll(t, dir, "ours")
	testenv.Git(t, dir, "checkout", "-q", base)
	testenv.Write(t, dir, "both.txt", "a\nb\nc\nd\ne\nf\nG\n")
	testenv.Write(t, dir, "mine.txt", "new\n")
	testenv.Git(t, dir, "rm", "-q", "gone.txt")
	theirs := commitAll(t, dir, "theirs")

	ctx := context.Background()
	r, err := gitops.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	tree := func(rev string) gitops.OID {
		id, err := r.TreeOf(ctx, rev)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	merged, conflicts, err := r.MergeTrees(ctx, tree(base), tree(ours), tree(theirs))
	if err != nil || len(conflicts) > 0 {
		t.Fatalf("merge: %v, conflicts %v", err, conflicts)
	}
	want := map[string]string{"both.txt": "A\nb\nc\nd\ne\nf\nG\n", "mine.txt": "new\n", "ours/new.txt": "n\n"}
	entries, err := r.ListTree(ctx, merged)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("entries %v, %v", entries, err)
	}
	for path, text := range want {
		if got, err := r.ReadFile(ctx, merged, path); err != nil || string(got) != text {
			t.Errorf("%s = %q, %v; want %q", path, got, err, text)
		}
	}

	testenv.Write(t, dir, "both.txt", "Z\nb\nc\nd\ne\nf\ng\n")
	clash := commitAll(t, dir, "clash")
	if _, conflicts, err = r.MergeTrees(ctx, tree(base), tree(ours), tree(clash)); err != nil || !slices.Equal(conflicts, []string{"both.txt"}) {
		t.Fatalf("conflicts %v, %v; want both.txt", conflicts, err)
	}
}

func TestMoveBackKeepsLocalChanges(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	testenv.Write(t, dir, "a.txt", "1\n")
	testenv.Write(t, dir, "b.txt", "1\n")
	first := commitAll(t, dir, "first")
	testenv.Write(t, dir, "a.txt", "2\n")
	second := commitAll(t, dir, "second")
	testenv.Write(t, dir, "b.txt", "edited\n")
	ctx := context.Background()
	r, err := gitops.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	testenv.Write(t, dir, "a.txt", "edited\n")
	var local *gitops.LocalChangesError
	if err := r.MoveBack(ctx, gitops.OID(first)); !errors.As(err, &local) || !slices.Equal(local.Paths, []string{"a.txt"}) {
		t.Fatalf("with an overlapping change: %v", err)
	}
	if got := testenv.Git(t, dir, "rev-parse", "HEAD"); got != second {
		t.Fatalf("HEAD moved to %s", got)
	}
	testenv.Write(t, dir, "a.txt", "2\n")
	if err := r.MoveBack(ctx, gitops.OID(first)); err != nil {
		t.Fatal(err)
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != "M b.txt" && got != " M b.txt" {
		t.Fatalf("status %q", got)
	}
}
