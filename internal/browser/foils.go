package browser

import (
	"strings"

	"gitagent/internal/foil"
	"gitagent/internal/plain"
)

// oneAnswer makes sure that what a see step met is not one of all possible
// answers.
func (r *runner) oneAnswer(s Step) error {
	foils := r.s.Foils[s.Text]
	if s.Verb != VerbSee || len(foils) == 0 {
		return nil
	}
	shown, err := r.tab.showing(s)
	if err != nil {
		return err
	}
	found, crowd := foil.Beside(s.Text, foils, shown, Shows)
	if r.res.Beside += len(found); crowd {
		return failf("%s is there, and so is what would be right for other values (%s): show the one answer, not all", quote(s.Text), plain.Line(strings.Join(found, ", "), 120))
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
