package browser

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"gitagent/internal/plain"
)

// Verdicts. There is no fourth one: what could not be observed is Unverified.
const (
	Pass       = "pass"
	Fail       = "fail"
	Unverified = "unverified"
)

// InlineLimit is the most bytes that Inline returns.
const InlineLimit = 4096

// Result is what one run of a scenario showed.
type Result struct {
	Verdict       string        `json:"verdict"`
	Reason        string        `json:"reason"`
	Opened        Opened        `json:"opened"`
	Snapshot      string        `json:"snapshot,omitempty"` // after the last step
	Clickable     []string      `json:"clickable,omitempty"`
	Interactions  []Interaction `json:"interactions,omitempty"`
	ConsoleErrors []PageError   `json:"console_errors,omitempty"`
	Network       []Failure     `json:"network,omitempty"`
	Blocked       []string      `json:"blocked,omitempty"`
	Globals       *Globals      `json:"globals,omitempty"`
	Animation     []Motion      `json:"animation,omitempty"`
	Shots         []string      `json:"shots,omitempty"` // file names in the given folder
	Full          string        `json:"full,omitempty"`  // file with all of this, in the same folder
	Notes         []string      `json:"notes,omitempty"`
	StepsRun      int           `json:"steps_run"`
	StepsTotal    int           `json:"steps_total"`
	Asserts       Asserts       `json:"asserts"`
	Foils         []Foiled      `json:"-"`
	Ms            int64         `json:"ms"`
}

// Foiled is a text that was looked for and is there, with the foils that are
// shown as well; a crowd is nearly all of them.
type Foiled struct {
	Text  string
	Found []string
	Crowd bool
}

// Opened is the first page of the run.
type Opened struct {
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status int64  `json:"status,omitempty"`
	Ms     int64  `json:"ms"`
}

// Asserts counts assertions. Evidence counts those that passed, could not have
// passed before the actions, and do not only repeat what was typed.
type Asserts struct {
	Pass     int `json:"pass"`
	Fail     int `json:"fail"`
	Evidence int `json:"evidence"`
}

// Interaction is one step and what was seen after it.
type Interaction struct {
	N            int      `json:"n"`
	Step         string   `json:"step"`
	OK           bool     `json:"ok"`
	DisplayAfter string   `json:"display_after,omitempty"`
	Changed      []string `json:"changed,omitempty"` // "+ line" and "- line"
	Dialogs      []string `json:"dialogs,omitempty"`
	Errors       []string `json:"errors,omitempty"`
	Shot         string   `json:"shot,omitempty"` // taken after it
	Ms           int64    `json:"ms"`
}

// PageError is an exception, an unhandled rejection or an error that the page
// or the browser wrote to the console.
type PageError struct {
	Kind string `json:"kind"` // exception, console, log
	Text string `json:"text"`
	At   string `json:"at,omitempty"`
	Step int    `json:"step"` // 0 = while opening
}

