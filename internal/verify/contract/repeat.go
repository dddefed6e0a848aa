package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// A contract that passes before any work shows something only where it tries
// what nothing that passes was tried by. Names of variables, their ranges, the
// order of checks, how they are cut and what is done besides make no difference:
// the deeds of an old check are looked for among those of a new one, with the
// values of the new one, and what the old one would see then is not new.

// Novelty is what a check shows beside the checks of other features.
type Novelty struct {
	// New: it expects something that changes with the draw, which no other check
	// sees after the same deeds.
	New bool
	// Repeats: it is not New, and does nothing but what other checks do.
	Repeats bool
	// shared are, for each thing that it has in common with others, the features
	// whose checks have it.
	shared [][]string
	// partly: the comparison was too long to be made whole, so more may be shared.
	partly bool
}

// Features are those whose checks this one has something in common with.
func (n Novelty) Features() []string {
	all := slices.Concat(n.shared...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Within says whether all that the check has in common with others was there
// already where only some features pass: if it fails there, then by something
// of its own.
func (n Novelty) Within(passes func(feature string) bool) bool {
	return !n.partly && !slices.ContainsFunc(n.shared, func(ids []string) bool { return !slices.ContainsFunc(ids, passes) })
}

// Novelty compares each check of c with those of other contracts, by its id.
// What cannot be compared is neither new nor a repeat.
func (c *Contract) Novelty(others []*Contract) map[string]Novelty {
	out := map[string]Novelty{}
	olds := tellOlds(others)
	draws, err := c.samples()
	if err != nil {
		return out
	}
	for _, k := range c.Checks {
		if n, err := c.novelty(k, draws, olds); err == nil {
			out[k.ID] = n
		}
	}
	return out
}

// samples are the values with which checks are compared: one draw may make the
// same of two sums.
func (c *Contract) samples() ([]Values, error) {
	example, err := c.exampleValues()
	if len(c.Vars) == 0 || err != nil {
		return []Values{nil}, err
	}
	drawn, err := c.Draw("novelty", 3)
	return append([]Values{example}, drawn...), err
}

// oldCheck is a check of a feature that passes.
type oldCheck struct {
	c       *Contract
	check   Check
	pattern *narrator
	kinds   map[string]kind
	example Values
}

func tellOlds(others []*Contract) (olds []oldCheck) {
	for _, o := range others {
		kinds, err := o.kinds()
		if err != nil {
			continue
		}
		example, err := o.exampleValues()
		if err != nil {
			continue
		}
		env, err := o.envOf(example)
		if err != nil {
			continue
		}
		for _, k := range o.Checks {
			if p, err := patternOf(k, env); err == nil {
				olds = append(olds, oldCheck{o, k, p, kinds, example})
			}
		}
	}
	return olds
}

// envOf is env, and none for a contract without variables.
func (c *Contract) envOf(v Values) (map[string]starlark.Value, error) {
	if len(c.Vars) == 0 {
		return nil, nil
	}
	return c.env(v)
}

func (c *Contract) novelty(k Check, draws []Values, olds []oldCheck) (Novelty, error) {
	n := Novelty{Repeats: true}
	var told [][]event
	for _, v := range draws {
		env, err := c.envOf(v)
		if err != nil {
			return n, err
		}
		events, err := eventsOf(k, env)
		if err != nil {
			return n, err
		}
		told = append(told, events)
	}
	telling, err := c.telling(told)
	if err != nil {
		return n, err
	}
	for i, events := range told {
		common := make([][]string, len(events))
		all := true // was compared
		for _, old := range olds {
			if all = old.mark(events, draws[i], common) && all; !all && i > 0 {
				break
			}
		}
		if !all && i > 0 {
			continue // the example says what is shared; this draw says nothing more
		}
		nth := 0
		deeds, sights, fresh := true, true, false // nothing but old ones; something new
		for j, e := range events {
			old := len(common[j]) > 0
			switch e.kind {
			case doing:
				deeds = deeds && old
			case looking:
				sights = sights && old
				fresh = fresh || telling[nth] && !old
				nth++
			}
		}
		if !slices.ContainsFunc(events, func(e event) bool { return e.kind == doing }) {
			deeds = sights // there is nothing but what is looked at
		}
		n.Repeats = n.Repeats && deeds
		if i == 0 {
			n.shared = slices.DeleteFunc(common, func(ids []string) bool { return len(ids) == 0 })
			n.partly = !all
		}
		if n.New = fresh && all && c.Varies(k.ID); n.New {
			n.Repeats = false
			break
		}
	}
	return n, nil
}

// mark adds the old check's feature to each of the events that it does or sees
// as well. It says whether it could look at every way in which that may be.
func (o oldCheck) mark(events []event, values Values, common [][]string) bool {
	seen := map[int]bool{}
	candidates := slices.Concat(slices.Collect(maps.Values(values)), slices.Collect(maps.Values(o.example)))
	slices.Sort(candidates)
	m := &embedder{old: o.pattern, kinds: o.kinds, new: events, values: slices.Compact(candidates)}
	m.search()
	found, all := m.outcomes()
	for _, out := range found {
		for _, s := range out.deeds {
			for j := s.from; j < s.to; j++ {
				seen[j] = true
			}
		}
		if len(out.looks) > 0 {
			o.sees(events, out, seen)
		}
	}
	for j := range seen {
		common[j] = append(common[j], o.c.Feature)
	}
	return all
}

// sees notes the looks that the old check, with the values that were found for
// it, answers as well.
func (o oldCheck) sees(events []event, out outcome, seen map[int]bool) {
	values := maps.Clone(o.example)
	if len(out.bound) > 0 {
		maps.Copy(values, out.bound)
	}
	env, err := o.c.envOf(values)
	if err != nil {
		return
	}
	filled, err := eventsOf(o.check, env)
	if err != nil {
		return
	}
	var own []look // in the order of the pattern's
	for _, e := range filled {
		if e.kind == looking {
			own = append(own, e.look)
		}
	}
	nth := -1
	for i, e := range o.pattern.events[:out.cut] {
		if e.kind != looking {
			continue
		}
		if nth++; nth >= len(own) {
			return
		}
		for _, from := range out.looks[i] {
			for j := from; j < len(events) && events[j].kind != arriving; j++ {
				if events[j].kind == looking && own[nth].implies(events[j].look) {
					seen[j] = true
				}
			}
		}
	}
}

// telling says of each look whether it shows, by changing with the draw, that
// something was computed or kept: not what a field repeats, and not what a table
// of a few rows could answer.
func (c *Contract) telling(told [][]event) ([]bool, error) {
	kinds, err := c.kinds()
	if err != nil {
		return nil, err
	}
	byDraw := make([][]look, len(told))
	for i, events := range told {
		for _, e := range events {
			if e.kind == looking {
				byDraw[i] = append(byDraw[i], e.look)
			}
		}
		if len(byDraw[i]) != len(byDraw[0]) {
			return nil, fmt.Errorf("it looks at something else with each draw")
		}
	}
	var out []bool
	t := teller{}
	for _, e := range told[0] {
		switch e.kind {
		case arriving:
			t = teller{}
		case doing:
			t.acted()
		case looking:
			n := len(out)
			varies := slices.ContainsFunc(byDraw, func(l []look) bool { return !sameText(l[n].text, e.look.text) })
			out = append(out, t.tells(e.look, varies && !e.look.echo && rows(kinds, namesIn(e.holes)) >= fewestRows))
		}
	}
	return out, nil
}

// teller knows what was seen on the page that is open and changes with the
// draw: that it is gone after a deed tells as much as that it was there.
type teller struct {
	fresh, before []look
}

func (t *teller) acted() {
	t.before = append(t.before, t.fresh...)
	t.fresh = nil
}

func (t *teller) tells(l look, own bool) bool {
	switch {
	case l.verb == toHide:
		return own && slices.ContainsFunc(t.before, func(b look) bool {
			return Holds(strings.ToLower(b.text), strings.ToLower(l.text))
		})
	case own:
		t.fresh = append(t.fresh, l)
		return true
	}
	return l.exact && slices.ContainsFunc(t.before, func(b look) bool {
		return b.exact && b.place != "" && sameText(b.place, l.place) && !sameText(b.text, l.text)
	})
}
