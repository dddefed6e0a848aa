package browser

import (
	"context"
	"testing"
)

// callsFor is how many round trips a scenario takes on a page, once the page's
// world is known to the browser.
func callsFor(t *testing.T, html, text string) int64 {
	t.Helper()
	b := sharedBrowser(t)
	s := scenario(t, text)
	st := Stage{URL: site(t, map[string]string{"index.html": html})}
	r := newRunner(b, s, st)
	err := r.play(context.Background())
	r.conclude(err)
	if r.res.StepsRun != len(s.Steps) {
		t.Fatalf("%s", r.res.Inline())
	}
	return r.opened[0].calls.Load()
}

func TestCalls(t *testing.T) {
	t.Log("bench", callsFor(t, calculator, `["click 7","click ×","click 8","click =",{"see":"56","in":"Display"}]`))
	t.Log("static", callsFor(t, calculator, `["click 7","see Calculator","click ×","see Calculator","click 8","see Calculator","click =","see 56"]`))
}
