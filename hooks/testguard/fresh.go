package testguard

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
	"gitagent/hooks/testspan"
	"gitagent/internal/pattern"
)

// added judges a new test file: free, unless it keeps other tests from running,
// or from failing.
func added(l *lex.Lang, c rule.Change) []rule.Finding {
	if l == nil || !c.New.Regular() {
		return nil
	}
	t := textOf(l, c.New.Data)
	if at := t.find(focuses); at >= 0 {
		return found("tests.focused", lex.Line(t.code, at), "is focused, so that other tests do not run")
	}
	if l.Name == lex.Go {
		if f := testMain(t); f != nil {
			return f
		}
	}
	if f := meddles(l, t); f != nil {
		return f
	}
	if forAll(l, c.Path, t) {
		if at := t.find(skipsForAll); at >= 0 {
			return found("tests.skipped", lex.Line(t.code, at), fmt.Sprintf("holds for other tests too, and skips them (line %d)", lex.Line(t.code, at)))
		}
	}
	return nil
}

// Loaded judges what is loaded before tests and is no test: the new lines of set-up
// files and of conftest.py.
func Loaded(c rule.Change) []rule.Finding {
	l := lex.Of(c.Path)
	if l == nil || !c.New.Regular() || len(c.New.Data) == 0 {
		return nil
	}
	t := textOf(l, c.New.Data)
	if at := t.find(skipsAtTop); at >= 0 && !(c.Old.Regular() && has(skipsAtTop, l, c.Old.Data)) {
		return found("tests.skipped", lex.Line(t.code, at), fmt.Sprintf("skips all that is loaded after it (line %d)", lex.Line(t.code, at)))
	}
	f := meddles(l, t)
	if f == nil || c.Old.Regular() && meddles(l, textOf(l, c.Old.Data)) != nil {
		return nil // as before
	}
	return f
}

// Standing judges product code in which tests are, or stand-ins for test tools:
// what it does to the tests beside it, and does not do yet.
func Standing(c rule.Change) []rule.Finding {
	l := lex.Of(c.Path)
	if l == nil || l.Name != lex.Rust && l.Name != lex.Java && l.Name != lex.PHP || !c.New.Regular() {
		return nil
	}
	if !bytes.Contains(c.New.Data, []byte("assert")) && !bytes.Contains(c.New.Data, []byte("org.")) && !bytes.Contains(c.New.Data, []byte("PHPUnit")) && !bytes.Contains(c.New.Data, []byte("test")) {
		return nil
	}
	t := textOf(l, c.New.Data)
	if at := t.find(patches); at >= 0 && !(c.Old.Regular() && has(patches, l, c.Old.Data)) {
		line := lex.Line(t.code, at)
		return found("tests.patched", line, fmt.Sprintf("takes the place of a test tool (line %d)", line))
	}
	if l.Name != lex.Rust || !has(ends, l, c.New.Data) {
		return nil
	}
	known := map[string]bool{}
	if c.Old.Regular() {
		for _, s := range testspan.Find(l, c.Old.Data) {
			known[s.Name] = true
		}
	}
	for _, s := range testspan.Find(l, c.New.Data) {
		if !known[s.Name] && has(ends, l, s.Text) {
			return found("tests.ended", s.Line, fmt.Sprintf("ends the run from inside the test %s (line %d)", s.Name, s.Line))
		}
	}
	return nil
}

// meddles says what new code does to the tests beside it.
func meddles(l *lex.Lang, t text) []rule.Finding {
	for _, k := range []struct {
		code, what string
		set        map[lex.Name]trait
	}{
		{"tests.ended", "ends the whole run", ends},
		{"tests.narrowed", "chooses which tests run", narrows},
		{"tests.patched", "takes the place of a test tool, for other tests too", patches},
	} {
		if at := t.find(k.set); at >= 0 {
			line := lex.Line(t.code, at)
			return found(k.code, line, fmt.Sprintf("%s (line %d)", k.what, line))
		}
	}
	return nil
}

// text is source in the two forms that words are looked for in.
type text struct {
	l          *lex.Lang
	code, bare []byte // without the insides of strings; without comments alone
}

func textOf(l *lex.Lang, src []byte) text { return text{l, l.OnlyCode(src), l.NoComments(src)} }

