package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitagent/internal/hint"
)

// The methods here are a person's acts. Each returns the bytes of a new list in
// which everything that was not asked for is as it was, layout included, and
// each has read its own result before it returns it.

// Add appends a feature and returns its id. Without an id it gets the next one;
// used are the ids of features that were retired, which are never used again.
// Without a priority it goes behind all others.
func (l *List) Add(f Feature, used []string) ([]byte, string, error) {
	f = clean(f)
	if f.Passes {
		return nil, "", hint.Errorf("add it as failing and let git agent step prove it", "a feature cannot be added as passing")
	}
	if f.ID == "" {
		f.ID = l.NextID(used)
	}
	if err := l.free(f.ID, used); err != nil {
		return nil, "", err
	}
	if f.Priority == 0 {
		for _, other := range l.Features {
			f.Priority = max(f.Priority, other.Priority)
		}
	}
	if err := l.fits(f); err != nil {
		return nil, "", err
	}
	text := l.layout().write(f)
	if n := len(l.spots); n > 0 {
		last := l.spots[n-1].object.end
		return l.checked([]edit{{span{last, last}, "," + l.before(n-1) + text}}, f.ID)
	}
	inside := span{l.array.start + 1, l.array.end - 1}
	return l.checked([]edit{{inside, "\n    " + text + "\n  "}}, f.ID)
}

// checked applies edits and reads the result.
func (l *List) checked(edits []edit, id string) ([]byte, string, error) {
	out := splice(l.data, edits)
	if _, err := Parse(out); err != nil {
		return nil, "", err
	}
	return out, id, nil
}

// free says whether an id may be given to a new feature.
func (l *List) free(id string, used []string) error {
	same := func(other string) bool { return Fold(other) == Fold(id) }
	taken := slices.ContainsFunc(l.Features, func(f Feature) bool { return same(f.ID) })
	if taken || slices.ContainsFunc(used, same) {
		return hint.Errorf("leave the id out and it gets the next free one", "the id %s is or was in use", quote(id))
	}
	return nil
}

// fits holds the rules for one feature among the others.
func (l *List) fits(f Feature) error {
	if err := valid(f); err != nil {
		return err
	}
	for _, other := range l.Features {
		if other.ID != f.ID && SameDescription(other.Description, f.Description) {
			return hint.Errorf("say in what they differ, or keep the one that is there",
				"%s says the same already: %s", other.ID, quote(other.Description))
		}
	}
	for _, id := range f.DependsOn {
		if l.Get(id) == nil {
			return l.unknown(id)
		}
	}
	return nil
}

// layout copies that of the first feature: one key a line, or all on one.
func (l *List) layout() layout {
	if len(l.spots) == 0 {
		return canonical
	}
	p := l.spots[0]
	first := p.object.end
	for _, k := range p.keys {
		first = min(first, k.start)
	}
	lead := string(l.data[p.object.start+1 : first])
	if !strings.Contains(lead, "\n") {
		return layout{}
	}
	body := string(l.data[p.object.start : p.object.end-1])
	return layout{key: lead, end: body[len(strings.TrimRight(body, " \t\r\n")):]}
}

// before is the white space in front of feature i.
func (l *List) before(i int) string {
	from := l.spots[i].object.start
	at := from
	for at > 0 && strings.IndexByte(" \t\r\n", l.data[at-1]) >= 0 {
		at--
	}
	return string(l.data[at:from])
}

// Edit rewrites what change changes of one feature. Id and flag stay; the steps
// of a passing feature stay too (ErrPasses), since its proof is about them.
func (l *List) Edit(id string, change func(*Feature)) ([]byte, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, l.unknown(id)
	}
	old := l.Features[i]
	now := clean(old)
	change(&now)
	now = clean(now)
	switch {
	case now.ID != old.ID:
		return nil, hint.Errorf("retire the feature and add another", "the id of %s cannot change", id)
	case now.Passes != old.Passes:
		return nil, hint.Errorf("git agent verify "+id+" shows whether it holds", "the flag of %s is set by a session that proves it, and never goes back", id)
	case old.Passes && !slices.Equal(now.Steps, old.Steps):
		return nil, hint.New(fmt.Errorf("%w, with its steps as they are: %s", ErrPasses, id),
			"add a feature for what is new, or retire this one first")
	}
	if err := l.fits(now); err != nil {
		return nil, err
	}
	out, _, err := l.checked(l.rewrite(i, old, now), id)
	return out, err
}

