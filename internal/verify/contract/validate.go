package contract

import (
	stdjson "encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/internal/browser"
	"gitagent/internal/plain"
)

// Problem is one reason why a contract is no proof of its feature, as a
// sentence that says what to change.
type Problem struct {
	Check string // id of the check, "" for the contract as a whole
	Step  int    // step of the feature, 0 when it is about none
	Text  string
}

func (p Problem) String() string { return p.Text }

// Validate says whether passing c would prove f. No problem, no objection.
func (c *Contract) Validate(f features.Feature) []Problem {
	var out []Problem
	add := func(check string, step int, format string, args ...any) {
		out = append(out, Problem{check, step, plain.Line(fmt.Sprintf(format, args...), 400)})
	}
	if c.Feature != f.ID {
		add("", 0, "the contract is for %s, not for %s", c.Feature, f.ID)
	}
	if c.Wording != "" && c.Wording != WordingOf(f) {
		add("", 0, "the contract was made for other words of %s", f.ID)
	}
	if len(c.Checks) == 0 {
		add("", 0, "the contract has no check")
	}
	if err := c.check(); err != nil {
		add("", 0, "%v", err)
		return out
	}
	for _, k := range c.Checks {
		if len(k.Covers) == 0 {
			add(k.ID, 0, "check %s covers no step: list the numbers of the steps that it proves", k.ID)
		}
		for _, n := range k.Covers {
			if n < 1 || n > len(f.Steps) {
				add(k.ID, n, "check %s covers step %d, but the feature has steps 1 to %d", k.ID, n, len(f.Steps))
			}
		}
		for _, text := range k.problems() {
			add(k.ID, 0, "check %s %s", k.ID, text)
		}
	}
	for _, p := range c.leaning() {
		add(p.Check, 0, "%s", p.Text)
	}
	for i, step := range f.Steps {
		for _, text := range c.stepProblems(i+1, step) {
			add("", i+1, "%s", text)
		}
	}
	return out
}

func (c *Contract) covering(step int) []Check {
	var out []Check
	for _, k := range c.Checks {
		if slices.Contains(k.Covers, step) {
			out = append(out, k)
		}
	}
	return out
}

// stepProblems says what the checks that cover a step leave out of it.
func (c *Contract) stepProblems(n int, step string) []string {
	checks := c.covering(n)
	if len(checks) == 0 {
		return []string{fmt.Sprintf("step %d is not covered by any check: %q", n, plain.Line(step, 120))}
	}
	if !aboutTests.MatchString(step) && !slices.ContainsFunc(checks, func(k Check) bool { return !k.runsTests() }) {
		return []string{fmt.Sprintf("step %d is covered only by a test run, and its tests will be written together with the code: add a page or a command that shows the outcome", n)}
	}
	var named, asserted []string
	for _, k := range checks {
		a, b := k.texts()
		named = append(named, a...)
		asserted = append(asserted, b...)
	}
	named = append(named, asserted...)
	var out []string
	for _, v := range valuesOf(step) {
		holds := func(text string) bool { return Holds(text, v.text) }
		switch {
		case !slices.ContainsFunc(named, holds):
			out = append(out, fmt.Sprintf("step %d says %q but no check that covers step %d contains %q", n, v.text, n, v.text))
		case v.outcome && !slices.ContainsFunc(asserted, holds):
			out = append(out, fmt.Sprintf("step %d says that %q is shown, but no check that covers step %d expects %q (see, value or stdout_has)", n, v.text, n, v.text))
		}
	}
	return out
}

// aboutTests says that a step is itself about tests.
var aboutTests = regexp.MustCompile(`(?i)\b(tests?|test suite|specs?)\b`)

func (k *Check) runsTests() bool {
	if k.Command == nil {
		return false
	}
	_, ok := k.Command.Tests()
	return ok
}

