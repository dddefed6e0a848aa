package lex

import (
	"bytes"
	"strings"
	"testing"
)

func TestOnlyCode(t *testing.T) {
	for _, c := range []struct{ file, src, want string }{
		{"a.go", "x := \"a // b\" // c\n", "x := \"      \"     \n"},
		{"a.go", "x := `a\n\"b`; y", "x := ` \n  `; y"},
		{"a.js", "s = `a ${f(`b`)} c`; d", "s = `             `; d"},
		{"a.js", "a = /[/\"]/g; b = 4 / 2 / 1", "a = /    /g; b = 4 / 2 / 1"},
		{"a.py", "x = '''a\n# b''' # c", "x = '   \n     '    "},
		{"a.rs", "let c = 'a'; fn f<'a>(x: &'a str) /* x /* y */ z */ {}", "let c = ' '; fn f<'a>(x: &'a str)                   {}"},
		{"a.rs", "r#\"a \"b\"# ; '\\n' ; b'x'", "r       # ; '  ' ; b' '"},
		{"a.rb", "x = 'a#b' # c\n=begin\ny\n=end\nz", "x = '   '    \n      \n \n    \nz"},
		{"a.cs", "x = @\"a\\\"; y", "x = @   \"; y"},
		{"a.php", "#[Test]\nf(); # c", "#[Test]\nf();    "},
		{"a.sh", "echo ${#x} $# # c", "echo ${#x} $#    "},
		{"a.swift", "let s = \"\"\"\na\"b\n\"\"\"; c", "let s = \"  \n   \n  \"; c"},
		{"a.go", "x := \"never closed\ny", "x := \"            d\ny"},
	} {
		got := string(Of(c.file).OnlyCode([]byte(c.src)))
		if len(got) != len(c.src) {
			t.Errorf("%s: length changed", c.src)
		}
		if strings.HasSuffix(c.src, "closed\ny") {
			continue // only that it ends with its line
		}
		if got != c.want {
			t.Errorf("%s %q:\n got %q\nwant %q", c.file, c.src, got, c.want)
		}
	}
}

func TestClose(t *testing.T) {
	if got := Close([]byte("f(a[b]{c})d"), 1); got != 10 {
		t.Error(got)
	}
	if got := Close([]byte("f(a"), 1); got != -1 {
		t.Error(got)
	}
}

// Every text has an answer of its length, with its line ends.
func FuzzClasses(f *testing.F) {
	for _, seed := range []string{"a 'b' \"c\" `d` // e\n", "r##\"x\"#", "'''", "/*", "`${`", "/a/", "\n=begin"} {
		f.Add([]byte(seed))
	}
	names := []string{"a.go", "a.js", "a.py", "a.rs", "a.java", "a.kt", "a.rb", "a.php", "a.cs", "a.swift", "a.c", "a.zig", "a.d", "a.sh"}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, name := range names {
			l := Of(name)
			if len(l.Classes(src)) != len(src) {
				t.Fatal("length")
			}
			if bytes.Count(l.OnlyCode(src), []byte("\n")) != bytes.Count(src, []byte("\n")) {
				t.Fatal("lines")
			}
		}
	})
}
