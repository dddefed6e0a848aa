package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Patterns are compiled when they are first used; this is where one that is no
// regular expression is found.
func TestEveryPatternCompiles(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("rule\\.Lazy\\(`([^`]*)`").FindAllSubmatch(src, -1) {
			found++
			if _, err := regexp.Compile(string(m[1])); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d patterns were found", found)
	}
}

func TestAdded(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", "[]"},
		{"a\nb\n", "a\nb\n", "[]"},
		{"a\n", "a\na\n", "[{2 a}]"},
		{"a\nb\n", "b\n c\na\n\n", "[{2  c}]"},
	} {
		if got := fmt.Sprint(Added([]byte(c.old), []byte(c.new))); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}
