package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/gitops"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/report"
	"gitagent/internal/session"
	"gitagent/internal/testenv"
	"gitagent/internal/verify/contract"
	"gitagent/progress"
)

// meanwhile does something in the middle of a session, before the model's
// first reply, and then plays the steps.
func meanwhile(do func(), steps ...modeltest.Step) modeltest.Policy {
	play := rest(steps...)
	return func(n int, req api.ChatRequest) modeltest.Step {
		if n == 0 {
			do()
		}
		return play(n, req)
	}
}

// commitFile commits one file as the user would.
func commitFile(t *testing.T, dir, path, content string) {
	t.Helper()
	testenv.Write(t, dir, path, content)
	testenv.Git(t, dir, "add", path)
	testenv.Git(t, dir, "commit", "-q", "-m", "Change "+path)
}

func mustStep(t *testing.T, repo *gitops.Repo, set session.Settings, opt session.Options) session.Outcome {
	t.Helper()
	out, err := session.Step(context.Background(), repo, set, opt, watching{t})
	if err != nil {
		t.Fatalf("%+v: %v", out, err)
	}
	return out
}

func TestWorkLandsOnTheBranchItBeganOn(t *testing.T) {
	repo, dir := project(t, sumList)
	out := mustStep(t, repo, settings(t, sumContract, meanwhile(func() {
		commitFile(t, dir, "note.txt", "mine\n")
		testenv.Git(t, dir, "switch", "-q", "-c", "wip", "HEAD~1")
	}, work, done)), session.Options{})
	if out.End != session.Verified || out.Branch != "main" {
		t.Fatalf("%+v", out)
	}
	if got := testenv.Git(t, dir, "log", "-2", "--format=%s", "main"); got != "sum.sh adds two numbers\nChange note.txt" {
		t.Errorf("main has %q", got)
	}
	if got := testenv.Git(t, dir, "log", "-1", "--format=%s", "wip"); !strings.HasPrefix(got, "Start ") {
		t.Errorf("wip moved to %q", got)
	}
}

func TestCommandsThatArriveMeanwhileAreNotRun(t *testing.T) {
	repo, dir := project(t, sumList)
	out, err := session.Step(context.Background(), repo, settings(t, sumContract, meanwhile(func() {
		commitFile(t, dir, ".agent/config", "[agent]\n\tstart = sh evil.sh\n")
	}, work, done)), session.Options{}, watching{t})
	if err == nil || out.End != session.Environment || !strings.Contains(err.Error(), "not trusted") {
		t.Fatalf("%+v, %v", out, err)
	}
	// The attempt is kept as it was made: on the old base.
	if got := testenv.Git(t, dir, "diff", "--name-only", "main~1", out.Kept); got != "sum.sh" {
		t.Errorf("the kept attempt changes %q", got)
	}
	if got := testenv.Git(t, dir, "log", "-1", "--format=%s", "main"); got != "Change .agent/config" {
		t.Errorf("main has %q", got)
	}
}

// trustAll lets the clone run what the last commit brings.
func trustAll(t *testing.T, repo *gitops.Repo) {
	t.Helper()
	what, err := session.Distrusted(context.Background(), repo)
	if err == nil {
		err = session.GrantTrust(repo, what)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTestsOfTheNewTipCount(t *testing.T) {
	repo, dir := project(t, sumList)
	testenv.Write(t, dir, "ok.sh", "exit 0\n")
	testenv.Git(t, dir, "add", "ok.sh")
	commitFile(t, dir, ".agent/config", "[test \"ok\"]\n\tcommand = sh ok.sh\n")
	trustAll(t, repo)
	out := mustStep(t, repo, settings(t, sumContract, meanwhile(func() {
		testenv.Git(t, dir, "rm", "-q", "ok.sh")
		testenv.Write(t, dir, ".agent/config", "[test \"ok\"]\n\tcommand = true\n")
		testenv.Git(t, dir, "add", ".agent/config")
		testenv.Git(t, dir, "commit", "-q", "-m", "Test by nothing\n\nAllow-Tests: there is nothing to test yet")
		trustAll(t, repo)
	}, work, done)), session.Options{})
	if out.End != session.Verified || out.Receipt.Turns != 2 {
		t.Fatalf("%+v", out)
	}
}

// pending are the entries of the log that wait in the journal.
func pending(t *testing.T, repo *gitops.Repo) []progress.Entry {
	t.Helper()
	j, err := progress.LoadJournal(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return j.Entries()
}

func TestTheJournalWaitsForACommitOnTheBranch(t *testing.T) {
	repo, dir := project(t, sumList)
	mustStep(t, repo, settings(t, sumContract, rest(done)), session.Options{})
	out := mustStep(t, repo, settings(t, sumContract, meanwhile(func() {
		testenv.Write(t, dir, "features.json", "{}\n") // the user has it open
	}, work, done)), session.Options{ID: "F001"})
	if out.Aside == "" || len(pending(t, repo)) != 1 {
		t.Fatalf("aside at %q, %d entries pending", out.Aside, len(pending(t, repo)))
	}
	testenv.Git(t, dir, "restore", "features.json")
	testenv.Git(t, dir, "cherry-pick", "--ff", out.Aside)
	view, err := report.GatherLog(context.Background(), repo, report.LogQuery{})
	if err != nil || len(view.Entries) != 3 { // init, incomplete, verified
		t.Fatalf("%d entries: %+v, %v", len(view.Entries), view, err)
	}
}

// TestPersonsContractWhereTheBranchMoves: how well a person's contract proves its
// feature stays theirs to say when a session lands on a newer tip.
func TestPersonsContractWhereTheBranchMoves(t *testing.T) {
	repo, dir := project(t, sumList)
	narrow := `{"version":1,"feature":"F001","revision":1,"vars":{"a":"int 2..5"},"examples":{"a":"2"},"checks":[{"id":"c1","kind":"command","covers":[1,2,3],"command":{"run":"sh sum.sh {a} 3","exit":0,"stdout_has":["{a+3}"]}}]}`
	c, err := contract.Parse([]byte(narrow))
	if err != nil {
		t.Fatal(err)
	}
	took, err := session.ReplaceContract(context.Background(), repo, "F001", func(*session.ContractView) (session.ContractChange, error) {
		return session.ContractChange{Kind: "from", Contract: c}, nil
	}, t.Logf)
	if err != nil || !strings.Contains(strings.Join(took.Doubts, "; "), "has 4 values") {
		t.Fatalf("%+v, %v", took, err)
	}
	out := mustStep(t, repo, settings(t, "no model is asked", meanwhile(func() {
		commitFile(t, dir, "note.txt", "mine\n")
	}, work, done)), session.Options{})
	if out.End != session.Verified {
		t.Errorf("%+v", out)
	}
}
