package testguard

import (
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// grown says whether new is old with whole tests (and what they import) put in,
// and nothing else; if not, line is the first of new, or of old where something
// is missing, that says otherwise.
func grown(l *lex.Lang, old, new []byte) (ok bool, line int) {
	a, b := read(l, old), read(l, new)
	if n := importsKept(l, a, b); n > 0 {
		return false, n
	}
	hunks, n := inserted(a.lines, b.lines)
	if n > 0 {
		return false, n
	}
	for _, h := range hunks {
		if !h.slide(func(h hunk) bool { return onlyTests(l, a, b, h) }) {
			return false, b.lines[h.from].n
		}
	}
	return true, 0
}

// line is a line of a test file that counts: neither blank nor a comment.
type line struct {
	n      int // in the file, from 1
	text   string
	code   string // with strings and comments blanked
	indent int
	inText bool // it begins inside a long string
}

// source is a test file taken apart.
type source struct {
	lines   []line
	imports []line // one for each statement
	code    string
}

// directive is a comment that means something to a tool.
var directive = pattern.Lazy(`(?i)//go:|// ?\+build|output:|@ts-|eslint|prettier|istanbul|c8 |v8 ignore|noqa|pragma|type:|fmt:|isort|pylint|mypy|rubocop|phpstan|nolint|NOSONAR|@jest|@vitest|jsdom|encoding|frozen|coding[:=]|>>>|@test|@group|@dataProvider|@depends|#!`)

func read(l *lex.Lang, src []byte) source {
	class := l.Classes(src)
	code := l.OnlyCode(src)
	s := source{code: string(code)}
	at, n, depth := 0, 0, 0
	var open *line // an import statement that goes on
	openDepth := 0
	for text := range strings.Lines(string(src)) {
		n++
		from, to := at, at+len(text)
		at = to
		ln := line{n: n, text: strings.TrimRight(text, " \t\r\n"), code: strings.TrimRight(string(code[from:to]), " \t\r\n")}
		ln.inText = from > 0 && from < len(class) && class[from] == lex.String && class[from-1] == lex.String
		ln.indent = indentOf(ln.text)
		before := depth
		depth += balance(ln.code)
		switch {
		case ln.inText:
			s.lines = append(s.lines, ln)
		case strings.TrimSpace(ln.text) == "", strings.TrimSpace(ln.code) == "" && !directive.MatchString(ln.text):
		case open != nil:
			open.text += " " + strings.TrimSpace(ln.text)
			if depth <= openDepth {
				s.imports = append(s.imports, *open)
				open = nil
			}
		case importing(l, ln):
			ln.text = strings.TrimSpace(ln.text)
			if depth > before {
				open, openDepth = &ln, before
				continue
			}
			s.imports = append(s.imports, ln)
		default:
			s.lines = append(s.lines, ln)
		}
	}
	if open != nil {
		s.imports = append(s.imports, *open)
	}
	return s
}

func indentOf(s string) int {
	n := 0
	for _, c := range s {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return n
}

// balance is how many brackets of code stay open (or close what was open).
func balance(code string) int {
	n := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// hunk is a run of lines of new that old has not.
type hunk struct {
	all      []line
	from, to int
}

// slide tries the hunk, and the others that say the same: the same lines put in
// a little earlier or later.
func (h hunk) slide(fits func(hunk) bool) bool {
	if fits(h) {
		return true
	}
	for up := h; up.from > 0 && up.all[up.from-1].text == up.all[up.to-1].text; {
		up.from, up.to = up.from-1, up.to-1
		if fits(up) {
			return true
		}
	}
	for down := h; down.to < len(down.all) && down.all[down.from].text == down.all[down.to].text; {
		down.from, down.to = down.from+1, down.to+1
		if fits(down) {
			return true
		}
	}
	return false
}

// same says whether two lines are the same code: a line that is code here and
// part of a string there only looks alike.
func same(a, b line) bool { return a.text == b.text && a.inText == b.inText }

// maxTable bounds the table of the comparison.
const maxTable = 4 << 20

// inserted lists what new has more than old. missing is the line, of new if it
// can be told, where a line of old is gone or has another content.
func inserted(old, new []line) (hunks []hunk, missing int) {
	start := 0
	for start < len(old) && start < len(new) && same(old[start], new[start]) {
		start++
	}
	endA, endB := len(old), len(new)
	for endA > start && endB > start && same(old[endA-1], new[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	where := func(i, j int) int {
		if j < len(new) {
			return new[j].n
		}
		return old[i].n
	}
	if (endA-start)*(endB-start) > maxTable || endA-start > endB-start {
		return nil, where(start, start)
	}
	common := table(old[start:endA], new[start:endB])
	i, j := start, start
	for j < endB {
		switch {
		case i < endA && same(old[i], new[j]) && common[i-start][j-start] == common[i-start+1][j-start+1]+1:
			i, j = i+1, j+1
		case i < endA && common[i-start+1][j-start] >= common[i-start][j-start+1] && common[i-start+1][j-start] > 0 || i < endA && j == endB-1:
			return nil, where(i, j)
		default:
			if k := len(hunks) - 1; k >= 0 && hunks[k].to == j {
				hunks[k].to++
			} else {
				hunks = append(hunks, hunk{all: new, from: j, to: j + 1})
			}
			j++
		}
	}
	if i < endA {
		return nil, where(i, j)
	}
	return hunks, 0
}

// table holds the lengths of the longest common runs of what remains.
func table(a, b []line) [][]int32 {
	rows := make([][]int32, len(a)+1)
	for i := range rows {
		rows[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(a[i], b[j]) {
				rows[i][j] = rows[i+1][j+1] + 1
			} else {
				rows[i][j] = max(rows[i+1][j], rows[i][j+1])
			}
		}
	}
	return rows
}
