package session_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/session"
	"gitagent/internal/testenv"
)

// TestTimeUsedUpInsideGit: a git command that the session's time limit ended
// is no fault of the environment.
func TestTimeUsedUpInsideGit(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in *clean\\ -ffdq*) exec sleep 60 ;; esac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	repo, _ := project(t, sumList)
	set := settings(t, sumContract, rest(done))
	set.Time = 3 * time.Second
	out, err := session.Step(context.Background(), repo, set, session.Options{}, watching{t})
	if err != nil || out.End != session.Incomplete || !strings.Contains(out.Reason, "used up") {
		t.Fatalf("%+v, %v", out, err)
	}
}

// looking calls on for each event.
type looking func(session.Event)

func (l looking) On(e session.Event) { l(e) }

// TestKilledAfterLanding: a session that was killed between its landing and its
// end is not taken for an interrupted one.
func TestKilledAfterLanding(t *testing.T) {
	repo, dir := project(t, strings.Replace(sumList, "}]", `},{"description":"more","steps":["Run sh more.sh"],"passes":false}]`, 1))
	wal := filepath.Join(repo.AgentDir(), "session.wal")
	var lines []byte
	out, err := session.Step(context.Background(), repo, settings(t, sumContract, rest(work, done)), session.Options{}, looking(func(session.Event) {
		if data, err := os.ReadFile(wal); err == nil {
			lines = data
		}
	}))
	if err != nil || out.End != session.Verified || len(lines) == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := os.WriteFile(wal, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	mustStep(t, repo, settings(t, `{}`, rest(done)), session.Options{})
	for _, e := range pending(t, repo) {
		if e.Session == out.Session {
			t.Errorf("the journal says that it was %s", e.Outcome)
		}
	}
	if got := testenv.Git(t, dir, "for-each-ref", "refs/agent/attempts/"+out.Session); got != "" {
		t.Errorf("kept: %s", got)
	}
}

// TestDependenciesThatCannotBeInstalled are the executor's to mend.
func TestDependenciesThatCannotBeInstalled(t *testing.T) {
	repo, dir := project(t, sumList)
	testenv.Write(t, dir, ".gitignore", "installed\n")
	testenv.Write(t, dir, "setup.sh", "touch installed; ! grep nosuch package.json\n")
	testenv.Git(t, dir, "add", "setup.sh", ".gitignore")
	commitFile(t, dir, ".agent/config", "[agent]\n\tsetup = sh setup.sh\n")
	trustAll(t, repo)
	manifest := func(name string) modeltest.Step {
		return modeltest.Use("write_file", "path", "package.json", "content", `{"dependencies":{"`+name+`":"1"}}`)
	}
	out := mustStep(t, repo, settings(t, sumContract, rest(work, manifest("nosuch"), done)), session.Options{})
	if out.End != session.Unverified || !strings.Contains(out.Reason, "could not be installed") {
		t.Fatalf("%+v", out)
	}
	installed := false
	nobody := session.Options{Ask: func(question string) bool {
		t.Errorf("asked in the middle of a session: %s", question)
		return false
	}}
	out, err := session.Step(context.Background(), repo, settings(t, sumContract, rest(modeltest.Use("run_command", "command", "test -e installed"), work, manifest("nosuch"), done, manifest("good"), done)), nobody,
		looking(func(e session.Event) { installed = installed || e.Tool == "run_command" && e.OK }))
	if err != nil || out.End != session.Verified {
		t.Fatalf("%+v, %v", out, err)
	}
	if !installed {
		t.Error("the model's commands did not find what set-up installs")
	}
}

// TestRewordedFeature: a contract that an earlier session compiled does not
// stand for words that a person changed since.
func TestRewordedFeature(t *testing.T) {
	list := `[{"category":"functional","description":"sums","steps":["Run sh sum.sh 2 3 and see their sum"],"passes":false}]`
	sum := `{"checks":[{"kind":"command","covers":[1],"run":"sh sum.sh 2 3","stdin":"","stdout_has":["5"],"exit":0}]}`
	repo, _ := project(t, list)
	mustStep(t, repo, settings(t, sum, rest(done)), session.Options{})
	_, _, err := session.EditList(context.Background(), repo, func(l *features.List, _ []string) (session.Change, error) {
		data, err := l.Edit("F001", func(f *features.Feature) { f.Steps = []string{"Run sh sum.sh 2 3 and see their product"} })
		return session.Change{Kind: "edit", IDs: []string{"F001"}, Data: data, Fact: "edit F001"}, err
	}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if out := mustStep(t, repo, settings(t, `{"checks":[]}`, rest(work, done)), session.Options{}); out.End == session.Verified {
		t.Fatalf("the contract for the sum proved the product: %+v", out)
	}
	product := strings.ReplaceAll(sum, `"5"`, `"6"`)
	if out := mustStep(t, repo, settings(t, product, rest(work, done)), session.Options{}); out.End == session.Verified {
		t.Fatalf("a sum passed as a product: %+v", out)
	}
	times := modeltest.Use("write_file", "path", "sum.sh", "content", "echo $(($1 * $2))\n")
	if out := mustStep(t, repo, settings(t, product, rest(times, done)), session.Options{ID: "F001"}); out.End != session.Verified {
		t.Fatalf("%+v", out)
	}
}

// TestUndoneHistory: what an undone commit had brought into the log is there
// again with the next one.
func TestUndoneHistory(t *testing.T) {
	repo, dir := project(t, sumList)
	first := mustStep(t, repo, settings(t, sumContract, rest(done)), session.Options{})
	second := mustStep(t, repo, settings(t, sumContract, rest(work, done)), session.Options{})
	if _, err := session.Undo(context.Background(), repo, t.Logf); err != nil {
		t.Fatal(err)
	}
	third := mustStep(t, repo, settings(t, sumContract, rest(work, done)), session.Options{})
	log := testenv.Git(t, dir, "show", "HEAD:progress.md")
	for _, want := range []string{first.Session, second.Session, "undone", third.Session} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	if got := testenv.Git(t, dir, "status", "--porcelain"); got != "" {
		t.Error(got)
	}
}

// TestRunParksInSpiteOfAHint: the hint of a run is one act of a person, not one
// for each session.
func TestRunParksInSpiteOfAHint(t *testing.T) {
	repo, _ := project(t, sumList)
	set := settings(t, sumContract, rest(done))
	set.Park = 2
	res, err := session.Run(context.Background(), repo, set, session.RunOptions{Step: session.Options{Hint: "try"}}, nil)
	if err != nil || res.Stopped != session.RunBlocked || res.Steps != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
}
