package browser

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// keyedText is the longest text that is typed key by key; beyond it pages that
// listen to single keys are rare, and time is not.
const keyedText = 64

// act does what one action step says, as a person would.
func (t *tab) act(s Step) error {
	switch s.Verb {
	case VerbClick:
		return t.click(s, wantClick, 1)
	case VerbDblclick:
		return t.click(s, wantClick, 2)
	case VerbHover:
		return t.hover(s)
	case VerbType:
		return t.typeText(s)
	case VerbClear:
		return t.clearField(s)
	case VerbPress:
		return t.pressKey(s)
	case VerbSelect:
		return t.selectOption(s)
	case VerbCheck, VerbUncheck:
		return t.toggle(s)
	case VerbDrag:
		return t.drag(s)
	case VerbScroll:
		return t.scroll(s)
	}
	return fmt.Errorf("%s is no action", s.Verb)
}

// aimed is the answer of act.js: a point, or why there is none.
type aimed struct {
	X   float64 `json:"x"`
	Y   float64 `json:"y"`
	Why string  `json:"why"`
}

// reach finds the element and waits until a person could click it: one match,
// visible, enabled, at rest, and not covered.
func (t *tab) reach(s Step, w want, enabled bool) (match, aimed, error) {
	return t.usable(s, w, func(m match) (at aimed, err error) {
		err = t.aim(&at, m.el, enabled, false)
		return at, err
	})
}

// point is reach with the mouse on what is enabled: it is at rest when its box is
// the same before the mouse came and a frame later.
func (t *tab) point(s Step, w want) (match, aimed, error) {
	var mouse *aimed // where it was put
	return t.usable(s, w, func(m match) (at aimed, err error) {
		if err = t.aim(&at, m.el, true, mouse == nil); err != nil || at.Why != "" {
			return at, err
		}
		if mouse == nil || !mouse.near(at) {
			if err = t.mouse(input.DispatchMouseEventTypeMouseMoved, at, 0); err != nil {
				return at, err
			}
			mouse = &aimed{X: at.X, Y: at.Y}
		}
		var now aimed
		if err = t.outward(&now, m.el, t.ask(&now, "still", m.el)); err == nil && now.Why == "" && !now.near(at) {
			now.Why = "moving"
		}
		at.Why = now.Why
		return at, err
	})
}

// usable finds the element and tries it until it can be used, or the step's time
// is up.
func (t *tab) usable(s Step, w want, try func(match) (aimed, error)) (match, aimed, error) {
	deadline := time.Now().Add(s.waitFor())
	for {
		m, err := t.find(s.Target, s.In, s.Nth, w, time.Until(deadline))
		if err != nil {
			return m, aimed{}, err
		}
		at, err := try(m)
		if err == nil && at.Why == "" {
			return m, at, nil
		}
		if err != nil && !passing(err) {
			return m, at, err
		}
		if time.Now().After(deadline) {
			if err != nil {
				return m, at, unverifiedf("the page could not be read: %v", err)
			}
			return m, at, failf("%q cannot be used: it is %s", s.Target, at.Why)
		}
		if err := sleep(t.ctx, 40*time.Millisecond); err != nil {
			return m, at, err
		}
	}
}

// aim asks for the point to click, in the coordinates of the whole page.
func (t *tab) aim(at *aimed, el ref, enabled, quick bool) error {
	return t.outward(at, el, t.ask(at, "aim", el, enabled, quick))
}

// outward takes a point inside the frame of el to the coordinates of the whole
// page; err is how asking for it went.
func (t *tab) outward(at *aimed, el ref, err error) error {
	for err == nil && el.frame != t.rec.main && at.Why == "" {
		owner, oerr := t.ownerOf(el.frame)
		if oerr != nil {
			return oerr
		}
		x, y := at.X, at.Y
		err = t.ask(at, "through", owner, x, y)
		el = owner
	}
	return err
}

// near says whether two points are one to the mouse.
func (a aimed) near(b aimed) bool { return math.Abs(a.X-b.X) <= 1 && math.Abs(a.Y-b.Y) <= 1 }

