package runner

import (
	"context"
	_ "embed" // the two scripts that python runs
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitagent/internal/sandbox"
)

//go:embed pytest_run.py
var pytestScript string

//go:embed unittest_run.py
var unittestScript string

// noModule is the exit code of a script that finds no runner in its Python.
const noModule = 77

// pythons are the interpreters to try: what the project installed, then those
// of the machine.
func (r *Run) pythons(name string) (all []string, refused string) {
	for _, dir := range []string{r.Dir, r.Root} {
		venv := filepath.Join(dir, ".venv", "bin", "python3")
		if _, err := os.Lstat(venv); err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(venv); err != nil || strings.HasPrefix(real, r.Root+string(filepath.Separator)) {
			return nil, "the Python in .venv is a file of the project"
		}
		all = append(all, venv)
		break
	}
	all = append(all, r.tools("python3")...)
	// Those with the runner's own command beside them are tried first.
	slices.SortStableFunc(all, func(a, b string) int { return has(b, name) - has(a, name) })
	return all, ""
}

func has(python, name string) int {
	for _, n := range []string{name, name + "-3", name + "3"} {
		if st, err := os.Stat(filepath.Join(filepath.Dir(python), n)); err == nil && st.Mode().IsRegular() {
			return 1
		}
	}
	return 0
}

// python runs a script of the harness in the first Python that has the runner.
// -E and -s keep environment and user folder from putting modules before it;
// the project's own folder joins the path once the runner is loaded.
func (r *Run) python(ctx context.Context, name, source string, list bool) (Report, []event, error) {
	file, err := r.place(name+"_run.py", source)
	if err != nil {
		return Report{}, nil, err
	}
	candidates, refused := r.pythons(name)
	if refused != "" {
		return Refused("%s", refused), nil, nil
	}
	for _, python := range candidates {
		res, events, err := r.script(ctx, orders{Args: r.Args, Only: r.Only, List: list}, python, "-E", "-s", file)
		if err != nil {
			return Report{}, nil, err
		}
		if res.ExitCode == noModule && len(events) == 0 {
			continue
		}
		return r.pythonReport(name, res, events, list), events, nil
	}
	if len(candidates) == 0 {
		return Absent("python3"), nil, nil
	}
	return Absent(name), nil, nil
}

func (r *Run) pythonReport(name string, res sandbox.Result, events []event, list bool) (rep Report) {
	if rep.Interrupted(res, r.Limit, false) {
		rep.Output = string(res.Output)
		return rep
	}
	rep.take(events, r.secret())
	if rep.Finished && name == "pytest" {
		res.Output = nil // it shows the failure of the canary
	}
	rep.Output += string(res.Output)
	for _, e := range events {
		if e.T == "module" && r.inTree(e.Text) {
			rep.Finished, rep.Reason = false, "the test runner is a file of the project: "+filepath.Base(e.Text)
		}
	}
	if rep.Reason != "" && len(events) == 0 && !list {
		rep.Reason += ": " + lastLines(res.Output, 2)
	}
	return rep
}

func (r *Run) pythonList(ctx context.Context, name, source string) ([]string, error) {
	rep, events, err := r.python(ctx, name, source, true)
	if err != nil {
		return nil, err
	}
	ids, ended := listed(events, r.secret())
	if !ended {
		return nil, fmt.Errorf("list the tests: %s", orElse(rep.Reason, "no end was seen"))
	}
	return ids, nil
}

type pytest struct{}

func (pytest) Run(ctx context.Context, r *Run) (Report, error) {
	rep, _, err := r.python(ctx, "pytest", pytestScript, false)
	return rep, err
}

func (pytest) List(ctx context.Context, r *Run) ([]string, error) {
	return r.pythonList(ctx, "pytest", pytestScript)
}

type unittest struct{}

func (unittest) Run(ctx context.Context, r *Run) (Report, error) {
	rep, _, err := r.python(ctx, "unittest", unittestScript, false)
	return rep, err
}

func (unittest) List(ctx context.Context, r *Run) ([]string, error) {
	return r.pythonList(ctx, "unittest", unittestScript)
}
