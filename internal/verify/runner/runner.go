package runner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
)

// ErrCannotList is returned by runners that cannot name their tests without
// running them.
var ErrCannotList = errors.New("this runner cannot list its tests without running them")

// Runner knows one test runner.
type Runner interface {
	// Run runs the tests and reads their results. The error is about the
	// context and the cell alone: whatever the runner does is in the report.
	Run(ctx context.Context, r *Run) (Report, error)
	// List names the tests without running them; ErrCannotList where that is
	// not possible.
	List(ctx context.Context, r *Run) ([]string, error)
}

// For is the runner of that name, nil when there is none of its own: the exit
// code is all that is known then.
func For(name string) Runner {
	switch name {
	case project.RunnerGo:
		return goTest{}
	case project.RunnerNode:
		return nodeTest{}
	case project.RunnerVitest:
		return vitest{}
	case project.RunnerJest:
		return jest{}
	case project.RunnerPytest:
		return pytest{}
	case project.RunnerUnittest:
		return unittest{}
	case project.RunnerCargo:
		return cargo{}
	case project.RunnerJUnit:
		return junit{}
	}
	return nil
}

// Run is one run of a runner in a cell of its own.
type Run struct {
	Cell *sandbox.Cell
	Root string // the product tree
	Dir  string // where the runner works, in Root
	// Own is an empty folder that the cell can read and not write; Temp one
	// that it can write. Both lie outside the tree.
	Own, Temp string
	Args      []string // of the test command: packages, files, a filter by name
	Only      []string // ids; none means all
	Command   string   // the line for a shell, where that is all there is
	Reports   string   // pattern of JUnit files in Dir, where the command names none
	Limit     time.Duration

	nonce string // what only this run knows
}

// reportOutput is how many bytes are read of a report that comes as output.
const reportOutput = 60 << 20

// maxReport is how many bytes are read of a report in a file.
const maxReport = 64 << 20

// secret is the run's nonce: lower-case letters and digits.
func (r *Run) secret() string {
	if r.nonce == "" {
		r.nonce = strings.ToLower(rand.Text())
	}
	return r.nonce
}

// exec starts a program of the runner. Nothing of the environment may choose,
// filter or preload.
func (r *Run) exec(ctx context.Context, stdin string, max int64, argv ...string) (sandbox.Result, error) {
	res, err := r.Cell.Run(ctx, sandbox.Spec{
		Argv: argv, Dir: r.Dir, Timeout: r.Limit, MaxOutput: max, Stdin: strings.NewReader(stdin),
		Env: []string{
			"GOFLAGS=-modcacherw", "GOENV=off", "NODE_OPTIONS=", "NODE_PATH=", "NODE_ENV=", "PYTHONDONTWRITEBYTECODE=1",
			"PYTEST_ADDOPTS=", "RUSTC_WRAPPER=", "RUSTFLAGS=", "CARGO_BUILD_RUSTC_WRAPPER=",
		},
	})
	if errors.Is(err, exec.ErrNotFound) {
		return sandbox.Result{ExitCode: 127, Output: []byte(argv[0] + ": not found")}, nil
	}
	return res, err
}

// place writes a file of the harness where the product can only read it.
func (r *Run) place(name, source string) (string, error) {
	file := filepath.Join(r.Own, name)
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		return "", fmt.Errorf("write the test runner's %s: %w", name, err)
	}
	return file, nil
}

// orders are what a script of the harness is told on its standard input, where
// the product's code, which comes later, does not find it.
type orders struct {
	Nonce  string   `json:"nonce"`
	Report string   `json:"report"`
	Dir    string   `json:"dir"`
	Args   []string `json:"args"`
	Only   []string `json:"only"`
	List   bool     `json:"list"`
	Module string   `json:"module,omitempty"` // the runner's own entry
	Canary string   `json:"canary,omitempty"`
}

// script runs a script of the harness that writes its report to a file whose
// name nobody else is told.
func (r *Run) script(ctx context.Context, o orders, argv ...string) (sandbox.Result, []event, error) {
	o.Nonce, o.Dir = r.secret(), r.Dir
	o.Report = filepath.Join(r.Temp, strings.ToLower(rand.Text()))
	defer os.Remove(o.Report)
	line, err := json.Marshal(o)
	if err != nil {
		return sandbox.Result{}, nil, err
	}
	res, err := r.exec(ctx, string(line)+"\n", 0, argv...)
	if err != nil {
		return res, nil, err
	}
	data, err := readReport(o.Report)
	if err != nil {
		return res, nil, nil // nothing was reported; the caller sees that the end is missing
	}
	return res, readEvents(data), nil
}

// readReport reads a file that the product might have put something else into.
func readReport(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxReport {
		return nil, errors.New("not a report")
	}
	return os.ReadFile(path)
}

// tool finds a program by the cell's PATH, which holds no folder that the
// product can write to, and gives its absolute path.
func (r *Run) tool(name string) (string, bool) {
	all := r.tools(name)
	if len(all) == 0 {
		return "", false
	}
	return all[0], true
}

// tools are all programs of that name on the cell's PATH.
func (r *Run) tools(name string) (all []string) {
	for _, kv := range r.Cell.Env() {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				all = append(all, path)
			}
		}
	}
	return all
}

// inTree says whether a path, links followed, is one of the product's own
// files: those that were installed are not.
func (r *Run) inTree(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	root, err := filepath.EvalSymlinks(r.Root)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		if part == "node_modules" || part == ".venv" {
			return false
		}
	}
	return true
}

// lastLines joins the last n lines of what was printed that say anything.
func lastLines(output []byte, n int) string {
	var lines []string
	for _, l := range strings.Split(strings.TrimRight(plain.Text(string(output)), "\n"), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, plain.Line(l, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}
