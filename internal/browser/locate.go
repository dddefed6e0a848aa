package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"gitagent/internal/plain"
)

// want says what kind of element a verb can use.
type want int

const (
	wantClick  want = iota // whatever a person can point at
	wantField              // something to type into
	wantSelect             // a list to choose from
	wantToggle             // check box, radio button, switch
	wantAny                // anything that can be looked at
	wantPlace              // a place to look in
)

// accepts says whether an element of this role is what the verb means.
func (w want) accepts(role string) bool {
	switch w {
	case wantClick:
		return isInteractive(role)
	case wantField:
		return isEditable(role)
	case wantSelect:
		return slices.Contains(roleNames()["select"], role)
	case wantToggle:
		return slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, role)
	}
	return true
}

// match is an element that a locator may mean.
type match struct {
	el   ref
	role string
	desc description
	name string
	up   int // index of the nearest match that contains it, -1 for none
	row  int // of those around the place it was looked for in
}

// description is what act.js says of an element.
type description struct {
	Tag     string `json:"tag"`
	Visible bool   `json:"visible"`
	Inside  bool   `json:"inside"`
	Text    string `json:"text"`
	Header  bool   `json:"header"` // a row of column headers alone
	Other   bool   `json:"other"`  // it is part of another item inside the scope
}

func (m match) String() string {
	role := m.desc.Tag
	if m.role != "" {
		role = shortRole(m.role)
	}
	s := role + ":" + plain.Line(m.name, 60)
	if m.desc.Text != "" && collapse(m.desc.Text) != m.name {
		s += fmt.Sprintf(" (%s)", plain.Line(m.desc.Text, 60))
	}
	return s
}

// missing says that nothing is named so; it is worth asking again until the
// step's time is up.
type missing struct {
	loc    string
	hidden bool
	nth    int // asked for, of so many that there are
	of     int
	near   []string
}

func (e *missing) Error() string {
	if e.hidden {
		return fmt.Sprintf("%q is there but not visible", e.loc)
	}
	if e.nth > 0 {
		return fmt.Sprintf("there is no number %d named %q, only %d", e.nth, e.loc, e.of)
	}
	msg := fmt.Sprintf("nothing visible is named %q", e.loc)
	if len(e.near) > 0 {
		quoted := make([]string, len(e.near))
		for i, n := range e.near {
			quoted[i] = strconv.Quote(n)
		}
		msg += "; nearest: " + strings.Join(quoted, ", ")
	}
	return msg
}

// find waits for exactly one match.
func (t *tab) find(loc, in string, nth int, w want, wait time.Duration) (match, error) {
	deadline := time.Now().Add(wait)
	for {
		m, err := t.locate(loc, in, nth, w)
		if err == nil {
			return m, nil
		}
		gone, isMissing := err.(*missing)
		if !isMissing && !passing(err) {
			return match{}, err
		}
		if time.Now().After(deadline) {
			if isMissing {
				return match{}, failf("%s", gone.Error())
			}
			return match{}, unverifiedf("the page could not be read: %v", err)
		}
		if err := sleep(t.ctx, 40*time.Millisecond); err != nil {
			return match{}, err
		}
	}
}

// locate looks once. It tries, in this order and stopping at the first that
// finds anything visible: the accessible name exactly, then in any case, the
// text of a label, the placeholder, the visible text of any element, for a
// place to look in also its role and the list item, row or section that shows
// the text, the text of an element without that of those in it, and its id.
func (t *tab) locate(loc, in string, nth int, w want) (match, error) {
	scope, err := t.scope(in)
	if err != nil {
		return match{}, err
	}
	views, err := t.views()
	if err != nil {
		return match{}, err
	}
	nodes := allNodes(views)
	tiers := t.tiers(loc, nodes, w)
	m, err := t.locateIn(loc, nodes, tiers, scope, nth, w)
	if _, gone := err.(*missing); gone && scope != nil {
		if beside, found, berr := t.beside(loc, tiers, *scope, nth, w); found || berr != nil {
			return beside, berr
		}
	}
	return m, err
}

func (t *tab) locateIn(loc string, nodes []node, tiers []tier, scope *ref, nth int, w want) (match, error) {
	hidden := false
	for _, tier := range tiers {
		found, err := tier()
		if err != nil {
			return match{}, err
		}
		found, hid, err := t.keepVisible(found, scope)
		if err != nil {
			return match{}, err
		}
		hidden = hidden || hid
		if w != wantPlace {
			found = slices.DeleteFunc(found, func(m match) bool { return m.desc.Other })
		}
		if len(found) > 0 {
			return t.meant(loc, found, nth, w)
		}
	}
	return match{}, &missing{loc: loc, hidden: hidden, near: near(loc, nodes, w)}
}

// meant is the one of the matches of a tier that loc means.
func (t *tab) meant(loc string, found []match, nth int, w want) (m match, err error) {
	if len(found) > 1 && nth == 0 && w >= wantAny {
		if found, err = t.outermost(found); err != nil {
			return m, err
		}
	}
	if len(found) > 1 && nth == 0 && w == wantPlace {
		if found, err = t.onePlace(found); err != nil {
			return m, err
		}
	}
	_, name := splitRole(loc)
	m, err = choose(loc, found, nth, w)
	if err == nil && w == wantPlace && strings.EqualFold(name, collapse(m.desc.Text)) {
		// To look in "Milk" is to look at the row of that name, in "Done" at
		// what stands under that heading.
		m.el, err = t.askObject(m.el.frame, "region", m.el)
	}
	return m, err
}

