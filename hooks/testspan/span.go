package testspan

import (
	"bytes"
	"fmt"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// Span is one test inside a product file.
type Span struct {
	Name string // unique in its file: what a person would call it
	Line int    // where it begins, from 1
	Text []byte
	// Scope is what the test stands in: the beginnings of the blocks around it,
	// "" at the top of the file.
	Scope string
}

// Splits says whether the spans of a language are known; of the others a file
// with tests inside can only be taken whole.
func Splits(l *lex.Lang) bool {
	return l != nil && (l.Name == lex.Rust || l.Name == lex.Python || l.Name == lex.Go)
}

// Find lists the tests inside a file of a language that Splits.
func Find(l *lex.Lang, src []byte) []Span {
	f := &finder{l: l, src: src, seen: map[string]int{}}
	switch l.Name {
	case lex.Rust:
		if bytes.Contains(src, []byte("test")) || bytes.Contains(src, []byte("bench")) {
			f.code = l.OnlyCode(src)
			f.rustItems()
		}
		if bytes.Contains(src, []byte("```")) {
			f.rustDocs()
		}
	case lex.Python:
		if pythonHint.Match(src) {
			f.code = l.OnlyCode(src)
			f.pythonBlocks()
		}
		if bytes.Contains(src, []byte(">>>")) {
			f.doctests()
		}
	case lex.Go:
		if goHint.Match(src) {
			f.code = l.OnlyCode(src)
			f.goFuncs()
		}
	}
	return f.spans
}

type finder struct {
	l         *lex.Lang
	src, code []byte
	spans     []Span
	seen      map[string]int
}

// add notes a span; a name that was there gets a number.
func (f *finder) add(name string, start, end int) {
	f.addText(name, start, f.src[start:end])
	f.spans[len(f.spans)-1].Scope = f.scope(start)
}

// scope finds the blocks that are open at a place.
func (f *finder) scope(at int) string {
	if f.l.Name == lex.Python {
		if f.code[lineAt(f.code, at)] == ' ' || f.code[lineAt(f.code, at)] == '\t' {
			return "a block"
		}
		return ""
	}
	type block struct{ from, at int }
	var open []block
	from := 0
	for i, c := range f.code[:at] {
		switch c {
		case '{', '(', '[':
			open = append(open, block{from, i})
			from = i + 1
		case '}', ')', ']':
			if n := len(open) - 1; n >= 0 {
				from = open[n].from // what ends in a bracket goes on behind it
				open = open[:n]
			}
			if c == '}' {
				from = i + 1
			}
		case ';':
			from = i + 1
		}
	}
	var heads []string
	for _, b := range open {
		heads = append(heads, strings.Join(strings.Fields(string(f.code[b.from:b.at+1])), " "))
	}
	return strings.Join(heads, " > ")
}

func (f *finder) addText(name string, start int, text []byte) {
	f.seen[name]++
	if n := f.seen[name]; n > 1 {
		name = fmt.Sprintf("%s (%d)", name, n)
	}
	f.spans = append(f.spans, Span{Name: name, Line: lex.Line(f.src, start), Text: text})
}

// lineAt is where the line that holds byte i begins.
func lineAt(src []byte, i int) int {
	return bytes.LastIndexByte(src[:i], '\n') + 1
}

// lineEnd is where the line that holds byte i ends, its newline left out.
func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(src)
}

// inside tells a file with tests inside, per language, by code alone.
var inside = map[lex.Name]*pattern.Pattern{
	lex.JS:     pattern.Lazy(`import\.meta\.vitest|(?m)^\s*(?:describe|it|test)(?:\.\w+)?\(\s*["'` + "`" + `]`),
	lex.Java:   pattern.Lazy(`(?m)^\s*@(?:Test|ParameterizedTest|RepeatedTest)\b`),
	lex.Kotlin: pattern.Lazy(`(?m)^\s*@(?:Test|ParameterizedTest)\b`),
	lex.CSharp: pattern.Lazy(`(?m)^\s*\[(?:Fact|Theory|Test|TestMethod|TestCase)\b`),
	lex.Swift:  pattern.Lazy(`:\s*XCTestCase\b|(?m)^\s*@Test\b`),
	lex.PHP:    pattern.Lazy(`extends\s+\\?(?:\w+\\)*TestCase\b|#\[Test\]`),
	lex.Ruby:   pattern.Lazy(`<\s*(?:Minitest::Test|Test::Unit::TestCase)\b|(?m)^\s*RSpec\.describe\b`),
	lex.Zig:    pattern.Lazy(`(?m)^\s*test\s*(?:"[^"\n]*"|\w+)?\s*\{`),
	lex.D:      pattern.Lazy(`(?m)^\s*unittest\b`),
}

// Inside says whether a product file has tests inside that Find cannot take
// out.
func Inside(l *lex.Lang, src []byte) bool {
	if l == nil {
		return false
	}
	re := inside[l.Name]
	return re != nil && hinted(src) && re.Match(l.OnlyCode(src))
}

// hinted is a quick look before the slow one.
func hinted(src []byte) bool {
	for _, word := range []string{"test", "Test", "describe", "it(", "Fact", "Theory"} {
		if bytes.Contains(src, []byte(word)) {
			return true
		}
	}
	return false
}
