package verify

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
)

// notes is a server that keeps notes; KEEP says where they are kept.
const notes = `
const http = require('http'), fs = require('fs');
let notes = [];
const KEEP = process.argv[2];
const load = () => { KEEP === 'file' && fs.existsSync('notes.json') && (notes = JSON.parse(fs.readFileSync('notes.json', 'utf8'))); };

load();
const page = '<!doctype html><html lang=en><title>Notes</title><label>Note <input id=i></label><button id=b>Save</button><ul id=u></ul>' +
  '<script>const show=async()=>u.replaceChildren(...(await (await fetch("/notes")).json()).map(n=>Object.assign(document.createElement("li"),{textContent:n})));' +
  'b.onclick=async()=>{await fetch("/notes",{method:"POST",body:i.value});i.value="";show()};show()</script>';
http.createServer((q, a) => {
  if (q.url === '/favicon.ico') return a.writeHead(204).end();
  if (q.url !== '/notes') return a.setHeader('Content-Type', 'text/html') && a.end(page);
  if (q.method === 'GET') return a.end(JSON.stringify(notes));
  let t = ''; q.on('data', (d) => t += d).on('end', () => { notes.push(t); if (KEEP === 'file') fs.writeFileSync('notes.json', JSON.stringify(notes)); a.end('ok'); });
}).listen(process.env.PORT, '127.0.0.1');
if (process.argv[3] === 'stubborn') process.on('SIGTERM', () => {});
if (process.argv[3] === 'forks') require('child_process').spawn('sleep', ['4711'], { detached: true, stdio: 'ignore' }).unref();
`

// withBrowser is a Verifier for pages.
func withBrowser(t *testing.T) *Verifier {
	t.Helper()
	v := verifier(t)
	exe, err := browser.Find("")
	if err != nil {
		t.Skip(err)
	}
	v.Browser = exe
	return v
}

// TestRestart ends the project's server in the middle of a check: what is kept
// in a file is there afterwards, what is kept in memory is not.
func TestRestart(t *testing.T) {
	need(t, "node")
	v := withBrowser(t)
	scenario := `[{"type":"Milk","into":"Note"},"click Save",{"see":"Milk"},{"restart":true},{"see":"Milk"}]`
	for start, want := range map[string]string{
		"node server.js file": Pass, "node server.js memory": Fail, "node server.js file stubborn": Pass, "node server.js file forks": Pass,
	} {
		t.Run(start, func(t *testing.T) {
			target := folder(t, map[string]string{"server.js": notes})
			target.Config.Start = start
			out := run(t, v, pages(scenario), target)
			if out.Verdict != want {
				t.Errorf("%s: %+v", out.Verdict, out.Checks)
			}
			if n := running(t, "sleep\x004711"); n > 0 {
				t.Errorf("%d of what the server started are left", n)
			}
		})
	}
}

// TestRestartOfAFolder: what is served from a folder has no server to restart.
func TestRestartOfAFolder(t *testing.T) {
	v := withBrowser(t)
	target := folder(t, map[string]string{"index.html": `<!doctype html><html lang=en><title>N</title><button id=b>Save</button><p id=p></p>
<script>p.textContent=localStorage.n||'none';b.onclick=()=>p.textContent=localStorage.n='Milk'</script>`})
	out := run(t, v, pages(`["click Save",{"restart":true},{"see":"Milk"}]`), target)
	if out.Verdict != Unverified || !strings.Contains(out.Checks[0].Reason, "a restart proves nothing") {
		t.Errorf("%+v", out.Checks)
	}
}