// rewrite replaces the values that differ; a key that is not there yet comes
// after the description.
func (l *List) rewrite(i int, old, now Feature) []edit {
	var edits []edit
	p := l.spots[i]
	for _, key := range featureKeys {
		if old.value(key) == now.value(key) {
			continue
		}
		if at, ok := p.values[key]; ok {
			edits = append(edits, edit{at, now.value(key)})
			continue
		}
		lead := l.layout().key
		if lead == "" {
			lead = " "
		}
		at := p.values["description"].end
		edits = append(edits, edit{span{at, at}, `,` + lead + `"` + key + `": ` + now.value(key)})
	}
	return edits
}

// Split puts parts in the place of a failing feature and returns their ids,
// which are new. What a part leaves out (category, dependencies, priority) it
// has from the feature; whoever waited for the feature waits for all parts.
func (l *List) Split(id string, parts []Feature, used []string) ([]byte, []string, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, nil, l.unknown(id)
	}
	old := l.Features[i]
	if old.Passes {
		return nil, nil, fmt.Errorf("%w: %s", ErrPasses, id)
	}
	if len(parts) < 2 {
		return nil, nil, errors.New("a split needs two parts or more")
	}
	rest := l.without(i)
	ids := l.counter(used)
	var made []Feature
	for _, f := range parts {
		f = inherit(clean(f), old)
		if f.ID == "" {
			f.ID = ids.next()
		}
		if err := l.free(f.ID, used); err != nil {
			return nil, nil, err
		}
		if err := rest.fits(f); err != nil {
			return nil, nil, err
		}
		made = append(made, f)
		rest.Features = append(rest.Features, f)
		rest.reindex()
	}
	names := make([]string, len(made))
	texts := make([]string, len(made))
	for k, f := range made {
		names[k], texts[k] = f.ID, l.layout().write(f)
	}
	edits := []edit{{l.spots[i].object, strings.Join(texts, ","+l.separator(i))}}
	edits = append(edits, l.rewire(id, names)...)
	out, _, err := l.checked(edits, id)
	return out, names, err
}

// separator is the white space that stands between feature i and a neighbour.
func (l *List) separator(i int) string {
	if space := l.before(i); space != "" {
		return space
	}
	return " "
}

func inherit(f, old Feature) Feature {
	f.Passes = false
	if f.Category == "" {
		f.Category = old.Category
	}
	if f.DependsOn == nil {
		f.DependsOn = slices.Clone(old.DependsOn)
	}
	if f.Priority == 0 {
		f.Priority = old.Priority
	}
	return f
}

// without is a view of the list lacking feature i, for asking what fits.
func (l *List) without(i int) *List {
	rest := &List{Features: slices.Delete(slices.Clone(l.Features), i, i+1)}
	rest.reindex()
	return rest
}

// rewire replaces id by ids in every depends_on.
func (l *List) rewire(id string, ids []string) []edit {
	var edits []edit
	for i, f := range l.Features {
		if k := slices.Index(f.DependsOn, id); k >= 0 {
			text := literals(ids)
			edits = append(edits, edit{l.spots[i].items[k], text[1 : len(text)-1]})
		}
	}
	return edits
}

// Retire takes a feature out. It refuses while another depends on it. The
// caller remembers the id, so that Add, Split and NextID never give it again.
func (l *List) Retire(id string) ([]byte, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, l.unknown(id)
	}
	var waiting []string
	for _, f := range l.Features {
		if slices.Contains(f.DependsOn, id) {
			waiting = append(waiting, f.ID)
		}
	}
	if len(waiting) > 0 {
		return nil, hint.Errorf("git agent features edit changes what they depend on", "%s cannot go: it is needed by %s", id, join(waiting))
	}
	at := l.spots[i].object
	switch {
	case i+1 < len(l.spots): // up to the next one
		at.end = l.spots[i+1].object.start
	case i > 0: // with the comma before it
		at.start = l.spots[i-1].object.end
	default:
		at = span{l.array.start + 1, l.array.end - 1}
	}
	out, _, err := l.checked([]edit{{at, ""}}, id)
	return out, err
}
