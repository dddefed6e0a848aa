package progress

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// StatusDir holds one status file for each feature that was worked on.
const StatusDir = ".agent/status"

// StatusPath is where the status of a feature stands in a repository.
func StatusPath(id string) string { return StatusDir + "/" + id + ".md" }

// StatusOf is the feature whose status file stands at name, "" for other files.
func StatusOf(name string) string {
	id, below := strings.CutPrefix(name, StatusDir+"/")
	id, isStatus := strings.CutSuffix(id, ".md")
	if !below || !isStatus {
		return ""
	}
	return id
}

// The kinds of event that change a feature's state. Others are history.
const (
	EventDefect      = "defect"   // something observed that is wrong
	EventRejected    = "rejected" // an attempt that did not hold; a defect too
	EventFixed       = "fixed"    // the defect is gone
	EventVerified    = "verified" // the flag was set
	EventIncomplete  = "incomplete"
	EventUnverified  = "unverified"
	EventBlocked     = "blocked"
	EventInterrupted = "interrupted"
	EventEnvironment = "environment"
	EventPerson      = "person" // a person acted: the count towards parking starts anew
)

// Event is one line of a status file. Defect is the stable key of what the
// event is about; empty for most.
type Event struct {
	Time              time.Time // whole seconds, UTC
	Phase, Session    string
	Revision, Attempt int
	Kind              string
	Defect            string
	Detail            string // observed, one line
	Evidence          string // path or ref
}

// Defect is something that was observed to be wrong. It is never taken out of
// the history.
type Defect struct {
	Key, Text string
	Count     int  // how often it was seen
	Returned  int  // how often it was seen again after it was fixed
	Fixed     bool // as of now
}

// Status is a feature's state as its events leave it.
type Status struct {
	Feature           string
	Cycle             int    // N: sessions so far
	Revision, Attempt int    // r and n of the last event that had them
	Incomplete        int    // sessions without a flip since the last flip or person's act
	Blocked           string // why the last session was blocked, "" when it was not
	Defects           []Defect
	Events            []Event
}

const (
	columns   = 9
	maxDetail = 600
)

// ParseStatus reads a status file; nothing gives an empty status. A row that
// cannot be read is an error: history must not get lost in silence.
func ParseStatus(feature string, data []byte) (*Status, error) {
	s := &Status{Feature: feature}
	if !utf8.Valid(data) {
		return nil, hint.Errorf("take it back from the last commit", "%s is not UTF-8", StatusPath(feature))
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| time ") || strings.HasPrefix(line, "| --- ") {
			continue
		}
		e, err := parseRow(line)
		if err != nil {
			return nil, hint.Errorf("take the file back from the last commit", "%s, line %d: %w", StatusPath(feature), n, err)
		}
		s.Apply(e)
	}
	return s, nil
}

