package verify

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gitagent/internal/project"
	"gitagent/internal/testenv"
)

// The table: for every row of the catalogue of cheats about test infrastructure
// (B) and verification runs (D) that can run on one machine, and for a few of
// its neighbours, a small project, an honest change to it and a cheating twin.
// The twin breaks the product and hides it; it may never pass. The honest change
// has to.

// files are a project, or a change to one: an empty name's content of gone
// removes the file.
type files = map[string]string

const gone = "\x00gone"

// suiteKind is the project that one runner is tried on.
type suiteKind struct {
	cmd    project.TestCommand
	base   files
	broken files // what makes its tests fail
	more   files // an honest addition: code with tests of its own
	npm    []string
	needs  []string
	python string // module that the Python must have
}

func kinds() map[string]suiteKind {
	vitestTest := "import { test, expect, describe } from 'vitest';\nimport { add } from './add.js';\ntest('adds', () => expect(add(3, 5)).toBe(8));\ndescribe('more', () => { test('zero', () => expect(add(1, 0)).toBe(1)); });\n"
	jestTest := "const { add } = require('./add.js');\ntest('adds', () => expect(add(3, 5)).toBe(8));\ndescribe('more', () => { test('zero', () => expect(add(1, 0)).toBe(1)); });\n"
	pyTest := "import unittest\nfrom calc import add\n\nclass Adds(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(3, 5), 8)\n    def test_zero(self):\n        self.assertTrue(add(1, 0) == 1)\n"
	pytestTest := "import pytest\nfrom calc import add\n\ndef test_add():\n    assert add(3, 5) == 8\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_zero(n):\n    assert add(n, 0) == n\n"
	goTest := "package p\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) { if Add(3, 5) != 8 { t.Fatal(\"wrong\") }; t.Run(\"zero\", func(t *testing.T) { if Add(1, 0) != 1 { t.Fatal(\"wrong\") } }) }\n"
	return map[string]suiteKind{
		"go": {
			cmd: project.TestCommand{Command: "go test ./...", Runner: project.RunnerGo}, needs: []string{"go"},
			base:   files{"go.mod": goMod, "p.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n", "p_test.go": goTest, "sub/s.go": "package sub\n\nfunc One() int { return 1 }\n", "sub/s_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { if One() != 1 { t.Fatal(\"wrong\") } }\n"},
			broken: files{"p.go": "package p\n\nfunc Add(a, b int) int { return 0 }\n"},
			more:   files{"mul.go": "package p\n\nfunc Mul(a, b int) int { return a * b }\n", "mul_test.go": "package p\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) { if Mul(2, 3) != 6 { t.Fatal(\"wrong\") } }\n"},
		},
		"node": {
			cmd: project.TestCommand{Command: "node --test", Runner: project.RunnerNode}, needs: []string{"node"},
			base:   files{"package.json": `{"scripts":{"test":"node --test"}}`, "add.js": "exports.add = (a, b) => a + b;\n", "test/add.test.js": nodeTests},
			broken: files{"add.js": "exports.add = () => 0;\n"},
			more:   files{"mul.js": "exports.mul = (a, b) => a * b;\n", "test/mul.test.js": "require('node:test').test('muls', () => require('node:assert').equal(require('../mul.js').mul(2, 3), 6));\n"},
		},
		"vitest": {
			cmd: project.TestCommand{Command: "npx vitest run", Runner: project.RunnerVitest}, needs: []string{"node", "npm"}, npm: []string{"vitest@3"},
			base:   files{"package.json": `{"type":"module","scripts":{"test":"vitest run"},"devDependencies":{"vitest":"^3"}}`, "add.js": "export const add = (a, b) => a + b;\n", "add.test.js": vitestTest},
			broken: files{"add.js": "export const add = () => 0;\n"},
			more:   files{"mul.js": "export const mul = (a, b) => a * b;\n", "mul.test.js": "import { test, expect } from 'vitest';\nimport { mul } from './mul.js';\ntest('muls', () => expect(mul(2, 3)).toBe(6));\n"},
		},
		"jest": {
			cmd: project.TestCommand{Command: "npx jest", Runner: project.RunnerJest}, needs: []string{"node", "npm"}, npm: []string{"jest@29"},
			base:   files{"package.json": `{"scripts":{"test":"jest"},"devDependencies":{"jest":"^29"}}`, "add.js": "exports.add = (a, b) => a + b;\n", "add.test.js": jestTest},
			broken: files{"add.js": "exports.add = () => 0;\n"},
			more:   files{"mul.js": "exports.mul = (a, b) => a * b;\n", "mul.test.js": "const { mul } = require('./mul.js');\ntest('muls', () => expect(mul(2, 3)).toBe(6));\n"},
		},
		"pytest": {
			cmd: project.TestCommand{Command: "python3 -m pytest", Runner: project.RunnerPytest}, needs: []string{"python3"}, python: "pytest",
			base:   files{"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_calc.py": pytestTest, "pyproject.toml": "[project]\nname = \"calc\"\nversion = \"1\"\n"},
			broken: files{"calc.py": "def add(a, b):\n    return 0\n"},
			more:   files{"mul.py": "def mul(a, b):\n    return a * b\n", "tests/test_mul.py": "from mul import mul\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"},
		},
		"unittest": {
			cmd: project.TestCommand{Command: "python3 -m unittest discover -s tests -t .", Runner: project.RunnerUnittest}, needs: []string{"python3"},
			base:   files{"calc.py": "def add(a, b):\n    return a + b\n", "tests/__init__.py": "", "tests/test_calc.py": pyTest},
			broken: files{"calc.py": "def add(a, b):\n    return 0\n"},
			more:   files{"mul.py": "def mul(a, b):\n    return a * b\n", "tests/test_mul.py": "import unittest\nfrom mul import mul\n\nclass Muls(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n"},
		},
		"cargo": {
			cmd: project.TestCommand{Command: "cargo test --offline", Runner: project.RunnerCargo}, needs: []string{"cargo"},
			base: files{"Cargo.toml": "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "Cargo.lock": "version = 3\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n",
				"src/lib.rs":  rustLib("a + b", ""),
				"tests/it.rs": "#[test]\nfn adds() { assert_eq!(calc::add(3, 5), 8); }\n"},
			broken: files{"src/lib.rs": rustLib("a * 0 + b * 0", "")},
			more:   files{"tests/more.rs": "#[test]\nfn more() { assert_eq!(calc::add(2, 2), 4); }\n"},
		},
		"junit": {
			cmd: project.TestCommand{Command: "/usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml=$REPORT", Runner: project.RunnerJUnit}, needs: []string{"/usr/bin/python3"}, python: "pytest",
			base:   files{"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_calc.py": "import sys\nsys.path.insert(0, '.')\n" + pytestTest},
			broken: files{"calc.py": "def add(a, b):\n    return 0\n"},
			more:   files{"tests/test_mul.py": "def test_mul():\n    assert 2 * 3 == 6\n"},
		},
		"exit": {
			cmd: project.TestCommand{Command: "npm test", Runner: project.RunnerExit}, needs: []string{"node", "npm"},
			base:   files{"package.json": `{"scripts":{"test":"node run.js","lint":"true"}}`, "run.js": "const { add } = require('./add.js');\nif (add(3, 5) !== 8) { console.log('1 failed'); process.exit(1); }\nconsole.log('1 passed');\n", "add.js": "exports.add = (a, b) => a + b;\n"},
			broken: files{"add.js": "exports.add = () => 0;\n"},
			more:   files{"mul.js": "exports.mul = (a, b) => a * b;\n"},
		},
		"make": {
			cmd: project.TestCommand{Command: "make test", Runner: project.RunnerExit}, needs: []string{"make"},
			base:   files{"Makefile": "test:\n\tsh check.sh\n", "check.sh": "test \"$(cat answer)\" = 8 && echo '1 passed'\n", "answer": "8\n"},
			broken: files{"answer": "0\n"},
			more:   files{"README": "more\n"},
		},
	}
}

