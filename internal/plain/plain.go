package plain

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ansi matches whole escape sequences (CSI, OSC, DCS, PM, APC, SOS and two-byte
// ones), so that their payload goes with the escape character.
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]")

// Text returns s without control sequences, control characters other than
// newline and tab, bidirectional controls, zero-width and tag characters.
// Carriage returns become newlines; invalid UTF-8 becomes U+FFFD.
func Text(s string) string {
	if clean(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = ansi.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, s)
}

// clean is the fast path: printable ASCII, newline and tab.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x7f || (c < 0x20 && c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}

// hidden says whether r could steer a terminal or hide from a reader. The
// zero-width joiner stays: emoji and several scripts need it.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f, r == 0x061c, r == 0xfeff, r == 0x2028, r == 0x2029:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// Line returns s as one line of at most max runes, an ellipsis for the rest.
func Line(s string, max int) string {
	s = strings.Join(strings.Fields(Text(s)), " ")
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	r := []rune(s)
	if max < 1 {
		return ""
	}
	return string(r[:max-1]) + "…"
}

// Clip returns s cut to about max bytes: three quarters from the head, one from
// the tail, with a line between them that says how much is missing.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	head, tail := max*3/4, max/4
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	start := len(s) - tail
	for start < len(s) && !utf8.RuneStart(s[start]) {
		start++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s[:head], start-head, s[start:])
}
