package features

import (
	"bytes"
	"strconv"
)

// boolean reads a literal true or false.
func (s *scanner) boolean() (bool, span, error) {
	s.peek()
	for _, lit := range []string{"true", "false"} {
		if s.literal(lit) {
			return lit == "true", span{s.pos - len(lit), s.pos}, nil
		}
	}
	return false, span{}, s.wrong("true or false")
}

// literal consumes word when it stands here and ends here.
func (s *scanner) literal(word string) bool {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return false
	}
	end := s.pos + len(word)
	if end < len(s.data) && isWord(s.data[end]) {
		return false
	}
	s.pos = end
	return true
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// integer reads a whole number without fraction or exponent.
func (s *scanner) integer() (int, span, error) {
	s.peek()
	at := span{start: s.pos}
	if s.number() {
		at.end = s.pos
		n, err := strconv.Atoi(string(s.data[at.start:at.end]))
		if err == nil && n >= -maxNumber && n <= maxNumber {
			return n, at, nil
		}
		return 0, at, s.fail(at.start, "not a whole number of reasonable size", "write a number such as 1")
	}
	return 0, at, s.wrong("a whole number")
}

// number consumes any JSON number; on failure the position stays.
func (s *scanner) number() bool {
	i := s.pos
	at := func() byte {
		if i < len(s.data) {
			return s.data[i]
		}
		return 0
	}
	digits := func() bool {
		from := i
		for at() >= '0' && at() <= '9' {
			i++
		}
		return i > from
	}
	if at() == '-' {
		i++
	}
	zero := at() == '0'
	from := i
	if !digits() || zero && i-from > 1 {
		return false
	}
	if at() == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if at() == 'e' || at() == 'E' {
		i++
		if at() == '+' || at() == '-' {
			i++
		}
		if !digits() {
			return false
		}
	}
	if isWord(at()) {
		return false
	}
	s.pos = i
	return true
}