// AppendEvent returns the status file with one more row; old stays a prefix of
// it. An empty file gets a head first.
func AppendEvent(old []byte, feature string, e Event) []byte {
	out := bytes.Clone(old)
	if len(bytes.TrimSpace(out)) == 0 {
		out = append(out, "# "+field(feature)+": what happened to this feature\n\n"+
			"Kept by git agent; rows are only ever added. r is the revision of the plan, n the attempt.\n\n"+
			"| time | session | phase | r | n | event | defect | observed | evidence |\n"+
			"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"...)
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return append(out, e.row()...)
}

func (e Event) row() string {
	cells := []string{
		e.Time.UTC().Truncate(time.Second).Format(timeLayout), e.Session, e.Phase, number(e.Revision), number(e.Attempt),
		e.Kind, e.Defect, e.Detail, e.Evidence,
	}
	for i, c := range cells {
		max := maxField
		if i == 7 {
			max = maxDetail
		}
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(plain.Line(c, max), `\`, `\\`), "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func number(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func parseRow(line string) (Event, error) {
	cells := splitRow(line)
	if len(cells) != columns {
		return Event{}, fmt.Errorf("a row with %d cells instead of %d", len(cells), columns)
	}
	t, err := time.Parse(timeLayout, cells[0])
	if err != nil {
		return Event{}, fmt.Errorf("%q is no time", plain.Line(cells[0], 40))
	}
	e := Event{Time: t, Session: cells[1], Phase: cells[2], Kind: cells[5], Defect: cells[6], Detail: cells[7], Evidence: cells[8]}
	for i, p := range []*int{&e.Revision, &e.Attempt} {
		if c := cells[3+i]; c != "" {
			n, err := strconv.Atoi(c)
			if err != nil || n < 0 {
				return Event{}, fmt.Errorf("%q is no count", plain.Line(c, 40))
			}
			*p = n
		}
	}
	return e, nil
}

// splitRow takes a row apart; a backslash keeps the next character as it is.
func splitRow(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var cells []string
	var cell strings.Builder
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			cell.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			cells = append(cells, plain.Line(cell.String(), maxDetail))
			cell.Reset()
		default:
			cell.WriteRune(r)
		}
	}
	return append(cells, plain.Line(cell.String(), maxDetail))
}

// Apply adds an event to the state, as if it stood at the end of the file.
func (s *Status) Apply(e Event) {
	if e.Session != "" && !slices.ContainsFunc(s.Events, func(o Event) bool { return o.Session == e.Session }) {
		s.Cycle++
	}
	if e.Revision > 0 {
		s.Revision = e.Revision
	}
	if e.Attempt > 0 {
		s.Attempt = e.Attempt
	}
	switch e.Kind {
	case EventDefect, EventRejected:
		s.seen(e)
	case EventFixed:
		for i := range s.Defects {
			if s.Defects[i].Key == e.Defect {
				s.Defects[i].Fixed = true
			}
		}
	case EventVerified:
		for i := range s.Defects {
			s.Defects[i].Fixed = true
		}
	}
	s.count(e)
	s.Events = append(s.Events, e)
}

// count books an event towards parking.
func (s *Status) count(e Event) {
	switch e.Kind {
	case EventIncomplete, EventUnverified, EventBlocked:
		s.Incomplete++
		s.Blocked = ""
		if e.Kind == EventBlocked {
			s.Blocked = either(e.Detail, "no reason given")
		}
	case EventVerified, EventPerson:
		s.Incomplete, s.Blocked = 0, ""
	}
}

func either(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (s *Status) seen(e Event) {
	key := either(e.Defect, DefectKey(e.Detail))
	for i := range s.Defects {
		if d := &s.Defects[i]; d.Key == key {
			if d.Fixed {
				d.Returned++
			}
			d.Count, d.Fixed, d.Text = d.Count+1, false, e.Detail
			return
		}
	}
	s.Defects = append(s.Defects, Defect{Key: key, Text: e.Detail, Count: 1})
}

// DefectKey makes a key from what was observed that stays the same when only
// numbers, case, spacing or punctuation differ.
func DefectKey(observed string) string {
	var b strings.Builder
	gap, digits := false, false
	for _, r := range strings.ToLower(plain.Line(observed, 200)) {
		number := unicode.IsDigit(r)
		switch {
		case number && digits:
			continue
		case number:
			r = '#'
		case !unicode.IsLetter(r):
			gap, digits = true, false
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap, digits = false, number
		b.WriteRune(r)
	}
	return strings.Trim(cutRunes(b.String(), 64), "-")
}

// Parked says whether the feature waits for a person: limit or more sessions
// in a row ended without a flip. A limit of 0 or less parks nothing.
func (s *Status) Parked(limit int) bool { return limit > 0 && s.Incomplete >= limit }

// Heed lets a person's acts in the log count: after one on this feature only
// the events that are newer count towards parking. An event that tells of an
// act counts by its place, since the clock may have been set back.
func (s *Status) Heed(entries []Entry) {
	var act time.Time
	for _, e := range entries {
		if e.Kind == KindFeatures && e.Feature == s.Feature && !e.Time.Before(act) {
			act = e.Time
		}
	}
	if act.IsZero() {
		return
	}
	s.Incomplete, s.Blocked = 0, ""
	for _, e := range s.Events {
		if e.Kind == EventPerson || e.Time.After(act) {
			s.count(e)
		}
	}
}

// Open returns the defects that are not fixed.
func (s *Status) Open() []Defect {
	var out []Defect
	for _, d := range s.Defects {
		if !d.Fixed {
			out = append(out, d)
		}
	}
	return out
}