// outermost leaves the one match that holds all the others: a section and the
// heading that gives it its name are one place.
func (t *tab) outermost(found []match) ([]match, error) {
	for i, a := range head(found, 8) {
		holds := true
		for j, b := range found {
			if !holds || i == j || a.el.frame != b.el.frame {
				holds = holds && i == j
				continue
			}
			if err := t.ask(&holds, "holds", a.el, b.el); err != nil {
				return nil, err
			}
		}
		if holds {
			return found[i : i+1], nil
		}
	}
	return found, nil
}

// choose returns the one match that is meant.
func choose(loc string, found []match, nth int, w want) (match, error) {
	if nth > 0 {
		if nth > len(found) {
			return match{}, &missing{loc: loc, nth: nth, of: len(found)}
		}
		return found[nth-1], nil
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var list []string
	for i, m := range head(found, 8) {
		list = append(list, fmt.Sprintf("%d. %s", i+1, m))
	}
	how := `say which with "nth" or "in"`
	if w >= wantAny {
		how = "give one of them a name of its own"
	}
	return match{}, unverifiedf("%d elements are named %q: %s; %s", len(found), loc, strings.Join(list, ", "), how)
}

// tier is one way to find a locator, wherever on the page.
type tier = func() ([]match, error)

// tiers are the ways to find loc, best first. Each looks once, however often it
// is asked.
func (t *tab) tiers(loc string, nodes []node, w want) []tier {
	all := t.ways(loc, nodes, w)
	for i := range all {
		all[i] = sync.OnceValues(all[i])
	}
	return all
}

func (t *tab) ways(loc string, nodes []node, w want) []tier {
	roles, name := splitRole(loc)
	exact := func(a, b string) bool { return a == b }
	byName := func(name string, roles []string, eq func(a, b string) bool) tier {
		return func() ([]match, error) { return t.byName(nodes, name, roles, w, eq) }
	}
	var out []tier
	if roles != nil {
		out = append(out, byName(loc, nil, exact)) // a name with a colon in it
	}
	out = append(out, byName(name, roles, exact), byName(name, roles, strings.EqualFold))
	if roles != nil { // whoever names a role means it
		if w == wantPlace {
			out = append(out, t.rolePlaces(loc, name, nodes, roles)...)
		}
		return out
	}
	for _, kind := range []string{"label", "placeholder"} {
		out = append(out, func() ([]match, error) { return t.byScript(kind, name) })
	}
	if w == wantClick || w >= wantAny {
		out = append(out, func() ([]match, error) { return t.byScript("text", name) })
	}
	byID := func() ([]match, error) { return t.byScript("id", name) }
	if bare := roleOf(name); w == wantPlace && bare != nil { // "dialog", "navigation"
		out = append(out, byID, func() ([]match, error) { return t.byRole(nodes, bare) })
	}
	if w >= wantAny {
		out = append(out, func() ([]match, error) { return t.byItem(name) })
	}
	if w == wantClick || w >= wantAny {
		out = append(out, func() ([]match, error) { return t.byScript("own", name) })
	}
	return append(out, byID)
}

// byName matches accessible names. Where some matches are what the verb can
// use, only those count: a heading named as a button is no rival of it.
func (t *tab) byName(nodes []node, name string, roles []string, w want, eq func(a, b string) bool) ([]match, error) {
	var hits []node
	useful := false
	for _, n := range nodes {
		if n.name == "" || isText(n.role) || !eq(n.name, name) || (roles != nil && !slices.Contains(roles, n.role)) {
			// A generic element with a name of its own may be looked at.
			if !(w >= wantAny && n.role == "generic" && n.name != "" && eq(n.name, name) && roles == nil) {
				continue
			}
		}
		hits = append(hits, n)
		useful = useful || w.accepts(n.role)
	}
	var out []match
	seen := map[cdp.BackendNodeID]bool{} // unique in the process
	for _, n := range head(hits, 60) {
		if seen[n.id] || (useful && !w.accepts(n.role)) {
			continue
		}
		seen[n.id] = true
		el, err := t.resolve(n.frame, n.id)
		if err != nil {
			return nil, err
		}
		out = append(out, match{el: el, role: n.role, name: n.name, up: -1})
	}
	return out, nil
}

// byScript lets act.js find elements.
func (t *tab) byScript(kind, name string) ([]match, error) {
	frames, err := t.shownFrames()
	if err != nil {
		return nil, err
	}
	var out []match
	for _, frame := range frames {
		var ups []int
		if err := t.askIn(frame, &ups, "find", kind, name); err != nil {
			return nil, err
		}
		from := len(out)
		for i := range head(ups, 60) {
			el, err := t.askObject(frame, "pick", i)
			if err != nil {
				return nil, err
			}
			m := match{el: el, name: name, up: -1}
			if ups[i] >= 0 {
				m.up = from + ups[i]
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// keepVisible drops what a person cannot see or what is outside the scope.
func (t *tab) keepVisible(found []match, scope *ref) (visible []match, hidden bool, err error) {
	for _, m := range found {
		if m.desc, err = t.describe(m.el, scope); err != nil {
			return nil, false, err
		}
		if m.desc.Inside && m.desc.Visible {
			visible = append(visible, m)
		}
		hidden = hidden || (m.desc.Inside && !m.desc.Visible)
	}
	return visible, hidden, nil
}

// describe tells what the element is, and whether it is inside the scope.
func (t *tab) describe(el ref, scope *ref) (d description, err error) {
	if scope == nil || scope.frame == el.frame {
		var in any
		if scope != nil {
			in = *scope
		}
		return d, t.ask(&d, "describe", el, in)
	}
	owner, ok, err := t.lift(el, scope.frame)
	if err != nil || !ok {
		return d, err
	}
	var inside bool
	if err := t.ask(&inside, "holds", *scope, owner); err != nil || !inside {
		return d, err
	}
	return d, t.ask(&d, "describe", el, nil)
}