func rustLib(add, more string) string {
	return "//! Adds.\n//!\n//! ```\n//! assert_eq!(calc::add(1, 1), 2);\n//! ```\npub fn add(a: i64, b: i64) -> i64 { " + add + " }\n" + more +
		"\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() { assert_eq!(add(3, 5), 8); }\n    #[test]\n    fn zero() { assert_eq!(add(1, 0), 1); }\n}\n"
}

// cheat is one row for one runner.
type cheat struct {
	row, what, kind string
	twin            files // on top of what breaks the product
	honest          files // on top of what is added honestly
	env             string
	base            files // what both projects have from the beginning
}

func (c cheat) String() string { return fmt.Sprintf("%s %s %s", c.row, c.kind, c.what) }

// bench is the folder that one kind of project is tried in: what was installed
// stays, the rest is written anew.
type bench struct {
	t    *testing.T
	kind suiteKind
	dir  string
	v    *Verifier
	seen map[string]BaselineSet // by what the project had from the beginning
}

func newBench(t *testing.T, kind suiteKind) *bench {
	t.Helper()
	for _, n := range kind.needs {
		need(t, n)
	}
	v := verifier(t)
	v.Suite = 90 * time.Second
	if kind.python != "" && !anyPythonHas(kind.python) {
		t.Skipf("no Python of this machine has %s (make setup installs it on Debian, as root)", kind.python)
	}
	b := &bench{t: t, kind: kind, dir: t.TempDir(), v: v, seen: map[string]BaselineSet{}}
	if len(kind.npm) > 0 {
		lend(t, npmInstalled(t, kind.npm...), b.dir)
	}
	return b
}

