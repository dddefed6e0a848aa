package session_test

import (
	"context"
	"strings"
	"testing"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/session"
	"gitagent/internal/verify/evidence"
)

// helpList has a second feature that the first session builds along.
var helpList = strings.Replace(sumList, "}]", `},{"category":"functional","description":"help","steps":["Run sh sum.sh and read how it is used"],"passes":false}]`, 1)

// TestContractThatShowsTooLittle: what passes before the work flips nothing when
// it only repeats what an earlier feature was proved by, nor when nothing shows
// that it can fail. Then a person has to say it.
func TestContractThatShowsTooLittle(t *testing.T) {
	repo, _ := project(t, helpList)
	mustStep(t, repo, settings(t, sumContract, rest(work, done)), session.Options{})
	repeated := `{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh 2 3","stdin":"","stdout_has":["5"],"exit":0}]}`
	out := mustStep(t, repo, settings(t, repeated, rest(done)), session.Options{})
	if out.End != session.Blocked || !strings.Contains(out.Reason, "F001") {
		t.Errorf("a repeated check ended as %+v", out)
	}
	other := strings.NewReplacer("2 3", "3 3", `"5"`, `"6"`).Replace(repeated)
	out = mustStep(t, repo, settings(t, other, rest(done)), session.Options{ID: "F002"})
	if out.End != session.Incomplete || !strings.Contains(out.Reason, "git agent contract F002 --accept") || out.Receipt.Roles["contract/cheap"].Calls != 3 {
		t.Fatalf("an insisted contract ended as %+v", out)
	}

	ctx := context.Background()
	v, err := session.LoadContract(ctx, repo, "F002")
	if err != nil || v.Proposed == nil || len(v.Why) == 0 {
		t.Fatalf("nothing is proposed: %+v, %v", v, err)
	}
	took, err := session.ReplaceContract(ctx, repo, "F002", func(v *session.ContractView) (session.ContractChange, error) {
		return session.ContractChange{Kind: "accept", Contract: v.Proposed}, nil
	}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	out = mustStep(t, repo, settings(t, "no model is asked", rest(done)), session.Options{ID: "F002"})
	if out.End != session.Verified || !out.Already {
		t.Errorf("what a person accepted ended as %+v", out)
	}
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	data, err := repo.ReadFile(ctx, tree, evidence.Path("F002"))
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := evidence.Parse(data); err != nil || rec.Contract != took.Contract.Digest() || rec.Proves("F002", rec.Tree, rec.Contract) != nil {
		t.Errorf("the evidence: %+v, %v", rec, err)
	}
	if v, err := session.LoadContract(ctx, repo, "F002"); err != nil || v.Proposed != nil || v.Current == nil || v.Current.By != "person" {
		t.Errorf("after the acceptance: %+v, %v", v, err)
	}
}

// TestContractThatWasMetAlready: what an earlier session built along counts at
// once when the values are drawn anew.
func TestContractThatWasMetAlready(t *testing.T) {
	list := strings.Replace(sumList, "}]", `},{"category":"functional","description":"names the sum","steps":["Run sh sum.sh 6 4 and it prints \"10\""],"passes":false}]`, 1)
	varied := `{"vars":[{"name":"a","kind":"int 2..99","example":"6"},{"name":"b","kind":"int 2..99","example":"4"}],
 "checks":[{"kind":"command","covers":[1],"run":"sh sum.sh {a} {b}","stdin":"","stdout_has":["{a+b}"],"exit":0}]}`
	repo, _ := project(t, list)
	mustStep(t, repo, settings(t, sumContract, rest(work, done)), session.Options{})
	out := mustStep(t, repo, settings(t, varied, rest(done)), session.Options{})
	if out.End != session.Verified || !out.Already || out.Receipt.Roles["contract/cheap"].Calls != 1 {
		t.Errorf("a contract with variables ended as %+v", out)
	}
}

// TestContractThatFailedEarlier: a contract without variables counts when on an
// earlier tree the program ran and gave another answer.
func TestContractThatFailedEarlier(t *testing.T) {
	list := `[{"category":"functional","description":"adds","steps":["Run sh sum.sh 2 3","It prints \"5\""],"passes":false},
 {"category":"functional","description":"names the sum","steps":["Run sh sum.sh 2 3 and it prints \"sum: 5\""],"passes":false},
 {"category":"functional","description":"helps","steps":["Run sh sum.sh and it prints \"usage\""],"passes":false}]`
	contracts := []string{
		sumCheck("sh sum.sh 2 3", "5"),
		`{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh 2 3","stdin":"","stdout_has":["sum: 5"],"exit":0}]}`,
		`{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh","stdin":"","stdout_has":["usage"],"exit":0}]}`,
	}
	first := modeltest.Use("write_file", "path", "sum.sh", "content", "echo $((${1:-0} + ${2:-0}))\n")
	second := modeltest.Use("write_file", "path", "sum.sh", "content", "[ $# = 0 ] && echo usage && exit 0\necho sum: $((${1:-0} + ${2:-0}))\n")
	repo, _ := project(t, list)
	set, _ := heard(t, contracts, first, done, second, done)
	for i := range contracts {
		out := mustStep(t, repo, set, session.Options{})
		if out.End != session.Verified || out.Already != (i == 2) {
			t.Fatalf("session %d ended as %+v", i+1, out)
		}
	}
}

// TestContractInDisguise: a check of a feature that passes shows nothing about
// another one, whatever its variables are called, however its checks are cut and
// whatever constant it expects besides. What is new beside it counts, and so
// does a person's word.
func TestContractInDisguise(t *testing.T) {
	contract := func(vars, checks string) string { return `{"vars":[` + vars + `],"checks":[` + checks + `]}` }
	number := func(name string) string { return `{"name":"` + name + `","kind":"int 2..99","example":"6"}` }
	check := func(run, has string) string {
		return `{"kind":"command","covers":[1],"run":"` + run + `","stdin":"","stdout_has":[` + has + `],"exit":0}`
	}
	sum := strings.NewReplacer("2 3", "{a} {b}", `"5"`, `"{a+b}"`, "40 2", "{c} {d}", `"42"`, `"{c+d}"`).Replace(sumContract)
	var vars []string
	for name, example := range map[string]string{"a": "2", "b": "3", "c": "40", "d": "2"} {
		vars = append(vars, `{"name":"`+name+`","kind":"int 2..99","example":"`+example+`"}`)
	}
	sum = strings.Replace(sum, "{", `{"vars":[`+strings.Join(vars, ",")+`],`, 1)
	both := modeltest.Use("write_file", "path", "sum.sh", "content", "[ \"$3\" = times ] && echo $(($1 * $2)) && exit\necho sum: $(($1 + $2))\n")

	repo, _ := project(t, helpList)
	mustStep(t, repo, settings(t, sum, rest(both, done)), session.Options{})
	for name, c := range map[string]string{
		"other names":       contract(number("x")+","+number("y"), check("sh sum.sh {x} {y}", `"{y+x}"`)),
		"a constant more":   contract(number("x"), check("bash ./sum.sh {x} {x}", `"{x*2}","sum"`)),
		"a fixed case":      contract("", check("sh sum.sh 3 3", `"6"`)),
		"two of one":        contract(number("x")+","+number("y"), check("sh sum.sh {x} 4", `"{x+4}"`)+","+check("sh sum.sh {y} {y}", `"{y+y}"`)),
		"joined, and fixed": contract(number("x"), check("sh sum.sh {x} 4 && sh sum.sh 5 5", `"{x+4}","10"`)),
	} {
		out := mustStep(t, repo, settings(t, c, rest(done)), session.Options{ID: "F002"})
		if out.End != session.Blocked || !strings.Contains(out.Reason, "F001") {
			t.Errorf("%s ended as %+v", name, out)
		}
	}
	ctx := context.Background()
	if _, err := session.ReplaceContract(ctx, repo, "F002", func(v *session.ContractView) (session.ContractChange, error) {
		return session.ContractChange{Kind: "accept", Contract: v.Proposed}, nil
	}, t.Logf); err != nil {
		t.Fatal(err)
	}
	if out := mustStep(t, repo, settings(t, "no model is asked", rest(done)), session.Options{ID: "F002"}); out.End != session.Verified || !out.Already {
		t.Errorf("a person's word ended as %+v", out)
	}

	repo, _ = project(t, helpList)
	mustStep(t, repo, settings(t, sum, rest(both, done)), session.Options{})
	new := contract(number("x")+","+number("y"), check("sh sum.sh {x} 4", `"{x+4}"`)+","+check("sh sum.sh {y} 5 times", `"{y*5}"`))
	if out := mustStep(t, repo, settings(t, new, rest(done)), session.Options{ID: "F002"}); out.End != session.Verified || !out.Already {
		t.Errorf("a new check beside an old one ended as %+v", out)
	}
}

// TestContractThatFailedWithAnother: a check that does what another feature is
// proved by failed where that was not built yet; that shows nothing of its own.
func TestContractThatFailedWithAnother(t *testing.T) {
	list := strings.Replace(helpList, `"passes":false}]`, `"passes":false},{"category":"functional","description":"more","steps":["Run sh sum.sh 4 4 and read on"],"passes":false}]`, 1)
	contracts := []string{
		sumContract,
		`{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh","stdin":"","stdout_has":["usage"],"exit":0}]}`,
		`{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh 4 4 && sh sum.sh","stdin":"","stdout_has":["usage"],"exit":0}]}`,
	}
	first := modeltest.Use("write_file", "path", "sum.sh", "content", "echo $((${1:-0} + ${2:-0}))\n")
	second := modeltest.Use("write_file", "path", "sum.sh", "content", "[ $# = 0 ] && echo usage && exit 0\necho $((${1:-0} + ${2:-0}))\n")
	repo, _ := project(t, list)
	set, _ := heard(t, contracts, first, done, second, done)
	for i, want := range []session.End{session.Verified, session.Verified, session.Incomplete} {
		if i == 2 {
			set = settings(t, contracts[2], rest(done))
		}
		if out := mustStep(t, repo, set, session.Options{}); out.End != want || out.Already {
			t.Fatalf("session %d ended as %+v", i+1, out)
		}
	}
}