// hover moves the mouse to the element. What that makes of it, or lays over it,
// is what hovering is for.
func (t *tab) hover(s Step) error {
	_, at, err := t.reach(s, wantClick, false)
	if err != nil {
		return err
	}
	return t.mouse(input.DispatchMouseEventTypeMouseMoved, at, 0)
}

// click moves the mouse to the element and clicks.
func (t *tab) click(s Step, w want, clicks int64) error {
	_, at, err := t.point(s, w)
	if err != nil {
		return err
	}
	for n := int64(1); n <= clicks; n++ {
		if err := t.clickAt(at, n); err != nil {
			return err
		}
	}
	return nil
}

func (t *tab) clickAt(at aimed, n int64) error {
	if err := t.mouse(input.DispatchMouseEventTypeMousePressed, at, n); err != nil {
		return err
	}
	return t.mouse(input.DispatchMouseEventTypeMouseReleased, at, n)
}

func (t *tab) mouse(typ input.DispatchMouseEventType, at aimed, count int64) error {
	p := input.DispatchMouseEventParams{Type: typ, X: at.X, Y: at.Y, ClickCount: count}
	if count > 0 {
		p.Button = input.MouseButtonLeft
		if typ == input.DispatchMouseEventTypeMousePressed {
			p.Buttons = 1
		}
	}
	_, err := call(t, input.DispatchMouseEvent, p)
	return err
}

// fieldState is what act.js says of a field.
type fieldState struct {
	Type     string `json:"type"`
	Editable bool   `json:"editable"`
	Readonly bool   `json:"readonly"`
	Focused  bool   `json:"focused"`
	On       bool   `json:"on"`
	Toggle   bool   `json:"toggle"`
}

// enterField clicks into the field and selects what it holds.
func (t *tab) enterField(s Step) (match, fieldState, error) {
	var f fieldState
	m, at, err := t.point(s, wantField)
	if err != nil {
		return m, f, err
	}
	if err := t.ask(&f, "field", m.el); err != nil {
		return m, f, err
	}
	switch {
	case !f.Editable:
		return m, f, failf("%q is not something to type into", s.Target)
	case f.Readonly:
		return m, f, failf("%q is read-only", s.Target)
	case f.Type == "color" || f.Type == "range" || f.Type == "file":
		return m, f, nil // a click would open a picker or change the value
	}
	if err := t.clickAt(at, 1); err != nil {
		return m, f, err
	}
	if err := t.ask(&f, "field", m.el); err != nil {
		return m, f, err
	}
	if !f.Focused {
		return m, f, failf("%q does not take the focus when it is clicked", s.Target)
	}
	if dateLike(f.Type) {
		return m, f, nil
	}
	return m, f, t.ask(nil, "selectAll", m.el)
}

func dateLike(typ string) bool {
	switch typ {
	case "date", "time", "month", "week", "datetime-local":
		return true
	}
	return false
}

func (t *tab) typeText(s Step) error {
	if s.Target == "" {
		return t.keys(s.Text)
	}
	m, f, err := t.enterField(s)
	if err != nil {
		return err
	}
	if f.Type == "file" {
		return failf("%q takes a file: write %s", s.Target, formOf(VerbUpload))
	}
	if f.Type == "color" || f.Type == "range" || dateLike(f.Type) {
		// These have no text to type; the value is entered as a picker would.
		var ok bool
		if err := t.ask(&ok, "enterValue", m.el, s.Text); err != nil {
			return err
		}
		if !ok {
			return failf("%q does not accept the value %q", s.Target, s.Text)
		}
		return nil
	}
	return t.keys(s.Text)
}

