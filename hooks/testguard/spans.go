package testguard

import (
	"fmt"
	"path"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
	"gitagent/hooks/testspan"
	"gitagent/internal/pattern"
)

// Around is what the judgement of tests inside product files asks of the rest
// of the commit.
type Around struct {
	// Elsewhere says whether another file of the commit has a test under this
	// name with this text now.
	Elsewhere func(l *lex.Lang, name string, text []byte) bool
	// Stays reads a file that was there and is not taken away.
	Stays func(path string) []byte
}

// spans compares the tests inside two versions of a file.
func spans(l *lex.Lang, c rule.Change, a Around) []rule.Finding {
	out := modules(l, c, a)
	old := testspan.Find(l, c.Old.Data)
	if len(old) == 0 {
		return out
	}
	new := map[string]testspan.Span{}
	if c.New.There() {
		for _, s := range testspan.Find(l, c.New.Data) {
			new[s.Name] = s
		}
	}
	known := map[string]bool{}
	for _, s := range old {
		known[s.Name] = true
	}
	for _, s := range old {
		n, there := new[s.Name]
		again, twice := new[s.Name+" (2)"]
		tell := func(line int, format string, args ...any) {
			out = append(out, rule.Finding{Code: "tests.changed", Key: s.Name, Line: line, What: fmt.Sprintf(format, args...)})
		}
		switch {
		case !there && a.Elsewhere != nil && a.Elsewhere(l, s.Name, s.Text):
		case !there:
			out = append(out, rule.Finding{Code: "tests.deleted", Key: s.Name, Line: s.Line, What: fmt.Sprintf("no longer has its test %s (was line %d)", s.Name, s.Line)})
		case !sameSpan(l, s.Text, n.Text):
			tell(n.Line, "has its test %s changed (line %d)", s.Name, n.Line)
		case s.Scope != n.Scope:
			tell(n.Line, "has its test %s put into something else (line %d)", s.Name, n.Line)
		case twice && !known[again.Name] && again.Scope == s.Scope && l.Name == lex.Python && !strings.HasPrefix(s.Name, "doctest"):
			tell(again.Line, "has its test %s defined again (line %d)", s.Name, again.Line)
		}
	}
	if len(out) == 0 && c.New.There() {
		out = unmarked(l, c, old)
	}
	return out
}

var (
	// noTests match a line at the top of a module of Python, or inside the head of
	// one of Rust, that keeps its tests from being found.
	noTests = map[lex.Name]*pattern.Pattern{
		lex.Python: pattern.Lazy(`^(?:__test__|pytestmark|collect_ignore\w*|__doctest_skip__|__doc__)\s*[:+]?=|^(?:async )?def\s+(?:load_tests|setup_module|setUpModule)\b|^pytest\.(?:skip|importorskip)\(|^raise\s+(?:unittest\.)?SkipTest`),
		lex.Rust:   pattern.Lazy(`^\s*#!\[\s*cfg(?:_attr)?\s*\(`),
	}
	givenAnew = pattern.Lazy(`^(?:del\s+[\w.,\s]*?)?([A-Za-z_]\w*)(?:\.(?:__test__|__doc__|pytestmark|skip|__unittest_skip__)|)\s*(?:=[^=]|$|,)|\bas\s+([A-Za-z_]\w*)\s*$|^from\s+\S+\s+import\s+([A-Za-z_]\w*)\s*$`)
)

// unmarked looks at the new lines beside tests for what takes them out of the
// run: a mark for the whole file, or their name given to something else.
func unmarked(l *lex.Lang, c rule.Change, old []testspan.Span) []rule.Finding {
	code := strings.Split(string(l.OnlyCode(c.New.Data)), "\n")
	names := map[string]bool{}
	for _, s := range old {
		word := strings.TrimPrefix(strings.TrimPrefix(s.Name, "class "), "doctest of ")
		names[word] = l.Name == lex.Python
	}
	for _, ln := range rule.Added(c.Old.Data, c.New.Data) {
		line := code[ln.N-1]
		if re := noTests[l.Name]; re != nil && re.MatchString(line) {
			return found("tests.skipped", ln.N, fmt.Sprintf("has tests inside, and leaves them out of the run (line %d)", ln.N))
		}
		for _, m := range givenAnew.FindAllStringSubmatch(line, -1) {
			for _, name := range m[1:] {
				if names[name] {
					return found("tests.changed", ln.N, fmt.Sprintf("has its test %s replaced by something else (line %d)", name, ln.N))
				}
			}
		}
	}
	return nil
}

// module matches a declaration of Rust that a file is part of the crate, with
// the attributes above it.
var (
	module = pattern.Lazy(`(?m)((?:^[ \t]*#\[[^\n]*\]\s*)*)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;`)
	gate   = pattern.Lazy(`#\[\s*(?:cfg|path|cfg_attr)\b`)
)

// modules finds files with tests that a change of Rust no longer builds.
func modules(l *lex.Lang, c rule.Change, a Around) []rule.Finding {
	if l.Name != lex.Rust || a.Stays == nil || !c.New.Regular() || !strings.Contains(string(c.Old.Data), "mod ") {
		return nil
	}
	now := map[string]string{}
	for _, m := range module.FindAllSubmatch(l.NoComments(c.New.Data), -1) {
		now[string(m[2])] = string(m[1])
	}
	var out []rule.Finding
	for _, m := range module.FindAllSubmatch(l.NoComments(c.Old.Data), -1) {
		name := string(m[2])
		marks, there := now[name]
		if there && (!gate.MatchString(marks) || strings.Join(strings.Fields(marks), " ") == strings.Join(strings.Fields(string(m[1])), " ")) {
			continue
		}
		for _, file := range moduleFiles(c.Path, name) {
			if data := a.Stays(file); data != nil && len(testspan.Find(l, data)) > 0 {
				out = append(out, rule.Finding{Code: "tests.skipped", Key: name, What: fmt.Sprintf("no longer builds the tests in %s", file)})
			}
		}
	}
	return out
}

// moduleFiles are where the compiler looks for a module.
func moduleFiles(from, name string) []string {
	dir := path.Dir(from)
	switch base := path.Base(from); base {
	case "mod.rs", "lib.rs", "main.rs":
	default:
		dir = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	return []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")}
}
