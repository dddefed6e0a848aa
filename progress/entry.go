package progress

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gitagent/internal/plain"
)

const (
	// Path is where the log stands in a repository.
	Path = "progress.md"

	timeLayout = "2006-01-02 15:04:05 UTC"

	maxField = 120 // characters of a name in a heading
	maxFact  = 400 // characters of a fact
	maxFacts = 40

	maxNoteLine  = 200  // characters of one line of a note
	maxNoteLines = 40   // lines of a note
	maxNote      = 2000 // bytes of a note
)

// The kinds of entry that this program writes. Others are read just as well.
const (
	KindInit       = "init"
	KindSession    = "session"    // one run of git agent step
	KindRegression = "regression" // a feature that passed holds no longer
	KindRepair     = "repair"     // and holds again
	KindFeatures   = "features"   // a person changed the list
	KindNote       = "note"
)

// Entry is one entry of the log. Facts are what the harness saw, one line each;
// Note is what the model or a person said.
type Entry struct {
	Time                                         time.Time // whole seconds, UTC
	Kind, Session, Feature, Outcome, Model, Tree string
	Facts                                        []string
	Note                                         string
}

// tidy brings e to the form in which it is written and read back: no control
// characters, one line where one line is meant, nothing beyond the caps.
// Tidying twice changes nothing.
func tidy(e Entry) Entry {
	e.Time = e.Time.UTC().Truncate(time.Second)
	for _, p := range []*string{&e.Kind, &e.Session, &e.Feature, &e.Outcome, &e.Model, &e.Tree} {
		*p = field(*p)
	}
	var facts []string
	for _, f := range e.Facts {
		if f = plain.Line(f, maxFact); f != "" {
			facts = append(facts, f)
		}
	}
	if over := len(facts) - maxFacts; over > 0 {
		facts = append(facts[:maxFacts-1:maxFacts-1], fmt.Sprintf("and %d more", over+1))
	}
	e.Facts = facts
	e.Note = strings.Join(noteLines(e.Note), "\n")
	return e
}

// field makes a name fit for a heading: it can hold none of the marks that
// separate names there.
func field(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "·", "-"), "`", "'")
	if s = plain.Line(s, maxField); s == "-" {
		return ""
	}
	return s
}

// noteLines cuts a note to the caps, keeping its beginning and its end.
func noteLines(note string) []string {
	lines := strings.Split(strings.ReplaceAll(plain.Text(note), "\t", "    "), "\n")
	size := 0
	for i, line := range lines {
		lines[i] = cutRunes(strings.TrimRight(line, " "), maxNoteLine)
		size += len(lines[i]) + 1
	}
	lines = trimBlank(lines)
	if len(lines) <= maxNoteLines && size <= maxNote {
		return lines
	}
	// A line has at most 800 bytes, so that both ends hold at least one.
	head := take(lines, 30, 1000)
	rest := lines[len(head):]
	tail := take(reversed(rest), 8, 900)
	out := append([]string{}, head...)
	out = append(out, fmt.Sprintf("[… %d lines left out …]", len(rest)-len(tail)))
	return append(out, reversed(tail)...)
}

// take returns the first lines, at most n of them and at most size bytes.
func take(lines []string, n, size int) []string {
	for i, line := range lines {
		if size -= len(line) + 1; i == n || size < 0 {
			return lines[:i]
		}
	}
	return lines
}

func reversed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[len(lines)-1-i] = line
	}
	return out
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func cutRunes(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:max-1]), " ") + "…"
}

// format writes the entry as Markdown. Only the heading starts with "## ": a
// fact starts with "- " and a line of a note with ">".
func (e Entry) format() string {
	e = tidy(e)
	var b strings.Builder
	fmt.Fprintf(&b, "## %s · %s · %s · %s\n", e.Time.Format(timeLayout), dash(e.Kind), dash(e.Feature), dash(e.Outcome))
	var about []string
	for _, p := range []struct{ name, value string }{{"session", e.Session}, {"model", e.Model}, {"tree", e.Tree}} {
		if p.value != "" {
			about = append(about, p.name+" `"+p.value+"`")
		}
	}
	if len(about) > 0 {
		b.WriteString("\n" + strings.Join(about, " · ") + "\n")
	}
	if len(e.Facts) > 0 {
		b.WriteString("\n")
	}
	for _, f := range e.Facts {
		b.WriteString("- " + f + "\n")
	}
	if e.Note != "" {
		b.WriteString("\n")
		for line := range strings.SplitSeq(e.Note, "\n") {
			b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		}
	}
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
