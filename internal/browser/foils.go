package browser

import "gitagent/internal/foil"

// foiled notes what is shown beside the text that a see step met: it may be one
// of all possible answers.
func (r *runner) foiled(s Step) error {
	foils := r.s.Foils[s.Text]
	if s.Verb != VerbSee || len(foils) == 0 {
		return nil
	}
	shown, err := r.tab.showing(s)
	if err != nil {
		return err
	}
	if found, crowd := foil.Beside(s.Text, foils, shown, Shows); len(found) > 0 {
		r.res.Foils = append(r.res.Foils, Foiled{s.Text, found, crowd})
	}
	return nil
}

// showing is what an assertion's place, or the page, shows now; nothing where
// the place is gone.
func (t *tab) showing(s Step) (func(text string) bool, error) {
	if s.Target == "" && s.In == "" {
		page, err := t.look()
		return page.shows, err
	}
	target, in := s.Target, s.In
	if target == "" {
		target, in = in, ""
	}
	m, err := t.locate(target, in, s.Nth, wantPlace)
	if err == nil {
		var c content
		if c, err = t.contentOf(m, s.Text); err == nil {
			return c.shows, nil
		}
	}
	if _, gone := err.(*missing); gone || passing(err) {
		return func(string) bool { return false }, nil
	}
	return nil, err
}
