package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
)

// contractText shows the contract: a page as the very scenario that check_page
// takes, so that it can be tried before the end. Variables have the values of
// trial, which are not those that the work is judged by.
func contractText(c *contract.Contract, trial contract.Values) string {
	shown, err := c.With(trial)
	if err != nil {
		shown = c // with its placeholders
	}
	var b strings.Builder
	for _, k := range shown.Checks {
		fmt.Fprintf(&b, "- %s (%s): ", k.ID, stepNumbers(k.Covers))
		switch {
		case k.Command != nil:
			b.WriteString(commandText(k.Command))
		case len(k.HTTP) > 0:
			b.WriteString("asks the project's server\n" + exchangesText(k.HTTP, "  "))
		default:
			fmt.Fprintf(&b, "a person's way through the page; check_page tries the same with\n  %s\n", k.Page)
		}
		for _, formula := range c.Formulas(k.ID) {
			fmt.Fprintf(&b, "  what is expected there is computed: {%s}\n", formula)
		}
	}
	if len(c.Vars) > 0 && len(trial) > 0 {
		fmt.Fprintf(&b, "The values %s are only for your own trials. The harness judges with other values, drawn anew each time (%s), so nothing can be fixed or looked up.\n", trial, kindsText(c))
	}
	return plain.Clip(plain.Text(b.String()), 6000)
}

func kindsText(c *contract.Contract) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		out = append(out, name+": "+c.Vars[name])
	}
	return strings.Join(out, ", ")
}

func commandText(cmd *contract.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs %s", cmd.Run)
	if cmd.Stdin != "" {
		fmt.Fprintf(&b, " with the input %q", cmd.Stdin)
	}
	fmt.Fprintf(&b, "; expects exit code %d", cmd.Exit)
	for _, text := range append(append([]string{}, cmd.StdoutHas...), cmd.OutputHas...) {
		fmt.Fprintf(&b, ", %q in the output", text)
	}
	if cmd.StdoutIs != nil {
		fmt.Fprintf(&b, ", the output %q", *cmd.StdoutIs)
	}
	if m := cmd.Metric; m != nil {
		b.WriteString(", " + m.String())
	}
	return b.String() + "\n"
}

// exchangesText writes one line for each exchange.
func exchangesText(list []contract.Exchange, indent string) string {
	var b strings.Builder
	for i := range list {
		e := &list[i]
		fmt.Fprintf(&b, "%s%d. %s → %s\n", indent, i+1, e, strings.Join(expectText(&e.Expect), ", "))
		for _, name := range slices.Sorted(maps.Keys(e.Save)) {
			fmt.Fprintf(&b, "%s   {%s} is what the answer has at %s\n", indent, name, e.Save[name])
		}
	}
	return b.String()
}

func expectText(x *contract.Expect) []string {
	out := []string{"success"}
	if x.Status != 0 {
		out[0] = fmt.Sprintf("status %d", x.Status)
	}
	for _, path := range slices.Sorted(maps.Keys(x.JSON)) {
		out = append(out, path+" is "+string(x.JSON[path]))
	}
	for _, text := range x.Has {
		out = append(out, fmt.Sprintf("holds %q", text))
	}
	for _, text := range x.HasNot {
		out = append(out, fmt.Sprintf("does not hold %q", text))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		out = append(out, fmt.Sprintf("header %s has %q", name, x.Header[name]))
	}
	return out
}

// DescribeContract writes a contract as a person reads it, a line each.
func DescribeContract(c *contract.Contract) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		line := fmt.Sprintf("{%s} is drawn anew for every run: %s", name, c.Vars[name])
		if example, ok := c.Examples[name]; ok {
			line += ", as in " + example
		}
		out = append(out, line)
	}
	for _, k := range c.Checks {
		head := fmt.Sprintf("%s (%s) ", k.ID, stepNumbers(k.Covers))
		switch {
		case k.Command != nil:
			out = append(out, head+strings.TrimSpace(commandText(k.Command)))
		case len(k.HTTP) > 0:
			out = append(out, head+"asks the project's server")
			out = append(out, strings.Split(strings.TrimRight(exchangesText(k.HTTP, "  "), "\n"), "\n")...)
		default:
			out = append(out, head+"on the page")
			out = append(out, pageText(k.Page)...)
		}
	}
	for i := range out {
		out[i] = plain.Line(out[i], 400)
	}
	return out
}

// pageText writes one line for each step of a page, aloud where it can be read.
func pageText(page []byte) []string {
	var p struct {
		Open  string            `json:"open"`
		Steps []json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal(page, &p); err != nil {
		return []string{"  " + string(page)}
	}
	out := []string{"  open " + p.Open}
	for _, raw := range p.Steps {
		line := string(raw)
		if s, err := browser.ParseScenario([]byte(`{"open":"/","steps":[` + line + `]}`)); err == nil && len(s.Steps) == 1 {
			line = s.Steps[0].String()
		}
		out = append(out, "  "+line)
	}
	return out
}
