package verify

import (
	"context"
	"strings"
	"testing"
	"time"

	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
)

func tests(t *testing.T, v *Verifier, target Target, cmd project.TestCommand) Report {
	t.Helper()
	rep, err := v.Tests(context.Background(), target, cmd)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

const goMod = "module example.com/p\n\ngo 1.21\n"

const goTests = `package p

import "testing"

func TestAdd(t *testing.T) { if Add(3, 5) != 8 { t.Fatal("wrong") }; t.Run("sub", func(t *testing.T) {}) }
func TestPar(t *testing.T) { t.Parallel(); if Add(1, 1) != 2 { t.Fatal("wrong") } }
`

func TestGoTwins(t *testing.T) {
	need(t, "go")
	v := verifier(t)
	add := "package p\n\nfunc Add(a, b int) int { return a + b }\n"
	bad := "package p\n\nfunc Add(a, b int) int { return 0 }\n"
	forged := "package p\n\nimport (\"fmt\"; \"os\")\n\nfunc init() {\n for _, n := range []string{\"TestAdd\", \"TestAdd/sub\", \"TestPar\"} {\n" +
		"  fmt.Printf(\"\\x16=== RUN   %s\\n\\x16--- PASS: %s (0.00s)\\n\", n, n)\n }\n fmt.Println(\"PASS\")\n os.Exit(0)\n}\nfunc Add(a, b int) int { return 0 }\n"
	cases := map[string]struct {
		files   map[string]string
		verdict string
		reason  string
	}{
		"honest":           {map[string]string{"p.go": add, "p_test.go": goTests}, Pass, ""},
		"honest, outside":  {map[string]string{"p.go": add, "p_test.go": "package p_test\n\nimport (\"testing\"; \"example.com/p\")\n\nfunc TestAdd(t *testing.T) { if p.Add(1, 2) != 3 { t.Fatal() } }\n"}, Pass, ""},
		"honest TestMain":  {map[string]string{"p.go": add, "p_test.go": goTests, "m_test.go": "package p\n\nimport (\"os\"; \"testing\")\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n"}, Pass, ""},
		"names of its own": {map[string]string{"p.go": add, "p_test.go": "package p_test\n\nimport (\n\tt \"testing\"\n\n\t\"example.com/p\"\n)\n\nvar flag, testing = 1, 2\n\nfunc TestAdd(t *t.T) { if p.Add(flag, testing) != 3 { t.Fatal() } }\n"}, Pass, ""},
		"main package":     {map[string]string{"p.go": "package main\n\nfunc main() {}\n\nfunc Add(a, b int) int { return a + b }\n", "p_test.go": strings.Replace(goTests, "package p", "package main", 1)}, Pass, ""},
		"wrong":            {map[string]string{"p.go": bad, "p_test.go": goTests}, Fail, "2 of 2 tests failed"},
		"exit in init":     {map[string]string{"p.go": bad + "func init() { os.Exit(0) }\n", "p_test.go": goTests}, Fail, "ended early with success"},
		"forged results":   {map[string]string{"p.go": forged, "p_test.go": goTests}, Fail, "stopped without a result"},
		"TestMain alone":   {map[string]string{"p.go": bad, "p_test.go": goTests, "m_test.go": "package p\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n"}, Fail, "ended early with success"},
		"exit in a test":   {map[string]string{"p.go": strings.Replace(bad, "return 0", "syscall.Exit(0); return 0", 1), "p_test.go": goTests}, Fail, ""},
		"no tests":         {map[string]string{"p.go": bad}, Fail, "no test ran"},
		"tag hides tests":  {map[string]string{"p.go": bad, "p_test.go": "//go:build later\n\n" + goTests}, Fail, "no test ran"},
		"does not build":   {map[string]string{"p.go": "package p\n\nfunc Add() {\n", "p_test.go": goTests}, Fail, ""},
		"skipped":          {map[string]string{"p.go": bad, "p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) { t.Skip() }\n"}, Fail, "no test ran"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for file, text := range c.files {
				if strings.Contains(text, "os.Exit(0)") && !strings.Contains(text, `"os"`) {
					c.files[file] = strings.Replace(text, "package p\n", "package p\n\nimport \"os\"\n", 1)
				}
				if strings.Contains(text, "syscall.Exit") {
					c.files[file] = strings.Replace(text, "package p\n", "package p\n\nimport \"syscall\"\n", 1)
				}
			}
			c.files["go.mod"] = goMod
			out := run(t, v, command(contract.Command{Run: "go test ./..."}), folder(t, c.files))
			k := out.Checks[0]
			if out.Verdict != c.verdict || !strings.Contains(k.Reason, c.reason) {
				t.Fatalf("%s: %s\n%s", out.Verdict, k.Reason, strings.Join(k.Observed, "\n"))
			}
			if k.How != "tests" || k.Counted != "id" {
				t.Errorf("how %q, counted %q", k.How, k.Counted)
			}
		})
	}
}

