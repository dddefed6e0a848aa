package browser

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// take removes the named modifiers and returns the first that is there.
func (f *fields) take(names ...string) string {
	for _, n := range names {
		if v, ok := f.mods[n]; ok {
			delete(f.mods, n)
			return v
		}
	}
	return ""
}

// takeArg returns what stands behind the verb, once.
func (f *fields) takeArg() string {
	a := f.arg
	f.arg, f.hasArg = "", false
	return a
}

func (f *fields) has(name string) bool {
	_, ok := f.mods[name]
	return ok
}

// step turns the fields into a step. A field that the verb has no use for is an
// error, never ignored.
func (f *fields) step() (Step, error) {
	st := Step{Verb: f.verb}
	if err := f.common(&st); err != nil {
		return st, err
	}
	if err := f.argument(&st); err != nil {
		return st, err
	}
	if role := f.take("role"); role != "" && st.Target != "" {
		st.Target = role + ":" + st.Target
	}
	if f.hasArg {
		return st, wrong("%s: %q has no place beside the other keys", f.verb, clip(f.arg, 60))
	}
	for _, k := range sortedKeys(f.mods) {
		return st, wrong("%s does not take %q: write %s", f.verb, k, formOf(f.verb))
	}
	return st, nil
}

func formOf(v Verb) string {
	for _, info := range verbTable {
		if info.verb == v {
			return info.form
		}
	}
	return string(v)
}

// common reads the keys that several verbs share.
func (f *fields) common(st *Step) error {
	f.take("note")
	if v := f.take("nth"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 1000 {
			return wrong("nth must be a number from 1, not %q", clip(v, 40))
		}
		st.Nth = n
	}
	if v := f.take("timeout"); v != "" {
		d, err := seconds(v)
		if err != nil || d <= 0 || d > maxStepWait {
			return wrong("timeout must be a number of seconds up to %g", maxStepWait.Seconds())
		}
		st.Timeout = d
	}
	if err := f.status(st); err != nil {
		return err
	}
	st.Dialog, st.Answer, st.DialogSays = f.take("dialog"), f.take("answer"), f.take("dialog_says")
	switch st.Dialog {
	case "ok", "yes", "confirm", "true":
		st.Dialog = "accept"
	case "cancel", "no", "false":
		st.Dialog = "dismiss"
	}
	if st.Answer != "" && st.Dialog == "" {
		st.Dialog = "accept"
	}
	return nil
}

// argument gives each part its place, by verb.
func (f *fields) argument(st *Step) error {
	switch f.verb {
	case VerbClick, VerbDblclick, VerbHover, VerbClear, VerbCheck, VerbUncheck:
		st.Target = f.first("target", "text", "into")
		st.In = f.take("in", "from")
	case VerbType:
		f.typing(st)
	case VerbPress:
		st.Text = f.first("text")
		st.Target = f.take("in", "into", "target")
	case VerbSelect:
		f.selecting(st)
	case VerbSee, VerbNotSee:
		f.seeing(st)
	case VerbValue:
		f.valuing(st)
	case VerbWait:
		return f.waiting(st)
	case VerbOpen:
		return f.opening(st)
	case VerbShot:
		if st.Text = f.first("target"); st.Text == "" || st.Text == "true" {
			st.Text = "shot"
		}
	case VerbReload, VerbBack, VerbRestart:
		if a := f.takeArg(); a != "" && a != "true" {
			return wrong("%s takes nothing: write %s", f.verb, formOf(f.verb))
		}
	default:
		return f.argumentOfOther(st)
	}
	return nil
}

// first is what stands behind the verb, or the first of the named modifiers.
func (f *fields) first(names ...string) string {
	if f.hasArg {
		return f.takeArg()
	}
	return f.take(names...)
}

func (f *fields) typing(st *Step) {
	switch {
	case f.has("into"):
		st.Target, st.Text = f.take("into"), f.first("text")
	case f.has("target"):
		st.Target, st.Text = f.take("target"), f.first("text")
	case f.has("text") && f.hasArg: // {"fill":"Name","text":"Zoë"}
		st.Target, st.Text = f.takeArg(), f.take("text")
	default:
		st.Text, st.Target = f.first("text"), f.take("in")
	}
	st.In = f.take("in")
}

func (f *fields) selecting(st *Step) {
	switch {
	case f.has("from") || f.has("into") || f.has("target"):
		st.Target = f.take("from", "into", "target")
		st.Text = f.first("option", "text")
		st.In = f.take("in")
	case f.hasArg && (f.has("option") || f.has("text")):
		st.Target, st.Text = f.takeArg(), f.take("option", "text")
		st.In = f.take("in")
	default:
		st.Text, st.Target = f.first("option", "text"), f.take("in")
	}
}

func (f *fields) seeing(st *Step) {
	expected := f.take("is")
	if expected == "" {
		expected = f.take("text")
	}
	if expected != "" && f.hasArg { // {"expect":"Display","text":"56"}
		st.Target, st.Text = f.takeArg(), expected
	} else {
		st.Text = expected + f.takeArg()
		st.Target = f.take("in", "of", "target")
	}
	st.In = f.take("in")
}

