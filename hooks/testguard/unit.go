package testguard

import (
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// unit matches the lines at the outer level of what may be put into a test
// file: tests, what marks them, new helpers, and closing brackets.
var unit = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`^(?:func (?:\([^)]*\) )?\w+|type \w+|(?:var|const) [\w, ]+\b|t\.Run\(|(?:b|f)\.(?:Run|Add)\()`),
	lex.JS:     pattern.Lazy(`^(?:it|test|describe|context|specify|suite)(?:\.(?:each|concurrent|sequential|for|serial|parallel|describe|step))*(?:\(|` + "`" + `)`),
	lex.Python: pattern.Lazy(`^(?:(?:async )?def \w+|class \w+|@)`),
	lex.Rust:   pattern.Lazy(`^(?:#\[|(?:pub )?(?:async )?fn \w+|mod \w+|const \w+|struct \w+)`),
	lex.Java:   pattern.Lazy(`^(?:@|(?:(?:public|private|protected|static|final|abstract) )*(?:class|interface|enum|record) \w+|(?:(?:public|private|protected|static|final) )*[\w<>\[\],.? ]+ \w+\s*\()`),
	lex.Kotlin: pattern.Lazy("^(?:@|(?:(?:public|private|internal|inner|data) )*class \\w+|(?:(?:public|private|internal|suspend) )*fun (?:\\w+|`))"),
	lex.Ruby:   pattern.Lazy(`^(?:it|specify|test|describe|context|should|scenario|example|def \w+|class \w+|RSpec\.describe)\b`),
	lex.PHP:    pattern.Lazy(`^(?:#\[|(?:(?:public|private|protected|static|final) )*function \w+|(?:it|test|describe)\()`),
	lex.CSharp: pattern.Lazy(`^(?:\[|(?:(?:public|private|internal|protected|static|async|sealed) )*(?:class|record|struct) \w+|(?:(?:public|private|internal|protected|static|async) )+[\w<>\[\],.? ]+ \w+\s*\()`),
	lex.Swift:  pattern.Lazy(`^(?:@\w+|(?:(?:public|private|final|static) )*(?:func|class|struct) \w+)`),
	lex.Zig:    pattern.Lazy(`^test\b`),
	lex.D:      pattern.Lazy(`^unittest\b`),
}

// setup matches what runs around existing tests, or instead of them.
var setup = pattern.Lazy(`(?i)\b(?:before|after)_?(?:each|all|class|method)?\b|@(?:Before|After)|\bset_?up|\btear_?down|autouse|\b(?:OneTime)?(?:SetUp|TearDown)\b|\[(?:Class|Test)?(?:Initialize|Cleanup)|\bfunc (?:init|TestMain)\b|\bpytest_\w+|\b__\w+__\b|\bcollect_ignore|invokeTest|\bDispose\b|\bmake_suite|load_tests`)

// rules matches what holds for the tests around a new one.
var rules = pattern.Lazy(`@(?:[\w.]+\.|get:|field:|JvmField\s+)*(?:RegisterExtension|Rule|ClassRule)\b`)

// reaches says whether new tests do something to those that were there.
func reaches(l *lex.Lang, lines []line) bool {
	var b strings.Builder
	for _, ln := range lines {
		b.WriteString(ln.text + "\n")
	}
	t := textOf(l, []byte(b.String()))
	for _, set := range []map[lex.Name]trait{focuses, ends, narrows, patches, methods} {
		if t.find(set) >= 0 {
			return true
		}
	}
	return false
}

// declared finds the names that the outer level of a hunk gives.
var declared = pattern.Lazy(`\b(?:func(?: \([^)]*\))?|def|class|fn|fun|function|type|var|const|mod|struct|record|interface|enum)\s+([\w$]+)`)

// method finds the names of methods where no word announces them.
var method = pattern.Lazy(`[\w<>\[\],.?]+\s+(\w+)\s*\([^)]*\)\s*(?:throws [\w., ]+)?(?:\{|=>|$)`)

// rowsIn matches the line that opens a table of cases.
var rowsIn = pattern.Lazy(`(?i)cases|table|tests\b|parametri[sz]e|\beach\b|\[\]struct|map\[string\]|provider|scenarios|vectors|examples|rows`)

// onlyTests says whether a hunk is whole new tests, at a place where they
// change nothing else.
func onlyTests(l *lex.Lang, old, new source, h hunk) bool {
	lines := h.all[h.from:h.to]
	code := make([]string, len(lines))
	depth := 0
	for i, ln := range lines {
		code[i] = ln.code
		before := depth
		for _, c := range ln.code {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			if depth < 0 {
				return false
			}
		}
		if ln.inText && before == 0 {
			return false
		}
	}
	all := []byte(strings.Join(code, "\n"))
	if depth != 0 || setup.Match(all) || rules.Match(all) || reaches(l, lines) {
		return false
	}
	if rows(h, code) {
		return true
	}
	if !outerLevel(l, lines) || !ended(l, h) {
		return false
	}
	outer := outerText(l, lines)
	names := declared.FindAllStringSubmatch(outer, -1)
	if l.Name == lex.Java || l.Name == lex.CSharp {
		for line := range strings.Lines(outer) {
			names = append(names, method.FindAllStringSubmatch(strings.TrimSpace(line), -1)...)
		}
	}
	for _, m := range names {
		if clashes(old, m[1]) {
			return false
		}
	}
	return true
}

// clashes says whether a new name means something in the old file.
func clashes(old source, name string) bool {
	for _, ln := range old.lines {
		if hasWord(ln.code, name) {
			return true
		}
	}
	return false
}

