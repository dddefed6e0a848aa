//go:build unix

package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitagent/internal/project"
)

// realProject is a project that was not made for this test, or a generated one
// where no such project can be had.
type realProject struct {
	name  string // with where it comes from
	kind  string // of kinds, for what it needs
	fill  func(t *testing.T, dir string)
	cmd   project.TestCommand
	plain []string // the runner as a person starts it
	// own reads the runner's own summary: passed, failed, skipped.
	own func(out string) [3]int
}

// TestRealProjects compares what the adapters count with what each runner says
// itself, and what they cost: at most a tenth or half a second more than the
// runner alone, the better of two runs of each, taken in turn. On a machine that
// is busy with other things the half second is as much longer as a busy loop is.
func TestRealProjects(t *testing.T) {
	if os.Getenv("GIT_AGENT_TABLES") == "" {
		t.Skip("it measures times; make costs runs it")
	}
	for _, p := range realProjects() {
		t.Run(p.kind+" "+strings.ReplaceAll(strings.ReplaceAll(p.name, ", ", " "), "'", ""), func(t *testing.T) {
			b := newBench(t, kinds()[p.kind])
			p.fill(t, b.dir)
			var plain, ours time.Duration
			var own [3]int
			var rep Report
			for i := range 2 {
				start := time.Now()
				out := runPlain(t, b.dir, p.plain)
				took := time.Since(start)
				own = p.own(out)
				start = time.Now()
				var err error
				if rep, err = b.v.Tests(context.Background(), Target{Dir: b.dir, Tree: "t"}, p.cmd); err != nil {
					t.Fatal(err)
				}
				mine := time.Since(start)
				if i == 0 || took < plain {
					plain = took
				}
				if i == 0 || mine < ours {
					ours = mine
				}
			}
			slow := slowdown()
			counts := [3]int{rep.Count(Pass), rep.Count(Fail), rep.Count(skip)}
			t.Logf("%-9s %-52s runner: %v; adapter: %v; runner %.2f s, adapter %.2f s (%+.2f s; the machine is %.1f times slower than alone)", p.kind, p.name, own, counts, plain.Seconds(), ours.Seconds(), (ours - plain).Seconds(), slow)
			if !rep.Finished {
				t.Errorf("not finished: %s\n%s", rep.Reason, rep.Output)
			}
			if counts != own || counts[0] == 0 {
				t.Errorf("the adapter counts %v, the runner says %v (passed, failed, skipped)", counts, own)
			}
			if ours > plain+plain/10 && ours > plain+time.Duration(slow*float64(500*time.Millisecond)) {
				t.Errorf("the adapter takes %s, the runner alone %s", ours, plain)
			}
		})
	}
}

// slowdown is how much longer a busy loop takes than the processor works on it.
func slowdown() float64 {
	var before, after syscall.Rusage
	start := time.Now()
	if syscall.Getrusage(syscall.RUSAGE_SELF, &before) != nil {
		return 1
	}
	used := time.Duration(0)
	for used < 200*time.Millisecond {
		for i := 0; i < 1e6; i++ {
			_ = i * i
		}
		if syscall.Getrusage(syscall.RUSAGE_SELF, &after) != nil {
			return 1
		}
		used = time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
	}
	return max(1, float64(time.Since(start))/float64(used))
}

