package bench

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
	"gitagent/internal/testenv"
	"gitagent/internal/verify"
)

func TestMain(m *testing.M) {
	sandbox.Dispatch()
	os.Exit(m.Run())
}

// sampled is how many apps are played where not everything is.
const sampled = 4

// TestContracts holds every contract against the words of its feature.
func TestContracts(t *testing.T) {
	for _, a := range apps(t) {
		for _, f := range a.Features {
			for _, p := range a.Contracts[f.ID].Validate(f) {
				t.Errorf("%s %s: %s", a.Name, f.ID, p)
			}
		}
	}
}

// TestApps plays right, wrong and empty solutions: a sample of them, or
// everything with GIT_AGENT_TABLES=1 and for apps that -run names.
func TestApps(t *testing.T) {
	j := judge(t)
	all := apps(t)
	seed := testenv.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	full := os.Getenv("GIT_AGENT_TABLES") == "1" || strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	plays := map[string]bool{}
	for _, i := range r.Perm(len(all))[:min(sampled, len(all))] {
		plays[all[i].Name] = true
	}
	tab := &table{}
	for _, a := range all {
		part := a
		if !full {
			part = aPart(r, a)
		}
		t.Run(a.Name, func(t *testing.T) {
			if !full && !plays[a.Name] {
				t.Skip("not in this sample")
			}
			row := tab.row(a.Name)
			start := time.Now()
			t.Cleanup(func() { row.took = time.Since(start) })
			play(t, j, part, row)
		})
	}
	t.Logf("\n%s", tab)
}

// aPart is one wrong solution of the app and one feature that it fails.
func aPart(r *rand.Rand, a *App) *App {
	part := *a
	w := a.Wrong[r.IntN(len(a.Wrong))]
	id := slices.Sorted(maps.Keys(w.Fails))[r.IntN(len(w.Fails))]
	part.Wrong = []Wrong{w}
	part.Features = slices.DeleteFunc(slices.Clone(a.Features), func(f features.Feature) bool { return f.ID != id })
	return &part
}

// play runs the solutions of one app beside each other.
func play(t *testing.T, j *Judge, a *App, row *row) {
	t.Run("right", func(t *testing.T) {
		t.Parallel()
		row.add(&row.right, holds(t, j, a, a.Right, nil), "right")
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		fails := map[string]string{}
		for _, f := range a.Features {
			fails[f.ID] = verify.Fail
		}
		holds(t, j, a, Tree{"index.html": []byte("<!doctype html><title>App</title><body></body>\n")}, fails)
	})
	for _, w := range a.Wrong {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			row.add(&row.wrong, holds(t, j, a, w.Tree, w.Fails), w.Name)
		})
	}
}

// holds says whether a product gets the verdicts that it should: those named,
// and a pass everywhere else. What is left as it was in a wrong solution is tried
// once only.
func holds(t *testing.T, j *Judge, a *App, product Tree, fails map[string]string) bool {
	t.Helper()
	ok := true
	for _, f := range a.Features {
		want, judge := verify.Pass, j.Feature
		if v := fails[f.ID]; v != "" {
			want = v
		} else if fails != nil {
			judge = j.Once
		}
		got, err := judge(context.Background(), a, f.ID, product)
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != want {
			ok = false
			t.Errorf("%s is %s, should be %s", f.ID, got.Verdict, want)
		}
		for _, k := range got.Checks {
			switch {
			case got.Verdict != want:
				t.Logf("%s %s: %s %s\n%s", f.ID, k.ID, k.Verdict, k.Reason, strings.Join(k.Observed, "\n"))
			case testing.Verbose() && k.Verdict != verify.Pass:
				t.Logf("%s %s: %s %s", f.ID, k.ID, k.Verdict, k.Reason)
			}
		}
	}
	return ok
}

func apps(t *testing.T) []*App {
	t.Helper()
	all, err := Apps()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func judge(t *testing.T) *Judge {
	t.Helper()
	exe, err := browser.Find("")
	if err != nil {
		t.Skip("no browser on this machine")
	}
	s, err := sandbox.New(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	return &Judge{Temp: temp, Verifier: &verify.Verifier{Sandbox: s, Browser: exe, Temp: temp, Cache: t.TempDir()}}
}

// table is how the solutions of every app came out.
type table struct {
	rows []*row
}

type row struct {
	name         string
	took         time.Duration
	mu           sync.Mutex
	right, wrong count
	missed       []string
}

type count struct{ ok, of int }

func (tab *table) row(name string) *row {
	r := &row{name: name}
	tab.rows = append(tab.rows, r)
	return r
}

func (r *row) add(c *count, ok bool, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.of++
	if ok {
		c.ok++
	} else {
		r.missed = append(r.missed, name)
	}
}

func (c count) String() string { return fmt.Sprintf("%d of %d", c.ok, c.of) }

func (tab *table) String() string {
	var b strings.Builder
	line := func(name string, right, wrong count, took time.Duration, missed []string) {
		fmt.Fprintf(&b, "%-24s %14s %14s %7.0f s  %s\n", name, right, wrong, took.Seconds(), strings.Join(missed, ", "))
	}
	fmt.Fprintf(&b, "%-24s %14s %14s %9s  %s\n", "app", "right accepted", "wrong rejected", "time", "not as it should be")
	var right, wrong count
	var took time.Duration
	for _, r := range tab.rows {
		line(r.name, r.right, r.wrong, r.took, r.missed)
		right = count{right.ok + r.right.ok, right.of + r.right.of}
		wrong = count{wrong.ok + r.wrong.ok, wrong.of + r.wrong.of}
		took += r.took
	}
	line(fmt.Sprintf("%d apps", len(tab.rows)), right, wrong, took, nil)
	return b.String()
}
