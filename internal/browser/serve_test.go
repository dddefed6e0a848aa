package browser

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestServeStatic(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, outside, "secret.txt", "secret")
	dir := filepath.Join(t.TempDir(), "a folder ü")
	for name, text := range map[string]string{
		"index.html": "<p>home", "app.mjs": "export{}", "app.JS": "1", "x.wasm": "\x00asm", "i.svg": "<svg/>", "d.json": "{}", "s.css": "p{}",
		"sub/index.html": "<p>sub", "list/file.txt": "x", ".git/config": "secret", "sub/.env": "secret", "two words ü.txt": "ü", "empty": "",
	} {
		writeFile(t, dir, name, text)
	}
	for link, target := range map[string]string{"out.txt": filepath.Join(outside, "secret.txt"), "outdir": outside, "in.txt": "list/file.txt", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	mkfifo(t, filepath.Join(dir, "pipe"))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := ServeStatic(ln, dir)
	defer s.Close()
	for _, c := range []struct {
		path   string
		status int
		typ    string
		body   string
	}{
		{"/", 200, "text/html", "<p>home"},
		{"/index.html?x=1", 200, "text/html", "<p>home"},
		{"/app.mjs", 200, "text/javascript", "export{}"},
		{"/app.JS", 200, "text/javascript", "1"},
		{"/x.wasm", 200, "application/wasm", ""},
		{"/i.svg", 200, "image/svg+xml", ""},
		{"/d.json", 200, "application/json", ""},
		{"/s.css", 200, "text/css", ""},
		{"/empty", 200, "application/octet-stream", ""},
		{"/sub/", 200, "text/html", "<p>sub"},
		{"/sub", 302, "", ""},
		{"/list/", 404, "", ""},
		{"/list", 404, "", ""},
		{"/none", 404, "", ""},
		{"/favicon.ico", 204, "", ""},
		{"/two%20words%20%C3%BC.txt", 200, "text/plain", "ü"},
		{"/in.txt", 200, "text/plain", "x"},
		{"/out.txt", 404, "", ""},
		{"/outdir/secret.txt", 404, "", ""},
		{"/loop", 404, "", ""},
		{"/pipe", 404, "", ""},
		{"/.git/config", 404, "", ""},
		{"/sub/.env", 404, "", ""},
		{"/../secret.txt", 404, "", ""},
		{"/%2e%2e/secret.txt", 404, "", ""},
		{"/..%2fsecret.txt", 404, "", ""},
		{"/sub/..%5c..%5csecret.txt", 404, "", ""},
		{"//etc/passwd", 404, "", ""},
		{"/index.html%00.txt", 404, "", ""},
	} {
		status, head, body := rawGet(t, ln.Addr().String(), c.path)
		if status != c.status || !strings.HasPrefix(head.Get("Content-Type"), c.typ) || (c.body != "" && body != c.body) {
			t.Errorf("%s: %d %s %q", c.path, status, head.Get("Content-Type"), body)
		}
		if strings.Contains(body, "secret") || head.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v %q", c.path, head, body)
		}
	}
	if res, err := http.Post(s.URL()+"/", "text/plain", nil); err != nil || res.StatusCode != 405 {
		t.Errorf("POST: %v %v", res, err)
	}
}

// rawGet asks for exactly this path; net/http would clean it.
func rawGet(t *testing.T, addr, path string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest("GET", "http://"+addr+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = "//" + addr + path
	client := http.Client{Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(body)
}

func TestServeMissingFolder(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := ServeStatic(ln, filepath.Join(t.TempDir(), "none"))
	defer s.Close()
	if status, _, _ := rawGet(t, ln.Addr().String(), "/"); status != 500 {
		t.Errorf("status %d", status)
	}
}
