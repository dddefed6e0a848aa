package project

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return out
}

func TestDetect(t *testing.T) {
	const py = `python3 -m `
	cases := []struct {
		name  string
		files map[string]string
		want  Config
	}{
		{"empty", nil, Config{}},
		{"only a readme", map[string]string{"README.md": ""}, Config{}},
		{"static", map[string]string{"index.html": ""}, Config{Static: "."}},
		{"static below", map[string]string{"public/index.html": ""}, Config{Static: "public"}},
		{"npm", map[string]string{"package.json": `{"scripts":{"dev":"nodemon x","start":"node server.js","test":"node --test test/"}}`, "index.html": ""},
			Config{Start: "npm run start", Tests: []TestCommand{{"npm", "", "node --test test/", RunnerNode, ""}}}},
		{"vite", map[string]string{"package.json": `{"scripts":{"dev":"vite","test":"vitest run"}}`, "index.html": ""},
			Config{Start: `npm run dev -- --port "$PORT" --strictPort`, Tests: []TestCommand{{"npm", "", "npx vitest run", RunnerVitest, ""}}}},
		{"npm placeholder", map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`, "index.html": ""}, Config{Static: "."}},
		{"chained node test", map[string]string{"package.json": `{"scripts":{"test":"node --test || true"}}`}, Config{Tests: []TestCommand{{"npm", "", "npm test", RunnerExit, ""}}}},
		{"npm broken", map[string]string{"package.json": `{`}, Config{}},
		{"go", map[string]string{"go.mod": "module x"}, Config{Tests: []TestCommand{{"go", "", "go test ./...", RunnerGo, ""}}}},
		{"pytest", map[string]string{"requirements.txt": "pytest==8\n", "tests/test_a.py": ""}, Config{Tests: []TestCommand{{"python", "", py + "pytest", RunnerPytest, ""}}}},
		{"unittest", map[string]string{"tests/__init__.py": "", "tests/test_a.py": ""}, Config{Tests: []TestCommand{{"python", "", py + "unittest discover -s tests -t .", RunnerUnittest, ""}}}},
		{"unittest flat", map[string]string{"test_a.py": ""}, Config{Tests: []TestCommand{{"python", "", py + "unittest discover", RunnerUnittest, ""}}}},
		{"python without tests", map[string]string{"pyproject.toml": "[project]\n"}, Config{}},
		{"rust", map[string]string{"Cargo.toml": ""}, Config{Tests: []TestCommand{{"cargo", "", "cargo test --offline", RunnerCargo, ""}}}},
	}
	for _, c := range cases {
		got, reasons := Detect(tree(c.files))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if (len(reasons) == 0) != cmp.Equal(c.want, Config{}) {
			t.Errorf("%s: reasons %v", c.name, reasons)
		}
		if again, err := Parse(got.Bytes()); err != nil || !cmp.Equal(got, again) {
			t.Errorf("%s: written and read: %+v, %v", c.name, again, err)
		}
	}
}

func TestWithDetectedKeepsWhatIsSet(t *testing.T) {
	fsys := tree(map[string]string{"index.html": "", "go.mod": "module x"})
	if got := (Config{}).WithDetected(fsys); got.Static != "." || len(got.Tests) != 1 {
		t.Errorf("%+v", got)
	}
	set := Config{Start: "./serve", Tests: []TestCommand{{"a", "", "b", RunnerExit, ""}}}
	if got := set.WithDetected(fsys); !cmp.Equal(got, set) {
		t.Errorf("%+v", got)
	}
}

func TestLockDigestFollowsDependenciesAlone(t *testing.T) {
	base := map[string]string{"package.json": "{}", "package-lock.json": "1", "web/go.sum": "2", "src/app.js": "3", "node_modules/x/package.json": "4", "a/b/Cargo.lock": "5"}
	with := func(name, content string) string {
		files := map[string]string{}
		for k, v := range base {
			files[k] = v
		}
		files[name] = content
		return LockDigest(tree(files))
	}
	if got := LockDigest(tree(map[string]string{"main.js": "1"})); got != "" {
		t.Errorf("without dependency files: %q", got)
	}
	same := LockDigest(tree(base))
	for _, c := range []struct {
		name, content string
		changes       bool
	}{
		{"package-lock.json", "9", true}, {"web/go.sum", "9", true}, {"a/b/Cargo.lock", "9", true}, {"requirements.txt", "", true},
		{"src/app.js", "9", false}, {"node_modules/x/package.json", "9", false}, {"new.txt", "9", false},
	} {
		if got := with(c.name, c.content); (got != same) != c.changes {
			t.Errorf("%s: changes the digest: %v, want %v", c.name, got != same, c.changes)
		}
	}
}
