package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/testenv"
)

// fakeTools puts programs on PATH that write down how they were called.
func fakeTools(t *testing.T) (log string) {
	t.Helper()
	bin := t.TempDir()
	log = filepath.Join(bin, "log")
	for name, body := range map[string]string{
		"npm":     `echo "npm $1" >>"$TOOL_LOG"; mkdir -p node_modules`,
		"go":      `echo "go $*" >>"$TOOL_LOG"`,
		"cargo":   `echo "cargo $*" >>"$TOOL_LOG"`,
		"python3": `echo "python3 $*" >>"$TOOL_LOG"; mkdir -p .venv/bin; printf '#!/bin/sh\necho "pip $*" >>"$TOOL_LOG"\n' >.venv/bin/python; chmod +x .venv/bin/python`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("TOOL_LOG", log)
	return log
}

// runScript runs init.sh as the harness does and returns its output and calls.
func runScript(t *testing.T, dir, log string) (output, calls string) {
	t.Helper()
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", filepath.Join(dir, InitScript))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("init.sh: %v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), strings.TrimSpace(string(data))
}

func TestScriptInstallsOnceAndAdapts(t *testing.T) {
	testenv.Clean(t)
	log := fakeTools(t)
	cases := []struct {
		name         string
		files        map[string]string
		first, again string
	}{
		{"nothing", map[string]string{"index.html": ""}, "", ""},
		{"npm ci", map[string]string{"package.json": "{}", "package-lock.json": "{}"}, "npm ci", ""},
		{"npm install", map[string]string{"package.json": `{"dependencies":{"a":"1"}}`}, "npm install", ""},
		{"npm dev", map[string]string{"package.json": `{"devDependencies" : {}}`}, "npm install", ""},
		{"npm without dependencies", map[string]string{"package.json": `{"scripts":{}}`}, "", ""},
		{"go", map[string]string{"go.mod": "module x\nrequire a v1\n"}, "go mod download", "go mod download"},
		{"go without", map[string]string{"go.mod": "module x\n"}, "", ""},
		{"cargo", map[string]string{"Cargo.toml": "", "Cargo.lock": ""}, "cargo fetch --quiet --locked", "cargo fetch --quiet --locked"},
		{"python", map[string]string{"requirements.txt": "a\n"}, "python3 -m venv .venv\npip -m pip install --quiet --disable-pip-version-check -r requirements.txt", ""},
		{"workspaces", map[string]string{"package.json": `{"workspaces":["web"]}`, "package-lock.json": "{}", "web/package.json": `{"dependencies":{}}`}, "npm ci", ""},
		{"below", map[string]string{"web/package.json": "{}", "web/package-lock.json": "{}", "odd name/package.json": "{}"}, "npm ci", ""},
	}
	for _, c := range cases {
		dir := t.TempDir()
		for name, content := range c.files {
			testenv.Write(t, dir, name, content)
		}
		testenv.Write(t, dir, InitScript, string(Script(os.DirFS(dir))))
		out, calls := runScript(t, dir, log)
		if out != "" || calls != c.first {
			t.Errorf("%s: printed %q, called %q; want %q", c.name, out, calls, c.first)
		}
		if out, calls := runScript(t, dir, log); out != "" || calls != c.again {
			t.Errorf("%s, again: printed %q, called %q; want %q", c.name, out, calls, c.again)
		}
	}
}

// A lockfile that appears or changes later is seen without changing init.sh,
// and what was installed stays out of git.
func TestScriptSeesChanges(t *testing.T) {
	testenv.Clean(t)
	log := fakeTools(t)
	dir := testenv.Repo(t)
	testenv.Write(t, dir, InitScript, string(Script(os.DirFS(dir))))
	if _, calls := runScript(t, dir, log); calls != "" {
		t.Errorf("empty: %q", calls)
	}
	testenv.Write(t, dir, "package.json", `{"dependencies":{"a":"1"}}`)
	if _, calls := runScript(t, dir, log); calls != "npm install" {
		t.Errorf("manifest: %q", calls)
	}
	testenv.Write(t, dir, "package-lock.json", `{}`)
	if _, calls := runScript(t, dir, log); calls != "npm ci" {
		t.Errorf("lockfile: %q", calls)
	}
	if got := testenv.Git(t, dir, "status", "--porcelain", "-uall"); strings.Contains(got, "node_modules") {
		t.Errorf("installed files show up: %s", got)
	}
}

func TestScriptFailsWhenAnInstallerFails(t *testing.T) {
	testenv.Clean(t)
	log := fakeTools(t)
	dir := t.TempDir()
	testenv.Write(t, dir, "package.json", "{}")
	testenv.Write(t, dir, "package-lock.json", "{}")
	testenv.Write(t, dir, InitScript, string(Script(os.DirFS(dir))))
	npm := filepath.Join(filepath.Dir(log), "npm")
	if err := os.WriteFile(npm, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a failed install must not count as done
		if err := exec.Command("sh", filepath.Join(dir, InitScript)).Run(); err == nil {
			t.Error("init.sh hides that npm failed")
		}
	}
}
