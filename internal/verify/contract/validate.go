package contract

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gitagent/features"
	"gitagent/internal/browser"
	"gitagent/internal/pattern"
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
	literal, err := c.Literal()
	if err != nil {
		add("", 0, "%v", err)
		return out
	}
	return append(out, literal.judge(f, append(c.varProblems(), c.optionProblems()...), c.examplesHint())...)
}

// judge says what is wrong with a contract without variables, or with examples
// in their place; problems were found before, hint says what the examples are.
func (c *Contract) judge(f features.Feature, out []Problem, hint string) []Problem {
	add := func(check string, step int, format string, args ...any) {
		out = append(out, Problem{check, step, plain.Line(fmt.Sprintf(format, args...), 400)})
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
	for i := range f.Steps {
		for _, text := range c.stepProblems(i+1, f.Steps) {
			add("", i+1, "%s%s", text, hint)
		}
	}
	return out
}

// Usable says what keeps a contract that a person gave from being one for f at
// all; how well it proves f is theirs to say.
func (c *Contract) Usable(f features.Feature) error {
	if err := c.check(); err != nil {
		return err
	}
	switch {
	case c.Feature != f.ID:
		return fmt.Errorf("the contract is for %s, not for %s", c.Feature, f.ID)
	case c.Wording != "" && c.Wording != WordingOf(f):
		return fmt.Errorf("the contract was made for other words of %s", f.ID)
	}
	for i, step := range f.Steps {
		if len(c.covering(i+1)) == 0 {
			return fmt.Errorf("step %d is not covered by any check: %q", i+1, plain.Line(step, 120))
		}
	}
	for _, k := range c.Checks {
		for _, n := range k.Covers {
			if n < 1 || n > len(f.Steps) {
				return fmt.Errorf("check %s covers step %d, but the feature has steps 1 to %d", k.ID, n, len(f.Steps))
			}
		}
	}
	if p, bad := c.sample(); bad {
		return errors.New(p.Text)
	}
	return nil
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
func (c *Contract) stepProblems(n int, steps []string) []string {
	step, checks := steps[n-1], c.covering(n)
	if len(checks) == 0 {
		return []string{fmt.Sprintf("step %d is not covered by any check: %q", n, plain.Line(step, 120))}
	}
	if !aboutTests.MatchString(step) && !slices.ContainsFunc(checks, func(k Check) bool { return !k.runsTests() }) {
		return []string{fmt.Sprintf("step %d is covered only by a test run, and its tests will be written together with the code: add a page or a command that shows the outcome", n)}
	}
	if acts(step) && !slices.ContainsFunc(checks, func(k Check) bool { return k.acts() }) {
		return []string{fmt.Sprintf("step %d says what a person does, but no check that covers step %d does it: click, type or press there, then look", n, n)}
	}
	out := missingCommand(n, step, checks)
	from := cause(steps, n)
	if from > 0 && !slices.ContainsFunc(checks, func(k Check) bool { return slices.Contains(k.Covers, from) }) {
		out = append(out, fmt.Sprintf("step %d is what step %d leads to, so one check must do both: let a check cover steps %d and %d", n, from, from, n))
	}
	var t texts
	for _, k := range checks {
		t.add(k.texts())
	}
	for _, v := range valuesOf(step) {
		v.acted = v.acted || from > 0 && from < n && acts(steps[from-1])
		v.given = v.given || Holds(strings.Join(steps[:n-1], " "), v.text)
		if text := t.lacks(v); text != "" {
			out = append(out, fmt.Sprintf(text, n, v.text, n, v.text))
		}
	}
	return out
}

// aboutTests says that a step is itself about tests.
var aboutTests = pattern.Lazy(`(?i)\b(unit tests?|test suite)\b|\b(tests?|specs?)\b[^.;]*\b(pass(es)?|succeed|green|run|fail)\b|\b(run|runs|execute)\b[^.;]*\b(tests?|specs?)\b`)

func (k *Check) runsTests() bool {
	if k.Command == nil {
		return false
	}
	_, ok := k.Command.Tests()
	return ok
}

// acts says whether the check does what a person does. A command's arguments
// and input are its action.
func (k *Check) acts() bool {
	if k.Command != nil || len(k.HTTP) > 0 {
		return true
	}
	s, err := browser.ParseScenario(k.Page)
	return err == nil && hasAction(s)
}

// texts are the words of checks, by what becomes of them.
type texts struct {
	named  []string // any of them
	done   []string // typed, pressed, clicked; a command's arguments and input
	shown  []string // must be shown
	after  []string // must be shown after an action, which did not enter it there
	echoed []string // must be printed by a command that is given it
	absent []string // must not be shown
}

func (t *texts) add(o texts) {
	t.named = append(t.named, o.named...)
	t.done = append(t.done, o.done...)
	t.shown = append(t.shown, o.shown...)
	t.after = append(t.after, o.after...)
	t.echoed = append(t.echoed, o.echoed...)
	t.absent = append(t.absent, o.absent...)
}

// lacks says, as a format for the step's number and the value, what is missing
// about a value.
func (t *texts) lacks(v value) string {
	in := func(lists ...[]string) bool {
		return slices.ContainsFunc(slices.Concat(lists...), func(text string) bool { return Holds(text, v.text) })
	}
	switch {
	case !in(t.named):
		return "step %d says %q but no check that covers step %d contains %q"
	case v.outcome && v.negated && in(t.absent):
		return ""
	case v.outcome && !in(t.shown):
		return "step %d says that %q is shown, but no check that covers step %d expects %q (see, value or stdout_has)"
	case v.outcome && in(t.echoed) && !in(t.after):
		if v.given {
			return ""
		}
		return "step %d says that %q is shown, but the check that covers step %d gives it to the program: do not put %q into its arguments or input"
	case v.outcome && v.acted && !in(t.after):
		return "step %d says that %q is shown after an action, but no check that covers step %d looks for %q after one (what was typed into the same field proves nothing)"
	case v.done && !in(t.done):
		return "step %d does something with %q, but no check that covers step %d clicks, types or presses %q"
	}
	return ""
}

// texts gives the words of the check.
func (k *Check) texts() (t texts) {
	if k.Command != nil {
		t.done = []string{k.Command.Run, k.Command.Stdin}
		for _, c := range k.Command.commands() {
			t.done = append(t.done, c.words...) // as the program gets them, without quotes
		}
		t.shown = append(append(t.shown, k.Command.StdoutHas...), k.Command.OutputHas...)
		if k.Command.Metric != nil {
			t.shown = append(t.shown, k.Command.Metric.limits()...)
		}
		if k.Command.StdoutIs != nil {
			t.shown = append(t.shown, *k.Command.StdoutIs)
		}
		for _, text := range t.shown {
			if slices.ContainsFunc(t.done, func(given string) bool { return Holds(given, text) }) {
				t.echoed = append(t.echoed, text)
			} else {
				t.after = append(t.after, text)
			}
		}
		t.named = slices.Concat(t.done, t.shown)
		return t
	}
	if len(k.HTTP) > 0 {
		return exchangeTexts(k.HTTP)
	}
	s, err := browser.ParseScenario(k.Page)
	if err != nil {
		return t
	}
	t.named = []string{s.Open}
	if s.Status != 0 && !s.StatusMay {
		t.shown = append(t.shown, strconv.Itoa(s.Status))
	}
	var entered []browser.Step // since the page was opened
	acted := false
	for _, st := range s.Steps {
		if st.Status != 0 && !st.StatusMay {
			t.shown = append(t.shown, strconv.Itoa(st.Status))
			if acted || st.Action() {
				t.after = append(t.after, strconv.Itoa(st.Status))
			}
		}
		t.named = append(t.named, st.Text, st.Target, st.In, st.To, st.Content, st.Answer, st.DialogSays)
		if st.DialogSays != "" {
			t.shown, t.after = append(t.shown, st.DialogSays), append(t.after, st.DialogSays)
		}
		switch {
		case st.Action():
			acted = true
			entered = append(entered, st)
			t.done = append(t.done, st.Text, st.Target, st.In, st.To, st.Content, st.Answer)
		case st.Verb == browser.VerbNotSee:
			t.absent = append(t.absent, st.Text)
		case st.Assertion():
			seen := []string{st.Text}
			if st.Verb == browser.VerbEnabled || st.Verb == browser.VerbDisabled {
				seen = append(seen, st.Target) // it must be there
			}
			t.shown = append(t.shown, seen...)
			if acted && !echo(st, entered) {
				t.after = append(t.after, seen...)
			}
		case st.Verb == browser.VerbOpen, st.Verb == browser.VerbReload, st.Verb == browser.VerbBack, st.Verb == browser.VerbRestart, st.Verb == browser.VerbFresh:
			entered = nil
		}
	}
	t.named = append(t.named, t.shown...)
	return t
}

// echo says whether an assertion reads back what was entered into the same
// field, which a page shows without any work of its own.
func echo(st browser.Step, entered []browser.Step) bool {
	return st.Target != "" && slices.ContainsFunc(entered, func(e browser.Step) bool {
		return e.Text != "" && bare(e.Target) == bare(st.Target) && Holds(e.Text, st.Text)
	})
}

// bare is the name in a locator without the role in front.
func bare(locator string) string {
	_, name := roleAndName(locator)
	return strings.ToLower(name)
}

func roleAndName(locator string) (role, name string) {
	if role, name, ok := strings.Cut(locator, ":"); ok && name != "" && !strings.ContainsAny(role, " /") {
		return role, squeeze(name)
	}
	return "", squeeze(locator)
}

// missingCommand looks for what a step says to run: a file of the project with
// its first arguments, as in "run sh sum.sh 2 3".
func missingCommand(n int, step string, checks []Check) []string {
	want := runIn(step)
	if len(want) == 0 {
		return nil
	}
	for _, k := range checks {
		if k.Command == nil || localServer.MatchString(k.Command.Run) {
			return nil // seen on a page, or asked of the server that the harness started
		}
		for _, c := range k.Command.commands() {
			if runsAs(c.words, want) {
				return nil
			}
		}
	}
	return []string{fmt.Sprintf("step %d runs %q, but no check that covers step %d does", n, strings.Join(want, " "), n)}
}

// runsAs says whether words hold the file, in whatever folder, and then the
// arguments.
func runsAs(words, want []string) bool {
	for i, w := range words {
		if path.Base(w) == path.Base(want[0]) && len(words)-i >= len(want) && slices.Equal(words[i+1:i+len(want)], want[1:]) {
			return true
		}
	}
	return false
}

// problems is about the check alone: each is the rest of a sentence that
// begins with its name.
func (k *Check) problems() []string {
	if k.Command != nil {
		return checkCommand(k.Command)
	}
	if len(k.HTTP) > 0 {
		return exchangeProblems(k.HTTP)
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
			if strings.TrimSpace(st.Text) == "" && !slices.Contains([]browser.Verb{browser.VerbValue, browser.VerbAnimates, browser.VerbStill, browser.VerbEnabled, browser.VerbDisabled}, st.Verb) {
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
