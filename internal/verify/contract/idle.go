package contract

import (
	stdjson "encoding/json"
	"slices"
	"strconv"
	"time"

	"gitagent/internal/browser"
)

// WithoutActions is the contract, its variables filled, for the bite on the
// finished tree: what a person does is left out of each page and each list of
// exchanges, what is looked at stays. Checks that
// have nothing to leave out are not in it; Exempt names them. took is how long
// each check took with its actions: what is looked at gets that time besides its
// own, so that a page cannot show everything once the idle run has looked away.
func (c *Contract) WithoutActions(took map[string]time.Duration) *Contract {
	if spread, err := c.With(nil); len(c.Vars) == 0 && err == nil {
		c = spread
	}
	out := c.Next(c.Revision)
	out.Checks = nil
	for _, k := range c.Checks {
		if idle := idleExchanges(k.HTTP); idle != nil {
			k.HTTP = idle
			out.Checks = append(out.Checks, k)
		}
		if k.Kind != KindPage {
			continue
		}
		s, err := browser.ParseScenario(k.Page)
		if err != nil || !hasAction(s) {
			continue
		}
		if k.Page, err = stripActions(k.Page, s, took[k.ID]); err == nil {
			out.Checks = append(out.Checks, k)
		}
	}
	return out
}

// Exempt gives the ids of the checks that WithoutActions leaves out, with why.
func (c *Contract) Exempt() map[string]string {
	out := make(map[string]string)
	literal, err := c.Literal()
	if err != nil {
		return out
	}
	for _, k := range literal.Checks {
		switch s, err := browser.ParseScenario(k.Page); {
		case k.Kind == KindHTTP:
			if idleExchanges(k.HTTP) == nil {
				out[k.ID] = "exchanges that leave nothing to ask without what they send"
			}
		case k.Kind == KindCommand:
			out[k.ID] = "a command: its arguments and input are its action"
		case err == nil && !hasAction(s):
			out[k.ID] = "the page is only looked at"
		}
	}
	return out
}

// stripActions cuts from the JSON the steps that Scenario.WithoutActions cuts;
// steps and JSON steps correspond one to one.
func stripActions(page stdjson.RawMessage, s *browser.Scenario, took time.Duration) (stdjson.RawMessage, error) {
	var p pageForm
	if err := stdjson.Unmarshal(page, &p); err != nil {
		return nil, err
	}
	kept := []stdjson.RawMessage{}
	for i, st := range s.Steps {
		if st.Action() || st.Verb == browser.VerbShot || st.Verb == browser.VerbBack || st.Verb == browser.VerbPopup {
			continue
		}
		step := p.Steps[i]
		if took > 0 && st.Assertion() && st.Verb != browser.VerbNotSee {
			var err error
			if step, err = patient(step, st.Timeout, took); err != nil {
				return nil, err
			}
		}
		kept = append(kept, step)
	}
	p.Steps = kept
	return stdjson.Marshal(p)
}

// ownPatience is how long a step waits that says nothing of it, maxPatience how
// long any may.
const (
	ownPatience = 2 * time.Second
	maxPatience = 30 * time.Second
)

// patient gives a step more time.
func patient(step stdjson.RawMessage, own, more time.Duration) (stdjson.RawMessage, error) {
	var fields map[string]stdjson.RawMessage
	if err := stdjson.Unmarshal(step, &fields); err != nil {
		return step, nil // a sentence has no place for it
	}
	if own == 0 {
		own = ownPatience
	}
	fields["timeout"] = stdjson.RawMessage(strconv.FormatFloat(min(own+more, maxPatience).Seconds(), 'f', 1, 64))
	delete(fields, "timeout_s")
	return stdjson.Marshal(fields)
}

func hasAction(s *browser.Scenario) bool {
	return slices.ContainsFunc(s.Steps, browser.Step.Action)
}
