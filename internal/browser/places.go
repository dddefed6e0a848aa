package browser

import (
	"slices"

	"gitagent/internal/plain"
)

// scope is the place that in names; nil for the whole page.
func (t *tab) scope(in string) (*ref, error) {
	if in == "" {
		return nil, nil
	}
	m, err := t.locate(in, "", 0, wantPlace)
	if err != nil {
		return nil, err
	}
	return &m.el, nil
}

// holder is the place to count in: a box to tick holds nothing, so it stands
// for its row.
func (t *tab) holder(in string) (*ref, error) {
	scope, err := t.scope(in)
	if err != nil || scope == nil {
		return nil, err
	}
	el, err := t.askObject(scope.frame, "holder", *scope)
	return &el, err
}

// beside looks for loc in the rows around a control or a text: "Delete" in "buy
// milk" is the button of that row. The nearest row that has one decides, also
// when it has several; what belongs to another item in a row is not the row's.
func (t *tab) beside(loc string, tiers []tier, of ref, nth int, w want) (m match, found bool, err error) {
	var best []match
	for _, tier := range tiers {
		all, err := tier()
		if err != nil {
			return m, false, err
		}
		nearer, err := t.inRows(all, of, nth, best)
		if err != nil {
			return m, false, err
		}
		if len(nearer) > 0 {
			best = nearer
		}
	}
	if len(best) == 0 {
		return m, false, nil
	}
	m, err = t.meant(loc, best, nth, w)
	return m, true, err
}

// inRows leaves the matches in the nearest row around an element that has nth of
// them, if that is nearer than the row of others.
func (t *tab) inRows(all []match, of ref, nth int, others []match) ([]match, error) {
	var here []match
	var args = []any{of}
	for _, m := range all {
		el, ok, err := t.lift(m.el, of.frame)
		if err != nil {
			return nil, err
		}
		if ok {
			here, args = append(here, m), append(args, el)
		}
	}
	if len(here) == 0 {
		return nil, nil
	}
	var rows []int // the number of each one's row, the nearest is 0
	if err := t.ask(&rows, "rowsWith", args...); err != nil || len(rows) != len(here) {
		return nil, err
	}
	for row := range slices.Max(rows) + 1 {
		if len(others) > 0 && row >= others[0].row {
			return nil, nil
		}
		var inRow []match
		for i, m := range here {
			if rows[i] == row {
				m.row = row
				inRow = append(inRow, m)
			}
		}
		inRow, _, err := t.keepVisible(inRow, nil)
		if err != nil || len(inRow) >= max(nth, 1) {
			return inRow, err
		}
	}
	return nil, nil
}

// onePlace leaves, of several matches that a place may mean, the one that other
// things can be in, or the only heading, or the row that all of them are in.
func (t *tab) onePlace(found []match) ([]match, error) {
	if len(found) > 8 {
		return found, nil
	}
	var containers, headings []match
	for _, m := range found {
		var is bool
		if err := t.ask(&is, "container", m.el); err != nil {
			return nil, err
		}
		if is {
			containers = append(containers, m)
		} else if m.role == "heading" {
			headings = append(headings, m)
		}
	}
	switch {
	case len(containers) == 1:
		return containers, nil
	case len(containers) == 0 && len(headings) == 1:
		return headings, nil
	}
	first := found[0].el
	args := make([]any, 0, len(found))
	for _, m := range found {
		if m.el.frame != first.frame {
			return found, nil
		}
		args = append(args, m.el)
	}
	var same bool
	if err := t.ask(&same, "sameRow", args...); err != nil || !same {
		return found, err
	}
	row, err := t.askObject(first.frame, "row", first, 0)
	if err != nil {
		return nil, err
	}
	m := match{el: row, name: found[0].name, up: -1}
	m.desc, err = t.describe(row, nil)
	return []match{m}, err
}

// rolePlaces are the further ways to find a place by "role:name": a list, row
// or dialog seldom has a name of its own, but a title or a text.
func (t *tab) rolePlaces(loc, name string, nodes []node, roles []string) []tier {
	return []tier{
		func() ([]match, error) { return t.byTitle(nodes, roles, name) },
		func() ([]match, error) {
			all, err := t.byRole(nodes, roles)
			if err != nil {
				return nil, err
			}
			return t.innermost(all, name)
		},
		func() ([]match, error) { return t.byScript("text", loc) }, // a text with a colon in it
	}
}