// texts gives what the check does and names, and what it expects.
func (k *Check) texts() (named, asserted []string) {
	if k.Command != nil {
		named = []string{k.Command.Run, k.Command.Stdin}
		if words, err := parseShell(k.Command.Run); err == nil {
			for _, pipe := range words {
				for _, s := range pipe {
					named = append(named, s.words...) // as the program gets them, without quotes
				}
			}
		}
		asserted = append(append(asserted, k.Command.StdoutHas...), k.Command.OutputHas...)
		if k.Command.StdoutIs != nil {
			asserted = append(asserted, *k.Command.StdoutIs)
		}
		return named, asserted
	}
	s, err := browser.ParseScenario(k.Page)
	if err != nil {
		return nil, nil
	}
	named = append(named, s.Open)
	for _, st := range s.Steps {
		list := &named
		if st.Assertion() {
			list = &asserted
		}
		*list = append(*list, st.Text, st.Target, st.In, st.Answer)
		asserted = append(asserted, st.DialogSays)
	}
	return named, asserted
}

// problems is about the check alone: each is the rest of a sentence that
// begins with its name.
func (k *Check) problems() []string {
	if k.Command != nil {
		return checkCommand(k.Command)
	}
	s, err := browser.ParseScenario(k.Page)
	if err != nil {
		return []string{"has a page that cannot be read: " + err.Error()}
	}
	return checkPage(s)
}

func checkPage(s *browser.Scenario) []string {
	var bad []string
	lastAction, lastAssertion := -1, -1
	for i, st := range s.Steps {
		switch {
		case st.Action():
			lastAction = i
		case st.Assertion():
			lastAssertion = i
			if strings.TrimSpace(st.Text) == "" && st.Verb != browser.VerbValue {
				bad = append(bad, fmt.Sprintf("expects an empty text in its step %d: name what is shown", i+1))
			}
		}
	}
	switch {
	case len(s.Steps) == 0:
		bad = append(bad, "has no step")
	case lastAssertion < 0:
		bad = append(bad, "expects nothing: add a see, not_see or value after the last action")
	case lastAssertion < lastAction:
		bad = append(bad, fmt.Sprintf("looks at nothing after its last action (step %d: %s): add a see, not_see or value after it", lastAction+1, s.Steps[lastAction]))
	}
	return bad
}

// WithoutActions is the contract for the bite on the finished tree: what a
// person does is left out of each page, what is looked at stays. Checks that
// have nothing to leave out are not in it; exempt names them.
func (c *Contract) WithoutActions() *Contract {
	out := c.Next(c.Revision)
	out.Checks = nil
	for _, k := range c.Checks {
		if k.Kind != KindPage {
			continue
		}
		s, err := browser.ParseScenario(k.Page)
		if err != nil || !hasAction(s) {
			continue
		}
		if k.Page, err = stripActions(k.Page, s); err == nil {
			out.Checks = append(out.Checks, k)
		}
	}
	return out
}

// Exempt gives the ids of the checks that WithoutActions leaves out, with why.
func (c *Contract) Exempt() map[string]string {
	out := make(map[string]string)
	for _, k := range c.Checks {
		switch s, err := browser.ParseScenario(k.Page); {
		case k.Kind == KindCommand:
			out[k.ID] = "a command: its arguments and input are its action"
		case err == nil && !hasAction(s):
			out[k.ID] = "the page is only looked at"
		}
	}
	return out
}

// stripActions cuts from the JSON the steps that Scenario.WithoutActions cuts;
// steps and JSON steps correspond one to one.
func stripActions(page stdjson.RawMessage, s *browser.Scenario) (stdjson.RawMessage, error) {
	var p pageForm
	if err := stdjson.Unmarshal(page, &p); err != nil {
		return nil, err
	}
	kept := []stdjson.RawMessage{}
	for i, st := range s.Steps {
		if st.Action() || st.Verb == browser.VerbShot || st.Verb == browser.VerbBack {
			continue
		}
		kept = append(kept, p.Steps[i])
	}
	p.Steps = kept
	return stdjson.Marshal(p)
}

func hasAction(s *browser.Scenario) bool {
	return slices.ContainsFunc(s.Steps, browser.Step.Action)
}