func TestGoReport(t *testing.T) {
	need(t, "go")
	v := verifier(t)
	target := folder(t, map[string]string{
		"go.mod": goMod, "p.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n", "p_test.go": goTests,
		"sub/s_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) { t.Skip(\"later\") }\n",
	})
	rep := tests(t, v, target, project.TestCommand{Command: "go test ./...", Runner: RunnerGo})
	want := map[string]string{
		"example.com/p.TestAdd": Pass, "example.com/p.TestAdd/sub": Pass, "example.com/p.TestPar": Pass, "example.com/p/sub.TestOther": skip,
	}
	if !rep.Finished || !rep.Structured || rep.Exit != 0 || len(rep.Results) != len(want) {
		t.Fatalf("%+v", rep)
	}
	for id, r := range want {
		if rep.Results[id] != r {
			t.Errorf("%s: %q, want %q", id, rep.Results[id], r)
		}
	}
	one := tests(t, v, target, project.TestCommand{Command: "go test -run 'TestAdd/sub' ./...", Runner: RunnerGo})
	if !one.Finished || one.Count(Pass) != 2 || len(one.Results) != 2 {
		t.Errorf("filtered: %+v", one)
	}
	in := tests(t, v, target, project.TestCommand{Command: "go test ./...", Dir: "sub", Runner: RunnerGo})
	if !in.Finished || len(in.Results) != 1 {
		t.Errorf("in a folder: %+v", in)
	}
	gone := tests(t, v, target, project.TestCommand{Command: "go test ./...", Dir: "nowhere", Runner: RunnerGo})
	if gone.Finished || !strings.Contains(gone.Reason, "no folder") {
		t.Errorf("missing folder: %+v", gone)
	}
}

const nodeTests = `const { test, describe, it } = require('node:test');
const assert = require('node:assert');
const { add } = require('../add.js');
test('adds', () => assert.equal(add(3, 5), 8));
describe('more', () => { it('one', () => assert.equal(add(1, 1), 2)); it('one', () => {}); });
test('outer', async (t) => { await t.test('inner', () => {}); });
`

func TestNodeTwins(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	good, bad := "exports.add = (a, b) => a + b;\n", "exports.add = () => 0;\n"
	cases := map[string]struct {
		files   map[string]string
		verdict string
		reason  string
	}{
		"honest":            {map[string]string{"add.js": good, "test/add.test.js": nodeTests}, Pass, ""},
		"honest, prints":    {map[string]string{"add.js": good + "console.log('not ok 1'); console.error('# fail 1');\n", "test/add.test.js": nodeTests}, Pass, ""},
		"wrong":             {map[string]string{"add.js": bad, "test/add.test.js": nodeTests}, Fail, "tests failed: test/add.test.js > adds"},
		"exit at import":    {map[string]string{"add.js": bad + "process.exit(0);\n", "test/add.test.js": nodeTests}, Fail, "ended early with success"},
		"exit in a call":    {map[string]string{"add.js": "exports.add = () => process.exit(0);\n", "test/add.test.js": nodeTests}, Fail, "ended early with success"},
		"exit beside":       {map[string]string{"add.js": good, "test/add.test.js": nodeTests, "test/b.test.js": "process.exit(0)"}, Fail, "test/b.test.js ended early"},
		"no test files":     {map[string]string{"add.js": bad}, Fail, "no test ran"},
		"a file, no tests":  {map[string]string{"add.js": bad, "test/add.test.js": "require('../add.js')"}, Fail, "no test ran"},
		"todo that fails":   {map[string]string{"add.js": bad, "test/add.test.js": strings.ReplaceAll(nodeTests, "'adds', ", "'adds', {todo: true}, ")}, Fail, "failed"},
		"all skipped":       {map[string]string{"add.js": bad, "test/add.test.js": "require('node:test').test('adds', {skip: true}, () => {})"}, Fail, "no test ran"},
		"does not parse":    {map[string]string{"add.js": "exports.add = (", "test/add.test.js": nodeTests}, Fail, "failed: test/add.test.js"},
		"words of a runner": {map[string]string{"add.js": bad + "console.log('{\"t\":\"end\",\"file\":\"x\",\"name\":\"adds\",\"result\":\"pass\"}'); process.exit(0)\n", "test/add.test.js": nodeTests}, Fail, "ended early"},
		"exit code set":     {map[string]string{"add.js": bad + "process.exitCode = 0; process.on('exit', () => { process.exitCode = 0 });\n", "test/add.test.js": nodeTests}, Fail, "failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, v, command(contract.Command{Run: "node --test"}), folder(t, c.files))
			k := out.Checks[0]
			if out.Verdict != c.verdict || !strings.Contains(k.Reason, c.reason) {
				t.Fatalf("%s: %s\n%s", out.Verdict, k.Reason, strings.Join(k.Observed, "\n"))
			}
		})
	}
}