// outerText is the code of a hunk at its outer level.
func outerText(l *lex.Lang, lines []line) string {
	var b strings.Builder
	depth := 0
	least := leastIndent(lines)
	for _, ln := range lines {
		if depth == 0 && (l.Name != lex.Python && l.Name != lex.Ruby || ln.indent == least) {
			b.WriteString(ln.code + "\n")
		}
		depth += balance(ln.code)
	}
	return b.String()
}

func leastIndent(lines []line) int {
	least := lines[0].indent
	for _, ln := range lines {
		if !ln.inText {
			least = min(least, ln.indent)
		}
	}
	return least
}

var (
	closing = pattern.Lazy(`^[\s)\]},;]*(?:as const)?[\s)\]},;]*(?:while|throws [\w., ]+\{)?$`)
	tail    = pattern.Lazy(`^[\s;,]*$|^\s*(?:->|:)\s*[\w<>\[\]., ]+\s*[{:]?$|^\s*(?:throws|async|where)\b[\w\s.,<>:]*\{?$|^\s*[:{]$|^\s*do(?: \|[\w, ]+\|)?$`)
)

// outerLevel says whether every line of a hunk at its outer level is a test or
// what belongs to one, and nothing follows a test on its last line.
func outerLevel(l *lex.Lang, lines []line) bool {
	re := unit[l.Name]
	if re == nil {
		return false
	}
	if l.Name == lex.Python || l.Name == lex.Ruby {
		return byIndent(l, re, lines)
	}
	depth, marks := 0, false
	for i, ln := range lines {
		text := strings.TrimSpace(ln.code)
		if depth == 0 {
			marks = onlyMarks(text)
		}
		if depth == 0 && !re.MatchString(text) && (i == 0 || !closing.MatchString(text) && text != "{") {
			return false
		}
		after := ""
		for j := 0; j < len(ln.code); j++ {
			depth += balance(ln.code[j : j+1])
			if depth == 0 && strings.IndexByte(")]}", ln.code[j]) >= 0 {
				after = ln.code[j+1:]
			}
		}
		if after != "" && depth == 0 && !tail.MatchString(after) && !strings.Contains(after, "{") && !signature(text) {
			return false
		}
	}
	return !marks // a mark without its test would fall to the test below
}

// onlyMarks says whether a line at the outer level marks what follows it.
func onlyMarks(text string) bool {
	return (strings.HasPrefix(text, "@") || strings.HasPrefix(text, "#[") || strings.HasPrefix(text, "[")) && !strings.Contains(text, "{")
}

// signature says whether a line is a declaration that goes on.
func signature(text string) bool {
	return strings.HasPrefix(text, "@") || strings.HasPrefix(text, "#[") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "func ") || strings.HasPrefix(text, "fn ")
}

// byIndent is outerLevel where blocks are told by indentation.
func byIndent(l *lex.Lang, re *pattern.Pattern, lines []line) bool {
	least, depth, opened, closedBy, marks := leastIndent(lines), 0, 0, 0, false
	for i, ln := range lines {
		text := strings.TrimSpace(ln.code)
		if depth == 0 && !ln.inText && ln.indent == least {
			marks = strings.HasPrefix(text, "@")
			switch {
			case re.MatchString(text):
				if strings.Contains(text, ";") {
					return false
				}
			case i > 0 && (closing.MatchString(text) || l.Name == lex.Python && strings.HasPrefix(text, ")")):
			case l.Name == lex.Ruby && text == "end" && i > 0:
			default:
				return false
			}
		}
		if l.Name == lex.Ruby {
			opened += len(rubyOpen.FindAllString(text, -1))
			closedBy += len(rubyEnd.FindAllString(text, -1))
		}
		depth += balance(ln.code)
	}
	return opened == closedBy && !marks
}

var (
	rubyOpen = pattern.Lazy(`^(?:def|class|module|if|unless|case|begin|while|until|for)\b|\bdo\b(?:\s*\|[^|]*\|)?\s*$|=\s*(?:if|case|begin)\b`)
	rubyEnd  = pattern.Lazy(`\bend\b`)
)

// ended says whether what follows a hunk does not become part of it.
func ended(l *lex.Lang, h hunk) bool {
	if l.Name != lex.Python {
		return true
	}
	if h.to == len(h.all) {
		return true
	}
	return h.all[h.to].indent <= leastIndent(h.all[h.from:h.to]) && !h.all[h.to].inText
}

var row = pattern.Lazy(`^\s*(?:"[^"]*"\s*:\s*|'[^']*'\s*:\s*|[\w.]+\s*)?[\[({].*[\])}],?\s*$|^\s*\[(?:InlineData|DataRow|TestCase)\(.*\)\]\s*$|^\s*@(?:CsvSource|ValueSource)`)

// rows says whether a hunk is more rows for a table of cases.
func rows(h hunk, code []string) bool {
	joined := strings.TrimSpace(strings.Join(code, " "))
	if !row.MatchString(joined) && !manyRows(code) {
		return false
	}
	if strings.HasPrefix(joined, "[InlineData") || strings.HasPrefix(joined, "[DataRow") || strings.HasPrefix(joined, "[TestCase(") {
		return true
	}
	depth := 0
	for i := h.from - 1; i >= 0; i-- {
		code := h.all[i].code
		for j := len(code) - 1; j >= 0; j-- {
			depth -= balance(code[j : j+1])
			if depth < 0 { // the bracket that the rows stand in
				return rowsIn.MatchString(code[:j+1]) && !strings.Contains(code[:j+1], "assert") && !strings.Contains(code[:j+1], "expect")
			}
		}
	}
	return false
}

// manyRows says whether each line is a row by itself.
func manyRows(code []string) bool {
	for _, c := range code {
		if !row.MatchString(c) {
			return false
		}
	}
	return true
}
