package browser

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shows says whether text, as rendered, shows want.
//
// White space is collapsed on both sides. The text shows want when it is equal
// to it or contains it as whole tokens: a letter, digit or mark may not continue
// want on either side, and a number may not be part of a longer one, so that 8
// is shown by "= 8" but not by 18, 78, 8.5, 1,008, 8:30 or -8. Case counts.
func Shows(text, want string) bool {
	text, want = collapse(text), collapse(want)
	if want == "" {
		return text == ""
	}
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(want)
		if !continuesLeft(text[:start], want) && !continuesRight(text[end:], want) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

// unspaced are scripts that write no space between words, where a neighbouring
// letter says nothing about where a word ends.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// numberJoint is what joins the digits of one number or time.
func numberJoint(r rune) bool { return r == '.' || r == ',' || r == ':' || r == '\'' || r == '’' }

// continuesLeft says whether want, found after before, is the tail of something
// longer.
func continuesLeft(before, want string) bool {
	first, _ := utf8.DecodeRuneInString(want)
	prev, size := utf8.DecodeLastRuneInString(before)
	if size == 0 || !wordRune(first) {
		return false
	}
	if wordRune(prev) {
		return !unspaced(prev) || !unspaced(first)
	}
	if !unicode.IsDigit(first) {
		return false
	}
	prev2, n2 := utf8.DecodeLastRuneInString(before[:len(before)-size])
	if numberJoint(prev) {
		return (n2 > 0 && unicode.IsDigit(prev2)) || (prev == '.' && (n2 == 0 || !wordRune(prev2)))
	}
	// A minus is a sign unless it joins two words, as in 2026-11 or 3-8.
	return (prev == '-' || prev == '−') && (n2 == 0 || !wordRune(prev2))
}

func continuesRight(after, want string) bool {
	last, _ := utf8.DecodeLastRuneInString(want)
	next, size := utf8.DecodeRuneInString(after)
	if size == 0 {
		return false
	}
	// A mark belongs to the rune before it, whatever that is.
	if unicode.IsMark(next) || next == '\u200d' {
		return true
	}
	if !wordRune(last) {
		return false
	}
	if wordRune(next) {
		return !unspaced(next) || !unspaced(last)
	}
	if !unicode.IsDigit(last) || !numberJoint(next) {
		return false
	}
	next2, n2 := utf8.DecodeRuneInString(after[size:])
	return n2 > 0 && unicode.IsDigit(next2)
}
