package contract

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"gitagent/internal/plain"
)

// fewestRows is how many draws have to be possible for what is expected: fewer
// are written down faster than computed.
const fewestRows = 20

// most stands for all that is more than anybody writes down.
const most = 1 << 20

// breadth is how many values there are to draw.
func (k kind) breadth() int64 {
	switch k.name {
	case "int", "decimal":
		return min(k.hi-k.lo+1, most)
	case "one of":
		return int64(len(k.options))
	}
	return most
}

// isNumber says whether the kind is a range that can be widened. A choice has as
// many values as the program offers.
func (k kind) isNumber() bool { return k.name == "int" || k.name == "decimal" }

// rows is how many lines a table of all draws of these variables has.
func rows(kinds map[string]kind, names []string) int64 {
	n := int64(1)
	for _, name := range names {
		if k, ok := kinds[name]; ok {
			n = min(n*k.breadth(), most)
		}
	}
	return n
}

// namesIn are the variables of placeholders, each once.
func namesIn(holes []hole) (names []string) {
	for _, h := range holes {
		names = append(names, h.expr.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// narrowProblems finds expectations that a table of a few rows would meet,
// because the range of a number is narrow. It looks at all that a check expects,
// and at each thing that is computed by itself.
func (c *Contract) narrowProblems() (out []Problem) {
	kinds, err := c.kinds()
	if err != nil {
		return nil
	}
	example, err := c.exampleValues()
	if err != nil {
		return nil
	}
	env, err := c.env(example)
	if err != nil {
		return nil
	}
	told := map[string]bool{}
	for _, k := range c.Checks {
		events, err := eventsOf(k, env)
		if err != nil {
			continue // said elsewhere
		}
		for _, names := range decisive(events) {
			narrow := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !kinds[name].isNumber() || kinds[name].breadth() >= fewestRows })
			key := strings.Join(names, " and ")
			if n := rows(kinds, names); n < fewestRows && len(narrow) > 0 && !told[key] {
				told[key] = true
				out = append(out, Problem{Check: k.ID, Text: plain.Line(tooNarrow(k.ID, narrow[0], c.Vars[narrow[0]], kinds[narrow[0]], key, n), 400)})
			}
		}
	}
	return out
}

func tooNarrow(check, name, text string, k kind, all string, n int64) string {
	has := fmt.Sprintf("variable %s is %q, which has %d values", name, text, k.breadth())
	if all != name {
		has = fmt.Sprintf("variable %s is %q, and %s have %d values together", name, text, all, n)
	}
	hi := int64(99)
	if k.lo > hi-fewestRows {
		hi = k.lo + 99
	}
	wide := fmt.Sprintf("int %d..%d", k.lo, hi)
	if k.name == "decimal" {
		wide = fmt.Sprintf("decimal %s..%s/%d", decimal(k.lo, k.digits), decimal(k.lo+90, k.digits), k.digits)
	}
	return fmt.Sprintf("%s: a table of them would pass check %s. Use a wider range such as %q, or, where the program takes no other values, write one value itself and remove the variable", has, check, wide)
}

// decisive gives the variables that decide what a check expects: those of all of
// it, and those of each thing that is computed.
func decisive(events []event) (sets [][]string) {
	var all []hole
	changed := map[string]bool{} // variables that are entered in another form
	for _, e := range events {
		for _, h := range e.holes {
			for _, name := range h.expr.names {
				changed[name] = changed[name] || e.kind == doing && !h.bare()
			}
		}
	}
	for _, e := range events {
		if e.kind != looking || e.look.verb == toHide || len(e.holes) == 0 {
			continue
		}
		all = append(all, e.holes...)
		if slices.ContainsFunc(e.holes, func(h hole) bool { return !h.bare() || changed[h.expr.names[0]] }) {
			sets = append(sets, namesIn(e.holes))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return append([][]string{namesIn(all)}, sets...)
}

// bare says whether the placeholder is a variable as it is.
func (h hole) bare() bool {
	_, ok := h.expr.tree.(*syntax.Ident)
	return ok
}
