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

// TestCallsInRows wants a look for what is not there to cost the same however
// many rows are around the place.
func TestCallsInRows(t *testing.T) {
	b := sharedBrowser(t)
	p, err := b.process(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tab, err := p.newTab(context.Background(), &journal{})
	if err != nil {
		t.Fatal(err)
	}
	defer tab.close(p)
	look := func(around string) int64 {
		page := around + `<li><input type=checkbox aria-label=milk> milk`
		if err := tab.open(site(t, map[string]string{"index.html": page})); err != nil {
			t.Fatal(err)
		}
		if _, err := tab.locate("milk", "", 0, wantClick); err != nil { // the page's world is there
			t.Fatal(err)
		}
		before := tab.calls.Load()
		if _, err := tab.locate("Delete", "milk", 0, wantClick); err == nil {
			t.Fatal("there is no Delete")
		}
		return tab.calls.Load() - before
	}
	one := look("<ul>")
	if four := look("<ul><li>a<ul><li>b<ul><li>c<ul>"); four != one {
		t.Errorf("a look takes %d calls in one row, %d in four", one, four)
	}
	t.Logf("%d calls", one)
}
