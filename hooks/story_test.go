package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/progress"
)

// hooked is a project with the hooks installed and git-agent on the PATH.
func hooked(t testing.TB) *fixture {
	t.Helper()
	p := newProject(t)
	if _, err := Install(t.Context(), p.repo, agentOnPath(t)); err != nil {
		t.Fatal(err)
	}
	return p
}

// refused wants a commit to fail with the code, and HEAD to stay.
func (p *fixture) refused(code string, args ...string) string {
	p.t.Helper()
	before := p.git("rev-parse", "HEAD")
	ok, out := p.try(args...)
	if ok || !strings.Contains(out, code) || p.git("rev-parse", "HEAD") != before {
		p.t.Errorf("git %s: succeeded %v, want refusal with %s:\n%s", strings.Join(args, " "), ok, code, out)
	}
	return out
}

// quiet wants a command to succeed without a word of ours.
func (p *fixture) quiet(args ...string) {
	p.t.Helper()
	if ok, out := p.try(args...); !ok || strings.Contains(out, "git agent") {
		p.t.Errorf("git %s: succeeded %v:\n%s", strings.Join(args, " "), ok, out)
	}
}

func (p *fixture) message() string { p.t.Helper(); return p.git("log", "-1", "--format=%B") }

func TestOrdinaryCommitsPassInSilence(t *testing.T) {
	p := hooked(t)
	p.write("calc.go", "package calc // 1\n")
	p.quiet("commit", "-qam", "with -a")
	p.write("new_test.go", "package calc\n")
	p.git("add", ".")
	p.quiet("commit", "-qm", "a new test")
	p.quiet("commit", "-q", "--amend", "-m", "another message")
	p.quiet("commit", "-q", "--allow-empty", "-m", "empty")
	p.flip("F002")
	p.quiet("commit", "-qm", "prove F002")
	p.quiet("commit", "-q", "--amend", "-m", "prove F002, said better")
}

func TestEveryWayToCommitIsSeen(t *testing.T) {
	p := hooked(t)
	p.write("calc_test.go", "package calc // weaker\n")
	p.refused("tests.changed", "commit", "-qam", "with -a")
	p.refused("tests.changed", "commit", "-qm", "only", "--", "calc_test.go")
	p.write("calc.go", "package calc // 1\n")
	p.quiet("commit", "-qm", "the other file only", "--", "calc.go")
	p.git("add", "calc_test.go")
	p.refused("tests.changed", "commit", "-qm", "staged")
	p.refused("tests.changed", "commit", "-q", "--amend", "--no-edit")
	p.git("mv", "web/app.test.js", "web/app.js")
	out := p.refused("tests.moved", "commit", "-qm", "x")
	if strings.Count(out, "why:") != 1 || !strings.Contains(out, "git agent allow tests --reason") || !strings.Contains(out, "Allow-Tests: reason") {
		t.Errorf("the refusal does not say why once and how to go on:\n%s", out)
	}
}

