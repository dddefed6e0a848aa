package progress

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gitagent/internal/plain"
)

// marker tells a log of this program from a file that happens to have its name.
const marker = "kept by git agent (log format 1)"

// ErrNotLog says that a file is no log of this program.
var ErrNotLog = errors.New("this is not a log of git agent")

// New returns a log without entries but the one that says when it began.
func New(project, goal string, now time.Time) []byte {
	var b strings.Builder
	title := "# Progress"
	if project = plain.Line(project, maxField); project != "" {
		title += ": " + project
	}
	b.WriteString(title + "\n\n")
	if goal = plain.Line(goal, 1000); goal != "" {
		b.WriteString("> " + goal + "\n\n")
	}
	b.WriteString("This log is " + marker + ". It only grows at its end.\n" +
		"Lines with \"- \" are what git agent itself saw; lines with \">\" quote a model or a person, unchecked.\n")
	return Append([]byte(b.String()), Entry{Time: now, Kind: KindInit, Facts: []string{"the list of features was made"}})
}

// Append returns the log with one more entry; old stays a prefix of it. An
// empty log gets a head first.
func Append(old []byte, e Entry) []byte {
	if len(bytes.TrimSpace(old)) == 0 {
		old = append(bytes.Clone(old), "# Progress\n\nThis log is "+marker+". It only grows at its end.\n"...)
	}
	out := bytes.Clone(old)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return append(append(out, '\n'), e.format()...)
}

// IsPrefix says whether new goes on where old ends: every byte of old is there,
// and its last line was not lengthened.
func IsPrefix(old, new []byte) bool {
	if !bytes.HasPrefix(new, old) {
		return false
	}
	return len(old) == 0 || len(old) == len(new) || old[len(old)-1] == '\n' || new[len(old)] == '\n' || new[len(old)] == '\r'
}

// Parse reads the entries of a log, oldest first. Nothing is no error and has
// no entries; text that people wrote between entries is passed over; a file
// that is no log is refused with ErrNotLog.
func Parse(data []byte) ([]Entry, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%w: not UTF-8", ErrNotLog)
	}
	if head := data[:min(len(data), 8192)]; !bytes.Contains(head, []byte(marker)) {
		return nil, fmt.Errorf("%w: the line with %q is missing", ErrNotLog, marker)
	}
	var entries []Entry
	var now *Entry
	var note []string
	flush := func() {
		if now != nil {
			now.Note = strings.Join(trimBlank(note), "\n")
			entries = append(entries, *now)
		}
		now, note = nil, nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") {
			flush()
			now = heading(line)
			continue
		}
		if now != nil {
			note = now.line(line, note)
		}
	}
	flush()
	return entries, nil
}

// heading reads the first line of an entry, nil when it is none.
func heading(line string) *Entry {
	rest, ok := strings.CutPrefix(line, "## ")
	parts := strings.Split(rest, " · ")
	if !ok || len(parts) != 4 {
		return nil
	}
	t, err := time.Parse(timeLayout, parts[0])
	if err != nil || t.Year() < 1 {
		return nil
	}
	return &Entry{Time: t, Kind: field(parts[1]), Feature: field(parts[2]), Outcome: field(parts[3])}
}

// line takes one line below the heading.
func (e *Entry) line(line string, note []string) []string {
	switch {
	case strings.HasPrefix(line, "> "):
		return append(note, plain.Text(line[2:]))
	case line == ">":
		return append(note, "")
	case strings.HasPrefix(line, "- "):
		if f := plain.Line(line[2:], maxFact); f != "" {
			e.Facts = append(e.Facts, f)
		}
	case len(e.Facts) == 0 && len(note) == 0:
		for part := range strings.SplitSeq(line, " · ") {
			name, value, ok := strings.Cut(strings.TrimSuffix(part, "`"), " `")
			if !ok {
				continue
			}
			switch value = field(value); name {
			case "session":
				e.Session = value
			case "model":
				e.Model = value
			case "tree":
				e.Tree = value
			}
		}
	}
	return note
}

// Digest is what a model is told of the log: the newest entries that fit into
// maxBytes, oldest first, facts and quoted notes in short form. It is data for
// a prompt, and says how much is left out.
func Digest(entries []Entry, maxBytes int) string {
	const more = "(%d earlier entries left out)\n"
	room := maxBytes - len(more) - 10
	var parts []string
	for i := len(entries) - 1; i >= 0; i-- {
		part := digestOf(entries[i])
		if len(part) > room {
			break
		}
		room -= len(part)
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	var b strings.Builder
	if left := len(entries) - len(parts); left > 0 {
		fmt.Fprintf(&b, more, left)
	}
	for _, part := range reversed(parts) {
		b.WriteString(part)
	}
	return b.String()
}

// digestOf keeps an entry to about a thousand bytes, so that one session cannot
// push the others out of sight.
func digestOf(e Entry) string {
	e = tidy(e)
	var b strings.Builder
	b.WriteString("- " + strings.Join(strings.Fields(e.Time.Format("2006-01-02 15:04")+" "+e.Kind+" "+e.Feature+" "+e.Outcome), " ") + "\n")
	for i, f := range e.Facts {
		if i == 4 {
			fmt.Fprintf(&b, "  - %d more facts\n", len(e.Facts)-i)
			break
		}
		b.WriteString("  - " + plain.Line(f, 160) + "\n")
	}
	lines := 0
	for line := range strings.SplitSeq(e.Note, "\n") {
		if line = plain.Line(line, 160); line == "" {
			continue
		}
		if lines++; lines > 3 {
			break
		}
		b.WriteString("  > " + line + "\n")
	}
	return b.String()
}
