package runner

import (
	"context"
	_ "embed" // the scripts that node runs
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed vitest_run.mjs
var vitestScript string

//go:embed vitest_canary.mjs
var vitestCanary string

//go:embed jest_run.cjs
var jestScript string

//go:embed jest_canary.cjs
var jestCanary string

//go:embed jest_silent.cjs
var jestSilent string

// installed finds a package of the project: upwards from where the runner
// works, in node_modules alone.
func (r *Run) installed(name string) (dir, refused string) {
	for at := r.Dir; ; at = filepath.Dir(at) {
		dir = filepath.Join(at, "node_modules", name)
		if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
			if r.inTree(dir) {
				return "", name + " is a folder of the project that stands in for the real one"
			}
			return dir, ""
		}
		if at == r.Root || at == filepath.Dir(at) {
			return "", ""
		}
	}
}

// entry resolves one of the exports of an installed package.
func entry(dir, export string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	var pkg struct {
		Exports map[string]any `json:"exports"`
		Main    string         `json:"main"`
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		return "", err
	}
	target := pkg.Exports[export]
	for {
		switch t := target.(type) {
		case string:
			return filepath.Join(dir, filepath.FromSlash(t)), nil
		case map[string]any:
			if target = t["import"]; target == nil {
				target = t["default"]
			}
			continue
		}
		if export == "." && pkg.Main != "" {
			return filepath.Join(dir, filepath.FromSlash(pkg.Main)), nil
		}
		return "", fmt.Errorf("%s has no export %s", filepath.Base(dir), export)
	}
}

// javascript runs a script of the harness that loads the project's own copy of
// a runner.
func (r *Run) javascript(ctx context.Context, name string, o orders, files map[string]string) (Report, []event, error) {
	node, ok := r.tool("node")
	if !ok {
		return Absent("node"), nil, nil
	}
	var script string
	for file, source := range files {
		path, err := r.place(file, source)
		if err != nil {
			return Report{}, nil, err
		}
		if strings.HasPrefix(file, name+"_run.") {
			script = path
		}
	}
	res, events, err := r.script(ctx, o, node, script)
	if err != nil {
		return Report{}, nil, err
	}
	var rep Report
	if rep.Interrupted(res, r.Limit, false) {
		rep.Output = string(res.Output)
		return rep, events, nil
	}
	rep.take(events, r.secret())
	rep.Output += string(res.Output)
	if rep.Reason != "" && len(events) == 0 {
		rep.Reason += ": " + lastLines(res.Output, 2)
	}
	return rep, events, nil
}

type vitest struct{}

func (vitest) start(ctx context.Context, r *Run, list bool) (Report, []event, error) {
	dir, refused := r.installed("vitest")
	if refused != "" {
		return Refused("%s", refused), nil, nil
	}
	if dir == "" {
		return Absent("vitest (node_modules)"), nil, nil
	}
	module, err := entry(dir, "./node")
	if err != nil {
		return Refused("vitest cannot be started: %v", err), nil, nil
	}
	api, err := entry(dir, ".")
	if err != nil {
		return Refused("vitest cannot be started: %v", err), nil, nil
	}
	canary := strings.NewReplacer("@VITEST@", filepath.ToSlash(api), "@NAME@", r.secret()[:12]).Replace(vitestCanary)
	return r.javascript(ctx, "vitest", orders{Args: r.Args, Only: r.Only, List: list, Module: module, Canary: filepath.Join(r.Own, "canary.mjs")},
		map[string]string{"vitest_run.mjs": vitestScript, "canary.mjs": canary})
}

func (v vitest) Run(ctx context.Context, r *Run) (Report, error) {
	rep, _, err := v.start(ctx, r, false)
	return rep, err
}

func (v vitest) List(ctx context.Context, r *Run) ([]string, error) {
	rep, events, err := v.start(ctx, r, true)
	if err != nil {
		return nil, err
	}
	ids, ended := listed(events, r.secret())
	if !ended {
		return nil, fmt.Errorf("list the tests: %s", orElse(rep.Reason, "no end was seen"))
	}
	return ids, nil
}

type jest struct{}

func (jest) Run(ctx context.Context, r *Run) (Report, error) {
	dir, refused := r.installed("jest")
	if refused != "" {
		return Refused("%s", refused), nil
	}
	if dir == "" {
		return Absent("jest (node_modules)"), nil
	}
	canary := strings.ReplaceAll(jestCanary, "@NAME@", r.secret()[:12])
	rep, _, err := r.javascript(ctx, "jest", orders{Args: r.Args, Only: r.Only, Module: dir, Canary: filepath.Join(r.Own, "canary.cjs")},
		map[string]string{"jest_run.cjs": jestScript, "canary.cjs": canary, "silent.cjs": jestSilent})
	return rep, err
}

func (jest) List(context.Context, *Run) ([]string, error) { return nil, ErrCannotList }