// byRole gives every element of a role.
func (t *tab) byRole(nodes []node, roles []string) ([]match, error) {
	var hits []int
	for i, n := range nodes {
		if slices.Contains(roles, n.role) {
			hits = append(hits, i)
		}
	}
	var out []match
	for _, i := range head(hits, 60) {
		n := nodes[i]
		el, err := t.resolve(n.frame, n.id)
		if err != nil {
			return nil, err
		}
		m := match{el: el, role: n.role, name: n.name, up: -1}
		for j := len(out) - 1; j >= 0 && m.up < 0; j-- {
			if around(nodes, hits[j], i) {
				m.up = j
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// around says whether node a of the tree has node b below it.
func around(nodes []node, a, b int) bool {
	for i := a + 1; i <= b; i++ {
		if nodes[i].depth <= nodes[a].depth || nodes[i].frame != nodes[a].frame {
			return false
		}
	}
	return true
}

// byTitle finds the elements of a role that a title stands for: the list under
// the heading "Tasks", the row in which a cell is "Tea", the dialog around
// "Really?".
func (t *tab) byTitle(nodes []node, roles []string, name string) ([]match, error) {
	title, err := t.locateIn(name, nodes, t.tiers(name, nodes, wantPlace), nil, 0, wantPlace)
	switch err.(type) {
	case nil:
	case *missing, *verdictError: // not there, or not clear: the role's own text decides
		return nil, nil
	default:
		return nil, err
	}
	all, err := t.byRole(nodes, roles)
	if err != nil {
		return nil, err
	}
	inside, outside, err := t.nested(all, title.el)
	switch {
	case err != nil:
		return nil, err
	case len(outside) > 0 && (len(inside) == 0 || isRow(roles)):
		return outside, nil
	case isRow(roles):
		return nil, nil
	case len(inside) > 0:
		return inside, nil
	}
	if under, err := t.under(all, title.el); err != nil || len(under) > 0 {
		return under, err
	}
	if slices.Contains(roles, "region") || slices.Contains(roles, "group") {
		return []match{title}, nil // a section without a name of its own
	}
	return nil, nil
}

// nested tells which of the matches are in el, and the innermost that el is in.
func (t *tab) nested(all []match, el ref) (inside, outside []match, err error) {
	for _, m := range all {
		if m.el.frame != el.frame {
			continue
		}
		var holds, held bool
		if err := t.ask(&holds, "holds", m.el, el); err != nil {
			return nil, nil, err
		}
		if err := t.ask(&held, "holds", el, m.el); err != nil {
			return nil, nil, err
		}
		if holds {
			outside = []match{m} // the innermost comes last
		}
		if held {
			inside = append(inside, m)
		}
	}
	return inside, outside, nil
}

// under tells which of the matches come after a heading and before the next.
func (t *tab) under(all []match, heading ref) (out []match, err error) {
	for _, m := range all {
		var is bool
		if m.el.frame != heading.frame {
			continue
		}
		if err := t.ask(&is, "under", heading, m.el); err != nil {
			return nil, err
		}
		if is {
			out = append(out, m)
		}
	}
	return out, nil
}

// isRow says whether elements of the role come in numbers, each for a thing.
func isRow(roles []string) bool {
	return slices.ContainsFunc(roles, func(r string) bool {
		return slices.Contains([]string{"row", "listitem", "article", "option", "cell", "tab", "menuitem"}, r)
	})
}

// byItem finds the innermost list item, row or section that shows the text.
func (t *tab) byItem(name string) ([]match, error) {
	items, err := t.byScript("item", "")
	if err != nil {
		return nil, err
	}
	return t.innermost(items, name)
}

// innermost leaves those that show the text, without what is around another of
// them.
func (t *tab) innermost(items []match, name string) ([]match, error) {
	shows := make([]bool, len(items))
	for i := range items {
		if err := t.ask(&items[i].desc, "describe", items[i].el, nil); err != nil {
			return nil, err
		}
		items[i].name = plain.Line(items[i].desc.Text, 60)
		shows[i] = items[i].desc.Visible && Shows(items[i].desc.Text, name)
	}
	inner := make([]bool, len(items)) // contains another item that shows it
	for i := range items {
		for u := items[i].up; shows[i] && u >= 0 && u < len(items); u = items[u].up {
			inner[u] = true
		}
	}
	var out []match
	for i, m := range items {
		if shows[i] && !inner[i] {
			out = append(out, m)
		}
	}
	return out, nil
}
