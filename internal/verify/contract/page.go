package contract

import (
	stdjson "encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"go.starlark.net/starlark"

	"gitagent/internal/browser"
	"gitagent/internal/pattern"
)

// spreading are steps that stand for one step each character, as a number is
// entered on a calculator's buttons.
var spreading = map[string]string{"click_each": "click", "press_each": "press"}

// fillPage fills the placeholders of a page and spreads its steps.
func fillPage(page stdjson.RawMessage, env map[string]starlark.Value, met func(place, hole)) (stdjson.RawMessage, error) {
	if len(env) == 0 && !strings.Contains(string(page), `_each"`) {
		return page, nil
	}
	var p pageForm
	if err := json.Unmarshal(page, &p, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf(`has a page that is not {"open":"/","steps":[…]}: %w`, err)
	}
	f := &filler{env: env}
	if len(env) > 0 {
		f.at(given, met)
		var err error
		if p.Open, err = f.fill(p.Open); err != nil {
			return nil, err
		}
	}
	steps := []stdjson.RawMessage{}
	for i, step := range p.Steps {
		spread, seen, err := f.fillStep(step)
		if err != nil {
			return nil, fmt.Errorf("step %d %w", i+1, err)
		}
		steps = append(steps, spread...)
		if met != nil && len(spread) > 0 {
			at := placeOf(spread[0])
			for _, h := range seen {
				met(at, h)
			}
		}
	}
	p.Steps = steps
	return stdjson.Marshal(p)
}

// fillStep fills one step, spreads it, and gives the placeholders that were in
// it.
func (f *filler) fillStep(step stdjson.RawMessage) (spread []stdjson.RawMessage, seen []hole, err error) {
	if len(f.env) > 0 {
		f.met = func(h hole) { seen = append(seen, h) }
		if step, err = f.fillJSON(step, false); err != nil {
			return nil, nil, err
		}
	}
	spread, err = spreadStep(step)
	return spread, seen, err
}

// placeOf says whether a step does or looks.
func placeOf(step stdjson.RawMessage) place {
	s, ok := parseStep(step)
	switch {
	case !ok:
		return neither
	case s.Verb == browser.VerbNotSee:
		return absent
	case s.Assertion():
		return expected
	case s.Action() && s.Text == "":
		return located
	case s.Action() || s.Verb == browser.VerbOpen:
		return given
	}
	return neither
}

// parseStep reads one step of a page, filled and spread.
func parseStep(step stdjson.RawMessage) (browser.Step, bool) {
	s, err := browser.ParseScenario([]byte(`{"open":"/","steps":[` + string(step) + `]}`))
	if err != nil || len(s.Steps) != 1 {
		return browser.Step{}, false
	}
	return s.Steps[0], true
}

var rolePrefix = pattern.Lazy(`^[a-z]+:`)

// spreadStep writes one step for each character of {"click_each":"40"} or
// {"press_each":"40"}; a role in front ("button:40") stands in front of each.
func spreadStep(step stdjson.RawMessage) ([]stdjson.RawMessage, error) {
	var fields map[string]stdjson.RawMessage
	if err := stdjson.Unmarshal(step, &fields); err != nil {
		return []stdjson.RawMessage{step}, nil // a sentence
	}
	for each, verb := range spreading {
		raw, ok := fields[each]
		if !ok {
			continue
		}
		var text string
		if err := stdjson.Unmarshal(raw, &text); err != nil {
			text = string(raw) // a number
		}
		role := rolePrefix.FindString(text)
		text = text[len(role):]
		delete(fields, each)
		var rest string
		for name, value := range fields {
			rest += "," + quote(name) + ":" + string(value)
		}
		var out []stdjson.RawMessage
		for _, r := range text {
			if r != ' ' {
				out = append(out, stdjson.RawMessage(`{"`+verb+`":`+quote(role+string(r))+rest+`}`))
			}
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("has nothing to %s: write {%q:\"{a}\"}", verb, each)
		}
		return out, nil
	}
	return []stdjson.RawMessage{step}, nil
}
