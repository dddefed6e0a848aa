package tools

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	var long strings.Builder
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&long, "line number %d\n", i)
	}
	files := map[string]string{
		"a.txt": "one\ntwo\n\nfour", "long.txt": long.String(), "empty": "", "bin": "a\x00b", "crlf": "a\r\nb\r\n",
		"wide": strings.Repeat("x", 5000) + "\nnext\n", "evil": "a\x1b]0;t\x07b\u202e\n", "dir/x": "y",
	}
	cases := []struct {
		name string
		args map[string]any
		want []string
		not  string
		ok   bool
	}{
		{"whole", map[string]any{"path": "a.txt"}, []string{"a.txt: 4 lines\n1|one\n2|two\n3|\n4|four\n"}, "", true},
		{"part", map[string]any{"path": "a.txt", "start_line": 2, "end_line": 3}, []string{"lines 2-3\n2|two\n3|\n"}, "four", true},
		{"end beyond", map[string]any{"path": "a.txt", "start_line": 4, "end_line": 99}, []string{"4|four"}, "", true},
		{"too long", map[string]any{"path": "long.txt"}, []string{"long.txt: 1000 lines, 15893 bytes; lines 1-", "go on with start_line "}, "line number 900", true},
		{"going on", map[string]any{"path": "long.txt", "start_line": 990}, []string{"990|line number 990", "1000|line number 1000"}, "go on", true},
		{"wide", map[string]any{"path": "wide"}, []string{"bytes left out", "start_line 2"}, "2|next", true},
		{"empty", map[string]any{"path": "empty"}, []string{"is empty"}, "", true},
		{"crlf", map[string]any{"path": "crlf"}, []string{"crlf: 2 lines\n1|a\n2|b\n"}, "\r", true},
		{"control", map[string]any{"path": "evil"}, []string{"1|ab\n"}, "\x1b", true},
		{"binary", map[string]any{"path": "bin"}, []string{"is not a text file"}, "", false},
		{"folder", map[string]any{"path": "dir"}, []string{"is a folder"}, "", false},
		{"beyond", map[string]any{"path": "a.txt", "start_line": 9}, []string{"has only 4 lines"}, "", false},
		{"backwards", map[string]any{"path": "a.txt", "start_line": 3, "end_line": 2}, []string{"before start_line"}, "", false},
		{"missing", map[string]any{"path": "src/A.txt"}, []string{"does not exist. There is a.txt."}, "", false},
	}
	for _, c := range cases {
		env, _ := newEnv(t, files)
		env.ReadLimit = 3000
		res := call(t, env, "read_file", c.args)
		for _, w := range c.want {
			if !strings.Contains(res.Text, w) {
				t.Errorf("%s: %q lacks %q", c.name, clipWord(res.Text), w)
			}
		}
		if res.OK != c.ok || c.not != "" && strings.Contains(res.Text, c.not) {
			t.Errorf("%s: OK %v, %q", c.name, res.OK, res.Text)
		}
		if len(res.Text) > 3000+1500 {
			t.Errorf("%s: %d bytes", c.name, len(res.Text))
		}
	}
}

func TestListFiles(t *testing.T) {
	files := map[string]string{
		".gitignore": "*.log\nbuild/\n!keep.log\n", "b.txt": "", "a.txt": "", "x.log": "", "keep.log": "", "build/out.js": "",
		"src/.gitignore": "/gen\n", "src/gen/g.js": "", "src/z.js": "", "src/deep/gen/k.js": "", ".git/config": "", "sub/.GIT/x": "",
	}
	env, _ := newEnv(t, files)
	res := call(t, env, "list_files", nil)
	if want := ".gitignore\na.txt\nb.txt\nkeep.log\nsrc/.gitignore\nsrc/deep/gen/k.js\nsrc/z.js\n"; res.Text != want {
		t.Errorf("got %q, want %q", res.Text, want)
	}
	if slash := call(t, env, "list_files", map[string]any{"path": "/"}); slash.Text != res.Text {
		t.Errorf("/: %q", slash.Text)
	}
	if res := call(t, env, "list_files", map[string]any{"directory": "src/"}); res.Text != "src/.gitignore\nsrc/deep/gen/k.js\nsrc/z.js\n" {
		t.Errorf("src: %q", res.Text)
	}
	if res := call(t, env, "list_files", map[string]any{"path": "nowhere"}); res.OK {
		t.Errorf("nowhere: %q", res.Text)
	}
	if res := call(t, env, "list_files", map[string]any{"path": "a.txt"}); !strings.Contains(res.Text, "is a file") {
		t.Errorf("a file: %q", res.Text)
	}
}

