package testguard

import (
	"bytes"
	"fmt"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
	"gitagent/hooks/testspan"
)

// File judges the change of a file that is a test by its path.
func File(c rule.Change) []rule.Finding {
	l := lex.Of(c.Path)
	switch {
	case !c.New.There():
		return found("tests.deleted", 0, "is deleted")
	case !c.Old.There():
		return added(l, c)
	case !c.New.Regular() || !c.Old.Regular():
		if c.Old.Mode == c.New.Mode && bytes.Equal(c.Old.Data, c.New.Data) {
			return nil
		}
		if c.Old.Mode == c.New.Mode {
			return found("tests.changed", 0, "is changed")
		}
		return found("tests.replaced", 0, "is replaced by "+kindOf(c.New.Mode))
	case bytes.Equal(c.Old.Data, c.New.Data):
		if c.Old.Mode == c.New.Mode {
			return nil
		}
		return found("tests.mode", 0, "becomes "+kindOf(c.New.Mode))
	}
	return changed(l, c.Path, c.Old.Data, c.New.Data)
}

func found(code string, line int, what string) []rule.Finding {
	return []rule.Finding{{Code: code, Line: line, What: what}}
}

// changed judges the new content of an existing test.
func changed(l *lex.Lang, path string, old, new []byte) []rule.Finding {
	if len(bytes.TrimSpace(new)) == 0 && len(bytes.TrimSpace(old)) > 0 {
		return found("tests.emptied", 1, "is emptied")
	}
	if l == nil || !Discovered(path) && !holdsTests(l, old) {
		return found("tests.changed", firstDifference(old, new), "is changed")
	}
	if bytes.IndexByte(old, '\r') >= 0 != (bytes.IndexByte(new, '\r') >= 0) {
		return found("tests.changed", 1, "has other line ends")
	}
	ok, line := grown(l, old, new)
	if ok {
		return nil
	}
	return weakened(l, old, new, line)
}

// holdsTests says whether a file in a folder of tests has tests, and is no
// helper or fixture.
func holdsTests(l *lex.Lang, src []byte) bool {
	if testspan.Splits(l) {
		return len(testspan.Find(l, src)) > 0
	}
	return testspan.Inside(l, src)
}

// weakened names what was done to a test, where a word says it.
func weakened(l *lex.Lang, old, new []byte, line int) []rule.Finding {
	lines := rule.Added(old, l.NoComments(new))
	kinds := []struct {
		code string
		what string
		has  func(line []byte) bool
	}{
		{"tests.skipped", "is skipped", func(t []byte) bool { return matches(skips, l, l.OnlyCode(t)) }},
		{"tests.focused", "is focused, so that the others do not run", func(t []byte) bool { return has(focuses, l, t) }},
		{"tests.ended", "ends the run", func(t []byte) bool { return has(ends, l, t) }},
	}
	for _, ln := range lines {
		for _, k := range kinds {
			if k.has([]byte(ln.Text)) {
				return found(k.code, ln.N, fmt.Sprintf("%s (line %d)", k.what, ln.N))
			}
		}
	}
	code := "tests.changed"
	if count(old) > count(new) {
		code = "tests.narrowed"
	}
	return found(code, line, fmt.Sprintf("is changed, not only added to (line %d)", line))
}

// count is the number of lines that are not blank.
func count(src []byte) int {
	n := 0
	for line := range bytes.Lines(src) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

func firstDifference(old, new []byte) int {
	n := 0
	for n < len(old) && n < len(new) && old[n] == new[n] {
		n++
	}
	return lex.Line(new, n)
}

// Product judges the tests inside a file that is none by its path.
func Product(c rule.Change, a Around) []rule.Finding {
	l := lex.Of(c.Path)
	if l == nil || !c.Old.Regular() || !c.New.Regular() && c.New.There() {
		return nil
	}
	if testspan.Splits(l) {
		return spans(l, c, a)
	}
	if !testspan.Inside(l, c.Old.Data) {
		return nil
	}
	if !c.New.There() {
		return found("tests.deleted", 0, "is deleted, and the tests inside with it")
	}
	if ok, line := grown(l, c.Old.Data, c.New.Data); !ok {
		return found("tests.changed", line, fmt.Sprintf("has tests inside and is changed (line %d)", line))
	}
	return nil
}

// Has says whether a file has a test inside under this name that is as strong as
// text.
func Has(l *lex.Lang, src []byte, name string, text []byte) bool {
	for _, s := range testspan.Find(l, src) {
		if s.Name == name && sameSpan(l, text, s.Text) {
			return true
		}
	}
	return false
}

// sameSpan says whether a span is what it was, or only gained tests.
func sameSpan(l *lex.Lang, old, new []byte) bool {
	if bytes.Equal(old, new) {
		return true
	}
	if strings.HasPrefix(string(old), "```") || bytes.HasPrefix(bytes.TrimSpace(old), []byte(">>>")) {
		return bytes.HasPrefix(new, old) // more examples behind those that were there
	}
	ok, _ := grown(l, old, new)
	return ok
}

func kindOf(mode string) string {
	switch mode {
	case rule.ModeLink:
		return "a symbolic link"
	case rule.ModeGitlink:
		return "a nested repository"
	case rule.ModeExec:
		return "an executable file"
	case rule.ModeFile:
		return "an ordinary file"
	}
	return "something else"
}

// Merged says whether a merge put a test together from its parents alone: it
// has every line that all of them have and none that none has. line is the
// first that says otherwise.
func Merged(parents [][]byte, merged []byte) (ok bool, line int) {
	inAny, inAll := map[string]bool{}, map[string]int{}
	for i, p := range parents {
		seen := map[string]bool{}
		for ln := range strings.Lines(string(p)) {
			ln = strings.TrimRight(ln, "\r\n")
			inAny[ln] = true
			if !seen[ln] && inAll[ln] == i {
				inAll[ln]++
			}
			seen[ln] = true
		}
	}
	have := map[string]bool{}
	n := 0
	for ln := range strings.Lines(string(merged)) {
		n++
		ln = strings.TrimRight(ln, "\r\n")
		have[ln] = true
		if !inAny[ln] {
			return false, n
		}
	}
	n = 0
	for ln := range strings.Lines(string(parents[0])) {
		n++
		ln = strings.TrimRight(ln, "\r\n")
		if inAll[ln] == len(parents) && !have[ln] {
			return false, n
		}
	}
	return true, 0
}
