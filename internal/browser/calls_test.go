package browser

import (
	"context"
	"testing"
)

// callsFor is how many round trips a scenario takes on a page: the least of two
// runs, as a busy machine needs a second try here and there.
func callsFor(t *testing.T, html, text string) int64 {
	t.Helper()
	var least int64
	for range 2 {
		s := scenario(t, text)
		r := newRunner(sharedBrowser(t), s, Stage{URL: site(t, map[string]string{"index.html": html})})
		r.conclude(r.play(context.Background()))
		if r.res.StepsRun != len(s.Steps) {
			t.Fatalf("%s", r.res.Inline())
		}
		if n := r.opened[0].calls.Load(); least == 0 || n < least {
			least = n
		}
	}
	return least
}

// TestCalls wants no call for what covers a text beside the one that reads it:
// an assertion costs its look and the one after the step, and nothing before
// the actions.
func TestCalls(t *testing.T) {
	steps := func(more string) string { return `["click 7","click ×","click 8","click ="` + more + `]` }
	see := `,"see Calculator"`
	bare, three := callsFor(t, calculator, steps(`,"see 56"`)), callsFor(t, calculator, steps(`,"see 56"`+see+see+see))
	if three-bare > 6 {
		t.Errorf("three assertions take %d calls", three-bare)
	}
	if n := callsFor(t, calculator, steps(`,{"see":"56","in":"Display"}`)); n > 60 {
		t.Errorf("a calculation takes %d calls", n)
	}
}
