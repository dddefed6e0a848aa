package project

import (
	"io/fs"
	"regexp"
	"strings"
)

// manifestCap is the most that is read of a manifest, in bytes.
const manifestCap = 1 << 20

// Detect says how to start and test what fsys holds, with one line of reason
// for each setting. What it cannot tell stays empty.
func Detect(fsys fs.FS) (Config, []string) {
	d := detector{fsys: fsys}
	d.npm()
	d.bareNode()
	d.golang()
	d.python()
	d.rust()
	d.folders()
	d.static()
	return d.cfg, d.reasons
}

// folders finds what is tested in folders with a manifest of their own: Go
// modules always, since the root's ./... leaves them out, anything else where
// the root itself has no tests.
func (d *detector) folders() {
	root := len(d.cfg.Tests) > 0
	for _, dir := range manifestDirs(d.fsys) {
		sub, err := fs.Sub(d.fsys, dir)
		if dir == "." || err != nil {
			continue
		}
		in := detector{fsys: sub}
		if !root {
			in.npm()
			in.bareNode()
			in.python()
			in.rust()
		}
		in.golang()
		for _, t := range in.cfg.Tests {
			t.Name, t.Dir = t.Name+"-"+strings.ReplaceAll(dir, "/", "-"), dir
			d.cfg.Tests = append(d.cfg.Tests, t)
			d.because("tests: " + dir + " has a manifest of its own")
		}
	}
}

// WithDetected fills what c leaves open from the tree itself: how the app is
// served when neither start nor static is set, and the tests when none are.
func (c Config) WithDetected(fsys fs.FS) Config {
	found, _ := Detect(fsys)
	if c.Start == "" && c.Static == "" {
		c.Start, c.Static = found.Start, found.Static
	}
	if len(c.Tests) == 0 {
		c.Tests = found.Tests
	}
	return c
}

type detector struct {
	fsys    fs.FS
	cfg     Config
	reasons []string
}

func (d *detector) because(reason string) { d.reasons = append(d.reasons, reason) }

func (d *detector) has(name string) bool {
	info, err := fs.Stat(d.fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// glob says whether a regular file matches one of the patterns.
func (d *detector) glob(patterns ...string) bool {
	for _, p := range patterns {
		names, err := fs.Glob(d.fsys, p)
		if err != nil {
			continue
		}
		for _, n := range names {
			if d.has(n) {
				return true
			}
		}
	}
	return false
}

func (d *detector) test(name, command, runner, reason string) {
	d.cfg.Tests = append(d.cfg.Tests, TestCommand{Name: name, Command: command, Runner: runner})
	d.because(reason)
}

// npm reads the scripts of package.json. A dev server such as vite takes its
// port as an argument, most others from PORT.
func (d *detector) npm() {
	scripts := ScriptsIn(d.fsys)
	for _, name := range []string{"start", "dev"} {
		line := strings.TrimSpace(scripts[name])
		if line == "" || d.cfg.Start != "" {
			continue
		}
		d.cfg.Start = "npm run " + name
		if viteServer.MatchString(line) {
			d.cfg.Start += ` -- --port "$PORT" --strictPort`
		}
		d.because("start: package.json has the script " + name)
	}
	switch line := strings.TrimSpace(scripts["test"]); {
	case line == "" || strings.Contains(line, "no test specified"):
	case nodeTest.MatchString(line):
		d.test("npm", line, RunnerNode, "tests: the test script of package.json is node --test")
	case vitestScript.MatchString(line):
		d.test("npm", "npx vitest run", RunnerVitest, "tests: the test script of package.json is vitest")
	case jestScript.MatchString(line):
		d.test("npm", "npx jest", RunnerJest, "tests: the test script of package.json is jest")
	default:
		d.test("npm", "npm test", RunnerExit, "tests: package.json has a test script; its exit code decides")
	}
}

// bareNode finds test files of node's own runner where no script names one.
func (d *detector) bareNode() {
	if len(d.cfg.Tests) > 0 {
		return
	}
	var patterns []string
	for _, dir := range []string{"", "test/", "tests/"} {
		for _, ext := range []string{"mjs", "js", "cjs"} {
			patterns = append(patterns, dir+"*.test."+ext, dir+"*-test."+ext, dir+"*_test."+ext)
		}
	}
	for _, p := range patterns {
		names, err := fs.Glob(d.fsys, p)
		if err != nil {
			continue
		}
		for _, n := range names {
			if data, err := readCapped(d.fsys, n); err == nil && strings.Contains(string(data), "node:test") {
				d.test("node", "node --test", RunnerNode, "tests: "+n+" uses node:test")
				return
			}
		}
	}
}

var (
	viteServer = regexp.MustCompile(`^(npx )?vite( dev| serve| preview)?( |$)`)
	// One plain command: anything chained would escape the per-test results.
	nodeTest     = regexp.MustCompile(`^node (--?[a-zA-Z][^|;&<>]* )?--test[^|;&<>]*$`)
	vitestScript = regexp.MustCompile(`^(npx )?vitest( run| watch| --run)*( --(coverage|watch=false|run))*$`)
	jestScript   = regexp.MustCompile(`^(npx )?jest( --(coverage|ci|silent|verbose|watchAll=false|runInBand|passWithNoTests))*$`)
)

func (d *detector) golang() {
	if d.has("go.mod") {
		d.test("go", "go test ./...", RunnerGo, "tests: go.mod")
	}
}

// python prefers pytest when the project says so; init.sh installs into .venv.
func (d *detector) python() {
	tests := d.glob("test_*.py", "*_test.py", "tests/*.py", "test/*.py", "tests/*/test_*.py")
	if !tests && !d.glob("pytest.ini", "conftest.py") {
		return
	}
	const run = "python3 -m "
	if d.glob("pytest.ini", "conftest.py", "tests/conftest.py") || d.mentions("pytest",
		"pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.cfg", "tox.ini", "Pipfile") {
		d.test("python", run+"pytest", RunnerPytest, "tests: pytest is named")
		return
	}
	command := run + "unittest discover"
	if info, err := fs.Stat(d.fsys, "tests"); err == nil && info.IsDir() {
		command += " -s tests -t ."
		if !d.has("tests/__init__.py") {
			command = run + "unittest discover -s tests"
		}
	}
	d.test("python", command, RunnerUnittest, "tests: Python test files, run by unittest")
}

// mentions says whether one of the files contains the word.
func (d *detector) mentions(word string, files ...string) bool {
	for _, f := range files {
		if data, err := readCapped(d.fsys, f); err == nil && strings.Contains(string(data), word) {
			return true
		}
	}
	return false
}

func (d *detector) rust() {
	if d.has("Cargo.toml") {
		d.test("cargo", "cargo test --offline", RunnerCargo, "tests: Cargo.toml")
	}
}

// static finds a folder of pages that needs no server of its own.
func (d *detector) static() {
	if d.cfg.Start != "" {
		return
	}
	for _, dir := range []string{".", "public", "site", "www", "docs", "src"} {
		name := strings.TrimPrefix(dir+"/index.html", "./")
		if d.has(name) {
			d.cfg.Static = dir
			d.because("static: " + name)
			return
		}
	}
}

// readCapped reads a regular file of at most manifestCap bytes.
func readCapped(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > manifestCap {
		return nil, fs.ErrInvalid
	}
	return fs.ReadFile(fsys, name)
}