func TestListFilesOfALargeTree(t *testing.T) {
	files := map[string]string{"top.txt": ""}
	for i := range 20 {
		for j := range 30 {
			files[fmt.Sprintf("pkg%02d/sub/f%02d.go", i, j)] = ""
		}
	}
	env, _ := newEnv(t, files)
	res := call(t, env, "list_files", nil)
	if n := strings.Count(res.Text, "\n"); n != 21 || !strings.Contains(res.Text, "pkg07/sub/ (30 files)\n") || !strings.Contains(res.Text, "top.txt\n") {
		t.Errorf("%d lines: %q", n, res.Text)
	}
	for i := range 400 {
		files[fmt.Sprintf("many/%03d", i)] = ""
	}
	env, _ = newEnv(t, files)
	res = call(t, env, "list_files", map[string]any{"path": "many"})
	if !strings.Contains(res.Text, "(100 more; list a folder)") {
		t.Errorf("no cap: %q", res.Text[len(res.Text)-60:])
	}
}

func TestSearchText(t *testing.T) {
	files := map[string]string{
		".gitignore": "ignored\n", "ignored": "needle\n", "a.js": "let x\n  needle(1)\n", "src/b.ts": "needle\nNeedle\n", "bin": "needle\x00",
		"re.txt": "a(b\nfoo42\n", "many.txt": strings.Repeat("dup\n", 250),
	}
	cases := []struct {
		name, pattern, path string
		want                []string
		not                 string
		ok                  bool
	}{
		{"all", "needle", "", []string{"2 lines in 2 files", "a.js:2:   needle(1)", "src/b.ts:1: needle"}, "ignored:", true},
		{"folder", "needle", "src", []string{"1 line in 1 file"}, "a.js", true},
		{"file", "needle", "a.js", []string{"a.js:2:"}, "src/b.ts", true},
		{"glob", "needle", "*.ts", []string{"src/b.ts:1:"}, "a.js", true},
		{"deep glob", "needle", "src/**/*.ts", []string{"src/b.ts:1:"}, "a.js", true},
		{"regexp", `foo\d+`, "", []string{"re.txt:2: foo42"}, "", true},
		{"literal", "a(b", "", []string{"not a regular expression", "re.txt:1: a(b"}, "", true},
		{"open quote", `\Qa(`, "", []string{"re.txt:1: a(b"}, "", true},
		{"case", "NEEDLE", "", []string{"No line matches. 3 match when case is ignored"}, "", true},
		{"none", "zzz", "", []string{"No line matches."}, "case", true},
		{"capped", "dup", "", []string{"250 lines in 1 file", "150 more lines match"}, "", true},
		{"nowhere", "x", "gone/", []string{"does not exist"}, "", false},
		{"empty", "", "", []string{"needs a pattern"}, "", false},
	}
	for _, c := range cases {
		env, _ := newEnv(t, files)
		res := call(t, env, "search_text", map[string]any{"pattern": c.pattern, "path": c.path})
		for _, w := range c.want {
			if !strings.Contains(res.Text, w) {
				t.Errorf("%s: %q lacks %q", c.name, res.Text, w)
			}
		}
		if res.OK != c.ok || c.not != "" && strings.Contains(res.Text, c.not) {
			t.Errorf("%s: OK %v, %q", c.name, res.OK, res.Text)
		}
	}
}
