package verify

import (
	"context"
	"strings"
	"testing"

	"gitagent/internal/verify/contract"
)

// A metric is judged by its number, and against the number before the work where
// that was measured; the evidence says which kind of proof it is.
func TestMetricChecks(t *testing.T) {
	v := verifier(t)
	limit := func(f float64) *float64 { return &f }
	atLeast := contract.Command{Run: "sh m.sh", Metric: &contract.Metric{After: "coverage:", AtLeast: limit(80)}}
	relative := contract.Command{Run: "sh m.sh", Metric: &contract.Metric{After: "coverage:", WorseBy: limit(1), Better: contract.Higher}}
	for name, c := range map[string]struct {
		cmd     contract.Command
		prints  string
		before  map[string]float64
		verdict string
		reason  string
	}{
		"enough":            {atLeast, "coverage: 81.5%", nil, Pass, ""},
		"too little":        {atLeast, "coverage: 12%", nil, Fail, "expected at least 80"},
		"nothing":           {atLeast, "ok", nil, Fail, "no number"},
		"as before":         {relative, "coverage: 70", map[string]float64{"c1": 70.5}, Pass, ""},
		"worse":             {relative, "coverage: 60", map[string]float64{"c1": 70.5}, Fail, "worse by more than 1"},
		"not measured then": {relative, "coverage: 60", map[string]float64{}, Fail, "could not be measured before"},
		"nothing compared":  {relative, "coverage: 60", nil, Pass, ""},
	} {
		target := folder(t, files{"m.sh": "echo '" + c.prints + "'\n"})
		target.Measured = c.before
		out, err := v.Contract(context.Background(), command(c.cmd), target, "")
		if err != nil {
			t.Fatal(err)
		}
		k := out.Checks[0]
		if out.Verdict != c.verdict || !strings.Contains(k.Reason, c.reason) || k.How != "metric" {
			t.Errorf("%s: %s (%s), how %q", name, out.Verdict, k.Reason, k.How)
		}
	}
}
