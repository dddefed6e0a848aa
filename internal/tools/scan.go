package tools

import (
	"bytes"
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
	lower []byte         // the pattern, where it is plain text that ignores case
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

func (m matcher) lines(data []byte) []hit {
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
func (m matcher) none(data []byte) bool {
	if !bytes.Contains(data, m.need) {
		return true
	}
	if bytes.IndexByte(data, '\r') >= 0 { // lines end before it
		return false
	}
	if m.lower != nil && ascii(data) && ascii(m.lower) {
		return !bytes.Contains(bytes.ToLower(data), m.lower)
	}
	return m.whole != nil && !m.whole.Match(data)
}

func ascii(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return b >= utf8.RuneSelf })
}

// reader reads many files of the tree, one folder after the other.
type reader struct {
	root     *os.Root
	dir      string
	at       *os.Root // dir; nil when it is not open
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
	f, err := r.open(name)
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
	r.buf = slices.Grow(r.buf[:0], int(info.Size()))
	data := r.buf[:info.Size()]
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, false
	}
	return data, isText(data)
}

// open opens a file without waiting, should it be a pipe.
func (r *reader) open(name string) (*os.File, error) {
	const how = os.O_RDONLY | syscall.O_NONBLOCK
	dir, base := path.Split(name)
	if dir != r.dir || r.at == nil {
		r.close()
		r.dir = dir
		if dir != "" {
			r.at, _ = r.root.OpenRoot(dir) // else it is gone about the long way
		}
	}
	if r.at != nil {
		if f, err := r.at.OpenFile(base, how, 0); err == nil {
			return f, nil
		}
	}
	return r.root.OpenFile(name, how, 0) // a link may lead to another folder of the tree
}
