package browser

import (
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"gitagent/internal/plain"
)

// sight is what can be seen of the page.
type sight struct {
	Raw   string `json:"raw"`  // as written
	Seen  string `json:"seen"` // as rendered, after text-transform
	Live  []live `json:"live"`
	Title string `json:"title"`
	URL   string `json:"url"`
	// Bare is what is not covered of the texts that were asked for.
	Bare   map[string]uncovered `json:"bare"`
	framed bool                 // there are documents in it
}

// live is a control or an element that announces its changes.
type live struct {
	Key     string `json:"key"`
	Text    string `json:"text"`
	Control bool   `json:"control"`
}

func (s sight) lines() []string {
	var out []string
	for _, line := range strings.FieldsFunc(s.Seen, func(r rune) bool { return r == '\n' || r == '\t' }) {
		if line = collapse(line); line != "" {
			out = append(out, plain.Line(line, 200))
		}
	}
	for _, l := range s.Live {
		if l.Control {
			out = append(out, plain.Line(l.Key+" = "+l.Text, 200))
		}
	}
	return out
}

// shows says whether a text is visible on the page.
func (s sight) shows(text string) bool { return Shows(s.Seen, text) || Shows(s.Raw, text) }

// look reads the page and the frames in it.
func (t *tab) look() (sight, error) { return t.lookFor(nil) }

// lookFor is look, and asks in passing what is bare of texts.
func (t *tab) lookFor(texts []string) (sight, error) {
	if t.memo != nil && t.memo.sight != nil {
		return *t.memo.sight, nil
	}
	frames, err := t.shownFrames()
	if err != nil {
		return sight{}, err
	}
	if t.memo != nil {
		texts = t.memo.wanted
	}
	s := sight{}
	for i, f := range frames {
		if i > 0 {
			texts = nil
		}
		now, err := t.lookIn(f, texts)
		switch {
		case i == 0:
			if err != nil {
				return s, err
			}
			s = now
			s.framed = len(frames) > 1
		case err == nil:
			s.Raw, s.Seen, s.Live = s.Raw+"\n"+now.Raw, s.Seen+"\n"+now.Seen, append(s.Live, now.Live...)
		case !passing(err):
			return s, err
		}
	}
	if t.memo != nil {
		t.memo.sight = &s
	}
	return s, nil
}

func (t *tab) lookIn(frame cdp.FrameID, texts []string) (s sight, err error) {
	return s, t.askIn(frame, &s, "look", texts)
}

// content is the text and the value of one element.
type content struct {
	Value   string `json:"value"`
	Has     bool   `json:"has"` // it has a value of its own
	Toggle  bool   `json:"toggle"`
	Raw     string `json:"raw"`
	Seen    string `json:"seen"`
	Visible bool   `json:"visible"`
	Display bool   `json:"display"` // its value is shown, not entered
	// Bare is what is not covered of the text that was asked for, nil where that
	// was not looked at.
	Bare   *uncovered `json:"bare"`
	framed bool       // of a document of its own
}

// shown is what a person reads in the element.
func (c content) shown() string {
	if c.Has {
		return c.Value
	}
	return collapse(c.Seen)
}

func (c content) shows(text string) bool {
	if c.Has {
		return Shows(c.Value, text) || (c.Toggle && Shows(c.Seen, text))
	}
	return Shows(c.Seen, text) || Shows(c.Raw, text)
}

// equals says whether the element's value, or its text when it has none, is
// text: white space collapsed, case counts.
func (c content) equals(text string) bool {
	want := collapse(text)
	if c.Toggle {
		return c.Value == toggleWord(want)
	}
	if c.Has {
		return collapse(c.Value) == want
	}
	return collapse(c.Seen) == want || collapse(c.Raw) == want
}

// toggleWord understands the usual words for the state of a check box.
func toggleWord(s string) string {
	switch strings.ToLower(s) {
	case "true", "on", "yes", "1", "checked":
		return "checked"
	case "false", "off", "no", "0", "unchecked", "not checked", "":
		return "unchecked"
	}
	return s
}

// holds looks once whether an assertion holds, and tells what was seen.
func (t *tab) holds(s Step) (ok bool, saw string, err error) {
	switch s.Verb {
	case VerbCount:
		return t.counts(s)
	case VerbAnimates, VerbStill:
		return t.motion(s)
	case VerbEnabled, VerbDisabled:
		return t.able(s)
	case VerbTitle:
		page, err := t.look()
		return err == nil && Shows(page.Title, s.Text), page.Title, err
	}
	if s.Target == "" && s.In == "" {
		return t.pageHolds(s)
	}
	target, in := s.Target, s.In
	if target == "" {
		target, in = in, ""
	}
	w := wantPlace
	if s.Verb == VerbValue {
		w = wantAny
	}
	m, err := t.locate(target, in, s.Nth, w)
	if err != nil {
		if _, gone := err.(*missing); gone && s.Verb == VerbNotSee {
			return true, "", nil // what is not there does not show it
		}
		return false, "", err
	}
	c, err := t.contentOf(m, s.Text)
	if err != nil {
		return false, "", err
	}
	held := c.shows
	if s.Verb == VerbValue {
		held = c.equals
	}
	ok, saw = held(s.Text), c.shown()
	if ok {
		var by string
		if ok, by, err = t.bare(s, m, c); err != nil {
			return false, saw, err
		}
		if !ok {
			saw += coveredBy(by)
		}
	}
	return ok != (s.Verb == VerbNotSee), saw, nil
}

