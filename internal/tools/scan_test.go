package tools

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestQuickLooksMissNothing compares the lines that are found with those that
// match one by one.
func TestQuickLooksMissNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	patterns := []string{
		"", "ab", "^ab", "ab$", "^$", `\Aab`, `ab\z`, `\bab\b`, "a.b", "(?s)a.b", "a|b", "(ab)+", "x*", "[^a]", `\s`, `a\sb`, "(?i)AB", "(?i:a)b",
		"(?-m)^b", "K", "ſ", "a{2}b", "(a|ab)(c|)", "^(ab|c)$", "[ab]c", "b\r", "é",
	}
	pieces := []string{"a", "b", "c", "ab", "AB", "x", " ", "\n", "\n", "\r\n", "\r", "é", "K", "\u212a", "s", "ſ"}
	for range 3000 {
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		pattern := patterns[r.IntN(len(patterns))]
		s := &search{}
		s.compile(pattern)
		for name, m := range map[string]matcher{pattern: s.re, "(?i:" + pattern + ")": s.anyRe} {
			var want []hit
			re := regexp.MustCompile(name)
			for i, line := range splitLines(text.String()) {
				if re.MatchString(line) {
					want = append(want, hit{i + 1, line})
				}
			}
			if got := m.lines([]byte(text.String())); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q in %q: %v, want %v", name, text.String(), got, want)
			}
		}
	}
}

func TestReaderFollowsLinksInsideTheTree(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"a/one": "1\n", "b/two": "2\n", "top": "3\n", "../outside": "4\n"} {
		full := filepath.Join(dir, "tree", path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"a/link": "../b/two", "a/out": "../../outside", "d": "b"} {
		if err := os.Symlink(to, filepath.Join(dir, "tree", link)); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(filepath.Join(dir, "tree"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r := &reader{root: root}
	defer r.close()
	for name, want := range map[string]string{"a/one": "1\n", "a/link": "2\n", "a/out": "", "b/two": "2\n", "d/two": "2\n", "top": "3\n", "a": "", "gone/x": ""} {
		if data, ok := r.text(name); string(data) != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, data, ok)
		}
	}
}
