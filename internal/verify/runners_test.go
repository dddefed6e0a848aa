package verify

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gitagent/internal/project"
	"gitagent/internal/verify/runner"
)

// Each runner that can names its tests without running them, and runs some of
// them by their ids.
func TestListAndRunSome(t *testing.T) {
	for name, c := range map[string]struct {
		some string
		list bool
	}{
		"go": {"example.com/p/sub.TestOne", true}, "pytest": {"tests/test_calc.py::test_zero[2]", true},
		"unittest": {"tests.test_calc.Adds.test_add", true}, "cargo": {"calc tests::zero", true}, "node": {"test/add.test.js > adds", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, kinds()[name])
			b.set(b.kind.base)
			target := Target{Dir: b.dir, Tree: "t"}
			ids, err := b.v.ListTests(context.Background(), target, b.kind.cmd)
			if c.list && (err != nil || !slices.Contains(ids, c.some)) || !c.list && !errors.Is(err, runner.ErrCannotList) {
				t.Errorf("listed %v: %v", ids, err)
			}
			rep, err := b.v.SomeTests(context.Background(), target, b.kind.cmd, []string{c.some})
			if err != nil || !rep.Finished || rep.Results[c.some] != Pass || rep.Count(Pass) != 1 {
				t.Errorf("%v, finished %v (%s): %v", rep.Results, rep.Finished, rep.Reason, err)
			}
		})
	}
}

// What a baseline stands on names the programs behind a command, and is not
// asked of the project's own files.
func TestMachine(t *testing.T) {
	v := verifier(t)
	target := folder(t, files{
		"package.json": `{"scripts":{"test":"node run.js"}}`, "unittest.py": "print('own')\n", "sys.py": "print('own')\n", "node": "#!/bin/sh\necho own\n",
		"node_modules/vitest/package.json": `{"version":"3.2.1"}`,
	})
	for name, c := range map[string]struct {
		needs string
		cmd   project.TestCommand
		want  string
	}{
		"go":        {"go", project.TestCommand{Command: "go test ./...", Runner: project.RunnerGo}, "go: go version go1."},
		"node":      {"node", project.TestCommand{Command: "node --test", Runner: project.RunnerNode}, "node: v"},
		"vitest":    {"node", project.TestCommand{Command: "npx vitest run", Runner: project.RunnerVitest}, "vitest: 3.2.1"},
		"unittest":  {"python3", project.TestCommand{Command: "python3 -m unittest", Runner: project.RunnerUnittest}, "python3: 3."},
		"cargo":     {"cargo", project.TestCommand{Command: "cargo test", Runner: project.RunnerCargo}, "rustc: rustc 1."},
		"a script":  {"node", project.TestCommand{Command: "npm test", Runner: project.RunnerExit}, "node: v"},
		"a report":  {"python3", project.TestCommand{Command: "/usr/bin/python3 x.py --out=$REPORT", Runner: project.RunnerJUnit}, "python3: Python 3."},
		"a shell":   {"sh", project.TestCommand{Command: "sh x.sh", Runner: project.RunnerExit}, runtime.GOOS + "/"},
		"no folder": {"sh", project.TestCommand{Command: "go test", Runner: project.RunnerGo, Dir: "gone"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			need(t, c.needs)
			said, err := v.Machine(context.Background(), target, c.cmd)
			again, _ := v.Machine(context.Background(), target, c.cmd)
			if err != nil || !strings.Contains(said, c.want) || strings.Contains(said, "own") || said != again {
				t.Errorf("%q, then %q: %v", said, again, err)
			}
		})
	}
}

// What cannot be had is unverified; what never ends is ended and unverified; a
// report that is cut is a failure.
func TestRunnersThatCannotRun(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	v.Suite = 4 * time.Second
	loop := "import time\n\ndef add(a, b):\n    time.sleep(600)\n"
	for name, c := range map[string]struct {
		cmd     project.TestCommand
		files   files
		verdict string
		reason  string
	}{
		"vitest is not installed": {project.TestCommand{Command: "npx vitest run", Runner: project.RunnerVitest}, files{"a.test.js": ""}, Unverified, "vitest (node_modules) is not installed"},
		"jest is not installed":   {project.TestCommand{Command: "npx jest", Runner: project.RunnerJest}, files{"a.test.js": ""}, Unverified, "jest (node_modules) is not installed"},
		"vitest of the project":   {project.TestCommand{Command: "npx vitest run", Runner: project.RunnerVitest}, files{"vitest": "", "node_modules/x": ""}, Unverified, "not installed"},
		"no reporter is there":    {project.TestCommand{Command: "no-such-program --out $REPORT", Runner: project.RunnerJUnit}, nil, Unverified, "not installed"},
		"no report is named":      {project.TestCommand{Command: "true", Runner: project.RunnerJUnit}, nil, Fail, "names no $REPORT"},
		"no report is written":    {project.TestCommand{Command: "true $REPORT", Runner: project.RunnerJUnit}, nil, Fail, "wrote no report"},
		"a report is cut":         {project.TestCommand{Command: "echo '<testsuite><testcase name=\"a\">' >$REPORT", Runner: project.RunnerJUnit}, nil, Fail, "cannot be read"},
		"a report of before":      {project.TestCommand{Command: "true", Runner: project.RunnerJUnit, Reports: "out/*.xml"}, files{"out/a.xml": "<testsuite><testcase name='a'/></testsuite>"}, Fail, "wrote no report"},
		"unittest never ends":     {project.TestCommand{Command: "python3 -m unittest discover -s tests -t .", Runner: project.RunnerUnittest}, files{"calc.py": loop, "tests/__init__.py": "", "tests/test_a.py": "import unittest, calc\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        calc.add(1, 2)\n"}, Unverified, "did not end within"},
		"node never ends":         {project.TestCommand{Command: "node --test", Runner: project.RunnerNode}, files{"a.test.js": "require('node:test').test('a', () => { for (;;); });\n"}, Unverified, "did not end within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			verdict, reason := Alone(tests(t, v, folder(t, c.files), c.cmd))
			if verdict != c.verdict || !strings.Contains(reason, c.reason) {
				t.Errorf("%s (%s), want %s (%s)", verdict, reason, c.verdict, c.reason)
			}
			if took := time.Since(start); took > 3*time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}