func (f *fields) valuing(st *Step) {
	switch {
	case f.has("is") || f.has("text"):
		st.Text = f.take("is", "text")
		if st.Target = f.take("of", "in", "target"); st.Target == "" {
			st.Target = f.takeArg()
		} else if f.arg == "" || f.arg == "true" {
			f.takeArg()
		}
	default:
		st.Text, st.Target = f.takeArg(), f.take("of", "in", "into", "target")
	}
	st.In = f.take("in")
}

func (f *fields) waiting(st *Step) error {
	text := f.take("seconds")
	if text == "" {
		text = f.first("text")
	}
	st.Target = f.take("in", "target")
	if d, err := seconds(text); err == nil {
		if d <= 0 || d > maxStepWait || st.Target != "" {
			return wrong("wait takes seconds up to %g, or a text: write %s", maxStepWait.Seconds(), formOf(VerbWait))
		}
		st.Pause = d
		return nil
	}
	st.Text = text
	return nil
}

// validate checks what does not depend on the page.
func (st *Step) validate() error {
	st.Target, st.In, st.To = collapse(st.Target), collapse(st.In), collapse(st.To)
	for _, s := range []*string{&st.Text, &st.Target, &st.In, &st.To, &st.Answer, &st.DialogSays, &st.Content} {
		if n := utf8.RuneCountInString(*s); n > maxText {
			return wrong("a text of %d characters; at most %d are allowed", n, maxText)
		}
	}
	switch st.Verb {
	case VerbClick, VerbDblclick, VerbHover, VerbClear, VerbCheck, VerbUncheck, VerbSelect, VerbValue:
		if st.Target == "" {
			return wrong("%s needs a name: write %s", st.Verb, formOf(st.Verb))
		}
	}
	if err := st.validateOther(); err != nil {
		return err
	}
	switch st.Verb {
	case VerbType, VerbPress, VerbSelect:
		if st.Text == "" {
			return wrong("%s needs a text: write %s", st.Verb, formOf(st.Verb))
		}
	case VerbSee, VerbNotSee:
		if collapse(st.Text) == "" {
			return wrong("%s needs a text: write %s", st.Verb, formOf(st.Verb))
		}
	case VerbWait:
		if collapse(st.Text) == "" && st.Pause == 0 {
			return wrong("wait needs a text or seconds: write %s", formOf(VerbWait))
		}
	case VerbShot:
		if err := validShot(st.Text); err != nil {
			return err
		}
	}
	if st.Verb == VerbPress {
		if err := st.asKey(); err != nil {
			return err
		}
	}
	return st.validateDialog()
}

// asKey makes a press of something that is no key a click, since "press Start"
// can only mean a button.
func (st *Step) asKey() error {
	_, err := parseKey(st.Text)
	if err == nil {
		return nil
	}
	if st.Target != "" || strings.Contains(st.Text, "+") {
		return err
	}
	st.Verb, st.Target, st.Text = VerbClick, collapse(st.Text), ""
	return nil
}

func (st *Step) validateDialog() error {
	if st.Dialog == "" && st.Answer == "" && st.DialogSays == "" {
		return nil
	}
	if !st.Action() && st.Verb != VerbOpen && st.Verb != VerbReload && st.Verb != VerbWait && st.Verb != VerbBack {
		return wrong("%s opens no dialog: put \"dialog\" on the step that does", st.Verb)
	}
	if st.Dialog != "" && st.Dialog != "accept" && st.Dialog != "dismiss" {
		return wrong("dialog must be \"accept\" or \"dismiss\", not %q", clip(st.Dialog, 40))
	}
	if st.Answer != "" && st.Dialog == "dismiss" {
		return wrong("a dismissed dialog takes no answer")
	}
	return nil
}

func validShot(name string) error {
	if len(name) > 60 || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_. ") != "" || strings.HasPrefix(name, ".") {
		return wrong("a shot's name has letters, digits, - and _ only, not %q", clip(name, 60))
	}
	return nil
}

// cleanPath accepts a path on the served page. The address of a local server is
// taken for its path, since the harness chooses the port; anything else would
// be no evidence about this project.
func cleanPath(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxText {
		return "", wrong("cannot open %q: write only a path such as \"/\"", clip(raw, 80))
	}
	switch {
	case u.Scheme == "" && u.Host == "":
	case (u.Scheme == "http" || u.Scheme == "https") && isLoopback(u.Hostname()):
		u.Scheme, u.Host, u.User = "", "", nil
	default:
		return "", wrong("cannot open %q: only pages of the project count, so write a path such as \"/\"", clip(raw, 80))
	}
	out := u.String()
	if !strings.HasPrefix(out, "/") {
		out = "/" + strings.TrimPrefix(out, "./")
	}
	return out, nil
}

func isLoopback(host string) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "0.0.0.0"}, host)
}

// collapse trims s and makes every run of white space one space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// waitFor is how long a step may wait for its target or text.
func (st Step) waitFor() time.Duration {
	if st.Timeout > 0 {
		return st.Timeout
	}
	return 2 * time.Second
}
