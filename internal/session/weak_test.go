package session_test

import (
	"strings"
	"testing"

	"gitagent/internal/session"
)

// TestContractThatShowsTooLittle: what passes before the work flips nothing
// when it only repeats what an earlier feature was proved by, and is asked for
// once more otherwise.
func TestContractThatShowsTooLittle(t *testing.T) {
	list := strings.Replace(sumList, "}]", `},{"category":"functional","description":"help","steps":["Run sh sum.sh and read how it is used"],"passes":false}]`, 1)
	repo, _ := project(t, list)
	mustStep(t, repo, settings(t, sumContract, rest(work, done)), session.Options{})
	repeated := `{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh 2 3","stdin":"","stdout_has":["5"],"exit":0}]}`
	out := mustStep(t, repo, settings(t, repeated, rest(done)), session.Options{})
	if out.End != session.Blocked || !strings.Contains(out.Reason, "F001") {
		t.Errorf("a repeated check ended as %+v", out)
	}
	other := strings.NewReplacer("2 3", "3 3", `"5"`, `"6"`).Replace(repeated)
	out = mustStep(t, repo, settings(t, other, rest(done)), session.Options{ID: "F002"})
	if out.End != session.Verified || !out.Already || out.Receipt.Roles["contract/cheap"].Calls != 2 {
		t.Errorf("an insisted contract ended as %+v", out)
	}
}
