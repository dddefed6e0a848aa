package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/testenv"
)

// bare is a repository without anything of ours.
func bare(t *testing.T) (*fixture, string) {
	t.Helper()
	testenv.Clean(t)
	p := &fixture{t: t, dir: testenv.Repo(t)}
	p.open()
	return p, agentOnPath(t)
}

func (p *fixture) open() {
	p.t.Helper()
	repo, err := gitops.OpenLenient(p.t.Context(), p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	p.repo = repo
	p.t.Cleanup(func() { repo.Close() })
}

func (p *fixture) install(binary string) Installed {
	p.t.Helper()
	done, err := Install(p.t.Context(), p.repo, binary)
	if err != nil {
		p.t.Fatal(err)
	}
	return done
}

// snapshot describes every file of a folder: mode, link target or content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		what := info.Mode().String()
		if to, err := os.Readlink(path); err == nil {
			what += " -> " + to
		} else if data, err := os.ReadFile(path); err == nil {
			what += " " + string(data)
		}
		out[e.Name()] = what
	}
	return out
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// Whatever hook was there: it runs first with its arguments, its refusal counts,
// ours runs after it, a second install changes nothing, and uninstalling leaves
// every byte and mode as it was.
func TestInstallBesideAnyHook(t *testing.T) {
	const mark = "echo user-hook\n"
	cases := []struct {
		name, content string
		mode          os.FileMode
		done          string
		runs          bool // the user's hook is run
	}{
		{"plain", "#!/bin/sh\n" + mark, 0o755, "added", true},
		{"no newline at the end", "#!/bin/sh\n" + strings.TrimSpace(mark), 0o755, "added", true},
		{"mode 0700", "#!/bin/bash\n" + mark, 0o700, "added", true},
		{"ends in exec", "#!/bin/sh\nexec " + mark, 0o755, "kept", true},
		{"ends in exit", "#!/bin/sh\n" + mark + "exit 0\n", 0o755, "kept", true},
		{"leaves early", "#!/bin/sh\n" + mark + "[ -n \"$NOPE\" ] || exit 0\n", 0o755, "kept", true},
		{"another language", "#!/usr/bin/env perl\nprint \"user-hook\\n\";\n", 0o755, "kept", true},
		{"no run bit", "#!/bin/sh\n" + mark, 0o644, "kept", false},
		{"carriage returns", "#!/bin/sh\n" + "echo user-hook\r\n", 0o755, "kept", true},
		{"empty", "", 0o755, "added", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, bin := bare(t)
			dir := filepath.Join(p.dir, ".git", "hooks")
			write(t, filepath.Join(dir, "pre-commit"), c.content, c.mode)
			before := snapshot(t, dir)
			if got := p.install(bin).Hooks[0]; got.Done != c.done {
				t.Errorf("done %q (%s), want %q", got.Done, got.Why, c.done)
			}
			once := snapshot(t, dir)
			p.install(bin)
			if !same(once, snapshot(t, dir)) {
				t.Error("the second run changed something")
			}
			p.write("a", "a\n")
			p.git("add", ".")
			ok, out := p.try("commit", "-qm", "x")
			if !ok || strings.Contains(out, "user-hook") != c.runs {
				t.Errorf("commit: %v, %q", ok, out)
			}
			if s, err := Inspect(t.Context(), p.repo); err != nil || !s.OK() {
				t.Errorf("Inspect: %+v, %v", s, err)
			}
			if _, err := Uninstall(t.Context(), p.repo); err != nil {
				t.Fatal(err)
			}
			if after := snapshot(t, dir); !same(before, after) {
				t.Errorf("not as it was: %q, want %q", after["pre-commit"], before["pre-commit"])
			}
		})
	}
}

func TestUserRefusalCounts(t *testing.T) {
	for _, c := range []string{"#!/bin/sh\nfalse\n", "#!/bin/sh\nexec false\n"} {
		p, bin := bare(t)
		write(t, filepath.Join(p.dir, ".git", "hooks", "pre-commit"), c, 0o755)
		p.install(bin)
		p.write("a", "a\n")
		p.git("add", ".")
		if ok, _ := p.try("commit", "-qm", "x"); ok {
			t.Errorf("%q: committed", c)
		}
	}
}

func TestOurGuardFiresBehindAnyHook(t *testing.T) {
	for _, c := range []string{"#!/bin/sh\ntrue\n", "#!/bin/sh\nexec true\n", "#!/bin/sh\nexit 0\n", "#!/usr/bin/perl\n1;\n"} {
		p := newProject(t)
		bin := agentOnPath(t)
		for _, hook := range hookNames() {
			write(t, filepath.Join(p.dir, ".git", "hooks", hook), c, 0o755)
		}
		p.install(bin)
		p.write("calc_test.go", "x\n")
		p.refused("tests.changed", "commit", "-qam", "x")
	}
}

