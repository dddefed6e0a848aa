package lex

import "bytes"

// What a byte of source is.
const (
	Code byte = iota
	Comment
	String // delimiters included
)

// Classes says of each byte of src what it is.
func (l *Lang) Classes(src []byte) []byte {
	s := &scanner{l: l, src: src, out: make([]byte, len(src))}
	for s.at < len(src) {
		s.next()
	}
	return s.out
}

type scanner struct {
	l    *Lang
	src  []byte
	out  []byte
	at   int
	last byte // the last byte of code that is no space
}

// next takes one comment, one string or one byte of code.
func (s *scanner) next() {
	c := s.src[s.at]
	if c == '/' || c == '#' || c == '\n' || c == '-' {
		if s.comment() {
			return
		}
	}
	switch {
	case c == '"' || c == '\'' || c == '`' || c == '@':
		if s.text() {
			return
		}
	case s.l.Name == Rust && (c == 'r' || c == 'b') && s.rustRaw():
		return
	case s.l.Name == JS && c == '/' && s.pattern():
		return
	}
	if c > ' ' {
		s.last = c
	}
	s.at++
}

// take marks the bytes up to end as class and goes on behind them.
func (s *scanner) take(end int, class byte) {
	end = min(end, len(s.src))
	for i := s.at; i < end; i++ {
		s.out[i] = class
	}
	if class == String {
		s.last = '"'
	}
	s.at = end
}

func (s *scanner) comment() bool {
	rest := s.src[s.at:]
	for _, mark := range s.l.line {
		if bytes.HasPrefix(rest, []byte(mark)) && (mark != "#" || s.hashBegins()) {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.take(s.at+end, Comment)
			return true
		}
	}
	for _, b := range s.l.block {
		if bytes.HasPrefix(rest, []byte(b[0])) {
			s.take(s.at+s.blockEnd(rest, b), Comment)
			return true
		}
	}
	return false
}

// hashBegins says whether # begins a comment here: not in $#, ${x#y} or PHP's
// attributes.
func (s *scanner) hashBegins() bool {
	if s.l.Name == PHP && s.at+1 < len(s.src) && s.src[s.at+1] == '[' {
		return false
	}
	if s.l.Name != Shell {
		return true
	}
	return s.at == 0 || bytes.IndexByte([]byte(" \t\n;(&|"), s.src[s.at-1]) >= 0
}

func (s *scanner) blockEnd(rest []byte, b [2]string) int {
	depth, i := 1, len(b[0])
	for i < len(rest) {
		switch {
		case bytes.HasPrefix(rest[i:], []byte(b[1])):
			i += len(b[1])
			if depth--; depth == 0 {
				return i
			}
		case s.l.nested && bytes.HasPrefix(rest[i:], []byte(b[0])):
			depth++
			i += len(b[0])
		default:
			i++
		}
	}
	return len(rest)
}

// text takes a string literal.
func (s *scanner) text() bool {
	rest := s.src[s.at:]
	for _, d := range s.l.strings {
		if !bytes.HasPrefix(rest, []byte(d[0])) {
			continue
		}
		first := d[0][0]
		many := len(d[0]) == 3 || bytes.IndexByte([]byte(s.l.many), first) >= 0
		raw := bytes.IndexByte([]byte(s.l.raw), first) >= 0
		s.take(s.at+s.textEnd(rest, d, many, raw), String)
		return true
	}
	return s.l.Name == Rust && rest[0] == '\'' && s.rustChar(rest)
}

func (s *scanner) textEnd(rest []byte, d [2]string, many, raw bool) int {
	for i := len(d[0]); i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && !raw:
			i++
		case rest[i] == '\n' && !many:
			return i // not closed: what follows is code again
		case bytes.HasPrefix(rest[i:], []byte(d[1])):
			return i + len(d[1])
		case s.l.Name == JS && d[0] == "`" && bytes.HasPrefix(rest[i:], []byte("${")):
			i += inBraces(rest[i+1:]) // a template's expression may hold templates
		}
	}
	return len(rest)
}

// inBraces is the length of what rest, which begins with a brace, encloses.
func inBraces(rest []byte) int {
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

// rustRaw takes r"…", r#"…"# and their byte forms.
func (s *scanner) rustRaw() bool {
	if s.at > 0 && wordByte(s.src[s.at-1]) {
		return false
	}
	i := s.at
	if s.src[i] == 'b' {
		i++
	}
	if i >= len(s.src) || s.src[i] != 'r' {
		return false
	}
	hashes := 0
	for i++; i < len(s.src) && s.src[i] == '#'; i++ {
		hashes++
	}
	if i >= len(s.src) || s.src[i] != '"' {
		return false
	}
	closing := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, hashes)...)
	end := bytes.Index(s.src[i+1:], closing)
	if end < 0 {
		s.take(len(s.src), String)
	} else {
		s.take(i+1+end+len(closing), String)
	}
	return true
}

// rustChar tells 'a' from the lifetime 'a.
func (s *scanner) rustChar(rest []byte) bool {
	if len(rest) > 3 && rest[1] == '\\' {
		if end := bytes.IndexByte(rest[3:min(len(rest), 14)], '\''); end >= 0 {
			s.take(s.at+3+end+1, String)
			return true
		}
		return false
	}
	end := bytes.IndexByte(rest[1:min(len(rest), 6)], '\'')
	if end < 1 || (end > 1 && rest[1] < 0x80) {
		return false
	}
	s.take(s.at+1+end+1, String)
	return true
}

// pattern takes a regular expression literal of JavaScript, where a value can
// begin.
func (s *scanner) pattern() bool {
	if s.last != 0 && bytes.IndexByte([]byte("(,=:[!&|?{};+-*%<>~^"), s.last) < 0 && !s.afterReturn() {
		return false
	}
	inSet := false
	for i := s.at + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '[':
			inSet = true
		case ']':
			inSet = false
		case '/':
			if !inSet {
				s.take(i+1, String)
				return true
			}
		}
	}
	return false
}

func (s *scanner) afterReturn() bool {
	return bytes.HasSuffix(bytes.TrimRight(s.src[:s.at], " \t"), []byte("return"))
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// OnlyCode is src with comments and the insides of strings blanked; line ends,
// quotes and positions stay.
func (l *Lang) OnlyCode(src []byte) []byte {
	class := l.Classes(src)
	out := bytes.Clone(src)
	for i := range out {
		inside := class[i] == Comment || class[i] == String && i > 0 && i+1 < len(class) && class[i-1] == String && class[i+1] == String
		if inside && out[i] != '\n' {
			out[i] = ' '
		}
	}
	return out
}

// NoComments is src with comments blanked; line ends and positions stay.
func (l *Lang) NoComments(src []byte) []byte {
	class := l.Classes(src)
	out := bytes.Clone(src)
	for i := range out {
		if class[i] == Comment && out[i] != '\n' {
			out[i] = ' '
		}
	}
	return out
}

// Line is the number, from 1, of the line that holds byte at.
func Line(src []byte, at int) int {
	return bytes.Count(src[:min(at, len(src))], []byte("\n")) + 1
}

// Close is where the bracket at open of code (as OnlyCode gives it) is closed:
// the index behind the closing one, -1 when it never is.
func Close(code []byte, open int) int {
	depth := 0
	for i := open; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
