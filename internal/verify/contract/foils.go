package contract

import (
	"maps"
	"slices"

	"gitagent/internal/browser"
)

// foilDraws is how many other values a run is held against.
const foilDraws = 8

// AddFoils gives each run, by the check's id and by the text that it looks for,
// what it would look for with other values: a product that shows those as well
// has not answered, but shows everything.
func (c *Contract) AddFoils(runs []Run) error {
	if len(c.Vars) == 0 {
		return nil
	}
	drawn, err := c.Draw(NewSeed(), foilDraws)
	if err != nil {
		return err
	}
	for _, v := range drawn {
		other, err := c.With(v)
		if err != nil {
			return err
		}
		for i := range runs {
			runs[i].addFoils(other)
		}
	}
	return nil
}

func (r *Run) addFoils(other *Contract) {
	if r.Foils == nil {
		r.Foils = map[string]map[string][]string{}
	}
	for _, k := range r.Contract.Checks {
		o := other.Get(k.ID)
		if o == nil {
			continue
		}
		mine, theirs := k.looksFor(), o.looksFor()
		if len(mine) != len(theirs) {
			continue // other values make other steps
		}
		for i, text := range mine {
			if text == theirs[i] {
				continue
			}
			if r.Foils[k.ID] == nil {
				r.Foils[k.ID] = map[string][]string{}
			}
			r.Foils[k.ID][text] = append(r.Foils[k.ID][text], theirs[i])
		}
	}
}

// looksFor are the texts that a filled check looks for among others, in order.
func (k *Check) looksFor() (texts []string) {
	switch {
	case k.Command != nil:
		return append(append(texts, k.Command.StdoutHas...), k.Command.OutputHas...)
	case k.Kind == KindPage:
		s, err := browser.ParseScenario(k.Page)
		if err != nil {
			return nil
		}
		for _, st := range s.Steps {
			if st.Verb == browser.VerbSee {
				texts = append(texts, st.Text)
			}
		}
	default:
		for i := range k.HTTP {
			texts = append(texts, k.HTTP[i].Expect.Has...)
			want := k.HTTP[i].Expect.JSON
			for _, path := range slices.Sorted(maps.Keys(want)) {
				if w, err := parseWanted(want[path]); err == nil && (w.op == "" || w.op == "has") {
					texts = append(texts, string(want[path]))
				}
			}
		}
	}
	return texts
}