func runPlain(t *testing.T, dir string, argv []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput() // failing tests are no fault here
	if ctx.Err() != nil || len(out) == 0 {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}

func realProjects() []realProject {
	unittestOwn := func(out string) [3]int {
		ran, failed := number(out, `Ran (\d+) tests?`), number(out, `failures=(\d+)`)+number(out, `errors=(\d+)`)
		skipped := number(out, `skipped=(\d+)`)
		return [3]int{ran - failed - skipped, failed, skipped}
	}
	pytestOwn := func(out string) [3]int {
		return [3]int{number(out, `(\d+) passed`), number(out, `(\d+) failed`), number(out, `(\d+) skipped`)}
	}
	python := stdlibPython()
	return []realProject{
		{name: "go-cmp (Go module)", kind: "go", fill: goModule("github.com/google/go-cmp"), own: goOwn,
			cmd: project.TestCommand{Command: "go test ./...", Runner: project.RunnerGo}, plain: []string{"go", "test", "-json", "-count=1", "./..."}},
		{name: "smetrics (Go module)", kind: "go", fill: goModule("github.com/xrash/smetrics"), own: goOwn,
			cmd: project.TestCommand{Command: "go test ./...", Runner: project.RunnerGo}, plain: []string{"go", "test", "-json", "-count=1", "./..."}},
		{name: "Python's own tests (enum, fractions, textwrap …)", kind: "unittest", fill: pythonOwnTests, own: unittestOwn,
			cmd: project.TestCommand{Command: "python3 -m unittest discover", Runner: project.RunnerUnittest}, plain: []string{python, "-m", "unittest", "discover"}},
		{name: "generated, 320 tests", kind: "pytest", fill: generated("test_%d.py", "import pytest\n\n@pytest.mark.parametrize('n', range(10))\ndef test_n(n):\n    assert n * %d == sum([n] * %d)\n", 32), own: pytestOwn,
			cmd: project.TestCommand{Command: "python3 -m pytest", Runner: project.RunnerPytest}, plain: []string{"/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"}},
		{name: "generated, 320 tests, JUnit report", kind: "junit", fill: generated("test_%d.py", "import pytest\n\n@pytest.mark.parametrize('n', range(10))\ndef test_n(n):\n    assert n * %d == sum([n] * %d)\n", 32), own: pytestOwn,
			cmd: project.TestCommand{Command: "/usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml=$REPORT", Runner: project.RunnerJUnit}, plain: []string{"/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"}},
		{name: "generated, 320 tests", kind: "node", fill: generated("t%d.test.mjs", "import test from 'node:test';\nimport assert from 'node:assert';\nfor (let n = 0; n < 20; n++) test(`n ${n}`, () => assert.equal(n * %d + 0 * %d, %d * n));\n", 16),
			own: func(out string) [3]int {
				return [3]int{number(out, `# pass (\d+)`), number(out, `# fail (\d+)`), number(out, `# skipped (\d+)`)}
			},
			cmd: project.TestCommand{Command: "node --test", Runner: project.RunnerNode}, plain: []string{"node", "--test", "--test-reporter=tap"}},
		{name: "generated, 320 tests", kind: "vitest", fill: generated("t%d.test.js", "import { test, expect } from 'vitest';\nfor (let n = 0; n < 20; n++) test(`n ${n}`, () => expect(n * %d + 0 * %d).toBe(%d * n));\n", 16),
			own: func(out string) [3]int {
				return [3]int{number(out, `Tests .*?(\d+) passed`), number(out, `Tests .*?(\d+) failed`), number(out, `Tests .*?(\d+) skipped`)}
			},
			cmd: project.TestCommand{Command: "npx vitest run", Runner: project.RunnerVitest}, plain: []string{"node", "node_modules/vitest/vitest.mjs", "run"}},
		{name: "generated, 320 tests", kind: "jest", fill: generated("t%d.test.js", "for (let n = 0; n < 20; n++) test(`n ${n}`, () => expect(n * %d + 0 * %d).toBe(%d * n));\n", 16),
			own: func(out string) [3]int {
				return [3]int{number(out, `Tests: .*?(\d+) passed`), number(out, `Tests: .*?(\d+) failed`), number(out, `Tests: .*?(\d+) skipped`)}
			},
			cmd: project.TestCommand{Command: "npx jest", Runner: project.RunnerJest}, plain: []string{"node", "node_modules/jest/bin/jest.js", "--cacheDirectory=.cache"}},
		{name: "generated, 320 tests", kind: "cargo", fill: generatedCrate(320),
			own: func(out string) [3]int {
				return [3]int{number(out, `(\d+) passed`), number(out, `(\d+) failed`), number(out, `(\d+) ignored`)}
			},
			cmd: project.TestCommand{Command: "cargo test --offline", Runner: project.RunnerCargo}, plain: []string{"cargo", "test", "--offline", "--no-fail-fast"}},
	}
}

// number adds up what a pattern finds.
func number(out, pattern string) (sum int) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(ansi.ReplaceAllString(out, ""), -1) {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			sum += n
		}
	}
	return sum
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// goOwn counts the events of go test itself.
func goOwn(out string) (n [3]int) {
	for line := range strings.Lines(out) {
		var e struct{ Action, Test string }
		if json.Unmarshal([]byte(line), &e) != nil || e.Test == "" {
			continue
		}
		switch e.Action {
		case "pass":
			n[0]++
		case "fail":
			n[1]++
		case "skip":
			n[2]++
		}
	}
	return n
}

func goModule(module string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Skipf("%s is not in the module cache: %v", module, err)
		}
		copyTree(t, strings.TrimSpace(string(out)), dir)
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chmod", "-R", "u+w", to).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// stdlibPython is the first python3 as a person's shell finds it, behind the
// shims of version managers.
func stdlibPython() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "python3"
	}
	return strings.TrimSpace(string(out))
}

func pythonOwnTests(t *testing.T, dir string) {
	out, err := exec.Command(stdlibPython(), "-c", "import os, test.test_textwrap as t; print(os.path.dirname(t.__file__))").Output()
	if err != nil {
		t.Skipf("this Python comes without its tests: %v", err)
	}
	for _, name := range []string{"test_textwrap.py", "test_heapq.py", "test_bisect.py", "test_string.py", "test_fractions.py", "test_enum.py"} {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), name))
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// generated writes n files of one pattern, with their number in each %d.
func generated(name, content string, n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for i := range n {
			text := strings.ReplaceAll(content, "%d", strconv.Itoa(i+1))
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func generatedCrate(n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		var lib strings.Builder
		lib.WriteString("pub fn add(a: i64, b: i64) -> i64 { a + b }\n\n#[cfg(test)]\nmod tests {\n")
		for i := range n {
			fmt.Fprintf(&lib, "    #[test]\n    fn n%d() { assert_eq!(super::add(%d, 1), %d); }\n", i, i, i+1)
		}
		lib.WriteString("}\n")
		if err := os.Mkdir(filepath.Join(dir, "src"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string]string{"Cargo.toml": "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": lib.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
