package tools

import (
	"regexp"
	"strconv"
	"strings"
)

// ladder looks for oldText: exactly, then ignoring blanks at line ends, then
// ignoring the indent. It stops at the first rung that finds anything; the
// places are line numbers, and the edit stands only when there is one.
func ladder(old, oldText, newText string) (edit, []int) {
	if at := occurrences(old, oldText); len(at) > 0 {
		return edit{start: at[0], end: at[0] + len(oldText), text: newText}, sortedPlaces(old, at)
	}
	want := strings.Split(trimBlankLines(oldText), "\n")
	lines := lineSpans(old)
	if at := windows(lines, want, trimRight); len(at) > 0 {
		e := lineEdit(lines, at[0], len(want), newText)
		e.how = []string{"ignoring blanks at line ends"}
		return e, windowLines(at)
	}
	at := windows(lines, want, strings.TrimSpace)
	if len(at) != 1 {
		return edit{}, windowLines(at)
	}
	indented, ok := reindent(lines[at[0]:at[0]+len(want)], want, newText)
	if !ok {
		return edit{}, nil
	}
	e := lineEdit(lines, at[0], len(want), indented)
	e.how = []string{"ignoring the indent, which new_text was given too"}
	return e, windowLines(at)
}

func trimRight(s string) string { return strings.TrimRight(s, " \t\r") }

func windowLines(at []int) []int {
	var out []int
	for _, i := range at {
		out = append(out, i+1)
	}
	return out
}

// occurrences lists every offset of sub, overlapping ones too, at most 1000.
func occurrences(s, sub string) []int {
	var at []int
	for from := 0; len(at) < 1000; {
		i := strings.Index(s[from:], sub)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

// span is a line of the old text, without its end.
type span struct {
	start, end int
	text       string
}

func lineSpans(s string) []span {
	var out []span
	for start := 0; start <= len(s); {
		end := len(s)
		if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
			end = start + i
		}
		out = append(out, span{start, end, s[start:end]})
		start = end + 1
	}
	return out
}

// windows lists the first lines of every run of lines that equals want under
// norm.
func windows(lines []span, want []string, norm func(string) string) []int {
	normed := make([]string, len(lines))
	for i, l := range lines {
		normed[i] = norm(l.text)
	}
	for i := range want {
		want[i] = strings.TrimRight(want[i], "\r")
	}
	var at []int
	for i := 0; i+len(want) <= len(lines); i++ {
		equal := true
		for j := range want {
			if normed[i+j] != norm(want[j]) {
				equal = false
				break
			}
		}
		if equal {
			at = append(at, i)
		}
	}
	return at
}

// lineEdit replaces n whole lines. Taking lines out takes their last line end
// with them.
func lineEdit(lines []span, first, n int, newText string) edit {
	e := edit{start: lines[first].start, end: lines[first+n-1].end, text: strings.Trim(newText, "\n")}
	if strings.TrimSpace(newText) == "" {
		e.text = ""
		if first+n < len(lines) {
			e.end = lines[first+n].start
		}
	}
	return e
}

// trimBlankLines drops blank lines at both ends.
func trimBlankLines(s string) string {
	lines := strings.Split(s, "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// reindent gives newText the file's indent. Each indent of oldText must stand
// for one indent of the file; where it does not, nothing is certain and ok is
// false. A deeper indent of newText keeps what it has beyond the longest known.
func reindent(found []span, want []string, newText string) (string, bool) {
	indents := map[string]string{}
	for i, w := range want {
		if strings.TrimSpace(w) == "" {
			continue
		}
		from, to := indentOf(w), indentOf(found[i].text)
		if known, ok := indents[from]; ok && known != to {
			return "", false
		}
		indents[from] = to
	}
	lines := strings.Split(strings.Trim(newText, "\n"), "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		has := indentOf(l)
		best, ok := "", false
		for from := range indents {
			if strings.HasPrefix(has, from) && (!ok || len(from) > len(best)) {
				best, ok = from, true
			}
		}
		if !ok {
			return "", false
		}
		lines[i] = indents[best] + deeper(has[len(best):], best, indents[best]) + l[len(has):]
	}
	return strings.Join(lines, "\n"), true
}

// deeper writes further indent in the file's way when it has tabs and the text
// that was sent has spaces, or the other way round.
func deeper(extra, from, to string) string {
	fileTabs, sentTabs := strings.Contains(to, "\t"), strings.Contains(from+extra, "\t")
	switch {
	case extra == "" || to == "" || fileTabs == sentTabs:
		return extra
	case fileTabs:
		width := len(extra)
		if from != "" {
			width = max(len(from)/len(to), 1)
		}
		return strings.Repeat("\t", max(len(extra)/width, 1))
	default:
		width := 4
		if n := strings.Count(from, "\t"); n > 0 {
			width = max(len(to)/n, 1)
		}
		return strings.Repeat(" ", width*strings.Count(extra, "\t"))
	}
}

func indentOf(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// numberedLine is a line as read_file shows it, or as other tools do.
var numberedLine = regexp.MustCompile(`^[ \t]*([0-9]{1,7})(?:\||\t|: | \| ?)(.*)$`)

// stripNumbers takes line numbers off when every line has one and they count
// up by one; anything else is content.
func stripNumbers(s string) (string, bool) {
	trimmed := strings.Trim(s, "\n")
	if trimmed == "" {
		return s, false
	}
	lines := strings.Split(trimmed, "\n")
	next := -1
	for i, l := range lines {
		m := numberedLine.FindStringSubmatch(strings.TrimSuffix(l, "\r"))
		if m == nil {
			return s, false
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || next >= 0 && n != next {
			return s, false
		}
		next = n + 1
		lines[i] = m[2]
	}
	out := strings.Join(lines, "\n")
	if strings.HasSuffix(s, "\n") {
		out += "\n"
	}
	return out, true
}
