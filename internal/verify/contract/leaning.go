package contract

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"gitagent/internal/browser"
)

// leaning finds pages that need what only another one types. Each begins on a
// fresh page, so such a contract fails whatever is built.
func (c *Contract) leaning() []Problem {
	pages := map[string]*browser.Scenario{}
	for _, k := range c.Checks {
		if s, err := browser.ParseScenario(k.Page); k.Kind == KindPage && err == nil {
			pages[k.ID] = s
		}
	}
	var out []Problem
	for _, k := range c.Checks {
		for _, other := range c.Checks {
			s, o := pages[k.ID], pages[other.ID]
			if s == nil || o == nil || k.ID == other.ID {
				continue
			}
			if text := needs(s, o); text != "" {
				out = append(out, Problem{Check: k.ID, Text: fmt.Sprintf("check %s needs %q, which only check %s types; every check begins on a fresh page: put both into one check, or type it in %s too", k.ID, text, other.ID, k.ID)})
				break
			}
		}
	}
	return out
}

// needs gives a text that other types and s acts on without having typed it.
func needs(s, other *browser.Scenario) string {
	for _, st := range other.Steps {
		if st.Verb != browser.VerbType || utf8.RuneCountInString(st.Text) < 2 || types(s, st.Text) {
			continue
		}
		for _, use := range s.Steps {
			if use.Action() && use.Verb != browser.VerbType && Holds(use.Target, st.Text) {
				return st.Text
			}
		}
	}
	return ""
}

func types(s *browser.Scenario, text string) bool {
	return slices.ContainsFunc(s.Steps, func(st browser.Step) bool {
		return (st.Verb == browser.VerbType || st.Verb == browser.VerbSelect) && Holds(st.Text, text)
	})
}
