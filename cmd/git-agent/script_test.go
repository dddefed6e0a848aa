package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
)

// TestMain lets this binary be three things: a part of a cell, git-agent (as
// the scripts and the hooks in them call it), and the tests.
func TestMain(m *testing.M) {
	sandbox.Dispatch()
	if len(os.Args) > 1 && os.Args[1] == "hook" { // a hook must never run the tests
		os.Exit(run(os.Args))
	}
	testscript.Main(m, map[string]func(){"git-agent": main, "without": without})
}

// TestScripts plays the stories of testdata/script, each in a folder and a home
// of its own. Their words, beside those of testscript:
//
//	exits CODE CMD…   runs a command that must end with this exit code
//	model FILE.json   starts a model that answers as the file says, see script
//	heard REGEXP      the model was told something that matches
//	project [LIST]    makes $WORK/repo of what is there, initialised with LIST
//	                  (default testdata/sums.json), and changes to it
//	exec without LAYERS CMD…  runs it as where the system forbids some of
//	                  namespaces, landlock and seccomp
//	[browser]         there is a Chromium
func TestScripts(t *testing.T) {
	contained := namespaces(t)
	sums, err := filepath.Abs(filepath.Join("testdata", "sums.json"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SUMS", sums)
			e.Values[envKey{}] = e
			return machine(e, contained)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "model": startModel, "heard": heard, "settled": settled, "project": newProject,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "browser":
				_, err := browser.Find("")
				return err == nil, nil
			case "namespaces":
				return contained, nil
			case "registry":
				return registry(), nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
	})
}

// registry says whether npm can install anything here.
func registry() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "npm", "view", "lint-staged", "version").Run() == nil
}

// namespaces says whether commands can be contained on this machine.
func namespaces(t *testing.T) bool {
	sb, err := sandbox.New(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if sb.Level() < sandbox.Namespaces {
		t.Logf("the stories run without containment: %s", sb.Describe())
	}
	return sb.Level() >= sandbox.Namespaces
}

// machine gives a story a home with a git identity and nothing else of ours.
func machine(e *testscript.Env, contained bool) error {
	home := filepath.Join(e.WorkDir, "home")
	for name, dir := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_STATE_HOME": filepath.Join(home, ".local", "state"), "XDG_CACHE_HOME": filepath.Join(home, ".cache"),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		e.Setenv(name, dir)
	}
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("LC_ALL", "C")
	e.Setenv("TERM", "dumb")
	e.Setenv("OLLAMA_HOST", "http://127.0.0.1:1") // nobody answers until a model is started
	conf := "[user]\n\tname = A Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if !contained {
		conf += "[agent]\n\tsandbox = processes\n"
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(conf), 0o600)
}

// exits runs a command and wants its exit code; -1 is death by a signal.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE CMD ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("it ended with exit code %d, want %d", got, want)
	}
}

// newProject makes a repository of what the story put into $WORK/repo.
func newProject(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: project [LIST]")
	}
	list := ts.Getenv("SUMS")
	if len(args) == 1 {
		list = ts.MkAbs(args[0])
	}
	dir := filepath.Join(ts.Getenv("WORK"), "repo")
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(ts.Chdir(dir))
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
		ts.Check(os.WriteFile(filepath.Join(dir, "README.md"), []byte("A project.\n"), 0o644))
	}
	for _, line := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "Start"}, {"agent", "init", "--features", list},
	} {
		if err := ts.Exec("git", line...); err != nil {
			ts.Fatalf("git %s: %v", strings.Join(line, " "), err)
		}
	}
}

// heard looks through all that the model was told since it was started.
func heard(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: heard REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	m, _ := ts.Value(modelKey{}).(*scripted)
	if m == nil {
		ts.Fatalf("no model was started")
	}
	text := m.heard()
	if found := re.MatchString(text); found == neg {
		ts.Logf("[the model was told]\n%s", text)
		ts.Fatalf("matches of %q in what the model was told: %v", args[0], found)
	}
}