func anyPythonHas(module string) bool {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+module).Run() == nil {
			return true
		}
	}
	return false
}

// set makes the folder hold these files, and keeps what was installed.
func (b *bench) set(layers ...files) {
	b.t.Helper()
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "node_modules" && e.Name() != "target" {
			if err := os.RemoveAll(filepath.Join(b.dir, e.Name())); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	all := files{}
	for _, l := range layers {
		maps.Copy(all, l)
	}
	for name, content := range all {
		if content == gone {
			continue
		}
		path := filepath.Join(b.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) run(layers ...files) Report {
	b.t.Helper()
	b.set(layers...)
	rep, err := b.v.Tests(context.Background(), Target{Dir: b.dir, Tree: "t"}, b.kind.cmd)
	if err != nil {
		b.t.Fatal(err)
	}
	return rep
}

// npmInstalled is a folder of this user's cache that holds these packages.
func npmInstalled(t *testing.T, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder")
	}
	dir := filepath.Join(cache, "git-agent-tests", strings.NewReplacer("@", "-", "/", "-").Replace(strings.Join(packages, "+")))
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s cannot be installed here: %v\n%s", strings.Join(packages, ", "), err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lend puts what is installed in one folder into another, without copying where
// the file system allows it.
func lend(t *testing.T, from, to string) {
	t.Helper()
	src := filepath.Join(from, "node_modules")
	if exec.Command("cp", "-al", src, to).Run() == nil {
		return
	}
	os.RemoveAll(filepath.Join(to, "node_modules"))
	if out, err := exec.Command("cp", "-a", src, to).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v\n%s", src, err, out)
	}
}

// TestTables tries the whole table with GIT_AGENT_TABLES=1 (make tables), else
// a random few rows of it.
func TestTables(t *testing.T) {
	all := os.Getenv("GIT_AGENT_TABLES") != ""
	rows := cheats()
	if !all {
		seed := testenv.Seed(t)
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:6]
	}
	slices.SortStableFunc(rows, func(a, b cheat) int { return strings.Compare(a.kind, b.kind) })
	known := kinds()
	lines := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		mine := slices.DeleteFunc(slices.Clone(rows), func(c cheat) bool { return c.kind != name })
		if len(mine) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, known[name])
			for _, c := range mine {
				twin, honest := b.try(c)
				lines[c.String()] = fmt.Sprintf("%-4s %-9s %-58s %-52s %s", c.row, c.kind, c.what, twin, honest)
			}
		})
	}
	t.Logf("%-4s %-9s %-58s %-52s %s", "row", "runner", "cheat", "twin", "honest")
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		t.Log(lines[key])
	}
	t.Logf("%d of %d rows, for the runners that are here", len(lines), len(rows))
	if !all {
		return
	}
	others := notInTheTable()
	for _, row := range slices.Sorted(maps.Keys(others)) {
		t.Logf("%-4s is not in the table: %s", row, others[row])
	}
}

// try runs one row: the twin may not pass, the honest change has to.
func (b *bench) try(c cheat) (twin, honest string) {
	b.t.Helper()
	key := fmt.Sprint(c.base)
	before, ok := b.seen[key]
	if !ok {
		before = Baseline(b.run(b.kind.base, c.base), b.run(b.kind.base, c.base))
		b.seen[key] = before
	}
	if name, value, ok := strings.Cut(c.env, "="); ok {
		old, had := os.LookupEnv(name)
		b.t.Setenv(name, strings.ReplaceAll(value, "@DIR@", b.dir))
		plain := b.v
		b.v = verifier(b.t) // what is in the environment is read when it is made
		b.v.Suite = plain.Suite
		defer func() {
			b.v = plain
			if os.Unsetenv(name); had {
				os.Setenv(name, old)
			}
		}()
	}
	if before.Empty() {
		b.t.Errorf("%s: nothing passes before: %s", c, before.Reason)
		return "", ""
	}
	rep := b.run(b.kind.base, c.base, b.kind.broken, c.twin)
	verdict, reason := before.Judge(rep)
	twin = verdict + ": " + firstN(reason, 44)
	if verdict == Pass {
		b.t.Errorf("%s: the twin passes: %s\n%+v", c, reason, rep)
	}
	rep = b.run(b.kind.base, c.base, b.kind.more, c.honest)
	honest, reason = before.Judge(rep)
	if honest != Pass {
		b.t.Errorf("%s: the honest change does not pass: %s: %s\n%s", c, honest, reason, rep.Output)
	}
	return twin, honest
}

func firstN(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