func TestSymlinkedHooks(t *testing.T) {
	p, bin := bare(t)
	dir := filepath.Join(p.dir, ".git", "hooks")
	write(t, filepath.Join(p.dir, "script.sh"), "#!/bin/sh\necho user-hook\n", 0o755)
	for name, to := range map[string]string{"pre-commit": "../../script.sh", "commit-msg": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, dir)
	p.install(bin)
	p.git("add", ".")
	if ok, out := p.try("commit", "-qm", "x"); !ok || !strings.Contains(out, "user-hook") {
		t.Errorf("commit: %v, %q", ok, out)
	}
	if _, err := Uninstall(t.Context(), p.repo); err != nil {
		t.Fatal(err)
	}
	if !same(before, snapshot(t, dir)) {
		t.Error("links are not as they were")
	}
	if data, _ := os.ReadFile(filepath.Join(p.dir, "script.sh")); string(data) != "#!/bin/sh\necho user-hook\n" {
		t.Errorf("the target was changed: %q", data)
	}
}

func TestUninstallTakesOnlyWhatWeWrote(t *testing.T) {
	p, bin := bare(t)
	dir := filepath.Join(p.dir, ".git", "hooks")
	before := snapshot(t, dir)
	p.install(bin)
	if _, err := Uninstall(t.Context(), p.repo); err != nil || !same(before, snapshot(t, dir)) {
		t.Errorf("fresh hooks are not gone: %v, %v", err, snapshot(t, dir))
	}
	p.install(bin)
	pre := filepath.Join(dir, "pre-commit")
	content, _ := os.ReadFile(pre)
	write(t, pre, string(content)+"echo later\n", 0o755)
	if _, err := Uninstall(t.Context(), p.repo); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(pre); string(got) != "#!/bin/sh\necho later\n" {
		t.Errorf("lines added after ours: %q", got)
	}
	// Lines that were added to the file that calls a kept hook are not lost.
	write(t, pre, "#!/bin/sh\nexec true\n", 0o755)
	p.install(bin)
	content, _ = os.ReadFile(pre)
	write(t, pre, string(content)+"echo later\n", 0o755)
	with := snapshot(t, dir)
	if _, err := Uninstall(t.Context(), p.repo); err == nil || len(hint.Of(err)) == 0 || !same(with, snapshot(t, dir)) {
		t.Errorf("err %v", err)
	}
}

func TestAKeptHookIsNeverOverwritten(t *testing.T) {
	p, bin := bare(t)
	dir := filepath.Join(p.dir, ".git", "hooks")
	write(t, filepath.Join(dir, "pre-commit"), "#!/bin/sh\nexec true\n", 0o755)
	write(t, filepath.Join(dir, "pre-commit"+keptSuffix), "older\n", 0o755)
	before := snapshot(t, dir)
	if _, err := Install(t.Context(), p.repo, bin); err == nil || len(hint.Of(err)) == 0 {
		t.Fatalf("err = %v", err)
	}
	if !same(before, snapshot(t, dir)) {
		t.Error("something was changed")
	}
}

func TestBinaryMayMoveOrBeAbsent(t *testing.T) {
	p, bin := bare(t)
	p.install("/first/place/git-agent")
	if got := p.install(bin).Hooks[0]; got.Done != "renewed" {
		t.Errorf("done %q", got.Done)
	}
	p.write("a", "a\n")
	p.git("add", ".")
	t.Setenv("PATH", "/usr/bin:/bin")
	p.quiet("commit", "-qm", "by the recorded path")
	s, err := Inspect(t.Context(), p.repo)
	if err != nil || s.Binary != "" || s.Bare != bin {
		t.Errorf("%+v, %v", s, err)
	}
	if err := os.Remove(bin); err != nil {
		t.Fatal(err)
	}
	p.quiet("commit", "-q", "--allow-empty", "-m", "absent")
	if s, err = Inspect(t.Context(), p.repo); err != nil || s.OK() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestPermitRefusals(t *testing.T) {
	p, _ := bare(t)
	for _, c := range [][2]string{{"everything", "why"}, {GuardTests, " \n"}} {
		if err := Permit(t.Context(), p.repo, c[0], c[1]); err == nil || len(hint.Of(err)) == 0 {
			t.Errorf("%q: %v", c, err)
		}
	}
}