func TestCommitInALinkedWorktree(t *testing.T) {
	p := hooked(t)
	dir := filepath.Join(t.TempDir(), "linked")
	p.git("worktree", "add", "-q", "-b", "side", dir)
	side := &fixture{t: t, dir: dir}
	side.write("calc_test.go", "package calc // weaker\n")
	side.refused("tests.changed", "commit", "-qam", "x")
	side.refused("tests.changed", "commit", "-qm", "x", "--", "calc_test.go")
	// A permit of one work tree does not hold in the other.
	if err := Permit(t.Context(), p.repo, GuardTests, "here only"); err != nil {
		t.Fatal(err)
	}
	side.refused("tests.changed", "commit", "-qam", "x")
	repo, err := gitops.OpenLenient(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if err := Permit(t.Context(), repo, GuardTests, "in the linked one"); err != nil {
		t.Fatal(err)
	}
	side.quiet("commit", "-qam", "x")
	if !strings.Contains(side.message(), "Allow-Tests: in the linked one") {
		t.Errorf("message: %q", side.message())
	}
}

func TestPermitLastsOneCommitAndIsRecorded(t *testing.T) {
	p := hooked(t)
	if err := Permit(t.Context(), p.repo, GuardTests, "the API\nwas renamed"); err != nil {
		t.Fatal(err)
	}
	p.write("calc_test.go", "package calc // 1\n")
	p.write(progress.Path, "")
	p.refused("log.rewritten", "commit", "-qam", "two guards, one permit")
	p.git("checkout", "-q", "HEAD", "--", progress.Path)
	p.quiet("commit", "-qam", "rename\n\nbecause.")
	if got := p.message(); !strings.Contains(got, "because.\n\nAllow-Tests: the API was renamed") {
		t.Errorf("message: %q", got)
	}
	p.write("calc_test.go", "package calc // 2\n")
	p.refused("tests.changed", "commit", "-qam", "the permit is used up")
	p.quiet("commit", "-qa", "--amend", "--no-edit") // the message says it
}

func TestTrailersAllow(t *testing.T) {
	p := hooked(t)
	p.write("calc_test.go", "package calc // 1\n")
	p.refused("tests.changed", "commit", "-qam", "x\n\nAllow-Tests:")
	p.refused("tests.changed", "commit", "-qam", "x\n\nAllow-Log: no")
	p.refused("tests.changed", "commit", "-qam", "x\n\nAllow-Tests: no trailer here\n\nmore text")
	p.quiet("commit", "-qam", "x\n\nallow-tests: spelled low")
	p.write(features.Path, strings.Replace(p.read(features.Path), "It shows 5", "It shows five", 1))
	p.quiet("commit", "-qam", "reword\n\nAgent-Features: edit F001")
	if strings.Contains(p.message(), "Allow-") {
		t.Errorf("a trailer too many: %q", p.message())
	}
}

func TestMessageWithCommentsAndScissors(t *testing.T) {
	p := hooked(t)
	p.write("calc_test.go", "package calc // 1\n")
	editor := filepath.Join(t.TempDir(), "editor")
	write(t, editor, "#!/bin/sh\n{ printf 'subject\\n\\n'; cat \"$1\"; } >\"$1.new\" && mv \"$1.new\" \"$1\"\n", 0o755)
	t.Setenv("GIT_EDITOR", editor)
	if err := Permit(t.Context(), p.repo, GuardTests, "seen"); err != nil {
		t.Fatal(err)
	}
	p.quiet("commit", "-qav")
	if got := p.message(); !strings.HasPrefix(got, "subject\n\nAllow-Tests: seen") || strings.Contains(got, "diff --git") {
		t.Errorf("message: %q", got)
	}
}

func TestInvalidListIsRefusedWhateverTheMessage(t *testing.T) {
	p := hooked(t)
	p.write(features.Path, "{\n  \"version\": 1,,\n}")
	out := p.refused("features.invalid", "commit", "-qam", "x\n\nAllow-Features: please")
	if !strings.Contains(out, "line 2") {
		t.Errorf("no line in:\n%s", out)
	}
}

func TestPeopleWarn(t *testing.T) {
	p := hooked(t)
	p.git("config", "agent.people", "warn")
	p.write("calc_test.go", "package calc // 1\n")
	ok, out := p.try("commit", "-qam", "x")
	if !ok || strings.Count(out, "warning: tests.changed") != 1 {
		t.Errorf("succeeded %v:\n%s", ok, out)
	}
	p.write(features.Path, "{")
	ok, out = p.try("commit", "-qam", "x")
	if !ok || strings.Count(out, "warning: features.invalid") != 1 {
		t.Errorf("succeeded %v:\n%s", ok, out)
	}
}

func TestMergesAreJudgedAgainstEveryParent(t *testing.T) {
	p := hooked(t)
	p.git("checkout", "-qb", "side")
	p.write("side_test.go", "package calc\n")
	p.flip("F002")
	p.quiet("commit", "-qm", "side proves F002")
	p.git("checkout", "-q", "main")
	p.write("main.txt", "m\n")
	p.git("add", ".")
	p.quiet("commit", "-qm", "main goes on")
	p.git("checkout", "-qb", "clean")
	p.quiet("merge", "-q", "--no-edit", "side")

	p.git("checkout", "-qb", "evil", "main")
	p.git("merge", "-q", "--no-commit", "side")
	p.git("checkout", "-q", "main", "--", features.Path)
	p.write("side_test.go", "package calc // weaker\n")
	p.git("add", "-A")
	out := p.refused("flags.back", "commit", "-qm", "lose the flag")
	if !strings.Contains(out, "tests.changed") {
		t.Errorf("the changed test is not told:\n%s", out)
	}
	p.git("merge", "--abort")

	p.git("merge", "-q", "--no-commit", "side")
	p.git("checkout", "-q", "main", "--", progress.Path)
	p.refused("log.rewritten", "commit", "-qm", "lose the log")
}

func TestCherryPickAndRebaseAreNotInTheWay(t *testing.T) {
	p := hooked(t)
	p.git("checkout", "-qb", "side")
	p.write("calc.go", "package calc // side\n")
	p.flip("F002")
	p.quiet("commit", "-qm", "side proves F002")
	p.git("checkout", "-q", "main")
	p.write("calc.go", "package calc // main\n")
	p.quiet("commit", "-qam", "main")
	if ok, _ := p.try("cherry-pick", "side"); ok {
		t.Fatal("no conflict")
	}
	p.write("calc.go", "package calc // both\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "picked") // evidence for other files: carried
	report, err := CheckRange(t.Context(), p.repo, "HEAD^..HEAD")
	if err != nil || len(report.Violations) > 0 || len(report.Flips) != 1 || report.Flips[0].State != Carried {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestSquashMergeIsCarried(t *testing.T) {
	p := hooked(t)
	p.git("checkout", "-qb", "side")
	p.flip("F002")
	p.quiet("commit", "-qm", "side proves F002")
	p.git("checkout", "-q", "main")
	p.write("main.txt", "m\n")
	p.git("add", ".")
	p.quiet("commit", "-qm", "main goes on")
	p.git("merge", "-q", "--squash", "side")
	p.quiet("commit", "-qm", "squashed")
}

func TestHooksAreSilentWithoutAList(t *testing.T) {
	testenv.Clean(t)
	p := &fixture{t: t, dir: testenv.Repo(t)}
	repo, err := gitops.OpenLenient(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if _, err := Install(t.Context(), repo, agentOnPath(t)); err != nil {
		t.Fatal(err)
	}
	p.write("a_test.go", "package a\n")
	p.git("add", ".")
	p.quiet("commit", "-qm", "first")
	p.write("a_test.go", "package b\n")
	p.quiet("commit", "-qam", "second")
}

func TestFirstCommitOfAList(t *testing.T) {
	testenv.Clean(t)
	p := &fixture{t: t, dir: testenv.Repo(t)}
	repo, err := gitops.OpenLenient(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if _, err := Install(t.Context(), repo, agentOnPath(t)); err != nil {
		t.Fatal(err)
	}
	fs := threeFeatures()
	fs[0].Passes = true
	l, err := features.New("calc", goal, fs)
	if err != nil {
		t.Fatal(err)
	}
	p.write(features.Path, string(l.Bytes()))
	p.git("add", ".")
	if ok, out := p.try("commit", "-qm", "claims"); ok || !strings.Contains(out, "flags.claimed") {
		t.Fatalf("succeeded %v:\n%s", ok, out)
	}
	if err := Permit(t.Context(), repo, GuardFeatures, "init with an imported list"); err != nil {
		t.Fatal(err)
	}
	p.quiet("commit", "-qm", "claims")
	if !strings.Contains(p.message(), "Allow-Features: init with an imported list") {
		t.Errorf("message: %q", p.message())
	}
}

// A fault of ours costs a line of warning, never a commit.
func TestFaultsFailOpen(t *testing.T) {
	p := hooked(t)
	p.write("calc_test.go", "package calc // 1\n")
	p.git("add", ".")
	var out bytes.Buffer
	if code := Run(t.Context(), t.TempDir(), "pre-commit", nil, nil, &out); code != 0 || !strings.Contains(out.String(), "warning") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("outside a repository: %d, %q", code, out.String())
	}
	out.Reset()
	if code := Run(t.Context(), p.dir, "commit-msg", []string{"nowhere"}, nil, &out); code != 0 || !strings.Contains(out.String(), "could not check") {
		t.Errorf("no message file: %d, %q", code, out.String())
	}
	out.Reset()
	for _, hook := range []string{"post-commit", "x"} {
		if code := Run(t.Context(), p.dir, hook, nil, nil, &out); code != 0 || out.Len() > 0 {
			t.Errorf("%s: %d, %q", hook, code, out.String())
		}
	}
	t.Setenv("GIT_AGENT_HOOKS", "0")
	p.quiet("commit", "-qm", "switched off")
}

// The pre-commit hook in a small repository: told, and bounded far above what
// it should cost so that a busy machine does not fail it.
func TestHookIsFast(t *testing.T) {
	p := hooked(t)
	p.write("calc.go", "package calc // 1\n")
	p.git("add", ".")
	best := time.Hour
	for range 5 {
		start := time.Now()
		if code := Run(t.Context(), p.dir, "pre-commit", nil, nil, os.Stderr); code != 0 {
			t.Fatal(code)
		}
		best = min(best, time.Since(start))
	}
	t.Logf("pre-commit without process start: %v", best)
	if best > 300*time.Millisecond {
		t.Errorf("pre-commit takes %v", best)
	}
}
