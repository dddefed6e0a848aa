package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProgramsWork keeps the rules from being too narrow for what people build
// with. Those that are not installed are left out.
func TestProgramsWork(t *testing.T) {
	for _, level := range []Level{Namespaces, Landlock} { // the others filter nothing more
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			programs(t, level, false)
		})
	}
}

// TestBrowsersOwnSandbox is for ordinary users; root's browser has none.
func TestBrowsersOwnSandbox(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("as root it has no sandbox of its own; TestUnprivileged runs this")
	}
	for _, level := range []Level{Namespaces, Landlock} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			programs(t, level, true)
		})
	}
}

func programs(t *testing.T, level Level, nested bool) {
	c, dir := openAt(t, level, func(p *Policy) {
		p.Nested = nested
		out, err := exec.Command("go", "env", "GOCACHE").Output()
		cache := strings.TrimSpace(string(out))
		if _, missing := os.Stat(cache); err == nil && missing == nil { // it may be filled
			p.Writable, p.Env = append(p.Writable, cache), append(p.Env, "GOCACHE="+cache)
		}
	})
	for name, content := range map[string]string{
		"go.mod":           "module x\n\ngo 1.22\n",
		"x.go":             goProgram,
		"s.js":             nodeServer,
		"p.py":             pythonPool,
		"package.json":     `{"name":"x","version":"1.0.0","scripts":{"test":"node s.js"},"dependencies":{"dep":"file:dep"}}`,
		"dep/package.json": `{"name":"dep","version":"1.0.0"}`,
		"page.html":        "<h1 id=x></h1><script>document.getElementById('x').textContent = 6 * 7</script>",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	chromium := "TMPDIR=. chromium --headless --disable-gpu --dump-dom file://" + dir + "/page.html"
	if !nested {
		chromium += " --no-sandbox"
	}
	for _, p := range []struct{ needs, script, want string }{
		{"go", "go build -o x . && ./x", "connected"},
		{"node", "node s.js", "served, connected, forked"},
		{"npm", "npm install --silent && npm test --silent", "served, connected, forked"},
		{"python3", "python3 p.py", "[1, 2] connected"},
		{"git", "git init -q g && cd g && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m first && git log --format=%s", "first"},
		{"chromium", chromium, `<h1 id="x">42</h1>`},
	} {
		if nested && p.needs != "chromium" || level == Namespaces && !nested && (p.needs == "npm" || p.needs == "chromium") {
			continue // the browser in namespaces is tested where it is used
		}
		if out, code := sh(t, c, "command -v "+p.needs); code != 0 {
			t.Logf("%s is not there: %s", p.needs, out)
			continue
		}
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", p.script}, Timeout: 90 * time.Second})
		t.Log(p.needs, res.Elapsed)
		if err != nil || res.ExitCode != 0 || !strings.Contains(string(res.Stdout), p.want) {
			t.Errorf("%s: %v, %d after %v\n%s", p.script, err, res.ExitCode, res.Elapsed, res.Output)
		}
	}
}

const goProgram = `package main

import (
	"fmt"
	"net"
)

func main() {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	if _, err := net.Dial("tcp", ln.Addr().String()); err != nil {
		panic(err)
	}
	if all, err := net.Interfaces(); err != nil || len(all) == 0 {
		panic(fmt.Sprint(all, err))
	}
	fmt.Println("connected")
}
`

const nodeServer = `
const http = require('http'), net = require('net'), cp = require('child_process'), os = require('os');
const done = [];
const s = http.createServer((q, r) => r.end('served')).listen(0, () => http.get({port: s.address().port, host: 'localhost'}, r => {
	r.on('data', d => done.push(String(d)));
	r.on('end', () => {
		if (!os.networkInterfaces().lo) throw new Error('no lo');
		const name = 'u' + process.pid;
		net.createServer(c => c.end('connected')).listen(name, () => net.connect(name).on('data', d => {
			done.push(String(d), cp.execSync('printf forked').toString());
			console.log(done.join(', '));
			process.exit(0);
		}));
	});
}));
`

const pythonPool = `
import multiprocessing, socket
multiprocessing.Lock()
if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool:
        got = pool.map(abs, [-1, 2])
    server = socket.create_server(('127.0.0.1', 0))
    socket.create_connection(server.getsockname())
    print(got, 'connected')
`
