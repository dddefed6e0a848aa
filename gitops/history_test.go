package gitops

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gitagent/internal/testenv"
)

// Every commit comes with the changes that DiffTrees finds, in an order in which
// parents come first.
func TestHistoryAgreesWithDiffTrees(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	git := func(args ...string) string { return testenv.Git(t, dir, args...) }
	commit := func(name, content string) {
		testenv.Write(t, dir, name, content)
		git("add", "-A")
		git("commit", "-qm", name)
	}
	commit("a b/ü\n.txt", "1")
	commit("b", "1")
	git("checkout", "-qb", "side", "HEAD^")
	commit("=", "equals")
	git("commit", "-q", "--allow-empty", "-m", "nothing")
	git("checkout", "-q", "main")
	git("merge", "-q", "--no-edit", "side")
	git("mv", "b", "c")
	git("commit", "-qm", "moved")
	git("checkout", "-q", "--orphan", "other")
	git("commit", "-qm", "another root")
	git("checkout", "-q", "main")
	git("merge", "-q", "--no-edit", "--allow-unrelated-histories", "other")

	ctx := context.Background()
	repo, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	seen := map[OID]bool{}
	err = repo.History(ctx, []string{"main"}, nil, func(p *Past) error {
		for i, d := range p.Diffs {
			var parent OID
			if len(p.Parents) > 0 {
				if !seen[p.Parents[i]] {
					t.Errorf("%s comes before its parent", p.Subject)
				}
				info, err := repo.Commit(ctx, string(p.Parents[i]))
				if err != nil {
					return err
				}
				parent = info.Tree
			}
			want, err := repo.DiffTrees(ctx, parent, p.Tree)
			if err != nil {
				return err
			}
			if !slices.Equal(d, want) {
				t.Errorf("%s: %v, want %v", p.Subject, d, want)
			}
		}
		seen[p.ID] = true
		return nil
	})
	if err != nil || len(seen) != 8 {
		t.Fatalf("%d commits, %v", len(seen), err)
	}
	stop := errors.New("enough")
	if err := repo.History(ctx, []string{"main"}, nil, func(*Past) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	var failed *Error
	if err := repo.History(ctx, []string{"nowhere"}, nil, func(*Past) error { return nil }); !errors.As(err, &failed) {
		t.Error(err)
	}
	if err := repo.History(ctx, []string{"main"}, func(OID) bool { return true }, func(p *Past) error {
		if p.Diffs != nil {
			t.Error("changes of a commit that was to be left")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
