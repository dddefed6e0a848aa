package browser

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"

	"gitagent/internal/sandbox"
)

// shared is one browser for all tests; starting one for each would take longer
// than the tests.
var shared *Browser

func TestMain(m *testing.M) {
	sandbox.Dispatch()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	temp, err := os.MkdirTemp("", "browser-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// Without a browser nothing here can be tested, and that is a failure.
	shared, err = Open(ctx, Options{Temp: temp})
	if err != nil {
		fmt.Fprintln(os.Stderr, "no browser for the tests:", err)
		return 1
	}
	defer shared.Close()
	return m.Run()
}

// site serves files of a page to the browser.
func site(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, dir, name, text)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := ServeStatic(ln, dir)
	t.Cleanup(func() { s.Close() })
	return s.URL()
}

// play runs a scenario, given as JSON, on a page.
func play(t *testing.T, html, scenario string) Result {
	t.Helper()
	return playOn(t, site(t, map[string]string{"index.html": html}), scenario)
}

func playOn(t *testing.T, base, scenario string) Result {
	t.Helper()
	s, err := ParseScenario([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return shared.Run(ctx, s, base, "")
}

// tabs are kept for the many small cases: starting a renderer for each costs
// ten times what the case does. Every case has an origin of its own.
var tabs = make(chan *tab, 3)

func playQuick(t *testing.T, html, scenario string) Result {
	t.Helper()
	base := site(t, map[string]string{"index.html": html})
	s, err := ParseScenario([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	p, err := shared.process(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{s: s, res: Result{StepsTotal: len(s.Steps)}, before: newForesight(s.Steps)}
	if r.base, err = url.Parse(base); err != nil {
		t.Fatal(err)
	}
	select {
	case r.tab = <-tabs:
		r.tab.rec.reset(base)
	default:
		if r.tab, err = p.newTab(context.Background(), base); err != nil {
			t.Fatal(err)
		}
	}
	r.conclude(r.onTab(p))
	if r.tab.ctx.Err() != nil {
		r.tab.close(p)
		return r.res
	}
	select {
	case tabs <- r.tab:
	default:
		r.tab.close(p)
	}
	return r.res
}

// reset forgets all that an earlier case left.
func (r *recorder) reset(base string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.step, r.status, r.abandoned = base, 0, 0, ""
	r.inflight = map[network.RequestID]request{}
	r.errors, r.ids, r.failures, r.blocked, r.dialogs = nil, nil, nil, nil, nil
	r.policy = dialogPolicy{}
}
