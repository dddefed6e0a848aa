package browser

import (
	"slices"
	"strconv"
	"strings"
)

// counts looks how many visible elements the locator names: all of a role
// ("listitem", "rows"), or all of a name ("button:Delete", "Delete").
func (t *tab) counts(s Step) (ok bool, saw string, err error) {
	want, err := strconv.Atoi(s.Text)
	if err != nil {
		return false, "", err
	}
	scope, err := t.holder(s.In)
	if err != nil {
		return false, "", err
	}
	found, err := t.all(s.Target, scope)
	if err != nil {
		return false, "", err
	}
	n := 0
	for _, m := range found {
		if !m.desc.Header || s.Nth > 0 {
			n++
		}
	}
	return n == want, strconv.Itoa(n), nil
}

// able looks whether a control can be used, as far as the page says so.
func (t *tab) able(s Step) (ok bool, saw string, err error) {
	m, err := t.locate(s.Target, s.In, s.Nth, wantClick)
	if err != nil {
		return false, "", err
	}
	if err := t.ask(&saw, "unable", m.el); err != nil {
		return false, "", err
	}
	if saw == "" {
		return s.Verb == VerbEnabled, "enabled", nil
	}
	return s.Verb == VerbDisabled, saw, nil
}

// all finds every visible element that loc names, inside the scope.
func (t *tab) all(loc string, scope *ref) ([]match, error) {
	views, err := t.views()
	if err != nil {
		return nil, err
	}
	nodes := allNodes(views)
	if roles := roleOf(loc); roles != nil {
		var found []match
		for _, n := range nodes {
			if !slices.Contains(roles, n.role) {
				continue
			}
			el, err := t.resolve(n.frame, n.id)
			if err != nil {
				return nil, err
			}
			found = append(found, match{el: el, role: n.role, name: n.name, up: -1})
		}
		found, _, err := t.keepVisible(found, scope)
		return found, err
	}
	for _, tier := range t.tiers(loc, nodes, wantAny) {
		found, err := tier()
		if err != nil {
			return nil, err
		}
		if found, _, err = t.keepVisible(found, scope); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// roleOf understands a role alone, in the words that people and models use.
func roleOf(word string) []string {
	w := canonical(word)
	switch w {
	case "item", "items", "li", "list_item", "list_items", "listitems":
		return []string{"listitem", "treeitem"}
	case "tr", "table_row", "table_rows", "rows":
		return roleNames()["row"]
	case "box", "boxes", "checkboxes":
		return []string{"checkbox", "menuitemcheckbox", "switch"}
	case "switches":
		return []string{"switch"}
	case "td":
		return roleNames()["cell"]
	}
	names := roleNames()
	if r, ok := names[w]; ok {
		return r
	}
	return names[strings.TrimSuffix(w, "s")]
}
