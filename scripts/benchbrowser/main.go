// Command benchbrowser measures the page driver beside playwright-core and the
// Playwright MCP server: the same browser, page, scenario and isolation (a new
// context for every run), in one run, in turns. See scripts/bench-browser.sh.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
)

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Calc</title><h1>Calculator</h1>
<output aria-label="Display" id="d">0</output>
<div><button>7</button><button>8</button><button>×</button><button>=</button></div>
<script>
let s = '';
for (const b of document.querySelectorAll('button')) b.addEventListener('click', () => {
  if (b.textContent === '=') s = String(s.split('×').reduce((a, x) => a * x, 1)); else s += b.textContent;
  d.textContent = s;
});
</script>`

const scenario = `["click 7","click ×","click 8","click =",{"see":"56","in":"Display"}]`

type options struct {
	modules, browser, here, url string
	rounds, warm                int
}

func main() {
	sandbox.Dispatch()
	var o options
	cold := flag.String("cold", "", "play once on this address and end")
	flag.StringVar(&o.modules, "modules", "", "folder with node_modules")
	flag.StringVar(&o.here, "scripts", "", "folder of core.mjs")
	flag.StringVar(&o.browser, "browser", "", "executable of the browser")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds")
	flag.IntVar(&o.warm, "warm", 6, "warm runs in a round")
	flag.Parse()
	err := error(nil)
	if *cold != "" {
		err = playOnce(*cold, o.browser)
	} else {
		err = measure(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchbrowser:", err)
		os.Exit(1)
	}
}

func playOnce(url, exe string) error {
	b, err := browser.Open(context.Background(), browser.Options{Exec: exe})
	if err != nil {
		return err
	}
	defer b.Close()
	return once(b, url)
}

func once(b *browser.Browser, url string) error {
	s, err := browser.ParseScenario([]byte(scenario))
	if err != nil {
		return err
	}
	r := b.Run(context.Background(), s, url, "")
	if r.Verdict != browser.Pass {
		return fmt.Errorf("%s", r.Inline())
	}
	fmt.Println("pass")
	return nil
}

// measure takes turns, so that what else the machine does falls on all alike.
func measure(o options) error {
	url, end, err := serve()
	if err != nil {
		return err
	}
	defer end()
	o.url = url
	if o.browser == "" {
		if o.browser, err = browser.Find(""); err != nil {
			return err
		}
	}
	t := table{}
	others, err := startAll(o)
	defer others.end()
	if err != nil {
		return err
	}
	for range o.rounds {
		for _, c := range others.cold(o) {
			if err := t.time(c.name, c.do); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			time.Sleep(300 * time.Millisecond)
		}
		for _, c := range others.warm(o) {
			for range c.times {
				if err := t.time(c.name, c.do); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
			}
			time.Sleep(300 * time.Millisecond)
		}
	}
	t.print()
	return nil
}

func serve() (url string, end func(), err error) {
	dir, err := os.MkdirTemp("", "bench-page-")
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o644); err != nil {
		return "", nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := browser.ServeStatic(ln, dir)
	return s.URL(), func() { s.Close(); os.RemoveAll(dir) }, nil
}

// table has the times of each row, in milliseconds.
type table map[string][]float64

func (t table) time(name string, do func() error) error {
	begun := time.Now()
	err := do()
	if name == "" {
		return err
	}
	t[name] = append(t[name], float64(time.Since(begun).Microseconds())/1000)
	return err
}

func (t table) median(name string) float64 {
	all := slices.Sorted(slices.Values(t[name]))
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}

func (t table) print() {
	fmt.Printf("%-22s %6s %9s %9s %9s\n", "", "runs", "median", "least", "most")
	for _, kind := range []string{"cold", "warm"} {
		for _, who := range []string{"git agent", "playwright-core", "playwright mcp"} {
			name := who + " " + kind
			if len(t[name]) == 0 {
				continue
			}
			fmt.Printf("%-22s %6d %6.0f ms %6.0f ms %6.0f ms\n", name, len(t[name]), t.median(name), slices.Min(t[name]), slices.Max(t[name]))
		}
	}
	for _, r := range []struct {
		what, other, kind string
		target            float64
	}{{"cold, against playwright-core", "playwright-core", "cold", 1.5}, {"warm, against playwright-core", "playwright-core", "warm", 1.3}, {"warm, against the MCP server", "playwright mcp", "warm", 5}} {
		if ours, theirs := t.median("git agent "+r.kind), t.median(r.other+" "+r.kind); ours > 0 && theirs > 0 {
			met := "met"
			if theirs/ours < r.target {
				met = "NOT met"
			}
			fmt.Printf("%s: %.2f times as fast (target %.1f, %s)\n", r.what, theirs/ours, r.target, met)
		}
	}
}
