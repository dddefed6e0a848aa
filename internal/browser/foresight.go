package browser

// foresight knows which assertions were seen not to hold before the actions they
// follow. One that held all along says nothing about what the actions do.
type foresight struct {
	steps []Step
	// changed marks the assertions whose opposite was observed: a text that was
	// not there yet, or, for not_see, one that was.
	changed []bool
	// met marks the assertions that were looked at on this page, and first those
	// that held at the first look.
	met, first []bool
	// typed is what the last action entered, which repeats itself in the same
	// field without any work of the page.
	typed *Step
}

func newForesight(steps []Step) *foresight {
	n := len(steps)
	return &foresight{steps: steps, changed: make([]bool, n), met: make([]bool, n), first: make([]bool, n)}
}

// observe looks, before action i, at each later assertion on the same page that
// was not yet seen in its other state. Texts of the page are read in one go, and
// what is asserted twice is looked at once.
func (f *foresight) observe(t *tab, i int) {
	due := f.due(t, i)
	for _, j := range due {
		if s := f.steps[j]; s.Target == "" && s.In == "" && (s.Verb == VerbSee || s.Verb == VerbNotSee) {
			t.memo.wanted = append(t.memo.wanted, s.Text)
		}
	}
	type answer struct {
		ok  bool
		err error
	}
	known := map[Step]answer{}
	for _, j := range due {
		s := f.steps[j]
		key := Step{Verb: s.Verb, Text: s.Text, Target: s.Target, In: s.In, Nth: s.Nth}
		a, again := known[key]
		if !again {
			a.ok, _, a.err = t.holds(s)
			switch a.err.(type) {
			case *missing, *verdictError: // its place is not there, or not clear
				a = answer{}
			}
			known[key] = a
		}
		if a.err != nil {
			continue // it is not known to change
		}
		if !f.met[j] {
			f.met[j], f.first[j] = true, a.ok
		}
		f.changed[j] = !a.ok
	}
}

// due are the assertions to look at before action i. Those in a window that is
// not there yet are known not to hold.
func (f *foresight) due(t *tab, i int) (out []int) {
	elsewhere := false
	for j := i + 1; j < len(f.steps); j++ {
		s := f.steps[j]
		switch {
		case s.Verb == VerbOpen || s.Verb == VerbBack:
			return out
		case s.Verb == VerbPopup && t.opener != nil:
			return out // what comes then cannot be looked at from here
		case s.Verb == VerbPopup:
			elsewhere = s.Text != "close"
		}
		switch {
		case !s.Assertion() || f.changed[j]:
		case elsewhere:
			f.changed[j] = true
		default:
			out = append(out, j)
		}
	}
	return out
}

// forget begins anew on another page.
func (f *foresight) forget() {
	clear(f.changed)
	clear(f.met)
	clear(f.first)
	f.typed = nil
}

func (f *foresight) acted(s Step) {
	f.typed = nil
	if s.Verb == VerbType || s.Verb == VerbSelect || s.Verb == VerbCheck || s.Verb == VerbUncheck || s.Verb == VerbClear {
		f.typed = &s
	}
}

// worth is what a passed assertion proves.
type worth int

const (
	noEvidence  worth = iota // true, but it would be without the work
	isEvidence               // it shows what the actions did
	alreadyHeld              // it follows actions, yet held before them
)

// judge weighs a passed assertion.
func (f *foresight) judge(i int, s Step, hasActions bool, acted, sinceNav int) worth {
	switch {
	case !hasActions:
		// A page that only shows something: seeing it is all there is.
		if s.Verb == VerbNotSee {
			return noEvidence
		}
		return isEvidence
	case acted == 0:
		return noEvidence // a precondition
	case f.echoes(s):
		return noEvidence
	case f.changed[i]:
		return isEvidence
	case s.Verb == VerbNotSee || sinceNav == 0:
		return noEvidence
	}
	return alreadyHeld
}

// echoes says whether the assertion only reads back what the last action put
// into the same control.
func (f *foresight) echoes(s Step) bool {
	if f.typed == nil || s.Target == "" || s.Target != f.typed.Target || s.In != f.typed.In {
		return false
	}
	switch f.typed.Verb {
	case VerbType, VerbSelect:
		return collapse(s.Text) == collapse(f.typed.Text)
	case VerbCheck, VerbUncheck:
		return s.Verb == VerbValue
	}
	return s.Verb == VerbValue && s.Text == ""
}
