package browser

import "time"

// Limits of a scenario. They are checked before anything runs.
const (
	MaxSteps        = 60
	MaxScenarioSize = 256 << 10 // bytes of JSON
	maxText         = 2000      // runes of one text or locator
	maxStepWait     = 30 * time.Second
	maxTimeout      = 120 * time.Second
	defaultTimeout  = 60 * time.Second
)

// A Verb names what a step does.
type Verb string

// The verbs of a scenario.
const (
	VerbOpen     Verb = "open"
	VerbClick    Verb = "click"
	VerbDblclick Verb = "dblclick"
	VerbHover    Verb = "hover"
	VerbType     Verb = "type"
	VerbClear    Verb = "clear"
	VerbPress    Verb = "press"
	VerbSelect   Verb = "select"
	VerbCheck    Verb = "check"
	VerbUncheck  Verb = "uncheck"
	VerbSee      Verb = "see"
	VerbNotSee   Verb = "not_see"
	VerbValue    Verb = "value"
	VerbWait     Verb = "wait"
	VerbReload   Verb = "reload"
	VerbBack     Verb = "back"
	VerbShot     Verb = "shot"
	VerbUpload   Verb = "upload"
	VerbDrag     Verb = "drag"
	VerbScroll   Verb = "scroll"
	VerbCount    Verb = "count"
	VerbAnimates Verb = "animates"
	VerbStill    Verb = "still"
	VerbResize   Verb = "resize"
	VerbPopup    Verb = "popup"
	VerbRestart  Verb = "restart"
	VerbFresh    Verb = "fresh"
	VerbEnabled  Verb = "enabled"
	VerbDisabled Verb = "disabled"
	VerbTitle    Verb = "title"
)

// Verbs lists every verb with the keys it takes, for prompts and messages.
func Verbs() []string {
	out := make([]string, 0, len(verbTable))
	for _, v := range verbTable {
		out = append(out, v.form)
	}
	return out
}

// A Scenario is a checked sequence of steps on one page.
type Scenario struct {
	Name    string
	Open    string // path on the base URL, "" = "/"
	Steps   []Step
	Timeout time.Duration // for the whole scenario
	// Prefers is what the person's system asks of pages: "", "reduced-motion"
	// or "dark".
	Prefers string
	// Status is the 4xx or 5xx status that the page to open is expected to have;
	// with StatusMay it is allowed, not required.
	Status    int
	StatusMay bool
	// Foils are, by the text of a see step, what it would look for where other
	// values were entered. What of them is shown as well is noted.
	Foils map[string][]string
}

// A Step is one action or one assertion.
type Step struct {
	Verb Verb
	// Text is what is typed, pressed, selected, seen, opened or waited for,
	// the expected value, or the name of a shot.
	Text string
	// Target is the locator of what the step acts on or looks in.
	Target string
	// In narrows Target to a named region or element.
	In string
	// Nth picks one of several matches, from 1; 0 means exactly one match.
	Nth int
	// Pause is the fixed time of a wait without a text.
	Pause time.Duration
	// Timeout is how long to wait for the target or the text; 0 = 2 s.
	Timeout time.Duration
	// Dialog is "accept", "dismiss" or "" (policy: alerts are accepted, all
	// else is dismissed and leaves the scenario unverified).
	Dialog     string
	Answer     string // for a prompt that is accepted
	DialogSays string // the dialog must say this
	// To is where something is dragged to.
	To string
	// Content is what the uploaded file holds; "" means a small file that fits
	// its name.
	Content string
	// Status is the 4xx or 5xx status that the project's server is expected to
	// answer with during this step; any other is the page's fault. With
	// StatusMay it is allowed, not required.
	Status    int
	StatusMay bool
}

// Action says whether the step does something to the page, as a person would.
func (s Step) Action() bool {
	switch s.Verb {
	case VerbClick, VerbDblclick, VerbHover, VerbType, VerbClear, VerbPress, VerbSelect, VerbCheck, VerbUncheck,
		VerbUpload, VerbDrag, VerbScroll:
		return true
	}
	return false
}

// Assertion says whether the step can fail because of what is rendered.
func (s Step) Assertion() bool {
	switch s.Verb {
	case VerbSee, VerbNotSee, VerbValue, VerbCount, VerbAnimates, VerbStill, VerbEnabled, VerbDisabled, VerbTitle:
		return true
	case VerbWait:
		return s.Text != ""
	}
	return false
}

// WithoutActions returns the scenario with what a person does left out: opening
// pages, waiting and assertions stay. A scenario that still passes on finished
// work asserts nothing about the work.
func (s *Scenario) WithoutActions() *Scenario {
	out := *s
	out.Steps = nil
	for _, st := range s.Steps {
		if st.Action() || st.Verb == VerbShot || st.Verb == VerbBack || st.Verb == VerbPopup {
			continue
		}
		// What a dialog says can only come from an action.
		st.Dialog, st.Answer, st.DialogSays = "", "", ""
		st.StatusMay = st.Status != 0
		out.Steps = append(out.Steps, st)
	}
	return &out
}

// Literals returns the texts that the scenario types and expects, in order and
// without repetition.
func (s *Scenario) Literals() []string {
	var out []string
	seen := map[string]bool{}
	add := func(t string) {
		if t != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	for _, st := range s.Steps {
		switch st.Verb {
		case VerbType, VerbSee, VerbNotSee, VerbValue, VerbWait, VerbSelect, VerbUpload, VerbCount, VerbTitle:
			add(st.Text)
		}
		add(st.Content)
		add(st.Answer)
		add(st.DialogSays)
	}
	return out
}

// hasActions says whether any step does something to the page.
func (s *Scenario) hasActions() bool {
	for _, st := range s.Steps {
		if st.Action() {
			return true
		}
	}
	return false
}