// find is where a trait of the language is first found, -1 for nowhere.
func (t text) find(set map[lex.Name]trait) int {
	k := set[t.l.Name]
	for _, m := range []struct {
		re  *pattern.Pattern
		src []byte
	}{{k.code, t.code}, {k.text, t.bare}} {
		if m.re == nil {
			continue
		}
		for _, at := range m.re.FindAllIndex(m.src, -1) {
			if t.begins(at[0], at[1]) && (k.unless == nil || !k.unless.Match(t.bare[lineStart(t.bare, at[0]):])) && !t.child(at[0]) {
				return at[0]
			}
		}
	}
	return -1
}

// begins says whether a match has code in it: what stands in a string alone
// does nothing.
func (t text) begins(from, to int) bool {
	for i := from; i < to; i++ {
		if t.code[i] > ' ' && t.code[i] != '"' && t.code[i] != '\'' && t.code[i] != '`' {
			return true
		}
	}
	return false
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// helper matches the condition under which a test of Go is a program that
// another test has started.
var helper = pattern.Lazy(`(?i)os\.(?:Getenv|LookupEnv)\("\w*(?:HELPER|WANT|CHILD|SUB|BE_|RUN|CRASH|EXEC|MAIN|FORK|PROC)\w*"\)|os\.(?:Getenv|LookupEnv)\([a-z]\w*\)|os\.Args\[\d\]\)?\s*==\s*(?:"[^"-]|[a-zA-Z]\w{3,})`)

// child says whether a place in Go code is in a function that only another test
// runs, as a program of its own.
func (t text) child(at int) bool {
	if t.l.Name != lex.Go {
		return false
	}
	from := bytes.LastIndex(t.code[:at], []byte("\nfunc "))
	return from >= 0 && helper.Match(t.bare[from:at])
}

var (
	mainFunc  = pattern.Lazy(`(?m)^func TestMain\((\w+) \*testing\.M\)`)
	exitsWith = pattern.Lazy(`\b(?:os|syscall)\.Exit\(([^\n]*?)\)[\s;}]*(?:\n|$)`)
	reckons   = pattern.Lazy(`\.Run\(\)\s*[-+*/%&|^<>]|[-+*/%&|^<>!]\s*\w+\.Run\(\)`)
)

// testMain judges a TestMain: it runs the tests, or gives them to what does, and
// ends with what comes of them.
func testMain(t text) []rule.Finding {
	m := mainFunc.FindSubmatch(t.code)
	if m == nil {
		return nil
	}
	arg := string(m[1])
	at := bytes.Index(t.code, m[0])
	end := len(t.code)
	if open := bytes.IndexByte(t.code[at:], '{'); open >= 0 {
		if c := lex.Close(t.code, at+open); c > 0 {
			end = c
		}
	}
	body := string(t.code[at+len(m[0]) : end])
	runs := strings.Contains(body, arg+".Run()")
	if !runs && !strings.Contains(body, "("+arg+")") && !strings.Contains(body, "("+arg+",") {
		return found("tests.ended", 0, "has a TestMain that never runs the tests")
	}
	for _, x := range exitsWith.FindAllStringSubmatchIndex(body, -1) {
		code := strings.TrimSpace(body[x[2]:x[3]])
		if reckons.MatchString(code) || zeroed(body, code) || code == "0" && !t.child(at+len(m[0])+x[0]) {
			return found("tests.ended", lex.Line(t.code, at+len(m[0])+x[0]), "has a TestMain that ends otherwise than the tests do")
		}
	}
	return nil
}

// zeroed says whether a variable is given a value that is not the tests'.
func zeroed(body, name string) bool {
	for line := range strings.Lines(body) {
		f := strings.Fields(strings.ReplaceAll(line, ";", " "))
		for i := 0; i+2 < len(f); i++ {
			if f[i] == name && f[i+1] == "=" && f[i+2] == "0" {
				return true
			}
		}
	}
	return false
}

// forAll says whether a test file holds for others too.
func forAll(l *lex.Lang, file string, t text) bool {
	switch strings.ToLower(path.Base(file)) {
	case "spec_helper.rb", "rails_helper.rb", "test_helper.rb", "__init__.py", "pest.php", "bootstrap.php":
		return true
	}
	return l.Name == lex.CSharp && bytes.Contains(t.code, []byte("[SetUpFixture]"))
}
