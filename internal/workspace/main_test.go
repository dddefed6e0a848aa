package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/sandbox"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

// TestMain lets this binary be a cell of the sandbox, and a process that makes
// trees and waits to be killed.
func TestMain(m *testing.M) {
	sandbox.Dispatch()
	if root := os.Getenv("TEST_HOLD_TREES"); root != "" {
		hold(root)
		return
	}
	os.Exit(m.Run())
}

func hold(root string) {
	ctx := context.Background()
	repo, err := gitops.Open(ctx, ".")
	base := gitops.OID(os.Getenv("TEST_HOLD_BASE"))
	var w *workspace.Workspace
	if err == nil {
		w, err = workspace.Create(ctx, repo, root, "held", base)
	}
	if err == nil && base != "" {
		err = w.Outlive(base)
	}
	fmt.Println("ready", err)
	select {}
}

func open(t testing.TB, dir string) *gitops.Repo {
	t.Helper()
	r, err := gitops.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// commit writes files (path, content, …) and commits everything.
func commit(t testing.TB, dir string, files ...string) gitops.OID {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		testenv.Write(t, dir, files[i], files[i+1])
	}
	testenv.Git(t, dir, "add", "-A")
	testenv.Git(t, dir, "commit", "-q", "-m", "change")
	return gitops.OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
}

func treeOf(t testing.TB, r *gitops.Repo, rev gitops.OID) gitops.OID {
	t.Helper()
	tree, err := r.TreeOf(t.Context(), string(rev))
	must(t, err)
	return tree
}

// with returns tree with files (path, content, …) changed; "" deletes.
func with(t testing.TB, r *gitops.Repo, tree gitops.OID, files ...string) gitops.OID {
	t.Helper()
	var edits []gitops.Edit
	for i := 0; i < len(files); i += 2 {
		edits = append(edits, gitops.Edit{Path: files[i], Data: []byte(files[i+1]), Delete: files[i+1] == ""})
	}
	id, err := r.EditTree(t.Context(), tree, edits)
	must(t, err)
	return id
}

func read(t testing.TB, dir, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, path))
	must(t, err)
	return string(data)
}
