package features

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// ErrConflict says that two lists cannot be merged without a person: both sides
// changed the same thing in different ways.
var ErrConflict = errors.New("both sides changed the list in different ways")

func conflict(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrConflict, fmt.Sprintf(format, args...))
}

// Merge joins two lists that come from base (empty where they come from none).
// A flag that is true in any stays true; what one side edited, added or retired
// is taken; features that both sides added under one id get ids of their own, if
// neither of them is proved; the order is ours, with what is new of theirs at
// the end. Bytes that nothing changed are ours. It fails with ErrConflict.
func Merge(base, ours, theirs []byte) ([]byte, error) {
	a, err := Parse(ours)
	if err != nil {
		return nil, fmt.Errorf("our side: %w", err)
	}
	b, err := Parse(theirs)
	if err != nil {
		return nil, fmt.Errorf("their side: %w", err)
	}
	o := &List{Version: Version, index: map[string]int{}}
	if len(base) > 0 {
		if o, err = Parse(base); err != nil {
			return nil, fmt.Errorf("where both sides come from: %w", err)
		}
	} else {
		o.Project, o.Goal = a.Project, a.Goal
	}
	if a.Goal != b.Goal || a.Project != b.Project {
		return nil, conflict("the goal or the project's name")
	}
	m := &merger{base: o, ours: a, theirs: b, list: a, named: map[string]string{}}
	for _, step := range []func() error{m.shared, m.added, m.retired, m.flags} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m.list.Bytes(), nil
}

type merger struct {
	base, ours, theirs *List
	list               *List             // ours, as it becomes
	named              map[string]string // their new ids that were taken → what they are called now
}

// set takes the bytes of one more change.
func (m *merger) set(data []byte, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	list, err := Parse(data)
	if err == nil {
		m.list = list
	}
	return err
}

// plain is a feature without its flag and its id.
func plainOf(f Feature) Feature {
	f.ID, f.Passes = "", false
	return f
}

func same(a, b *Feature) bool { return reflect.DeepEqual(plainOf(*a), plainOf(*b)) }

// shared takes their edits of features that base has.
func (m *merger) shared() error {
	for i := range m.base.Features {
		was := &m.base.Features[i]
		a, b := m.ours.Get(was.ID), m.theirs.Get(was.ID)
		if a == nil || b == nil || same(b, was) || same(a, b) {
			continue
		}
		if !same(a, was) {
			return conflict("%s was edited on both sides", was.ID)
		}
		edit, passes := *b, a.Passes
		err := m.set(m.list.Edit(was.ID, func(f *Feature) {
			*f = edit
			f.Passes = passes
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// added takes the features that are new on their side.
func (m *merger) added() error {
	used := m.ids()
	for i := range m.theirs.Features {
		f := m.theirs.Features[i]
		if m.base.Get(f.ID) != nil {
			continue
		}
		if a := m.ours.Get(f.ID); a != nil {
			if same(a, &f) {
				continue
			}
			if a.Passes || f.Passes {
				return conflict("%s is another feature on each side, and one of them is proved", f.ID)
			}
			m.named[f.ID] = ""
			f.ID = ""
		}
		f.Passes = false
		f.DependsOn = slices.Clone(f.DependsOn)
		for j, d := range f.DependsOn {
			if name := m.named[d]; name != "" {
				f.DependsOn[j] = name
			}
		}
		free := slices.DeleteFunc(slices.Clone(used), func(id string) bool { return id == f.ID })
		data, id, err := m.list.Add(f, free)
		if err := m.set(data, err); err != nil {
			return err
		}
		if f.ID == "" {
			m.named[m.theirs.Features[i].ID] = id
			used = append(used, id)
		}
	}
	return nil
}

// ids are all that any of the lists uses.
func (m *merger) ids() []string {
	var out []string
	for _, l := range []*List{m.base, m.ours, m.theirs} {
		for _, f := range l.Features {
			out = append(out, f.ID)
		}
	}
	return out
}

// retired takes away what one side took away and the other left as it was.
func (m *merger) retired() error {
	for i := range m.base.Features {
		was := &m.base.Features[i]
		a, b := m.ours.Get(was.ID), m.theirs.Get(was.ID)
		switch {
		case a == nil && b != nil && (!same(b, was) || b.Passes != was.Passes),
			b == nil && a != nil && (!same(a, was) || a.Passes != was.Passes):
			return conflict("%s was taken out on one side and changed on the other", was.ID)
		case b == nil && a != nil:
			if err := m.set(m.list.Retire(was.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// flags sets what any side has set.
func (m *merger) flags() error {
	for _, f := range m.theirs.Features {
		id := f.ID
		if _, renamed := m.named[id]; renamed || !f.Passes {
			continue
		}
		if mine := m.list.Get(id); mine == nil || mine.Passes {
			continue
		}
		if err := m.set(m.list.Flip(id)); err != nil {
			return err
		}
	}
	return nil
}