// keys types a text into what has the focus: key by key when it is short, as a
// paste otherwise.
func (t *tab) keys(text string) error {
	if utf8.RuneCountInString(text) > keyedText {
		return t.insert(text)
	}
	for _, r := range text {
		var err error
		if _, known := kb.Keys[r]; !known && r > 0xff {
			err = t.insert(string(r)) // no key of a keyboard: emoji and the like
		} else {
			err = t.stroke(keyStroke{key: string(r)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tab) insert(text string) error {
	_, err := call(t, input.InsertText, input.InsertTextParams{Text: text})
	return err
}

func (t *tab) stroke(k keyStroke) error {
	for _, ev := range k.events() {
		if _, err := call(t, input.DispatchKeyEvent, *ev); err != nil {
			return err
		}
	}
	return nil
}

func (t *tab) clearField(s Step) error {
	m, f, err := t.enterField(s)
	if err != nil {
		return err
	}
	if dateLike(f.Type) {
		return t.ask(nil, "enterValue", m.el, "")
	}
	return t.stroke(keyStroke{key: kb.Backspace})
}

func (t *tab) pressKey(s Step) error {
	k, err := parseKey(s.Text)
	if err != nil {
		return err
	}
	if s.Target == "" {
		return t.stroke(k)
	}
	m, _, err := t.reach(s, wantAny, true)
	if err != nil {
		return err
	}
	var ok bool
	if err := t.ask(&ok, "focus", m.el); err != nil {
		return err
	}
	if !ok {
		return failf("%q cannot have the focus, so no key can be pressed in it", s.Target)
	}
	return t.stroke(k)
}

// selectOption chooses by the option's visible text. The list of a select is
// drawn by the system, outside of the page, so the choice itself is entered.
func (t *tab) selectOption(s Step) error {
	if s.Target == "" {
		return t.click(Step{Verb: VerbClick, Target: s.Text, In: s.In, Nth: s.Nth, Timeout: s.Timeout}, wantClick, 1)
	}
	m, _, err := t.reach(s, wantSelect, true)
	if err != nil {
		return err
	}
	if m.desc.Tag != "select" {
		// A list made of other elements: open it, then click the option.
		if err := t.click(Step{Verb: VerbClick, Target: s.Target, In: s.In, Nth: s.Nth, Timeout: s.Timeout}, wantSelect, 1); err != nil {
			return err
		}
		return t.click(Step{Verb: VerbClick, Target: "option:" + s.Text, Timeout: s.Timeout}, wantClick, 1)
	}
	var res struct {
		OK      bool     `json:"ok"`
		Many    bool     `json:"many"`
		Off     bool     `json:"off"`
		Options []string `json:"options"`
	}
	if err := t.ask(&res, "choose", m.el, s.Text); err != nil {
		return err
	}
	switch {
	case res.OK:
		return nil
	case res.Many:
		return unverifiedf("several options of %q are called %q", s.Target, s.Text)
	case res.Off:
		return failf("the option %q of %q is disabled", s.Text, s.Target)
	}
	return failf("%q has no option %q; it has: %s", s.Target, s.Text, strings.Join(res.Options, ", "))
}

// toggle clicks a check box unless it is as wanted, and makes sure that the
// click changed it.
func (t *tab) toggle(s Step) error {
	m, at, err := t.point(s, wantToggle)
	if err != nil {
		return err
	}
	var f fieldState
	if err := t.ask(&f, "field", m.el); err != nil {
		return err
	}
	if !f.Toggle {
		return failf("%q is not a check box", s.Target)
	}
	on := s.Verb == VerbCheck
	if f.On == on {
		return nil
	}
	if err := t.clickAt(at, 1); err != nil {
		return err
	}
	if err := t.settle(); err != nil {
		return err
	}
	if err := t.ask(&f, "field", m.el); err != nil {
		if passing(err) {
			return nil // the page went on
		}
		return err
	}
	if f.On != on {
		// A list that is drawn anew has a new box: look at that one.
		if again, err := t.locate(s.Target, s.In, s.Nth, wantToggle); err == nil { // of the same name
			if err := t.ask(&f, "field", again.el); err != nil && !passing(err) {
				return err
			}
		}
	}
	if f.On != on {
		return failf("%q did not change when it was clicked", s.Target)
	}
	return nil
}
