package browser

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// handle serves answers that no folder gives.
func handle(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(func() { go s.Close() }) // a stream may stay open
	return s.URL
}

func html(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.Write([]byte("<!doctype html><title>T</title>" + text))
}

func edgeRobust() []edge {
	done := `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>p.textContent='done'</script>`
	steps := `["click Go","see done"]`
	served := func(steps string, h http.HandlerFunc) func(t *testing.T) Result {
		return func(t *testing.T) Result { return playStage(t, Stage{URL: handle(t, h)}, steps) }
	}
	var many strings.Builder
	for i := range 5000 {
		many.WriteString("<button>Item " + strings.Repeat("i", i%7) + string(rune('a'+i%26)) + strconv.Itoa(i) + "</button>")
	}
	return []edge{
		{n: 55, name: "endless loop", play: func(t *testing.T) Result {
			return playOn(t, site(t, map[string]string{"index.html": `<!doctype html><p>Hi</p><button onclick="for(;;);">Go</button>`}), `{"timeout":5,"steps":["click Go","see done"]}`)
		}, verdict: Unverified, reason: "took longer than 5s"},
		{n: 56, name: "tab crash", play: func(t *testing.T) Result {
			b, base := ownBrowser(t)
			over := make(chan struct{})
			defer close(over)
			go func() {
				for !crashTabs(b) {
					select {
					case <-over:
						return
					case <-time.After(50 * time.Millisecond):
					}
				}
			}()
			return b.Run(context.Background(), scenario(t, `["click 7",{"wait":"never","timeout":20}]`), base, "")
		}, verdict: Fail, reason: "crashed"},
		{n: 57, name: "browser killed", play: func(t *testing.T) Result {
			b, base := ownBrowser(t)
			time.AfterFunc(time.Second, func() {
				if p, err := b.process(context.Background()); err == nil {
					chromedp.FromContext(p.ctx).Browser.Process().Kill()
				}
			})
			return b.Run(context.Background(), scenario(t, `[{"wait":"never","timeout":20}]`), base, "")
		}, verdict: Unverified, reason: "browser"},
		// TestKilledInTheMiddle kills the tool itself; here is what the next start finds.
		{n: 58, name: "tool killed", play: func(t *testing.T) Result {
			temp := t.TempDir()
			writeFile(t, temp, "gitagent-999999999-1/file", "x")
			b, err := Open(context.Background(), Options{Temp: temp})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if _, err := os.Stat(filepath.Join(temp, "gitagent-999999999-1")); err == nil {
				t.Error("the profile of a dead process is still there")
			}
			return b.Run(context.Background(), scenario(t, steps), site(t, page2(done)), "")
		}, verdict: Pass},
		{n: 59, name: "5000 buttons", files: page1(`<p id=p>x</p>` + many.String() + `<script>onclick=e=>{if(e.target.textContent.endsWith('z4705'))p.textContent='done'}</script>`), steps: `["click Item iz4705",{"see":"done"}]`, verdict: Pass},
		// What a server of its own does is in internal/verify, TestServerEdges.
		{n: 60, name: "no server", play: func(t *testing.T) Result { return playOn(t, "http://"+freePort(t), steps) }, verdict: Unverified, reason: "no server answers"},
		{n: 61, name: "spaces and unicode in paths", files: map[string]string{"mein Ordner/ünï 🎉.html": "<!doctype html><title>T</title>" + done}, steps: `{"open":"/mein Ordner/ünï 🎉.html","steps":["click Go","see done"]}`, verdict: Pass},
		{n: 61, name: "dots and links lead nowhere", play: func(t *testing.T) Result {
			dir := t.TempDir()
			writeFile(t, dir, "secret.html", "<p>secret")
			writeFile(t, dir, "site/index.html", done)
			if err := os.Symlink(filepath.Join(dir, "secret.html"), filepath.Join(dir, "site", "link.html")); err != nil {
				t.Fatal(err)
			}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := ServeStatic(ln, filepath.Join(dir, "site"))
			t.Cleanup(func() { s.Close() })
			for _, path := range []string{"/../secret.html", "/%2e%2e/secret.html", "/..%2fsecret.html"} {
				resp, err := http.Get(s.URL() + path)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode < 400 {
					t.Errorf("%s: %d", path, resp.StatusCode)
				}
			}
			return playStage(t, Stage{URL: s.URL()}, `{"open":"/link.html","steps":["see secret"]}`)
		}, verdict: Fail, reason: "status 404"},
		{n: 62, name: "service worker", files: map[string]string{"": done + `<script>navigator.serviceWorker.register('sw.js').then(()=>navigator.serviceWorker.ready).then(()=>p.textContent='ready')</script>`, "sw.js": "onfetch=()=>{}"}, steps: `["wait ready","click Go","see done"]`, verdict: Pass},
		{n: 62, name: "service worker of another scenario", play: func(t *testing.T) Result {
			base := site(t, map[string]string{"index.html": done + `<script>navigator.serviceWorker.register('sw.js').then(()=>navigator.serviceWorker.ready).then(()=>p.textContent='ready')</script>`, "two.html": "<p>from the server", "sw.js": "onfetch=e=>e.respondWith(new Response('<p>from the worker',{headers:{'Content-Type':'text/html'}}))"})
			playOn(t, base, `["wait ready"]`)
			return playOn(t, base, `{"open":"/two.html","steps":["see \"from the server\""]}`)
		}, verdict: Pass},
		{n: 63, name: "event stream", play: served(steps, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/events" {
				w.Header().Set("Content-Type", "text/event-stream")
				w.Write([]byte("data: hi\n\n"))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				return
			}
			html(w, done+`<script>new EventSource('/events')</script>`)
		}), verdict: Pass, see: func(t *testing.T, r Result) {
			if len(r.Interactions) > 0 && r.Interactions[0].Ms > 5000 {
				t.Errorf("a stream holds the step up for %d ms", r.Interactions[0].Ms)
			}
		}},
		{n: 64, name: "redirect loop", play: served(steps, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }), verdict: Fail, reason: "TOO_MANY_REDIRECTS"},
		{n: 64, name: "status 500", play: served(steps, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); w.Write([]byte(done)) }), verdict: Fail, reason: "status 500"},
		{n: 64, name: "blank page", files: page1(`<div></div>`), steps: steps, verdict: Fail, reason: "blank"},
		{n: 65, name: "meta refresh in the middle", files: map[string]string{"": `<meta http-equiv=refresh content="1;url=two.html"><p>One</p>`, "two.html": "<!doctype html><title>T</title>" + done}, steps: `["see One",{"click":"Go","timeout":5},"see done"]`, verdict: Pass},
		{n: 66, name: "no browser", play: func(t *testing.T) Result {
			s := scenario(t, steps)
			_, err := Open(context.Background(), Options{Exec: "/nonexistent/chromium", Temp: t.TempDir()})
			if err == nil {
				t.Fatal("opened")
			}
			return UnverifiedResult(s, err.Error())
		}, verdict: Unverified, reason: "start the browser"},
		// The browser does without its disk, and what it shows is what it shows.
		{n: 67, name: "full temporary folder", play: fullTemp("size=64k"), verdict: Pass},
		{n: 67, name: "temporary folder without inodes", play: fullTemp("nr_inodes=2"), verdict: Unverified, reason: "no space left"},
		{n: 67, name: "no HOME", play: func(t *testing.T) Result {
			// The browser's environment is its own, whatever ours is.
			b := &Browser{}
			for _, e := range b.environment("/p") {
				if e == "HOME=/p" {
					return playOn(t, site(t, page2(done)), steps)
				}
			}
			return Result{}
		}, verdict: Pass},
		{n: 68, name: "two at once", play: func(t *testing.T) Result {
			temp := t.TempDir()
			results := make([]Result, 2)
			base := site(t, page2(done))
			var both sync.WaitGroup
			for i := range results {
				both.Go(func() {
					b, err := Open(context.Background(), Options{Temp: temp})
					if err != nil {
						results[i].Reason = err.Error()
						return
					}
					defer b.Close()
					results[i] = b.Run(context.Background(), scenario(t, steps), base, "")
				})
			}
			both.Wait()
			if results[0].Verdict != Pass {
				return results[0]
			}
			return results[1]
		}, verdict: Pass},
		{n: 69, name: "download", files: map[string]string{"": `<a href=data.bin download>Save</a><p id=p>x</p><script>document.querySelector('a').addEventListener('click',()=>p.textContent='saving')</script>`, "data.bin": "abc"}, steps: `["click Save","see saving",{"wait":0.5}]`, verdict: Pass,
			see: func(t *testing.T, r Result) { has(t, "notes", r.Notes, "a download of data.bin was started") }},
		{n: 70, name: "globals are listed", files: page1(done + `<div id=box></div><script>var a=1;function f(){};this.b2=1;globalThis.c=1;d=1;Object.defineProperty(window,'e',{value:1});window.testimonials=[];let lex=1;class K{};function startTest(){}</script>`), steps: steps, verdict: Pass,
			see: func(t *testing.T, r Result) {
				if r.Globals == nil {
					t.Fatal("none")
				}
				for _, n := range []string{"a", "f", "b2", "c", "d", "e", "testimonials", "startTest"} {
					has(t, "globals", r.Globals.Added, n)
				}
				has(t, "globals", r.Globals.Lexical, "lex")
				if len(r.Globals.Added) != 8 || len(r.Globals.Suspicious) != 0 {
					t.Errorf("%+v", r.Globals)
				}
			}},
		{n: 70, name: "no globals of a module", files: page1(`<button id=b>Go</button><p id=p>x</p><script type=module>const secret=1;b.onclick=()=>p.textContent='done'</script>`), steps: steps, verdict: Pass,
			see: func(t *testing.T, r Result) {
				if r.Globals != nil {
					t.Errorf("%+v", r.Globals)
				}
			}},
		{n: 70, name: "a door for tests", files: page1(done + `<script>window.__app={p}</script>`), steps: steps, verdict: Fail, reason: "__app on window"},
		{n: 70, name: "another door for tests", files: page1(done + `<script>window.testHooks={p}</script>`), steps: steps, verdict: Fail, reason: "testHooks on window"},
		{n: 70, name: "a hidden door", files: page1(done + `<script>window.__app={p};Object.getOwnPropertyNames=()=>[]</script>`), steps: steps, verdict: Fail, reason: "replaces Object.getOwnPropertyNames"},
		{n: 70, name: "names that frameworks use", files: page1(done + `<script>window.__NEXT_DATA__={};window.__vite_plugin=1;var __assign=1</script>`), steps: steps, verdict: Pass},
	}
}

func page2(text string) map[string]string {
	return map[string]string{"index.html": "<!doctype html><title>T</title>" + text}
}

// ownBrowser is for tests that break it.
func ownBrowser(t *testing.T) (*Browser, string) {
	t.Helper()
	b, err := Open(context.Background(), Options{Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b, site(t, map[string]string{"index.html": calculator})
}
