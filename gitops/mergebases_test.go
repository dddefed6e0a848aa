package gitops

import (
	"testing"

	"gitagent/internal/testenv"
)

func TestMergeBases(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	commit := func(message string) OID {
		testenv.Git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
		return OID(testenv.Git(t, dir, "rev-parse", "HEAD"))
	}
	base := commit("base")
	a := commit("a")
	testenv.Git(t, dir, "checkout", "-q", "-b", "side", string(base))
	b := commit("b")
	testenv.Git(t, dir, "checkout", "-q", "--orphan", "alone")
	c := commit("c")
	if got, err := r.MergeBases(t.Context(), a, b); err != nil || len(got) != 1 || got[0] != base {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := r.MergeBases(t.Context(), a, c); err != nil || len(got) != 0 {
		t.Errorf("nothing in common: %v, %v", got, err)
	}
	if _, err := r.MergeBases(t.Context(), a, OID("00000000000000000000000000000000000000ff")); err == nil {
		t.Error("what is not there has no base")
	}
}
