package gitops_test

import (
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/testenv"
)

func TestIdentity(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	r, err := gitops.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Identity(t.Context()); err != nil {
		t.Errorf("with name and address: %v", err)
	}
	testenv.Git(t, dir, "config", "--global", "user.useConfigOnly", "true")
	testenv.Git(t, dir, "config", "--global", "--unset", "user.email")
	err = r.Identity(t.Context())
	if err == nil || !strings.Contains(strings.Join(hint.Of(err), "\n"), "user.email") {
		t.Errorf("without an address: %v, %q", err, hint.Of(err))
	}
	t.Setenv("GIT_AUTHOR_EMAIL", "a@example.org")
	t.Setenv("GIT_COMMITTER_EMAIL", "a@example.org")
	if err := r.Identity(t.Context()); err != nil {
		t.Errorf("with an address in the environment: %v", err)
	}
}
