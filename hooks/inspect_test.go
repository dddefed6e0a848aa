package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInspectSeesWhatWentWrong(t *testing.T) {
	cases := map[string]struct {
		harm func(p *fixture, pre string)
		want string
	}{
		"never installed": {func(p *fixture, pre string) {
			if _, err := Uninstall(p.t.Context(), p.repo); err != nil {
				p.t.Fatal(err)
			}
		}, "not installed"},
		"run bit lost":     {func(p *fixture, pre string) { _ = os.Chmod(pre, 0o644) }, "no run bit"},
		"husky came later": {func(p *fixture, pre string) { p.git("config", "core.hooksPath", ".other") }, "core.hooksPath sends git to"},
		"an exit came later": {func(p *fixture, pre string) {
			data, _ := os.ReadFile(pre)
			write(p.t, pre, strings.Replace(string(data), "echo", "exit 0\necho", 1), 0o755)
		}, "may not be reached"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, bin := bare(t)
			pre := filepath.Join(p.dir, ".git", "hooks", "pre-commit")
			write(t, pre, "#!/bin/sh\necho\n", 0o755)
			p.install(bin)
			c.harm(p, pre)
			s, err := Inspect(t.Context(), p.repo)
			if err != nil || s.OK() || !slices.ContainsFunc(s.Hooks, func(h HookState) bool { return strings.Contains(h.Problem, c.want) }) {
				t.Errorf("%+v, %v", s, err)
			}
			if err := Probe(t.Context(), p.repo); err == nil {
				t.Error("the probe passes")
			}
		})
	}
}

func TestProbe(t *testing.T) {
	p, bin := bare(t)
	// A user's hook that would fail in any other repository is not run.
	write(t, filepath.Join(p.dir, ".git", "hooks", "pre-commit"), "#!/bin/sh\ntest -e only-here\n", 0o755)
	p.install(bin)
	if err := Probe(t.Context(), p.repo); err != nil {
		t.Error(err)
	}
	t.Setenv("GIT_AGENT_HOOKS", "0")
	if err := Probe(t.Context(), p.repo); err == nil {
		t.Error("switched off, and the probe passes")
	}
	t.Setenv("GIT_AGENT_HOOKS", "1")
	if err := os.Remove(bin); err != nil {
		t.Fatal(err)
	}
	if err := Probe(t.Context(), p.repo); err == nil {
		t.Error("no binary, and the probe passes")
	}
}
