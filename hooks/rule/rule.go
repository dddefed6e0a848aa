package rule

import (
	"bytes"
	"strings"
)

// Git's modes of entries.
const (
	ModeFile    = "100644"
	ModeExec    = "100755"
	ModeLink    = "120000"
	ModeGitlink = "160000"
)

// File is one side of a change. Mode is "" where there is nothing; Data is read
// of files and links alone.
type File struct {
	Mode string
	Data []byte
}

// There says whether anything is there.
func (f File) There() bool { return f.Mode != "" }

// Regular says whether it is an ordinary file.
func (f File) Regular() bool { return f.Mode == ModeFile || f.Mode == ModeExec }

// Change is one path, before and after.
type Change struct {
	Path     string
	Old, New File
}

// Finding is a rule that a change breaks. Line is where, from 1, in the new
// file, or in the old one where something is missing; 0 when no line can be
// named. What begins after the path: "is deleted".
type Finding struct {
	Code string
	// Key names what was found, within its path, independently of where: in a
	// merge the same finding against every parent has the same code and key.
	Key  string
	Line int
	What string
}

// Line is one line of text.
type Line struct {
	N    int // from 1
	Text string
}

// Added lists the lines of new that old has not, counting repetitions. Blank
// lines are left out.
func Added(old, new []byte) []Line {
	if len(bytes.TrimSpace(new)) == 0 {
		return nil
	}
	had := map[string]int{}
	for line := range strings.Lines(string(old)) {
		had[strings.TrimSpace(line)]++
	}
	var out []Line
	n := 0
	for line := range strings.Lines(string(new)) {
		n++
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if had[text] > 0 {
			had[text]--
			continue
		}
		out = append(out, Line{n, strings.TrimRight(line, "\r\n")})
	}
	return out
}

// Binary says whether data is no text, as git decides it.
func Binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
