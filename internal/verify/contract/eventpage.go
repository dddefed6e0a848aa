package contract

import (
	stdjson "encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"gitagent/internal/browser"
)

// page tells the steps of a page.
func (n *narrator) page(page stdjson.RawMessage) error {
	var p pageForm
	if err := json.Unmarshal(page, &p); err != nil {
		return err
	}
	open, err := n.inputs().fill(p.Open)
	if err != nil {
		return err
	}
	n.arrive(browser.VerbOpen, open)
	for i, raw := range p.Steps {
		steps, seen, err := n.steps(raw)
		if err != nil {
			return fmt.Errorf("step %d %w", i+1, err)
		}
		each := strings.Contains(string(raw), `_each"`)
		for _, st := range steps {
			n.step(st, seen, each)
		}
	}
	sortEntries(n.events)
	return nil
}

// sortEntries puts what is entered into several fields, one right after another,
// in one order: which of them came first makes no difference.
func sortEntries(events []event) {
	entry := func(e event) bool {
		return e.kind == doing && !e.many && (e.verb == string(browser.VerbType) || e.verb == string(browser.VerbSelect))
	}
	field := func(e event) string { return strings.ToLower(strings.Join(e.on[1:3], " ")) }
	for from := 0; from < len(events); from++ {
		to := from
		for to < len(events) && entry(events[to]) {
			to++
		}
		slices.SortStableFunc(events[from:to], func(a, b event) int { return strings.Compare(field(a), field(b)) })
		from = to
	}
}

// steps reads a step of the contract, which may stand for several.
func (n *narrator) steps(raw stdjson.RawMessage) (steps []browser.Step, seen []hole, err error) {
	spread, seen, err := n.f.fillStep(raw)
	if err != nil {
		return nil, nil, err
	}
	steps, err = parseSteps(spread)
	if err != nil || n.marked == nil || len(seen) == 0 || steps[0].Assertion() {
		return steps, seen, err
	}
	// Where marks have no place, as in a number, the values stand.
	if spread, _, err := n.marked.fillStep(raw); err == nil {
		if marked, err := parseSteps(spread); err == nil {
			return marked, seen, nil
		}
	}
	return steps, seen, nil
}

func parseSteps(spread []stdjson.RawMessage) ([]browser.Step, error) {
	var out []browser.Step
	for _, raw := range spread {
		st, ok := parseStep(raw)
		if !ok {
			return nil, fmt.Errorf("is not understood: %s", raw)
		}
		out = append(out, st)
	}
	return out, nil
}

func (n *narrator) step(st browser.Step, seen []hole, each bool) {
	switch st.Verb {
	case browser.VerbWait:
		if st.Text == "" {
			return
		}
	case browser.VerbShot, browser.VerbScroll, browser.VerbHover, browser.VerbResize, browser.VerbClear:
		return // by itself it makes nothing of what was entered
	case browser.VerbOpen, browser.VerbFresh:
		n.arrive(st.Verb, st.Text)
		return
	case browser.VerbReload, browser.VerbRestart, browser.VerbBack, browser.VerbPopup:
		n.arrive(st.Verb, n.path)
		return
	}
	if st.Assertion() {
		n.add(event{kind: looking, look: n.lookOf(st), holes: seen})
		return
	}
	n.deed(st, seen, each)
}

// arrive opens a page anew.
func (n *narrator) arrive(how browser.Verb, where string) {
	if plain, err := url.PathUnescape(where); err == nil {
		where = plain
	}
	if where = strings.TrimSuffix(where, "index.html"); where == "" {
		where = "/"
	}
	n.path, n.entered = where, nil
	n.add(event{kind: arriving, verb: string(how), on: []string{where}})
}

// deed tells an action. To act on what a variable names is also to see it
// offered, where the variable was entered before.
func (n *narrator) deed(st browser.Step, seen []hole, each bool) {
	verb := st.Verb
	if verb == browser.VerbCheck { // as a click does
		verb = browser.VerbClick
	}
	role, name := roleAndName(st.Target)
	_, in := roleAndName(st.In)
	_, to := roleAndName(st.To)
	known := false
	for _, h := range seen {
		for _, v := range h.expr.names {
			known = known || n.given[v]
		}
	}
	if known && !each && st.Text == "" {
		l := look{verb: toOffer, place: string(st.Verb), text: squeeze(name + " " + in)}
		if role == "" && st.Verb == browser.VerbClick { // any text can be clicked
			l.place, l.text = l.place+" "+name, in
		}
		n.add(event{kind: looking, look: l, holes: seen})
	}
	n.add(event{kind: doing, verb: string(verb), many: each, holes: seen,
		on: []string{squeeze(st.Text), name, in, to, st.Content, st.Answer}})
	for _, h := range seen {
		for _, v := range h.expr.names {
			n.given[v] = true
		}
	}
	if st.DialogSays != "" {
		n.add(event{kind: looking, look: look{verb: toShow, text: st.DialogSays, place: "dialog"}, holes: seen})
	}
	n.entered = append(n.entered, st)
}

// lookOf is an assertion of a page.
func (n *narrator) lookOf(st browser.Step) look {
	_, place := roleAndName(st.Target)
	if place == "" {
		_, place = roleAndName(st.In)
	}
	l := look{verb: string(st.Verb), text: st.Text, place: place, echo: echo(st, n.entered)}
	switch st.Verb {
	case browser.VerbSee, browser.VerbWait:
		l.verb = toShow
	case browser.VerbValue:
		l.verb, l.exact = toShow, true
	case browser.VerbTitle:
		l.verb, l.place = toShow, "title"
	case browser.VerbNotSee:
		l.verb = toHide
	case browser.VerbEnabled, browser.VerbDisabled, browser.VerbAnimates, browser.VerbStill:
		l.text, l.place = place, ""
	}
	return l
}
