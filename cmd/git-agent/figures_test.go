package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/tiktoken-go/tokenizer"

	"gitagent/features"
	"gitagent/internal/model"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

const (
	promptBound = 2200 // cl100k tokens
	hookBound   = 30 * time.Millisecond
	statusBound = 50 * time.Millisecond
	startBound  = 30 * time.Millisecond
	second      = time.Second
	hookCalls   = 3    // git processes
	sizeBound   = 25e6 // bytes
)

// alone skips what is measured where other tests run beside it.
func alone(t *testing.T) {
	t.Helper()
	if os.Getenv("GIT_AGENT_FIGURES") == "" {
		t.Skip("times mean nothing beside other tests; alone: make figures")
	}
}

// TestFigures measures what is promised and prints it beside the bounds.
func TestFigures(t *testing.T) {
	alone(t)
	if runtime.GOOS == "windows" {
		t.Skip("the yardsticks are shell scripts")
	}
	contained := namespaces(t)
	f := &figures{t: t, bin: build(t)}
	testenv.Clean(t)
	if !contained {
		testenv.Git(t, t.TempDir(), "config", "--global", "agent.sandbox", "processes")
	}
	f.binary()
	f.prompt()
	f.hook()
	f.status()
	f.longList()
	f.hostileLists()
	f.print(t.Output())
}

// binary: its size, and what it costs to start it.
func (f *figures) binary() {
	info, err := os.Stat(f.bin)
	if err != nil {
		f.t.Fatal(err)
	}
	f.row("size of the binary", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "", fmt.Sprintf("≤ %.0f MB", sizeBound/1e6), info.Size() <= sizeBound)
	f.timed("start-up: git-agent --version", startBound, []string{"git --version"},
		f.race(f.t.TempDir(), 40, []string{f.bin, "--version"}, []string{"git", "--version"}))
}

