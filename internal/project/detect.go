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
	d.golang()
	d.python()
	d.rust()
	d.static()
	return d.cfg, d.reasons
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
	default:
		d.test("npm", "npm test", RunnerExit, "tests: package.json has a test script; its exit code decides")
	}
}

var (
	viteServer = regexp.MustCompile(`^(npx )?vite( dev| serve| preview)?( |$)`)
	// One plain command: anything chained would escape the per-test results.
	nodeTest = regexp.MustCompile(`^node (--?[a-zA-Z][^|;&<>]* )?--test[^|;&<>]*$`)
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
	const run = `PATH="$PWD/.venv/bin:$PATH" python3 -m `
	if d.glob("pytest.ini", "conftest.py", "tests/conftest.py") || d.mentions("pytest",
		"pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.cfg", "tox.ini", "Pipfile") {
		d.test("python", run+"pytest -q", RunnerExit, "tests: pytest is named; its exit code decides")
		return
	}
	command := run + "unittest discover"
	if info, err := fs.Stat(d.fsys, "tests"); err == nil && info.IsDir() {
		command += " -s tests -t ."
		if !d.has("tests/__init__.py") {
			command = run + "unittest discover -s tests"
		}
	}
	d.test("python", command, RunnerExit, "tests: Python test files, run by unittest; its exit code decides")
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
		d.test("cargo", "cargo test --offline", RunnerExit, "tests: Cargo.toml; the exit code decides")
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
