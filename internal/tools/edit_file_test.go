package tools

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestEditFileLadder(t *testing.T) {
	code := "func a() {\n\tif x {\n\t\treturn 1   \n\t}\n}\n\nfunc b() {\n\treturn 2\n}\n"
	cases := []struct {
		name, file, old, new string
		want                 string // "" is a refusal
		says                 string
	}{
		{"exact", code, "return 2", "return 3", strings.Replace(code, "return 2", "return 3", 1), "changed at line 8"},
		{"exact lines", "a\nb\nc\n", "b\n", "", "a\nc\n", "1 line became 0"},
		{"trailing blanks", code, "\t\treturn 1\n\t}", "\t\treturn 9\n\t}", strings.Replace(code, "return 1   ", "return 9", 1), "blanks at line ends"},
		{"trailing blanks sent", "a\nb\nc\n", "a  \nb\t\n", "x\ny\n", "x\ny\nc\n", "blanks at line ends"},
		{"indent", code, "if x {\n  return 1\n}", "if y {\n  return 9\n}", strings.Replace(strings.Replace(code, "if x", "if y", 1), "return 1   ", "return 9", 1), "ignoring the indent"},
		{"indent of a whole block", "  def f():\n    x = 1\n    return x\n", "def f():\n  x = 1\n  return x", "def f():\n  x = 2\n  if x:\n    x = 3\n  return x", "  def f():\n    x = 2\n    if x:\n      x = 3\n    return x\n", "ignoring the indent"},
		{"indent inconsistent", "  a\n    b\n  c\n", "a\nb\nc", "a\nd\nc", "", "old_text is not in"},
		{"tabs for spaces", "\tif x {\n\t\ty()\n\t}\n", "    if x {\n        y()\n    }", "    if x {\n        y()\n        z()\n    }", "\tif x {\n\t\ty()\n\t\tz()\n\t}\n", "ignoring the indent"},
		{"numbers copied", "a\nb\nc\n", "2|b\n3|c", "2|x\n3|y", "a\nx\ny\n", "taking line numbers off"},
		{"numbers copied, clean new", "a\n\n  c\n", "2|\n3|  c", "\n  d", "a\n\n  d\n", "taking line numbers off"},
		{"numbers that are content", "1|b\n2|c\n", "1|b", "1|x", "1|x\n2|c\n", "changed at line 1"},
		{"ambiguous", "x\na\nx\nb\nx\n", "x", "y", "", "3 times in f.txt, at lines 1, 3, 5"},
		{"overlapping", "aaa\n", "aa", "b", "", "2 times"},
		{"ambiguous by indent", " x\n\ty\n  x\n\ty\n", "x\ny", "z", "", "2 times"},
		{"near miss", "alpha\nfunction start(timer) {\n  run()\n}\n", "function start(tmer) {\n  run();\n}", "x", "", "2|function start(timer) {"},
		{"nothing like it", "alpha\nbeta\n", "zzzzqqqq", "x", "", "Nothing in it looks like it"},
		{"already there", "new line\n", "old line", "new line", "", "already there, at line 1"},
		{"same", "a\n", "a", "a", "", "the same"},
		{"same but for blanks", "a  \n", "a\n", "a  \n", "", "change nothing"},
		{"empty", "a\n", " \n", "b", "", "old_text is empty"},
		{"nul", "a\n", "a", "\x00", "", "not text"},
		{"crlf", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", "changed at line 1"},
		{"crlf sent", "a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n", "changed at line 1"},
		{"crlf sent to lf", "a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\n", "changed at line 1"},
		{"last line without end", "a\nb", "b", "c", "a\nc", "line 2"},
		{"shrinks", strings.Repeat("x\n", 50) + "y\n", strings.Repeat("x\n", 50), "", "y\n", "shrank from 51 to 1 lines"},
	}
	for _, c := range cases {
		env, dir := newEnv(t, map[string]string{"f.txt": c.file})
		res := call(t, env, "edit_file", map[string]any{"path": "f.txt", "old_text": c.old, "new_text": c.new})
		want := c.want
		if want == "" {
			want = c.file
		}
		if res.OK != (c.want != "") || !strings.Contains(res.Text, c.says) {
			t.Errorf("%s: OK %v, %q; want %q", c.name, res.OK, res.Text, c.says)
		}
		if got := get(t, dir, "f.txt"); got != want {
			t.Errorf("%s: the file is %q, want %q", c.name, got, want)
		}
		if (len(res.Touched) == 1) != res.OK {
			t.Errorf("%s: touched %v", c.name, res.Touched)
		}
	}
}

func TestEditFileSaysWhereTheFileIs(t *testing.T) {
	env, _ := newEnv(t, map[string]string{"src/app.js": "a\n"})
	for path, want := range map[string]string{"app.js": "There is src/app.js.", "nowhere.js": "write_file creates a file.", "src": "is a folder"} {
		res := call(t, env, "edit_file", map[string]any{"path": path, "old_text": "a", "new_text": "b"})
		if res.OK || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %q, want %q", path, res.Text, want)
		}
	}
}

func TestEditFileNamesMissingReferences(t *testing.T) {
	env, _ := newEnv(t, map[string]string{"index.html": "<body></body>\n"})
	res := call(t, env, "edit_file", map[string]any{"path": "index.html", "old_text": "</body>", "new_text": `<script src="app.js"></script></body>`})
	if !res.OK || !strings.Contains(res.Text, "missing_refs: app.js") {
		t.Errorf("%+v", res)
	}
}

// A passage copied exactly, and unique, is always found and replaced, and
// nothing else changes.
func TestRandomExactEdits(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	words := []string{"a", "b ", "\t", "  ", "\n", "\n\n", "{", "}", "x=1", "é", "1|", "2|"}
	for range 500 {
		var b strings.Builder
		for range rnd.IntN(60) + 2 {
			b.WriteString(words[rnd.IntN(len(words))])
		}
		file := b.String()
		i := rnd.IntN(len(file))
		j := i + 1 + rnd.IntN(len(file)-i)
		old := strings.ToValidUTF8(file[i:j], "")
		e, problem := planEdit("f", file, old, "NEW")
		if strings.Count(file, old) != 1 || len(occurrences(file, old)) != 1 || strings.TrimSpace(old) == "" {
			continue
		}
		if want := strings.Replace(file, old, "NEW", 1); problem != "" || file[:e.start]+e.text+file[e.end:] != want {
			t.Fatalf("file %q, old %q: %q, problem %q", file, old, file[:e.start]+e.text+file[e.end:], problem)
		}
	}
}

func FuzzPlanEdit(f *testing.F) {
	f.Add("a\n b\n", "b", "c")
	f.Add("\ta\n\t\tb\n", "a\n  b", "a\n    c")
	f.Add("1|a\n", "1|a\n2|b", "")
	f.Fuzz(func(t *testing.T, file, old, new string) {
		e, problem := planEdit("f", file, old, new)
		if problem == "" && (e.start < 0 || e.end < e.start || e.end > len(file)) {
			t.Fatalf("edit %+v of %d bytes", e, len(file))
		}
	})
}
