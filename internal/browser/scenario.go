package browser

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
}

// Action says whether the step does something to the page, as a person would.
func (s Step) Action() bool {
	switch s.Verb {
	case VerbClick, VerbDblclick, VerbHover, VerbType, VerbClear, VerbPress, VerbSelect, VerbCheck, VerbUncheck:
		return true
	}
	return false
}

// Assertion says whether the step can fail because of what is rendered.
func (s Step) Assertion() bool {
	switch s.Verb {
	case VerbSee, VerbNotSee, VerbValue:
		return true
	case VerbWait:
		return s.Text != ""
	}
	return false
}

// String is the step as one reads it aloud.
func (s Step) String() string {
	var b strings.Builder
	b.WriteString(string(s.Verb))
	add := func(word, text string) {
		if word != "" {
			b.WriteString(" " + word)
		}
		b.WriteString(" " + strconv.Quote(text))
	}
	in := "in"
	switch s.Verb {
	case VerbClick, VerbDblclick, VerbHover, VerbClear, VerbCheck, VerbUncheck:
		add("", s.Target)
	case VerbType:
		add("", s.Text)
		in = "into"
	case VerbSelect:
		add("", s.Text)
		in = "from"
	case VerbValue:
		add("of", s.Target)
		add("is", s.Text)
	case VerbWait:
		if s.Text == "" {
			fmt.Fprintf(&b, " %gs", s.Pause.Seconds())
		} else {
			add("for", s.Text)
		}
	case VerbReload, VerbBack:
	default:
		add("", s.Text)
	}
	switch s.Verb {
	case VerbType, VerbSelect, VerbPress, VerbSee, VerbNotSee, VerbWait:
		if s.Target != "" {
			add(in, s.Target)
		}
	}
	if s.In != "" {
		add("within", s.In)
	}
	if s.Nth > 0 {
		fmt.Fprintf(&b, " (number %d)", s.Nth)
	}
	return b.String()
}

// WithoutActions returns the scenario with what a person does left out: opening
// pages, waiting and assertions stay. A scenario that still passes on finished
// work asserts nothing about the work.
func (s *Scenario) WithoutActions() *Scenario {
	out := *s
	out.Steps = nil
	for _, st := range s.Steps {
		if st.Action() || st.Verb == VerbShot || st.Verb == VerbBack {
			continue
		}
		// What a dialog says can only come from an action.
		st.Dialog, st.Answer, st.DialogSays = "", "", ""
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
		case VerbType, VerbSee, VerbNotSee, VerbValue, VerbWait, VerbSelect:
			add(st.Text)
		}
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
