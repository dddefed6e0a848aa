package tools

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"syscall"
	"unicode/utf8"
)

// matcher finds the lines that match a regular expression. Most files have
// none, and are looked at as a whole first.
type matcher struct {
	line  *regexp.Regexp
	whole *regexp.Regexp // matches every text with a matching line; nil: not to be had
	need  []byte         // is in every line that matches; may be empty
	lower []byte         // the pattern in small letters, where it is plain ASCII text that ignores case
	room  []byte         // for a text in small letters
}

func newMatcher(pattern string) matcher {
	m := matcher{line: regexp.MustCompile(pattern)}
	parsed, err := syntax.Parse("(?m:"+pattern+")", syntax.Perl)
	if err != nil {
		return m
	}
	m.need = []byte(needed(parsed))
	if !bound(parsed) {
		m.whole = regexp.MustCompile("(?m:" + pattern + ")")
	}
	return m
}

// own is m for one more goroutine.
func (m matcher) own() matcher {
	m.room = nil
	return m
}

// bound says whether an expression speaks of the beginning or the end of the
// text, which is not that of a line.
func bound(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText || slices.ContainsFunc(re.Sub, bound)
}

// needed is a text that every match holds, the longest that is easily found.
func needed(re *syntax.Regexp) string {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		return string(re.Rune)
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus:
		return needed(re.Sub[0])
	case re.Op == syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := needed(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
}

type hit struct {
	number int // from 1
	text   string
}

func (m *matcher) lines(data []byte) []hit {
	if m.none(data) {
		return nil
	}
	var hits []hit
	for i, line := range splitLines(string(data)) {
		if m.line.MatchString(line) {
			hits = append(hits, hit{i + 1, line})
		}
	}
	return hits
}

// none says that no line matches, where that can be told quickly.
func (m *matcher) none(data []byte) bool {
	if !bytes.Contains(data, m.need) {
		return true
	}
	if bytes.IndexByte(data, '\r') >= 0 { // lines end before it
		return false
	}
	if m.lower != nil {
		if low, ok := m.lowered(data); ok {
			return !bytes.Contains(low, m.lower)
		}
	}
	return m.whole != nil && !m.whole.Match(data)
}

// lowered is data in small letters, good until the next call; ok is false where
// there is more than ASCII.
func (m *matcher) lowered(data []byte) (low []byte, ok bool) {
	m.room = slices.Grow(m.room[:0], len(data))[:len(data)]
	for i, c := range data {
		if c >= utf8.RuneSelf {
			return nil, false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		m.room[i] = c
	}
	return m.room, true
}

func ascii(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return b >= utf8.RuneSelf })
}

// reader reads many files of the tree, one folder after the other.
type reader struct {
	root     *os.Root
	dir      string
	at       *os.File // dir; nil when it is not open
	buf      []byte
	tooLarge int // files
}

func (r *reader) close() {
	if r.at != nil {
		r.at.Close()
		r.at = nil
	}
}

// text reads a text file that is searched; what it returns is good until the
// next one. The folder is kept open, which saves the way to it.
func (r *reader) text(name string) ([]byte, bool) {
	dir, base := path.Split(name)
	if dir != r.dir || r.at == nil {
		r.close()
		r.dir = dir
		r.at, _ = r.root.Open(path.Clean(dir)) // else it is gone about the long way
	}
	if r.at != nil {
		switch data, err := readIn(r.at, base, maxSearchFile, r.buf); {
		case err == nil:
			r.buf = data
			return data, isText(data)
		case errors.Is(err, errTooLarge):
			r.tooLarge++
			return nil, false
		}
	}
	return r.linked(name)
}

// errTooLarge is for a file that is not searched for its size.
var errTooLarge = errors.New("too large")

// linked reads a file by its whole name: a link may lead to another folder of
// the tree. It opens without waiting, should it be a pipe.
func (r *reader) linked(name string) ([]byte, bool) {
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	if info.Size() > maxSearchFile {
		r.tooLarge++
		return nil, false
	}
	r.buf = slices.Grow(r.buf[:0], int(info.Size()))[:info.Size()]
	if _, err := io.ReadFull(f, r.buf); err != nil {
		return nil, false
	}
	return r.buf, isText(r.buf)
}
