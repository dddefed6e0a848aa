package browser

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"

	"gitagent/internal/sandbox"
)

// lazily is one browser for all tests; starting one for each would take longer
// than the tests. Tests that need no page do not start it.
var lazily struct {
	once sync.Once
	b    *Browser
	temp string
	err  error
}

// sharedBrowser fails the test when there is no browser: what is not tested is
// not shown to work.
func sharedBrowser(t *testing.T) *Browser {
	t.Helper()
	lazily.once.Do(func() {
		if lazily.temp, lazily.err = os.MkdirTemp("", "browser-test-"); lazily.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		lazily.b, lazily.err = Open(ctx, Options{Temp: lazily.temp, Warm: true})
	})
	if lazily.err != nil {
		t.Fatalf("no browser for the tests: %v", lazily.err)
	}
	return lazily.b
}

func TestMain(m *testing.M) {
	sandbox.Dispatch()
	code := m.Run()
	if lazily.b != nil {
		lazily.b.Close()
		if left, _ := os.ReadDir(lazily.temp); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "left behind:", left[0].Name())
			code = 1
		}
	}
	os.RemoveAll(lazily.temp)
	os.Exit(code)
}

func scenario(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := ParseScenario([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
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
func play(t *testing.T, html, text string) Result {
	t.Helper()
	return playOn(t, site(t, map[string]string{"index.html": html}), text)
}

func playOn(t *testing.T, base, text string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return sharedBrowser(t).Run(ctx, scenario(t, text), base, "")
}

// tabs are kept for the many small cases: starting a renderer for each costs
// ten times what the case does. Every case has an origin of its own.
var tabs = make(chan *tab, 3)

func playQuick(t *testing.T, html, text string) Result {
	t.Helper()
	return playStage(t, Stage{URL: site(t, map[string]string{"index.html": html})}, text)
}

// playStage is Play on a tab that is used again.
func playStage(t *testing.T, st Stage, text string) Result {
	t.Helper()
	b := sharedBrowser(t)
	p, err := b.process(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(b, scenario(t, text), st)
	r.p, r.log.base = p, st.URL
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r.ctx = ctx
	if r.base, err = url.Parse(st.URL); err != nil {
		t.Fatal(err)
	}
	select {
	case r.tab = <-tabs:
		r.tab.rec.reset(r.log)
	default:
		if r.tab, err = p.newTab(context.Background(), r.log); err != nil {
			t.Fatal(err)
		}
	}
	first := r.tab
	r.opened = []*tab{first}
	r.conclude(r.onTab())
	if r.res.Verdict == Pass && st.Alone && r.doubtful() {
		r.idle(ctx)
	}
	for _, other := range append(p.popupsOf(first), r.opened[1:]...) {
		other.close(p)
	}
	if first.ctx.Err() != nil || p.ctx.Err() != nil {
		first.close(p)
		return r.res
	}
	if err := first.open("about:blank"); err != nil { // no later case hears of this one
		first.close(p)
		return r.res
	}
	_ = first.prefer("")
	_ = first.setSize(first.ctx, size{width: viewportWidth, height: viewportHeight})
	select {
	case tabs <- first:
	default:
		first.close(p)
	}
	return r.res
}

// reset forgets all that an earlier case left.
func (r *recorder) reset(log *journal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log, r.status, r.abandoned = log, 0, ""
	r.inflight = map[network.RequestID]request{}
}
