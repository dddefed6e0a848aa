package features

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// span is a range of byte offsets, end exclusive.
type span struct{ start, end int }

// scanner reads strict JSON and knows where everything is. The caller drives
// it with what it expects next, so a hostile file costs no more memory than the
// list that it claims to be.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// newScanner checks what holds for the file as a whole: size, encoding, no byte
// order mark.
func newScanner(data []byte) (*scanner, error) {
	s := &scanner{data: data}
	if len(data) > MaxBytes {
		return nil, &SyntaxError{Line: 1, Col: 1,
			Msg:  fmt.Sprintf("the file has %d bytes, more than the limit of %d", len(data), MaxBytes),
			Mend: "split the work into several projects, or shorten the list"}
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, s.fail(0, "the file starts with a byte order mark", "save it as UTF-8 without a byte order mark")
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, s.fail(0, "the file is UTF-16", "save it as UTF-8")
	}
	if !utf8.Valid(data) {
		at := 0
		for at < len(data) {
			r, n := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return nil, s.fail(at, fmt.Sprintf("byte 0x%02x is not UTF-8", data[at]), "save the file as UTF-8")
	}
	return s, nil
}

// fail makes an error at byte offset at.
func (s *scanner) fail(at int, msg, mend string) *SyntaxError {
	at = min(at, len(s.data))
	line := 1 + bytes.Count(s.data[:at], []byte{'\n'})
	from := bytes.LastIndexByte(s.data[:at], '\n') + 1
	return &SyntaxError{Line: line, Col: 1 + utf8.RuneCount(s.data[from:at]), Msg: msg, Mend: mend}
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// wrong says that something else than want is at the current position.
func (s *scanner) wrong(want string) error {
	c := s.peek()
	found, mend := strconv.QuoteRune(rune(c)), "write "+want+" here"
	rest := s.data[s.pos:]
	switch {
	case s.pos >= len(s.data):
		found, mend = "the end of the file", "the file seems to be cut off: complete it, or take it back from the last commit"
	case c == '"':
		found = "a string"
	case c == '{':
		found = "an object"
	case c == '[':
		found = "a list"
	case c == '/' || c == '#':
		found, mend = "a comment", "JSON has no comments: take it out"
	case c == '\'':
		found, mend = "a single quote", "use double quotes"
	case c == '-' || c >= '0' && c <= '9':
		found = "a number"
	case c >= 0x80:
		r, _ := utf8.DecodeRune(rest)
		found = strconv.QuoteRuneToASCII(r)
		if strings.ContainsRune("“”„‟″", r) {
			mend = "use the straight double quote"
		}
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		word := rest
		for i, b := range rest {
			if b < 'A' || b > 'z' || i > 20 {
				word = rest[:i]
				break
			}
		}
		found = string(word)
	}
	return s.fail(s.pos, "expected "+want+", found "+found, mend)
}

// enter consumes an opening bracket and counts the depth.
func (s *scanner) enter(open byte, want string) error {
	if s.peek() != open {
		return s.wrong(want)
	}
	s.depth++
	if s.depth > MaxDepth {
		return s.fail(s.pos, fmt.Sprintf("more than %d levels of brackets", MaxDepth), "the list needs four: write it as git agent does")
	}
	s.pos++
	return nil
}

// more consumes what stands between two elements. It returns false at the
// closing bracket, which it consumes.
func (s *scanner) more(end byte, first bool) (bool, error) {
	c := s.peek()
	if c == end {
		s.pos++
		s.depth--
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, s.wrong("a comma or '" + string(end) + "'")
	}
	comma := s.pos
	s.pos++
	if s.peek() == end {
		return false, s.fail(comma, "a comma before '"+string(end)+"'", "take the last comma out")
	}
	return true, nil
}

// object reads an object and calls visit with the scanner at each value. A key
// must be written without escapes and may come once.
func (s *scanner) object(want string, visit func(key string, at span) error) (span, error) {
	if err := s.enter('{', want); err != nil {
		return span{}, err
	}
	where := span{start: s.pos - 1}
	seen := map[string]bool{}
	for first := true; ; first = false {
		more, err := s.more('}', first)
		if err != nil || !more {
			where.end = s.pos
			return where, err
		}
		key, at, err := s.str("a key in double quotes")
		if err != nil {
			return where, err
		}
		raw := string(s.data[at.start+1 : at.end-1])
		if strings.Contains(raw, `\`) {
			return where, s.fail(at.start, "the key "+quote(key)+" is written with an escape", "write "+quote(key)+" plainly")
		}
		if seen[key] {
			return where, s.fail(at.start, "the key "+quote(key)+" is there twice", "keep one of the two")
		}
		seen[key] = true
		if s.peek() != ':' {
			return where, s.wrong("a colon")
		}
		s.pos++
		if err := visit(key, at); err != nil {
			return where, err
		}
	}
}

// array reads a list and calls visit with the scanner at each element.
func (s *scanner) array(want string, visit func(i int) error) (span, error) {
	if err := s.enter('[', want); err != nil {
		return span{}, err
	}
	where := span{start: s.pos - 1}
	for i := 0; ; i++ {
		more, err := s.more(']', i == 0)
		if err != nil || !more {
			where.end = s.pos
			return where, err
		}
		if err := visit(i); err != nil {
			return where, err
		}
	}
}

// str reads a string; the span includes its quotes.
func (s *scanner) str(want string) (string, span, error) {
	if s.peek() != '"' {
		return "", span{}, s.wrong(want)
	}
	at := span{start: s.pos}
	s.pos++
	from := s.pos
	var out []byte
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			at.end = s.pos
			if out == nil {
				return string(s.data[from : s.pos-1]), at, nil
			}
			return string(append(out, s.data[from:s.pos-1]...)), at, nil
		case c < 0x20:
			msg, mend := fmt.Sprintf("control character 0x%02x inside a string", c), "take it out"
			if c == '\n' || c == '\r' {
				msg, mend = "the string is not closed on its line", "close it with a double quote"
			}
			return "", at, s.fail(s.pos, msg, mend)
		case c == '\\':
			out = append(out, s.data[from:s.pos]...)
			r, err := s.escape()
			if err != nil {
				return "", at, err
			}
			out = utf8.AppendRune(out, r)
			from = s.pos
		default:
			s.pos++
		}
	}
	return "", at, s.fail(at.start, "the string that starts here is not closed", "close it with a double quote")
}

// escape reads one escape sequence, a surrogate pair as one.
func (s *scanner) escape() (rune, error) {
	start := s.pos
	bad := func() (rune, error) {
		return 0, s.fail(start, "an escape that JSON does not know", `write \\ for a backslash`)
	}
	if s.pos+1 >= len(s.data) {
		return bad()
	}
	c := s.data[s.pos+1]
	s.pos += 2
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return bad()
	}
	r, ok := s.hex4()
	if !ok {
		return bad()
	}
	if r < 0xd800 || r > 0xdfff {
		return r, nil
	}
	if r < 0xdc00 && bytes.HasPrefix(s.data[s.pos:], []byte(`\u`)) {
		s.pos += 2
		if low, ok := s.hex4(); ok && low >= 0xdc00 && low <= 0xdfff {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, nil
		}
	}
	return 0, s.fail(start, "half a surrogate pair", "write the character itself")
}

func (s *scanner) hex4() (rune, bool) {
	if s.pos+4 > len(s.data) {
		return 0, false
	}
	var r rune
	for _, c := range s.data[s.pos : s.pos+4] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	s.pos += 4
	return r, true
}

// skip reads any value, strictly, and forgets it.
func (s *scanner) skip() error {
	switch s.peek() {
	case '{':
		_, err := s.object("an object", func(string, span) error { return s.skip() })
		return err
	case '[':
		_, err := s.array("a list", func(int) error { return s.skip() })
		return err
	case '"':
		_, _, err := s.str("a string")
		return err
	}
	if s.literal("true") || s.literal("false") || s.literal("null") || s.number() {
		return nil
	}
	return s.wrong("a value")
}

// end asks for the end of the input.
func (s *scanner) end() error {
	if s.peek(); s.pos < len(s.data) {
		return s.fail(s.pos, "something follows the end of the list", "take out everything after the last bracket")
	}
	return nil
}
