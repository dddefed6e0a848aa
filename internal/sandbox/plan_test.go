//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is a made-up machine below a folder: facts with a home and a PATH.
func machine(t *testing.T, files ...string) (facts, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path, target, link := strings.Cut(filepath.Join(root, f), "->")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if link {
			err = os.Symlink(filepath.Join(root, target), path)
		} else {
			err = os.WriteFile(path, nil, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(root, "home")
	return facts{env: map[string]string{"HOME": home}, homes: []string{home}}, root
}

func TestToolchains(t *testing.T) {
	f, root := machine(t,
		"home/.nvm/versions/node/v22/bin/node", "home/.pyenv/shims/python3", "home/.pyenv/libexec/pyenv",
		"home/.cargo/bin/cargo", "home/.cargo/credentials.toml", "home/.rustup/toolchains/x",
		"home/go/bin/gopls", "home/go/pkg/mod/cache/download/x", "home/go/src/private/x",
		"home/sdk/go1.26/bin/go", "home/bin/mine", "home/.config/tool/bin/x", "home/.ssh/id",
		"home/.local/bin/pipx->home/.local/share/pipx/venvs/pipx/bin/pipx", "home/.local/share/pipx/venvs/pipx/bin/pipx",
		"home/.local/bin/leak->home/.ssh/id", "home/.local/share/keyrings/x",
		"home/work/app/bin/start", "home/state/tree/node_modules/.bin/x", "opt/bin/tool")
	in := func(p string) string { return filepath.Join(root, p) }
	f.env["PATH"] = strings.Join([]string{in("home/.nvm/versions/node/v22/bin"), in("home/.pyenv/shims"), in("home/.cargo/bin"), in("home/go/bin"),
		in("home/sdk/go1.26/bin"), in("home/bin"), in("home/.config/tool/bin"), in("home/.local/bin"), in("home/work/app/bin"),
		in("home/state/tree/node_modules/.bin"), in("home"), in("opt/bin"), in("missing"), "relative", ".", ""}, ":")
	got := f.toolchains(Policy{Writable: []string{in("home/state/tree")}, Hidden: []string{in("home"), in("home/work/app")}})

	var path, show []string
	for _, p := range got.path {
		if rel, ok := strings.CutPrefix(p, root+"/"); ok {
			path = append(path, rel)
		}
	}
	wantPath := []string{"home/.nvm/versions/node/v22/bin", "home/.pyenv/shims", "home/.cargo/bin", "home/go/bin", "home/sdk/go1.26/bin", "home/bin", "home/.local/bin", "opt/bin"}
	if !slices.Equal(path, wantPath) {
		t.Errorf("path:\n got %q\nwant %q", path, wantPath)
	}
	for _, p := range got.show {
		if rel, ok := strings.CutPrefix(p, root+"/home/"); ok {
			show = append(show, rel)
		}
	}
	slices.Sort(show)
	wantShow := []string{".cargo/bin", ".local/bin", ".local/share/pipx/venvs/pipx", ".nvm/versions/node/v22", ".pyenv", ".rustup", "bin", "go/bin", "go/pkg/mod", "sdk/go1.26"}
	if !slices.Equal(show, wantShow) {
		t.Errorf("show:\n got %q\nwant %q", show, wantShow)
	}
	for _, want := range []string{"PYENV_ROOT=" + in("home/.pyenv"), "RUSTUP_HOME=" + in("home/.rustup")} {
		if !slices.Contains(got.env, want) {
			t.Errorf("%s is missing in %q", want, got.env)
		}
	}
	if got.modules != in("home/go/pkg/mod") {
		t.Errorf("modules: %q", got.modules)
	}
}

func TestDeeperAndMoreOpenPathsWin(t *testing.T) {
	ms := mounts(Policy{
		Hidden:   []string{"/home", "/home/a/repo", "/home/a/tree/secret"},
		Writable: []string{"/home/a/tree"},
		ReadOnly: []string{"/home/a/tree/node_modules"},
	}, []string{"/home/a/sdk"})
	for path, want := range map[string]bool{
		"/usr/bin": true, "/home": false, "/home/a/repo/x": false, "/home/a/sdk/bin": true,
		"/home/a/tree/f": true, "/home/a/tree/secret/f": false, "/home/a/tree/node_modules/x": true, "/home/another": false,
	} {
		if got := visible(ms, path); got != want {
			t.Errorf("%s visible: %v, want %v", path, got, want)
		}
	}
	at := func(path string) mountKind {
		for _, m := range ms {
			if m.Path == path {
				return m.Kind
			}
		}
		return ""
	}
	for path, want := range map[string]mountKind{"/home": hide, "/home/a/repo": "", "/home/a/tree": writable, "/home/a/tree/secret": hide, "/home/a/tree/node_modules": readOnly} {
		if got := at(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if !slices.IsSortedFunc(ms, func(a, b mount) int { return depth(a.Path) - depth(b.Path) }) {
		t.Errorf("not shallow first: %v", ms)
	}
}

func TestPolicyIsChecked(t *testing.T) {
	s := &Sandbox{level: Namespaces, host: facts{homes: []string{"/root"}}, log: func(string) {}}
	dir := t.TempDir()
	for name, p := range map[string]Policy{
		"no folder": {}, "relative": {Dir: "x"}, "missing": {Dir: filepath.Join(dir, "missing")},
		"hidden": {Dir: dir, Hidden: []string{dir}}, "writable missing": {Dir: "/", Writable: []string{filepath.Join(dir, "missing")}},
	} {
		if _, err := s.plan(p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNetworkEnvironmentHasNoPasswords(t *testing.T) {
	f := facts{env: map[string]string{"HTTPS_PROXY": "http://proxy:3128", "HTTP_PROXY": "http://me:secret@proxy:3128", "AWS_SECRET": "x", "GOPROXY": "https://proxy.example"}}
	env := f.environ(Policy{Network: Host, Home: "/h", Temp: "/t", Cache: "/c"}, toolchains{modules: "/m"})
	for _, want := range []string{"HTTPS_PROXY=http://proxy:3128", "GOPROXY=file:///m/cache/download,https://proxy.example"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing: %q", want, env)
		}
	}
	if strings.Contains(strings.Join(env, "\n"), "secret") {
		t.Errorf("a password: %q", env)
	}
	env = f.environ(Policy{}, toolchains{modules: "/m"})
	if !slices.Contains(env, "GOPROXY=file:///m/cache/download,off") || strings.Contains(strings.Join(env, "\n"), "_PROXY=") {
		t.Errorf("without network: %q", env)
	}
}

func TestMergeLetsTheLaterWin(t *testing.T) {
	got := merge([]string{"A=1", "B=2"}, []string{"C=3", "A=4", "broken", "=x"})
	if want := []string{"A=4", "B=2", "C=3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLookPathUsesTheCellsPath(t *testing.T) {
	_, root := machine(t, "a/tool", "b/tool", "b/other", "tree/run")
	env := []string{"PATH=relative:" + root + "/a:" + root + "/b"}
	for name, want := range map[string]string{"tool": "a/tool", "other": "b/other", "./run": "tree/run", root + "/b/tool": "b/tool"} {
		got, err := lookPath(launch{Argv: []string{name}, Env: env, Dir: filepath.Join(root, "tree")})
		if err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	if _, err := lookPath(launch{Argv: []string{"ls"}, Env: env}); err == nil {
		t.Error("ls was found by another PATH")
	}
}