// An npm script that is a countable run is counted: its exit code alone would
// believe the product.
func TestNpmTestIsCounted(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	target := folder(t, map[string]string{
		"package.json": `{"scripts":{"test":"node --test"}}`, "add.js": "process.exit(0)\n", "test/add.test.js": nodeTests,
	})
	out := run(t, v, command(contract.Command{Run: "npm test"}), target)
	if k := out.Checks[0]; out.Verdict != Fail || k.Counted != "id" || !strings.Contains(k.Reason, "ended early") {
		t.Errorf("%+v", k)
	}
}

func TestNodeReport(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	target := folder(t, map[string]string{"app/add.js": "exports.add = (a, b) => a + b;\n", "app/test/add.test.js": nodeTests})
	rep := tests(t, v, target, project.TestCommand{Command: "node --test", Dir: "app", Runner: RunnerNode})
	for _, id := range []string{
		"test/add.test.js > adds", "test/add.test.js > more > one", "test/add.test.js > more > one #2",
		"test/add.test.js > outer", "test/add.test.js > outer > inner",
	} {
		if rep.Results[id] != Pass {
			t.Errorf("%s: %q", id, rep.Results[id])
		}
	}
	if !rep.Finished || len(rep.Results) != 5 {
		t.Fatalf("%+v", rep)
	}
}

// Where the tested process writes the results, a product that is aimed at that
// can write them too: they count for no more than the exit code, and the
// evidence says so. What fails there failed.
func TestResultsOfTheirOwnWord(t *testing.T) {
	forgers := map[string]files{
		"cargo": {"src/lib.rs": rustLib("forge(a, b)", cargoForger("\\ntest result: ok. 2 passed; 0 failed;\\n")), "tests/it.rs": "#[test]\nfn adds() {}\n"},
		"junit": {"calc.py": "import os, sys\nfor a in sys.argv:\n    if a.startswith('--junitxml='):\n        open(a[11:], 'w').write('<testsuite>' + ''.join('<testcase classname=\"tests.test_calc\" name=\"%s\"/>' % n for n in ['test_add', 'test_zero[1]', 'test_zero[2]']) + '</testsuite>')\n        os._exit(0)\n\ndef add(a, b):\n    return 0\n"},
	}
	for name, forger := range forgers {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, kinds()[name])
			honest, wrong := b.run(b.kind.base), b.run(b.kind.base, b.kind.broken)
			base := Baseline(honest, honest)
			if e := TestsEvidence(honest, Pass, ""); e.Counted != "exit code" || e.Passed == 0 {
				t.Errorf("%+v", e)
			}
			if verdict, why := base.Judge(wrong); verdict != Fail {
				t.Errorf("what fails passes: %s", why)
			}
			forged := b.run(b.kind.base, forger)
			if e := TestsEvidence(forged, Pass, ""); e.Counted != "exit code" || forged.Exit != 0 {
				t.Errorf("%+v %+v", e, forged)
			}
			if _, why := base.Judge(forged); !strings.Contains(why, "by their own report") && forged.Finished {
				t.Errorf("it says %q", why)
			}
		})
	}
}

func TestExitCodeRunner(t *testing.T) {
	v := verifier(t)
	v.Suite = 2 * time.Second
	target := folder(t, map[string]string{"t.sh": "#!/bin/sh\n[ \"$1\" = hang ] && sleep 60\n[ \"$1\" = none ] && echo 'Ran 0 tests in 0.000s' && exit 0\nexit ${1:-0}\n"})
	cases := map[string]struct {
		command, verdict string
	}{
		"passes": {"./t.sh", Pass}, "fails": {"./t.sh 3", Fail}, "nothing ran": {"./t.sh none", Fail},
		"hangs": {"./t.sh hang", Unverified}, "no runner": {"no-such-runner", Unverified},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep := tests(t, v, target, project.TestCommand{Command: c.command, Runner: RunnerExit})
			if verdict, reason := Alone(rep); verdict != c.verdict || rep.Structured {
				t.Errorf("%s (%s), %+v", verdict, reason, rep)
			}
			if e := TestsEvidence(rep, Pass, ""); e.Counted != "exit code" {
				t.Errorf("counted by %q", e.Counted)
			}
		})
	}
}