// TestRestartBetweenExchanges asks an API what it kept.
func TestRestartBetweenExchanges(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	asks := func(exchanges string) *contract.Contract {
		c, err := contract.Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"http","covers":[1],"http":[` + exchanges + `]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := asks(`{"method":"POST","path":"/notes","body":"Milk"},{"path":"/notes","expect":{"has":["Milk"]}},{"restart":true},{"path":"/notes","expect":{"has":["Milk"]}}`)
	for start, want := range map[string]string{"node server.js file": Pass, "node server.js memory": Fail, "": Fail} {
		fresh := func() Target {
			target := folder(t, map[string]string{"server.js": notes, "index.html": "<p>Milk"})
			target.Config.Start = start
			return target
		}
		k := c
		if start == "" {
			k = asks(`{"path":"/","expect":{"has":["Milk"]}},{"restart":true},{"path":"/","expect":{"has":["Milk"]}}`)
		}
		out := run(t, v, k, fresh())
		if out.Verdict != want || want == Fail && !strings.Contains(out.Checks[0].Reason, "exchange 4") && !strings.Contains(out.Checks[0].Reason, "starts no server") {
			t.Errorf("%q: %s %+v", start, out.Verdict, out.Checks)
		}
		if passed, why, err := v.BiteWithoutActions(t.Context(), k, fresh(), out); want == Pass && (passed || err != nil) {
			t.Errorf("without what is sent: %s %v", why, err)
		}
	}
}

// TestSecondProfile has another person's browser look at what the first saved.
func TestSecondProfile(t *testing.T) {
	need(t, "node")
	v := withBrowser(t)
	scenario := `[{"type":"Milk","into":"Note"},"click Save",{"see":"Milk"},{"fresh":"/"},{"see":"Milk"}]`
	target := folder(t, map[string]string{"server.js": notes})
	target.Config.Start = "node server.js memory"
	if out := run(t, v, pages(scenario), target); out.Verdict != Pass {
		t.Errorf("with a server: %+v", out.Checks)
	}
	target = folder(t, map[string]string{"index.html": `<!doctype html><html lang=en><title>N</title><label>Note <input id=i></label><button id=b>Save</button><ul id=u></ul>
<script>const s=()=>u.innerHTML=(localStorage.n||'').split(',').map(n=>'<li>'+n).join('');b.onclick=()=>{localStorage.n=i.value;s()};s()</script>`})
	if out := run(t, v, pages(scenario), target); out.Verdict != Fail {
		t.Errorf("kept in the browser alone: %+v", out.Checks)
	}
}

// TestTrialsKeepTheirBrowser: a session's own trials are quick and leave nothing.
func TestTrialsKeepTheirBrowser(t *testing.T) {
	need(t, "node")
	v := withBrowser(t)
	v.Keep()
	target := folder(t, map[string]string{"server.js": notes})
	target.Config.Start = "node server.js memory"
	trial := func(want string) {
		t.Helper()
		res, err := v.Page(t.Context(), []byte(`[{"type":"Milk","into":"Note"},"click Save",{"see":"Milk"}]`), target)
		if err != nil || res.Verdict != want {
			t.Errorf("%v, %s", err, res.Inline())
		}
	}
	trial(Pass)
	kept := v.warm.browser
	trial(Pass) // a new server: else there were two Milks
	if kept == nil || v.warm.browser != kept {
		t.Error("the browser was not kept")
	}
	room := v.warm.room.dir
	v.Close()
	if _, err := os.Stat(room); err == nil {
		t.Error("the room is left")
	}
	trial(Pass)
	v.Close()
}

// TestExchangesInTime: many slow answers come to a bounded time, which says
// nothing about the product.
func TestExchangesInTime(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	v.Exchanges = 2 * time.Second
	slow := `{"path":"/","expect":{"has":["late"]}}`
	c, err := contract.Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"http","covers":[1],"http":[` + strings.Repeat(slow+",", 9) + slow + `]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	target := folder(t, map[string]string{"server.js": `require('http').createServer((q, a) => setTimeout(() => a.end('late'), 600)).listen(process.env.PORT, '127.0.0.1')`})
	target.Config.Start = "node server.js"
	out := run(t, v, c, target)
	if out.Verdict != Unverified || !strings.Contains(out.Checks[0].Reason, "took longer than 2s") {
		t.Errorf("%+v", out.Checks)
	}
}

// TestListenerIsOurs tells who listens where the network is shared.
func TestListenerIsOurs(t *testing.T) {
	need(t, "node")
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if listenerIsOurs(ln.Addr().(*net.TCPAddr).Port) {
		t.Error("another program's port is taken for the project's")
	}
	if port := elsewhere(t); listenerIsOurs(port) {
		t.Error("a program of somebody else that has the same PORT is taken for the project's")
	}
	s, err := sandbox.New(t.Context(), sandbox.Options{ForceLevel: sandbox.Processes})
	if err != nil {
		t.Skip(err)
	}
	v := verifier(t)
	v.Sandbox = s
	target := folder(t, map[string]string{"server.js": notes})
	target.Config.Start = "node server.js memory"
	cell, err := v.open(t.Context(), target, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cell.close()
	a, err := v.serve(t.Context(), cell, target)
	if err != nil {
		t.Fatal(err)
	}
	defer a.stop()
	if !listenerIsOurs(a.port) {
		t.Error("the project's own server is not known as such")
	}
}

// elsewhere starts a server that no longer descends from this process, with PORT
// in its environment.
func elsewhere(t *testing.T) (port int) {
	t.Helper()
	said := filepath.Join(t.TempDir(), "said")
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	script := `require('net').createServer().listen(+process.env.PORT,'127.0.0.1',()=>require('fs').writeFileSync(process.argv[1],process.pid+' '+process.env.PORT))`
	cmd := exec.Command("/bin/sh", "-c", `node -e "$1" "$2" >/dev/null 2>&1 &`, "sh", script, said)
	cmd.Env = append(os.Environ(), "PORT="+strconv.Itoa(free.Addr().(*net.TCPAddr).Port))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		var pid int
		data, _ := os.ReadFile(said)
		if n, _ := fmt.Sscan(string(data), &pid, &port); n == 2 {
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			return port
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no server")
	return 0
}

// running counts processes whose command line has the text.
func running(t *testing.T, text string) (n int) {
	t.Helper()
	for range 50 { // what was killed takes a moment to go
		n = 0
		entries, err := os.ReadDir("/proc")
		if err != nil {
			t.Skip(err)
		}
		for _, e := range entries {
			if _, err := strconv.Atoi(e.Name()); err != nil {
				continue
			}
			if line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && strings.Contains(string(line), text) {
				n++
			}
		}
		if n == 0 {
			return 0
		}
		time.Sleep(40 * time.Millisecond)
	}
	return n
}
