package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/hint"
)

func TestForeignHooksPaths(t *testing.T) {
	cases := map[string]struct {
		set  func(p *fixture)
		want string
	}{
		"off":    {func(p *fixture) { p.git("config", "core.hooksPath", "/dev/null") }, "switches all hooks off"},
		"global": {func(p *fixture) { p.git("config", "--global", "core.hooksPath", p.t.TempDir()) }, "every repository"},
		"tracked": {func(p *fixture) {
			p.write(".githooks/pre-commit", "#!/bin/sh\n")
			p.git("add", ".")
			p.git("config", "core.hooksPath", ".githooks")
		}, "belong to the project"},
		"shared": {func(p *fixture) { p.git("config", "core.hooksPath", p.t.TempDir()) }, "other repositories"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, bin := bare(t)
			c.set(p)
			_, err := Install(t.Context(), p.repo, bin)
			if !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), c.want) || len(hint.Of(err)) == 0 {
				t.Errorf("err = %v, hints %q", err, hint.Of(err))
			}
			s, err := Inspect(t.Context(), p.repo)
			if err != nil || s.OK() || s.Obstacle == "" {
				t.Errorf("%+v, %v", s, err)
			}
			if _, err := Uninstall(t.Context(), p.repo); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(p.dir, ".git", "hooks", "pre-commit")); err == nil {
				t.Error("a hook was written to a folder that does not count")
			}
		})
	}
}

func TestTheLineByHandIsEnough(t *testing.T) {
	p := newProject(t)
	bin := agentOnPath(t)
	p.git("config", "core.hooksPath", ".githooks")
	for _, hook := range hookNames() {
		p.write(".githooks/"+hook, "#!/bin/sh\n"+Line(hook)+"\n")
		if err := os.Chmod(filepath.Join(p.dir, ".githooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if done := p.install(bin); done.Hooks[0].Done != "by hand" {
		t.Errorf("%+v", done)
	}
	p.write("calc_test.go", "x\n")
	p.refused("tests.changed", "commit", "-qam", "x")
	if err := Probe(t.Context(), p.repo); err != nil {
		t.Error(err)
	}
}

func TestDefaultHooksPathWrittenOut(t *testing.T) {
	p, bin := bare(t)
	p.git("config", "core.hooksPath", ".git/hooks")
	if done := p.install(bin); done.Hooks[0].Done != "created" {
		t.Errorf("%+v", done)
	}
}

// husky 9: hooksPath is .husky/_, made anew by npm; what people keep is beside it.
func TestHusky(t *testing.T) {
	p := newProject(t)
	bin := agentOnPath(t)
	p.write(".husky/_/.gitignore", "*")
	p.write(".husky/_/h", "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n")
	for _, hook := range hookNames() {
		p.write(".husky/_/"+hook, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n")
		if err := os.Chmod(filepath.Join(p.dir, ".husky/_", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.git("config", "core.hooksPath", ".husky/_")
	for name, content := range map[string]string{"section": "echo user-hook\n", "kept": "echo user-hook\nexit 0\n"} {
		p.write(".husky/pre-commit", content)
		before := snapshot(t, filepath.Join(p.dir, ".husky"))
		p.install(bin)
		if strings.Contains(p.read(".husky/pre-commit"), bin) {
			t.Errorf("%s: a path of this machine is in a shared file", name)
		}
		if s, err := Inspect(t.Context(), p.repo); err != nil || !s.OK() {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		p.write("calc_test.go", "x\n")
		if out := p.refused("tests.changed", "commit", "-qm", "x", "--", "calc_test.go"); !strings.Contains(out, "user-hook") {
			t.Errorf("%s: the user's hook did not run:\n%s", name, out)
		}
		if _, err := Uninstall(t.Context(), p.repo); err != nil || !same(before, snapshot(t, filepath.Join(p.dir, ".husky"))) {
			t.Errorf("%s: not as it was: %v", name, err)
		}
	}
}
