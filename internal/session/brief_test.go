package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/gitops"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/session"
	"gitagent/internal/testenv"
)

// twoList is a list whose second feature uses what the first one built.
const twoList = `[{"category":"functional","description":"sum.sh adds two numbers",
 "steps":["Run sh sum.sh 2 3","It prints \"5\""],"passes":false},
 {"category":"functional","description":"sum.sh adds three numbers",
 "steps":["Run sh sum.sh 2 3 4","It prints \"9\""],"passes":false}]`

// heard answers like settings do and keeps what was asked.
func heard(t *testing.T, contracts []string, steps ...modeltest.Step) (session.Settings, *[]api.ChatRequest) {
	t.Helper()
	var asked []api.ChatRequest
	turn, contract := 0, 0
	srv := modeltest.New(t, func(_ int, req api.ChatRequest) modeltest.Step {
		asked = append(asked, req)
		if len(req.Format) > 0 {
			contract++
			return modeltest.Say(contracts[min(contract, len(contracts))-1])
		}
		turn++
		return steps[min(turn, len(steps))-1]
	})
	set, err := session.LoadSettings(gitops.Config{}, func(string) string { return "" }, session.Flags{Host: srv.URL, Model: "test"})
	if err != nil {
		t.Fatal(err)
	}
	set.Attempts = 3
	return set, &asked
}

func sumCheck(run, want string) string {
	return `{"checks":[{"kind":"command","covers":[1,2],"run":"` + run + `","stdin":"","stdout_has":["` + want + `"],"exit":0}]}`
}

// TestWhatTheModelIsTold: a later session's model is told how earlier checks use
// the program, what has to go on working and which files it may not change, and
// nothing of the harness's own files.
func TestWhatTheModelIsTold(t *testing.T) {
	repo, dir := project(t, twoList)
	all := modeltest.Use("write_file", "path", "sum.sh", "content", "echo $(($1 + $2 + ${3:-0}))\n")
	set, asked := heard(t, []string{sumCheck("sh sum.sh 2 3", "5"), sumCheck("sh sum.sh 2 3 4", "9")}, work, done, all, done)
	for range 2 {
		out, err := session.Step(context.Background(), repo, set, session.Options{}, watching{t})
		if err != nil || out.End != session.Verified {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != "" {
		t.Fatalf("the checkout is dirty: %s", got)
	}
	var plans, briefs []string
	for _, req := range *asked {
		switch first := req.Messages[min(1, len(req.Messages)-1)].Content; {
		case len(req.Format) > 0:
			plans = append(plans, first)
		case len(req.Messages) == 2:
			briefs = append(briefs, first)
		}
	}
	if len(plans) != 2 || len(briefs) != 2 {
		t.Fatalf("%d contracts and %d briefs", len(plans), len(briefs))
	}
	holds := func(what, text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("%s lacks %q:\n%s", what, p, text)
			}
		}
	}
	holds("the second contract's brief", plans[1], "sh sum.sh 2 3\n")
	holds("the second brief", briefs[1], "tests/sum_test.sh  (existing test: may not be changed)", "must go on working", "F001 sum.sh adds two numbers",
		`runs sh sum.sh 2 3 4; expects exit code 0, "9" in the output`)
	if strings.Contains(plans[0], "How checks of features") || strings.Contains(briefs[0], "must go on working") {
		t.Error("the first session is told of features that work")
	}
	for _, b := range briefs {
		if strings.Contains(b, "init.sh") || strings.Contains(b, ".agent/") {
			t.Errorf("the brief names the harness's files:\n%s", b)
		}
	}
}

// TestTheSameFilesAreCheckedOnce: saying done again proves nothing, and luck at
// the second try would prove nothing either.
func TestTheSameFilesAreCheckedOnce(t *testing.T) {
	repo, _ := project(t, twoList)
	wrong := modeltest.Use("write_file", "path", "sum.sh", "content", "echo 6\n")
	set, asked := heard(t, []string{sumCheck("sh sum.sh 2 3", "5")}, wrong, done, done, work, done)
	seen := &counting{}
	out, err := session.Step(context.Background(), repo, set, session.Options{}, seen)
	if err != nil || out.End != session.Verified {
		t.Fatalf("%+v, %v", out, err)
	}
	if seen.contracts != 2 {
		t.Errorf("the contract was run %d times on two different trees", seen.contracts)
	}
	all := *asked
	last := all[len(all)-1].Messages
	told := 0
	for _, m := range last {
		if strings.Contains(m.Content, "these files were checked before") && strings.Contains(m.Content, "c1") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the model was told %d times that these files were checked before", told)
	}
}

// counting counts the runs of the contract on the finished work.
type counting struct{ contracts int }

func (c *counting) On(e session.Event) {
	if e.Kind == "check" && (e.Text == "contract: pass" || e.Text == "contract: fail") {
		c.contracts++
	}
}
