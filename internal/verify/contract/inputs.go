package contract

import (
	"strings"

	"gitagent/internal/browser"
)

// Inputs are the values that the contract gives to the product: what it types
// and chooses, what it sends, and the arguments of its commands that are data.
// A product that treats one of them as a case of its own was built for its
// check.
func (c *Contract) Inputs() []string {
	var out []string
	seen := map[string]bool{}
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	for i := range c.Checks {
		k := &c.Checks[i]
		if k.Command != nil {
			for line := range strings.Lines(k.Command.Stdin) {
				add(line)
			}
			for _, cmd := range k.Command.commands() {
				for _, word := range cmd.words[min(1, len(cmd.words)):] {
					if !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, `/\`) && !strings.Contains(word, ".") {
						add(word)
					}
				}
			}
		}
		for j := range k.HTTP {
			for _, text := range scalars(k.HTTP[j].Body) {
				add(text)
			}
		}
		if s, err := browser.ParseScenario(k.Page); len(k.Page) > 0 && err == nil {
			for _, st := range s.Steps {
				if st.Verb == browser.VerbType || st.Verb == browser.VerbSelect || st.Answer != "" {
					add(st.Text)
					add(st.Answer)
				}
			}
		}
	}
	return out
}