// Failure is a request of the page's own origin that failed.
type Failure struct {
	URL    string `json:"url"`
	Status int64  `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
	Step   int    `json:"step"`
}

// UnverifiedResult is the result of a scenario that could not be run at all, as
// when there is no browser or no server.
func UnverifiedResult(s *Scenario, reason string) Result {
	r := Result{Verdict: Unverified, Reason: plain.Line(reason, 400)}
	if s != nil {
		r.StepsTotal = len(s.Steps)
	}
	return r
}

// Inline returns the result as JSON of at most InlineLimit bytes: what explains
// the verdict is kept, what only describes the page goes first.
func (r Result) Inline() []byte {
	r.Interactions = slices.Clone(r.Interactions)
	r.Reason = plain.Clip(r.Reason, 700)
	for _, cut := range r.cuts() {
		if out := encode(r); len(out) <= InlineLimit {
			return out
		}
		cut()
	}
	if out := encode(r); len(out) <= InlineLimit {
		return out
	}
	return encode(Result{Verdict: r.Verdict, Reason: r.Reason, Full: plain.Line(r.Full, 200), StepsRun: r.StepsRun, StepsTotal: r.StepsTotal, Asserts: r.Asserts, Ms: r.Ms})
}

// Whole is all of the result as JSON, a line for each thing; empty where Inline
// leaves nothing out.
func (r Result) Whole() []byte {
	all := encode(r)
	if len(all) <= InlineLimit {
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, all, "", " "); err != nil { // it was just written
		return all
	}
	return b.Bytes()
}

// cuts lists what may be given up, cheapest first.
func (r *Result) cuts() []func() {
	return []func(){
		func() { r.clipTexts(800, 20, 3) },
		func() { r.eachStep(func(i *Interaction, last bool) { i.Changed = head(i.Changed, 4) }) },
		func() {
			r.eachStep(func(i *Interaction, last bool) {
				if !last {
					i.Changed = nil
				}
				i.DisplayAfter = plain.Line(i.DisplayAfter, 120)
			})
		},
		func() { r.clipTexts(400, 10, 3) },
		func() {
			if n := len(r.Interactions); n > 8 {
				r.Interactions = r.Interactions[n-8:]
			}
		},
		func() {
			r.eachStep(func(i *Interaction, last bool) {
				i.Step, i.DisplayAfter = plain.Line(i.Step, 120), plain.Line(i.DisplayAfter, 80)
				i.Changed, i.Dialogs, i.Errors = nil, lines(i.Dialogs, 2, 100), lines(i.Errors, 2, 150)
			})
		},
		func() { r.Snapshot, r.Clickable, r.Notes = "", nil, nil },
		func() {
			if n := len(r.Interactions); n > 2 {
				r.Interactions = r.Interactions[n-2:]
			}
			r.Opened.URL, r.Opened.Title = plain.Line(r.Opened.URL, 200), plain.Line(r.Opened.Title, 100)
		},
		func() { r.clipTexts(0, 0, 1); r.Blocked, r.Shots = nil, nil },
	}
}

func (r *Result) clipTexts(snapshot, clickable, errors int) {
	r.Snapshot = plain.Clip(r.Snapshot, snapshot)
	r.Clickable = lines(r.Clickable, clickable, 60)
	r.Blocked = lines(r.Blocked, errors, 120)
	r.Notes = lines(r.Notes, errors, 200)
	r.Shots = head(r.Shots, 6)
	r.Animation = head(r.Animation, max(1, errors))
	if r.Globals != nil {
		r.Globals = &Globals{Added: lines(r.Globals.Added, 2*errors, 40), Suspicious: lines(r.Globals.Suspicious, errors, 40)}
	}
	r.ConsoleErrors = slices.Clone(head(r.ConsoleErrors, errors))
	for i := range r.ConsoleErrors {
		r.ConsoleErrors[i].Text = plain.Line(r.ConsoleErrors[i].Text, 200)
		r.ConsoleErrors[i].At = plain.Line(r.ConsoleErrors[i].At, 80)
	}
	r.Network = slices.Clone(head(r.Network, errors))
	for i := range r.Network {
		r.Network[i].URL = plain.Line(r.Network[i].URL, 120)
	}
}

func (r *Result) eachStep(f func(i *Interaction, last bool)) {
	for i := range r.Interactions {
		f(&r.Interactions[i], i == len(r.Interactions)-1)
	}
}

func head[T any](s []T, n int) []T {
	if len(s) > n {
		return s[:n]
	}
	return s
}

func lines(s []string, n, width int) []string {
	s = slices.Clone(head(s, n))
	for i := range s {
		s[i] = plain.Line(s[i], width)
	}
	return s
}

// keep writes all of the result beside the screenshots; where it cannot, the
// result itself says enough.
func (r *Result) keep(dir string) {
	if dir == "" {
		return
	}
	r.Full = "result.json"
	if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(filepath.Join(dir, r.Full), encode(*r), 0o644) != nil {
		r.Full = ""
	}
}

func encode(r Result) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)              // it is shown to people and models, not to a page
	if err := enc.Encode(r); err != nil { // strings and numbers only: cannot happen
		return []byte(`{"verdict":"unverified","reason":"the result could not be written"}`)
	}
	return bytes.TrimSpace(b.Bytes())
}
