package features

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitagent/internal/hint"
)

// ErrUnknown says that no feature has the id.
var ErrUnknown = errors.New("no such feature")

// ErrPasses says that a feature passes already, so that what was asked would
// leave a claim that nobody proved.
var ErrPasses = errors.New("the feature passes already")

func (l *List) unknown(id string) error {
	ids := make([]string, len(l.Features))
	for i := range l.Features {
		ids[i] = l.Features[i].ID
	}
	err := fmt.Errorf("%w: %s", ErrUnknown, quote(id))
	if near := numbered(id, ids); near != "" {
		return hint.New(err, "did you mean "+near+"?")
	}
	if near := nearest(id, ids); near != "" {
		return hint.New(err, "did you mean "+near+"?")
	}
	return hint.New(err, "git agent features list shows the ids")
}

// numbered is the one of ids with the same number: 1, f1 and F01 for F001.
func numbered(id string, ids []string) string {
	number := func(s string) string { return strings.TrimLeft(strings.ToUpper(s), "F0") }
	n := number(id)
	if n == "" || strings.Trim(n, "0123456789") != "" {
		return ""
	}
	i := slices.IndexFunc(ids, func(s string) bool { return number(s) == n })
	if i < 0 {
		return ""
	}
	return ids[i]
}

// Lookup is Get with an error (ErrUnknown) that names the nearest id.
func (l *List) Lookup(id string) (*Feature, error) {
	if f := l.Get(id); f != nil {
		return f, nil
	}
	return nil, l.unknown(id)
}

// Flip returns the bytes of the list with the one change that a session may
// make: the literal false of this feature's passes becomes true. It fails with
// ErrUnknown or ErrPasses.
func (l *List) Flip(id string) ([]byte, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, l.unknown(id)
	}
	if l.Features[i].Passes {
		return nil, fmt.Errorf("%w: %s", ErrPasses, id)
	}
	return splice(l.data, []edit{{l.spots[i].values["passes"], "true"}}), nil
}

// edit replaces the bytes of a span.
type edit struct {
	at   span
	text string
}

// splice applies edits that do not overlap; everything else stays.
func splice(data []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at.start - b.at.start })
	var out bytes.Buffer
	out.Grow(len(data) + 64)
	from := 0
	for _, e := range edits {
		out.Write(data[from:e.at.start])
		out.WriteString(e.text)
		from = e.at.end
	}
	out.Write(data[from:])
	return out.Bytes()
}

// Flipped returns the ids, in list order, whose passes went from false to true
// between old and new. It fails with *IllegalChangeError when new is anything
// but old with zero or more such literals replaced, byte for byte; and with
// the error of Parse when old is no list.
func Flipped(old, new []byte) (ids []string, err error) {
	if bytes.Equal(old, new) {
		return nil, nil
	}
	l, err := Parse(old)
	if err != nil {
		return nil, err
	}
	from, at := 0, 0 // how far old and new agree
	for i := range l.Features {
		where := l.spots[i].values["passes"]
		same := old[from:where.start]
		if !bytes.HasPrefix(new[at:], same) {
			return nil, illegal(l, new, at+common(same, new[at:]))
		}
		from, at = where.end, at+len(same)
		was := where.text(old)
		switch {
		case bytes.HasPrefix(new[at:], was):
			at += len(was)
		case !l.Features[i].Passes && bytes.HasPrefix(new[at:], []byte("true")):
			at += len("true")
			ids = append(ids, l.Features[i].ID)
		default:
			return nil, illegal(l, new, at)
		}
	}
	if !bytes.Equal(old[from:], new[at:]) {
		return nil, illegal(l, new, at+common(old[from:], new[at:]))
	}
	return ids, nil
}

// common is the length of the longest common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func illegal(old *List, new []byte, at int) error {
	where := (&scanner{data: new}).fail(at, "", "")
	bad := &IllegalChangeError{Line: where.Line, Col: where.Col}
	if l, err := Parse(new); err != nil {
		bad.Err = err
	} else {
		bad.Differences = Compare(old, l)
	}
	return hint.New(bad, "a list is changed by a person with: git agent features add, edit, split or retire")
}