// project makes a repository with a list and returns its folder.
func (f *figures) project(list []byte) string {
	f.t.Helper()
	dir := testenv.Repo(f.t)
	testenv.Write(f.t, dir, "README.md", "A project.\n")
	testenv.Git(f.t, dir, "add", "-A")
	testenv.Git(f.t, dir, "commit", "-q", "-m", "Start")
	file := filepath.Join(f.t.TempDir(), "list.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.agent(dir, "init", "--yes", "--features", file)
	return dir
}

// agent runs a command that must succeed.
func (f *figures) agent(dir string, args ...string) {
	f.t.Helper()
	cmd := exec.Command(f.bin, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git-agent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// prompt runs a session and counts what the model is sent before anything else.
func (f *figures) prompt() {
	replies := []modeltest.Step{
		modeltest.Use("list_files", "path", "."),
		modeltest.Use("read_file", "path", "README.md").And("calculate", "expression", "40+2"),
		modeltest.Say("Now I know enough."),
		modeltest.Use("write_file", "path", "sum.sh", "content", "echo $(($1 + $2))\n"),
		modeltest.Use("run_command", "command", "sh sum.sh 40 2"),
		modeltest.Use("end_session", "status", "done", "reason", "it adds"),
	}
	var sent []api.ChatRequest
	srv := modeltest.New(f.t, func(_ int, req api.ChatRequest) modeltest.Step {
		if len(req.Format) > 0 {
			return modeltest.Say(`{"checks":[{"kind":"command","covers":[1,2],"run":"sh sum.sh 40 2","stdin":"","stdout_has":["42"],"exit":0}]}`)
		}
		sent = append(sent, req) // one request at a time
		return replies[min(len(sent), len(replies))-1]
	})
	dir := f.project([]byte(`[{"category":"functional","description":"sum.sh adds","steps":["Run sh sum.sh 40 2","It prints \"42\""],"passes":false}]`))
	f.agent(dir, "step", "--host", srv.URL, "--model", "test")
	if len(sent) != len(replies) {
		f.t.Fatalf("the session made %d requests, want %d", len(sent), len(replies))
	}
	system, tools := sent[0].Messages[0].Content, f.json(sent[0].Tools)
	for i, req := range sent {
		if req.Messages[0].Role != "system" || req.Messages[0].Content != system || f.json(req.Tools) != tools {
			f.t.Errorf("request %d begins with another prompt", i)
		}
		if i > 0 && !strings.HasPrefix(f.json(req.Messages), strings.TrimSuffix(f.json(sent[i-1].Messages), "]")) {
			f.t.Errorf("request %d does not go on where request %d ended", i, i-1)
		}
	}
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		f.t.Fatal(err)
	}
	count := func(s string) int {
		n, err := codec.Count(s)
		if err != nil {
			f.t.Fatal(err)
		}
		return n
	}
	a, b := count(system), count(tools)
	text := count(system + "\n\n" + model.TextProtocol(sent[0].Tools)) // for a model without tools
	f.row("executor's prompt, the same in "+fmt.Sprint(len(sent))+" requests", fmt.Sprintf("%d cl100k tokens; with tools as text %d", a+b, text),
		fmt.Sprintf("system %d, %d tools %d", a, len(sent[0].Tools), b), fmt.Sprintf("≤ %d", promptBound), max(a+b, text) <= promptBound)
}

func (f *figures) json(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// hook: what pre-commit costs in a small repository, when an ordinary file is
// staged, as a process and as a part of git commit.
func (f *figures) hook() {
	dir := f.project(list(3))
	testenv.Write(f.t, dir, "notes.txt", "a change\n")
	testenv.Git(f.t, dir, "add", "notes.txt")
	testenv.Write(f.t, dir, ".git/empty-hook", "#!/bin/sh\nexit 0\n")
	hook := []string{f.bin, "hook", "pre-commit"}
	f.timed("pre-commit hook, whole process", hookBound, []string{"empty sh hook", "git diff --cached --quiet"},
		f.race(dir, 50, hook, []string{"sh", ".git/empty-hook"}, []string{"sh", "-c", "! git diff --cached --quiet"}))
	n := f.gitCalls(dir, hook...)
	f.row("pre-commit hook, git processes", fmt.Sprint(n), "", fmt.Sprintf("≤ %d", hookCalls), n <= hookCalls)
	commit := []string{"git", "commit", "-q", "--allow-empty", "-m", "x"}
	both := f.race(dir, 10, commit, append([]string{"git", "-c", "core.hooksPath=/dev/null"}, commit[1:]...))
	f.row("git commit with both hooks", ms(both[0].best)+" best", "without hooks "+ms(both[1].best), "none", true)
}

// status in a repository in the middle of its life: half of 1,000 features are
// proved, a third of the rest was tried.
func (f *figures) status() {
	dir := f.project(list(1000))
	f.live(dir)
	got := f.race(dir, 40, []string{f.bin, "status"}, []string{"git", "rev-parse", "HEAD"}, []string{"git", "status"})
	calls := f.gitCalls(dir, f.bin, "status")
	took, how := got[0].judged(got[1])
	own := took - time.Duration(calls)*got[1].cpu
	f.row("git agent status, 1,000 features, its own", fmt.Sprintf("%s (%s %s − %d × git rev-parse)", ms(own), how, ms(took), calls),
		fmt.Sprintf("git rev-parse HEAD %s, git status %s", ms(got[1].best), ms(got[2].best)), "≤ "+statusBound.String(), own <= statusBound)
}

// live gives a project of 1,000 features its past.
func (f *figures) live(dir string) {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, features.Path))
	if err != nil {
		f.t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, progress.Path))
	if err != nil {
		f.t.Fatal(err)
	}
	now := time.Now()
	data = bytes.Replace(data, []byte(`"passes": false`), []byte(`"passes": true`), 500)
	for i := range 660 {
		id, outcome := features.NewID(i+1), "verified"
		if i < 500 {
			testenv.Write(f.t, dir, evidence.Path(id), fmt.Sprintf("{\"feature\": %q}\n", id))
		} else {
			outcome = "incomplete"
		}
		session := fmt.Sprintf("s%04d", i)
		log = progress.Append(log, progress.Entry{Time: now, Kind: progress.KindSession, Session: session, Feature: id, Outcome: outcome, Model: "m", Facts: []string{"one fact"}, Note: "a word"})
		testenv.Write(f.t, dir, progress.StatusPath(id), string(progress.AppendEvent(nil, id, progress.Event{Time: now, Phase: "act", Session: session, Revision: 1, Attempt: 1, Kind: outcome, Detail: "seen"})))
	}
	testenv.Write(f.t, dir, features.Path, string(data))
	testenv.Write(f.t, dir, progress.Path, string(log))
	testenv.Git(f.t, dir, "add", "-A")
	testenv.Git(f.t, dir, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Live")
	for i := range 20 {
		testenv.Git(f.t, dir, "update-ref", fmt.Sprintf("refs/agent/attempts/s%04d", 500+i), "HEAD")
	}
	testenv.Git(f.t, dir, "gc", "-q")
}

// longList: 10,000 features work.
func (f *figures) longList() {
	const n = 10_000
	dir := f.project(list(n))
	data, err := os.ReadFile(filepath.Join(dir, features.Path))
	if err != nil {
		f.t.Fatal(err)
	}
	var l *features.List
	parse := best(f.t, func() (err error) { l, err = features.Parse(data); return err })
	next := best(f.t, func() error {
		if got, _ := l.Next(nil); got == nil || got.ID != features.NewID(1) {
			return fmt.Errorf("the next feature is %v", got)
		}
		return nil
	})
	last := l.Features[n-1].ID
	flip := best(f.t, func() error {
		flipped, err := l.Flip(last)
		if err == nil && len(flipped) != len(data)-1 {
			return fmt.Errorf("%d bytes became %d", len(data), len(flipped))
		}
		return err
	})
	for what, took := range map[string]time.Duration{"parse": parse, "next": next, "flip": flip} {
		if took > second {
			f.t.Errorf("%s of 10,000 features took %s", what, took)
		}
	}
	f.row("10,000 features: parse, next, flip", fmt.Sprintf("%s, %s, %s", ms(parse), ms(next), ms(flip)),
		fmt.Sprintf("%.1f MB", float64(len(data))/1e6), "≤ 1s each", max(parse, next, flip) <= second)
	got := f.race(dir, 5, []string{f.bin, "status"}, []string{f.bin, "features", "list"}, []string{"git", "status"})
	f.timed("10,000 features: git agent status", second, []string{"features list", "git status"}, got)
}

// best is the shortest of three runs.
func best(t *testing.T, run func() error) time.Duration {
	t.Helper()
	shortest := time.Duration(-1)
	for range 3 {
		begun := time.Now()
		err := run()
		if took := time.Since(begun); shortest < 0 || took < shortest {
			shortest = took
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return shortest
}

// hostileLists are refused in under a second, from a file and from a commit.
func (f *figures) hostileLists() {
	huge := fmt.Sprintf(`[{"category":"functional","description":"%s","steps":["Look"],"passes":false}]`, strings.Repeat("far too long ", 20<<20/13))
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for _, c := range []struct{ what, says, list string }{
		{"a list of 20 MB", "more than the limit", huge},
		{"a list of 10,001 levels", "line 1, column ", `{"version":1,"project":"p","goal":"g","more":` + deep + `,"features":[]}`},
		{"10,001 levels as steps", "line 1, column ", `{"version":1,"project":"p","goal":"g","features":[{"id":"F001","steps":` + deep + `}]}`},
	} {
		dir := testenv.Repo(f.t)
		testenv.Write(f.t, dir, "list.json", c.list)
		begun := f.refused(dir, c.says, f.bin, "init", "--yes", "--features", "list.json")
		if testenv.Git(f.t, dir, "status", "--porcelain") != "?? list.json" {
			f.t.Errorf("%s: init left something behind", c.what)
		}
		if err := os.Rename(filepath.Join(dir, "list.json"), filepath.Join(dir, features.Path)); err != nil {
			f.t.Fatal(err)
		}
		testenv.Git(f.t, dir, "add", "-A")
		testenv.Git(f.t, dir, "commit", "-q", "-m", "Start")
		listed := f.refused(dir, c.says, f.bin, "features", "list")
		f.row(c.what+" is refused: init, features list", fmt.Sprintf("%s, %s", ms(begun), ms(listed)), "", "≤ 1s each", max(begun, listed) <= second)
	}
}

// list is n features as a person writes them.
func list(n int) []byte {
	var b bytes.Buffer
	b.WriteString("[")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"category":"functional","description":"Thing %d works as a person expects it to","steps":["Open the page","Press the button \"%d\"","The display shows \"%d\""],"passes":false}`, i+1, i+1, i+1)
	}
	b.WriteString("]\n")
	return b.Bytes()
}
