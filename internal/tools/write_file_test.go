package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeAnswer(t *testing.T, env *Env, path, content string) written {
	t.Helper()
	res := call(t, env, "write_file", map[string]any{"path": path, "content": content})
	if !res.OK {
		t.Fatalf("write_file %s: %s", path, res.Text)
	}
	var w written
	if err := json.Unmarshal([]byte(res.Text), &w); err != nil {
		t.Fatalf("%v: %s", err, res.Text)
	}
	return w
}

func TestWriteFileNamesMissingReferences(t *testing.T) {
	page := `<!doctype html><html><head>
<link rel="stylesheet" href="css/style.css?v=3"><link rel="canonical" href="https://example.org/x.html">
<link rel="icon" href="data:image/png;base64,AAAA"><script src="https://cdn.example.org/x.js"></script>
<style>@import "theme.css"; body { background: url('img/bg.png') }</style></head>
<body style="background:url(img/tile.gif)"><a href="#top">up</a><a href="mailto:a@example.org">m</a><a href="about.html#team">a</a>
<a href="/settings">route</a><a href="{{ link }}">t</a>
<img src="/logo.svg" srcset="small.png 1x, big.png 2x" alt=""><!-- <img src="comment.png"> -->
<script type="module" src="./app.js"></script><script type="module">import "./lib/a.js"; fetch("data.json")</script>
<script type="text/template"><img src="template.png"></script></body></html>`
	env, _ := newEnv(t, map[string]string{"css/style.css": "", "logo.svg": "<svg/>", "big.png": "x", "data.json": "{}"})
	got := writeAnswer(t, env, "index.html", page)
	want := written{
		Path: "index.html", Bytes: len(page),
		Refs:        []string{"css/style.css", "theme.css", "img/bg.png", "img/tile.gif", "about.html", "/logo.svg", "small.png", "big.png", "./app.js", "./lib/a.js", "data.json"},
		MissingRefs: []string{"theme.css", "img/bg.png", "img/tile.gif", "about.html", "small.png", "./app.js", "./lib/a.js"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReferencesOfEachKindOfFile(t *testing.T) {
	cases := []struct {
		name, file, content string
		files               []string
		static              string
		refs, missing       string // joined by blanks
	}{
		{"css", "css/a.css", `/* url(no.png) */ @import url("b.css"); @import 'c.css' screen; .x{background:URL( ../i.png ),url(data:x);content:"url(s.png)"} @font-face{src:url(//x/y.woff)}`,
			[]string{"i.png", "css/b.css"}, "", "b.css c.css ../i.png", "c.css"},
		{"imports", "js/a.js", "import x from './b.js'\nimport './c.js'\nexport * from \"../d.js\"\nexport { y } from './e.js'\nimport React from 'react'\n// import './no.js'\nconst s = \"import './str.js'\"; const r = /import '.\\/re.js'/",
			[]string{"js/b.js", "d.js"}, "", "./b.js ./c.js ../d.js ./e.js", "./c.js ./e.js"},
		{"dynamic", "a.js", "const m = await import(`./m.js`); await import('./' + n); import(`./${x}.js`)", nil, "", "./m.js", "./m.js"},
		{"urls", "js/a.js", "new URL('../img/i.png', import.meta.url); new URL('x.png', base)", []string{"img/i.png"}, "", "../img/i.png", ""},
		{"fetch", "js/a.js", "fetch('data.json'); fetch('/api/items'); window.fetch(\"./gone.json?x=1\"); store.fetch('no.json'); fetch(url)", []string{"data.json"}, "", "data.json ./gone.json", "./gone.json"},
		{"workers", "a.js", "new Worker('w.js'); new SharedWorker(\"s.js\"); navigator.serviceWorker.register('/sw.js'); importScripts('i.js', 'j.js')", []string{"w.js", "j.js"}, "", "w.js s.js /sw.js i.js j.js", "s.js /sw.js i.js"},
		{"escaping", "a.js", "import '../../x.js'", nil, "", "../../x.js", "../../x.js"},
		{"no extension in a page", "a.js", "import './b'", []string{"b.js"}, "", "./b", "./b"},
		{"no extension with a bundler", "a.js", "import './b'; import './lib'", []string{"b.js", "lib/index.js", "package.json"}, "", "./b ./lib", ""},
		{"typescript", "src/a.ts", "import { x } from './b.js'; import './c'; import type { Y } from './gone'", []string{"src/b.ts", "src/c/index.tsx"}, "", "./b.js ./c ./gone", "./gone"},
		{"root relative", "public/index.html", `<script src="/app.js"></script><img src="/public/x.png">`, []string{"public/app.js", "public/x.png"}, "public", "/app.js /public/x.png", "/public/x.png"},
		{"base", "index.html", `<base href="/static/"><script src="a.js"></script>`, []string{"static/a.js"}, "", "/static/a.js", ""},
		{"foreign base", "index.html", `<base href="https://example.org/"><script src="a.js"></script>`, nil, "", "", ""},
		{"folder link", "index.html", `<a href="docs/">d</a><a href="about">a</a><a href="gone/">g</a>`, []string{"docs/index.html", "about.html"}, "", "docs/ about", ""},
		{"percent", "index.html", `<img src="a%20b.png">`, []string{"a b.png"}, "", "a%20b.png", ""},
		{"import map", "index.html", `<script type="importmap">{"imports":{"a":"./v/a.js","b":"https://x/b.js","c/":"./c/"}}</script>`, nil, "", "./v/a.js", "./v/a.js"},
		{"other", "a.py", `open("x.txt")`, nil, "", "", ""},
		{"broken", "a.html", "<script>import './x", nil, "", "", ""},
		{"comment without end", "a.css", "a{background:url(x.png)} /* url(y.png)", nil, "", "x.png", "x.png"},
	}
	for _, c := range cases {
		files := map[string]string{}
		for _, f := range c.files {
			files[f] = "x"
		}
		env, _ := newEnv(t, files)
		env.Static = c.static
		got := writeAnswer(t, env, c.file, c.content)
		if r, m := strings.Join(got.Refs, " "), strings.Join(got.MissingRefs, " "); r != c.refs || m != c.missing {
			t.Errorf("%s: refs %q missing %q; want %q and %q", c.name, r, m, c.refs, c.missing)
		}
	}
}

func TestWriteFileRefusesLeftOutCode(t *testing.T) {
	old := strings.Repeat("function f() { return 1 }\n", 20)
	for _, line := range []string{
		"// ... rest unchanged", "// ... existing code ...", "/* rest of the styles remain the same */", "# ... remaining functions", "<!-- … rest of the file … -->",
		"// rest of the code stays the same", "{/* ... other components ... */}", "  // ...", "... existing code ...", "[... rest of file ...]", "// Existing code here", "-- (previous functions unchanged)",
	} {
		env, dir := newEnv(t, map[string]string{"a.js": old})
		res := call(t, env, "write_file", map[string]any{"path": "a.js", "content": "function g() {}\n" + line + "\n"})
		if res.OK || !strings.Contains(res.Text, "leaves out code") {
			t.Errorf("%q was accepted: %s", line, res.Text)
		}
		if get(t, dir, "a.js") != old {
			t.Errorf("%q: the file changed", line)
		}
		res = call(t, env, "edit_file", map[string]any{"path": "a.js", "old_text": strings.Repeat("function f() { return 1 }\n", 20), "new_text": line})
		if res.OK {
			t.Errorf("edit_file accepted %q", line)
		}
	}
	for _, line := range []string{"// the rest is history", "const a = [...rest]", "f(...other)", "// keep the same order", "console.log('... loading the rest')", "// remaining seconds", "p { color: red } /* same */", "// see the existing API docs"} {
		env, _ := newEnv(t, map[string]string{"a.js": old})
		if res := call(t, env, "write_file", map[string]any{"path": "a.js", "content": "function g() {}\n" + line + "\n"}); !res.OK {
			t.Errorf("%q was refused: %s", line, res.Text)
		}
	}
	// A new file, and a line that was there before, leave nothing out.
	env, _ := newEnv(t, map[string]string{"b.js": "// ... rest unchanged\n" + old})
	writeAnswer(t, env, "new.js", "// ... rest unchanged\n")
	writeAnswer(t, env, "b.js", "// ... rest unchanged\nx\n")
}

func TestWriteFileNotes(t *testing.T) {
	numbered := "1|a\n2|b\n"
	cases := []struct {
		name, old, file, content, want, note string
	}{
		{"shrinks", strings.Repeat("line\n", 100), "a.js", "line\n", "line\n", "shrank from 100 to 1 lines"},
		{"same", "x\n", "a.js", "x\n", "x\n", "unchanged"},
		{"fence", "", "a.js", "```js\nx\n```", "x\n", "fence"},
		{"fence in markdown", "", "a.md", "```js\nx\n```", "```js\nx\n```", ""},
		{"numbers", "", "a.js", numbered, "a\nb\n", "line numbers"},
		{"numbered data", "", "a.csv", numbered, numbered, ""},
		{"crlf", "a\r\nb\r\n", "a.js", "c\nd\n", "c\r\nd\r\n", "CRLF"},
		{"escaped", "", "a.js", `a\nb\nc\nd`, `a\nb\nc\nd`, "written out"},
		{"empty", "x\n", "a.js", "", "", "shrank"},
	}
	for _, c := range cases {
		files := map[string]string{}
		if c.old != "" {
			files[c.file] = c.old
		}
		env, dir := newEnv(t, files)
		got := writeAnswer(t, env, c.file, c.content)
		if text := get(t, dir, c.file); text != c.want {
			t.Errorf("%s: wrote %q, want %q", c.name, text, c.want)
		}
		if notes := strings.Join(got.Notes, "; "); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", c.name, notes, c.note)
		}
	}
}

func TestWriteFileRefusals(t *testing.T) {
	env, dir := newEnv(t, map[string]string{"dir/a.txt": "x\n"})
	for _, c := range []struct{ path, content, want string }{
		{"dir", "x", "is a folder"}, {".", "x", "the project folder itself"}, {"", "x", "project folder itself"}, {"dir/a.txt/b", "x", "is a file, so nothing can be inside"},
		{"big.txt", strings.Repeat("x", maxWrite+1), "at most"}, {"nul.js", "x", "reserved"}, {"bin", "a\x00b", "not text"}, {"bad", "a\xffb", "not text"},
	} {
		res := call(t, env, "write_file", map[string]any{"path": c.path, "content": c.content})
		if res.OK || !strings.Contains(res.Text, c.want) {
			t.Errorf("%q: %+v, want %q", c.path, res, c.want)
		}
	}
	if got := listing(t, dir); got != "dir/a.txt" {
		t.Errorf("left %s", got)
	}
}

func TestModesAreKept(t *testing.T) {
	env, dir := newEnv(t, map[string]string{"run.sh": "#!/bin/sh\necho a\n", "plain.txt": "a\n"})
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	call(t, env, "edit_file", map[string]any{"path": "run.sh", "old_text": "echo a", "new_text": "echo b"})
	call(t, env, "write_file", map[string]any{"path": "plain.txt", "content": "#!/bin/sh\n"})
	call(t, env, "write_file", map[string]any{"path": "new.sh", "content": "#!/bin/sh\n"})
	call(t, env, "write_file", map[string]any{"path": "new.txt", "content": "x\n"})
	for name, want := range map[string]os.FileMode{"run.sh": 0o755, "plain.txt": 0o644, "new.sh": 0o755, "new.txt": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	if got := get(t, dir, "run.sh"); got != "#!/bin/sh\necho b\n" {
		t.Errorf("run.sh = %q", got)
	}
}

func FuzzReferences(f *testing.F) {
	for _, s := range []string{
		`<a href="x.html"><style>a{background:url(y)}</style><script>import './z.js'</script>`, "import x from './y.js'; `a${`b${c}`}d`", "@import 'x'; url(", "/*", "'\\", "`${", "/[/]/", "new URL('a',import.meta.url)", "<base href=x/><img src=y>", "srcset=,,,",
	} {
		f.Add(s)
	}
	env, _ := newEnv(f, nil)
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"a.html", "a.css", "a.js", "d/a.ts"} {
			refs, missing := checkRefs(env, name, s)
			if len(missing) > len(refs) {
				t.Fatalf("%s: %d missing of %d", name, len(missing), len(refs))
			}
			for _, r := range refs {
				if _, ok := local(r); !ok || strings.ContainsAny(r, "?#") {
					t.Fatalf("%s: %q is no local file", name, r)
				}
			}
		}
	})
}