// pageHolds is holds for the page as a whole.
func (t *tab) pageHolds(s Step) (ok bool, saw string, err error) {
	page, err := t.lookFor([]string{s.Text})
	if err != nil {
		return false, "", err
	}
	ok, saw = page.shows(s.Text), strings.Join(head(page.lines(), 12), " | ")
	if ok {
		var by string
		if ok, by, err = t.bareOn(page, s.Text); err != nil {
			return false, saw, err
		}
		if !ok {
			saw = s.Text + coveredBy(by)
		}
	}
	return ok != (s.Verb == VerbNotSee), saw, nil
}

// contentOf reads an element, and what is bare of text in it; a frame is read as
// what it shows.
func (t *tab) contentOf(m match, text string) (c content, err error) {
	if m.desc.Tag == "iframe" || m.desc.Tag == "frame" {
		frame, err := t.inside(m.el)
		if err != nil || frame == "" {
			return c, err
		}
		now, err := t.lookIn(frame, nil)
		return content{Raw: now.Raw, Seen: now.Seen, Visible: true, framed: true}, err
	}
	return c, t.ask(&c, "text", m.el, text)
}

// await repeats holds until it is true or the step's time is up, and tells what
// was seen last and how often it looked. The error is a verdict.
func (t *tab) await(s Step) (saw string, looks int, err error) {
	deadline := time.Now().Add(s.waitFor())
	for {
		ok, saw, err := t.holds(s)
		looks++
		if ok {
			return saw, looks, nil
		}
		_, gone := err.(*missing)
		if err != nil && !gone && !passing(err) {
			return saw, looks, err
		}
		if time.Now().After(deadline) {
			switch {
			case gone:
				return saw, looks, failf("%v", err)
			case err != nil:
				return saw, looks, unverifiedf("the page could not be read: %v", err)
			}
			return saw, looks, failf("%s", unmet(s, saw))
		}
		if err := sleep(t.ctx, 50*time.Millisecond); err != nil {
			return saw, looks, err
		}
	}
}

func unmet(s Step, saw string) string {
	where := ""
	if s.Target != "" {
		where = " in " + quote(s.Target)
	}
	switch s.Verb {
	case VerbNotSee:
		return "expected not to see " + quote(s.Text) + where + ", but it is there"
	case VerbValue:
		return "expected the value of " + quote(s.Target) + " to be " + quote(s.Text) + ", it is " + quote(saw)
	}
	switch s.Verb {
	case VerbCount:
		return "expected " + s.Text + " of " + quote(s.Target) + placeOf(s) + ", counted " + saw
	case VerbAnimates:
		return "expected " + quote(s.Target) + " to move, but it does not (" + saw + ")"
	case VerbStill:
		return "expected " + quote(s.Target) + " to be still, but it moves (" + saw + ")"
	case VerbEnabled, VerbDisabled:
		return "expected " + quote(s.Target) + placeOf(s) + " to be " + string(s.Verb) + ", but it is " + saw
	case VerbTitle:
		return "expected the page's title to have " + quote(s.Text) + ", it is " + quote(saw)
	}
	return "expected to see " + quote(s.Text) + where + ", saw " + quote(saw)
}

func placeOf(s Step) string {
	if s.In == "" {
		return ""
	}
	return " in " + quote(s.In)
}

func quote(s string) string { return `"` + plain.Line(s, 200) + `"` }

// changes compares two looks: the lines that came and went, and the one text
// that tells best what happened.
func changes(before, after sight) (changed []string, display string) {
	a, b := before.lines(), after.lines()
	gone, come := minus(a, b), minus(b, a)
	for _, l := range come {
		changed = append(changed, "+ "+l)
	}
	for _, l := range gone {
		changed = append(changed, "- "+l)
	}
	var moved []live
	for _, l := range after.Live {
		if !slices.Contains(before.Live, l) {
			moved = append(moved, l)
		}
	}
	switch {
	case len(moved) == 1 && (moved[0].Text != "" || len(come) == 0):
		display = moved[0].Text
	case len(come) > 0:
		display = strings.Join(head(come, 3), " | ")
	case len(gone) > 0:
		display = "(gone) " + strings.Join(head(gone, 3), " | ")
	}
	return head(changed, 12), plain.Line(display, 300)
}

// minus is what a has more often than b, in order.
func minus(a, b []string) []string {
	count := map[string]int{}
	for _, s := range b {
		count[s]++
	}
	var out []string
	for _, s := range a {
		if count[s] > 0 {
			count[s]--
			continue
		}
		out = append(out, s)
	}
	return out
}
