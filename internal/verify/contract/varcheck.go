package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitagent/internal/plain"
)

// use says which variables a check is given and which it expects something of.
type use map[place]map[string]bool

// uses finds what the placeholders of a check are for. What was typed and is
// clicked by its name later has to be shown for that, so it is expected too.
func (c *Contract) uses(k Check) (use, error) {
	u := use{given: {}, expected: {}, absent: {}}
	v, err := c.exampleValues()
	if err != nil {
		return u, err
	}
	env, err := c.env(v)
	if err != nil {
		return u, err
	}
	_, err = k.with(env, func(p place, h hole) {
		for _, name := range h.expr.names {
			switch {
			case p == located && u[given][name]:
				u[expected][name] = true
			case p == located:
				u[given][name] = true
			case p != neither:
				u[p][name] = true
			}
		}
	})
	return u, err
}

// sampled is how many draws a contract has to stand before it is taken.
const sampled = 12

// varProblems says what is wrong about the variables: sentences that a small
// model can act on.
func (c *Contract) varProblems() []Problem {
	if len(c.Vars) == 0 {
		return nil
	}
	var out []Problem
	add := func(check, format string, args ...any) {
		out = append(out, Problem{Check: check, Text: plain.Line(fmt.Sprintf(format, args...), 400)})
	}
	both, in, seen := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, k := range c.Checks {
		u, err := c.uses(k)
		if err != nil {
			add(k.ID, "check %s %v", k.ID, err)
			return out
		}
		for name := range u[given] {
			in[name] = true
			both[name] = both[name] || u[expected][name] || u[absent][name]
		}
		for _, p := range []place{expected, absent} {
			for name := range u[p] {
				seen[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		switch {
		case both[name]:
		case in[name] && seen[name]:
			add("", "variable %s is used as input in one check and expected in another: one check must do both, since values and pages are fresh for each", name)
		case in[name]:
			add("", "variable %s is used as input but nothing that is expected depends on it: expect {%s} or what is computed from it, or write the value itself and remove the variable", name, name)
		case seen[name]:
			add("", "variable %s is expected but never used as input: type or pass {%s}, or write the value itself and remove the variable", name, name)
		default:
			add("", "variable %s is not used: put {%s} where the value is typed and where it is shown, or remove it", name, name)
		}
	}
	if len(out) > 0 {
		return out
	}
	if p, bad := c.sample(); bad {
		return append(out, p)
	}
	return append(out, c.narrowProblems()...)
}

// sample tries draws: what cannot be computed, or breaks a check's form for some
// values, is a fault of the contract.
func (c *Contract) sample() (Problem, bool) {
	say := func(v Values, err error) (Problem, bool) {
		return Problem{Text: plain.Line(fmt.Sprintf("with %s: %v; choose other ranges or another expression", v, err), 400)}, true
	}
	results := map[string]map[string]bool{}
	for i := range sampled / 2 {
		drawn, err := c.Draw(fmt.Sprint("sample ", i), 2)
		if err != nil {
			return Problem{Text: err.Error()}, true
		}
		for _, v := range drawn {
			inst, err := c.With(v)
			if err == nil {
				err = inst.check()
			}
			if err != nil {
				return say(v, err)
			}
			c.collect(v, results)
		}
	}
	return c.constant(results)
}

// collect adds what the expected placeholders of each check come to with v.
func (c *Contract) collect(v Values, results map[string]map[string]bool) {
	env, err := c.env(v)
	if err != nil {
		return // said already
	}
	for _, k := range c.Checks {
		var all []string
		_, _ = k.with(env, func(p place, h hole) { // said already
			if p != expected {
				return
			}
			if value, err := h.expr.value(env); err == nil {
				text, _ := textOf(value)
				all = append(all, text)
			}
		})
		if all == nil {
			continue
		}
		if results[k.ID] == nil {
			results[k.ID] = map[string]bool{}
		}
		results[k.ID][strings.Join(all, ", ")] = true
	}
}

// constant finds a check whose expected placeholders come to the same with
// every draw: one canned answer would do for it.
func (c *Contract) constant(results map[string]map[string]bool) (Problem, bool) {
	for _, k := range c.Checks {
		if len(results[k.ID]) != 1 {
			continue
		}
		for same := range results[k.ID] {
			return Problem{Check: k.ID, Text: plain.Line(fmt.Sprintf("check %s expects %s whatever is drawn: expect what depends on the input, or write it itself", k.ID, same), 400)}, true
		}
	}
	return Problem{}, false
}

// optionProblems are choices that a shell reads as something else.
func (c *Contract) optionProblems() []Problem {
	kinds, err := c.kinds()
	if err != nil {
		return nil
	}
	var out []Problem
	for _, k := range c.Checks {
		if k.Command == nil {
			continue
		}
		found, _ := holes(k.Command.Run, func(name string) bool { _, ok := kinds[name]; return ok })
		for _, h := range found {
			for _, name := range h.expr.names {
				for _, o := range kinds[name].options {
					if strings.ContainsAny(o, "'\"`$\\;&|<>()*?[]!#~") {
						out = append(out, Problem{Check: k.ID, Text: fmt.Sprintf("check %s passes {%s} to the shell, but its choice %q means something to a shell: leave that choice out or give it as stdin", k.ID, name, o)})
					}
				}
			}
		}
	}
	return out
}

// examplesHint tells, behind a problem about the words of a step, which values
// stand for the variables there.
func (c *Contract) examplesHint() string {
	if len(c.Vars) == 0 {
		return ""
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		if _, ok := c.Examples[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Sprintf(" (give the example of %s: the value that the step itself uses)", strings.Join(missing, ", "))
	}
	return fmt.Sprintf(" (with the examples %s)", c.Examples)
}

// Formulas are the placeholders of a check that are expected and computed from
// variables: what a reader cannot see in one set of values.
func (c *Contract) Formulas(id string) []string {
	k := c.Get(id)
	v, err := c.exampleValues()
	if k == nil || err != nil || len(c.Vars) == 0 {
		return nil
	}
	env, err := c.env(v)
	if err != nil {
		return nil
	}
	var out []string
	_, _ = k.with(env, func(p place, h hole) {
		if _, name := c.Vars[h.source]; p == expected && !name && !slices.Contains(out, h.source) {
			out = append(out, h.source)
		}
	})
	return out
}