// Kind names what differs between two lists.
type Kind string

// The kinds of difference. Flipped is the legal one.
const (
	KindFlipped     Kind = "flipped"      // false became true
	KindUnflipped   Kind = "unflipped"    // true became false
	KindProject     Kind = "project"      // of the list
	KindGoal        Kind = "goal"         // of the list
	KindAdded       Kind = "added"        // not passing
	KindAddedTrue   Kind = "added-true"   // arrives as passing
	KindRemoved     Kind = "removed"      // was failing
	KindRemovedTrue Kind = "removed-true" // was passing
	KindOrder       Kind = "order"
	KindCategory    Kind = "category"
	KindDescription Kind = "description"
	KindSteps       Kind = "steps"
	KindDepends     Kind = "depends_on"
	KindPriority    Kind = "priority"
)

// Difference is one way in which two lists differ. ID is empty for the list
// itself.
type Difference struct {
	Kind   Kind
	ID     string
	Detail string
}

func (d Difference) String() string {
	if d.ID == "" {
		return d.Detail
	}
	return d.ID + ": " + d.Detail
}

// Compare lists how new differs from old: the list itself first, then in the
// order of old, then what was added in the order of new.
func Compare(old, new *List) []Difference {
	var out []Difference
	add := func(k Kind, id, format string, args ...any) {
		out = append(out, Difference{k, id, fmt.Sprintf(format, args...)})
	}
	if old.Project != new.Project {
		add(KindProject, "", "the project's name went from %s to %s", quote(old.Project), quote(new.Project))
	}
	if old.Goal != new.Goal {
		add(KindGoal, "", "the goal went from %s to %s", quote(old.Goal), quote(new.Goal))
	}
	last := -1
	for _, a := range old.Features {
		i, ok := new.index[a.ID]
		switch {
		case !ok && a.Passes:
			add(KindRemovedTrue, a.ID, "was taken out although it passes")
		case !ok:
			add(KindRemoved, a.ID, "was taken out")
		default:
			out = append(out, compareFeature(a, new.Features[i])...)
			if i < last {
				add(KindOrder, a.ID, "stands at another place")
			}
			last = max(last, i)
		}
	}
	for _, b := range new.Features {
		if _, ok := old.index[b.ID]; ok {
			continue
		}
		if b.Passes {
			add(KindAddedTrue, b.ID, "was added as passing")
		} else {
			add(KindAdded, b.ID, "was added: %s", quote(b.Description))
		}
	}
	return out
}

func compareFeature(a, b Feature) []Difference {
	var out []Difference
	add := func(k Kind, format string, args ...any) {
		out = append(out, Difference{k, a.ID, fmt.Sprintf(format, args...)})
	}
	if a.Category != b.Category {
		add(KindCategory, "the category went from %s to %s", quote(a.Category), quote(b.Category))
	}
	if a.Description != b.Description {
		add(KindDescription, "the description went from %s to %s", quote(a.Description), quote(b.Description))
	}
	if !slices.Equal(a.Steps, b.Steps) {
		add(KindSteps, "%s", stepsChange(a.Steps, b.Steps))
	}
	if !slices.Equal(a.DependsOn, b.DependsOn) {
		add(KindDepends, "the dependencies went from [%s] to [%s]", join(a.DependsOn), join(b.DependsOn))
	}
	if a.Priority != b.Priority {
		add(KindPriority, "the priority went from %d to %d", a.Priority, b.Priority)
	}
	if a.Passes && !b.Passes {
		add(KindUnflipped, "passes went from true to false; flags never go back")
	}
	if !a.Passes && b.Passes {
		add(KindFlipped, "passes went from false to true")
	}
	return out
}

func stepsChange(a, b []string) string {
	if len(a) != len(b) {
		return fmt.Sprintf("the steps went from %d to %d", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("step %d went from %s to %s", i+1, quote(a[i]), quote(b[i]))
		}
	}
	return "the steps changed"
}
