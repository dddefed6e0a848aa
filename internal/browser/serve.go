package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"strings"
	"time"
)

// A StaticServer serves one folder to the browser.
type StaticServer struct {
	srv *http.Server
	url string
	err error // why the folder cannot be served
	dir *os.Root
}

// ServeStatic serves dir on ln until Close: right types, nothing cached, no
// listings, nothing outside dir (not by "..", not by a link), no dot files. A
// folder is its index.html. It never looks at anything but the path.
func ServeStatic(ln net.Listener, dir string) *StaticServer {
	s := &StaticServer{url: "http://" + ln.Addr().String()}
	if a, ok := ln.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		s.url = fmt.Sprintf("http://127.0.0.1:%d", a.Port)
	}
	s.dir, s.err = os.OpenRoot(dir)
	s.srv = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go s.srv.Serve(ln)
	return s
}

// URL is the address of the folder, without a slash at the end.
func (s *StaticServer) URL() string { return s.url }

// Close stops serving and closes the listener.
func (s *StaticServer) Close() error {
	err := s.srv.Close()
	if s.dir != nil {
		err = errors.Join(err, s.dir.Close())
	}
	return err
}

func (s *StaticServer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if s.err != nil {
		http.Error(w, "the folder cannot be read", http.StatusInternalServerError)
		return
	}
	name, ok := localName(r.URL.Path)
	if !ok {
		notThere(w, r)
		return
	}
	f, base, index, err := s.open(name)
	if err != nil {
		if r.URL.Path == "/favicon.ico" { // browsers ask for it on their own
			w.WriteHeader(http.StatusNoContent)
			return
		}
		notThere(w, r)
		return
	}
	defer f.Close()
	if index && !strings.HasSuffix(r.URL.Path, "/") {
		// Relative links of a folder's index need the slash.
		http.Redirect(w, r, path.Base(r.URL.Path)+"/", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", contentType(base))
	http.ServeContent(w, r, base, time.Time{}, f)
}

// notThere answers for a file that is not there. A style sheet and a script get
// their own type: a browser would complain about a wrong one and say nothing of
// the missing file.
func notThere(w http.ResponseWriter, r *http.Request) {
	kind := contentType(path.Base(r.URL.Path))
	if !strings.HasPrefix(kind, "text/css") && !strings.HasPrefix(kind, "text/javascript") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusNotFound)
}

// localName maps a URL path to a path below the folder. Dot files and anything
// that is not a plain path are refused.
func localName(p string) (string, bool) {
	if strings.ContainsAny(p, "\\\x00") || !strings.HasPrefix(p, "/") {
		return "", false
	}
	for _, part := range strings.Split(p, "/") {
		if strings.HasPrefix(part, ".") {
			return "", false
		}
	}
	name := strings.TrimPrefix(path.Clean(p), "/")
	if name == "" {
		name = "."
	}
	return name, fs.ValidPath(name)
}

// open opens a regular file, or the index of a folder. os.Root keeps links from
// leading outside.
func (s *StaticServer) open(name string) (f *os.File, base string, index bool, err error) {
	info, err := s.dir.Stat(name)
	if err == nil && info.IsDir() {
		index, name = true, path.Join(name, "index.html")
		info, err = s.dir.Stat(name)
	}
	if err != nil {
		return nil, "", false, err
	}
	if !info.Mode().IsRegular() { // a pipe would block, a device is no page
		return nil, "", false, fs.ErrNotExist
	}
	f, err = s.dir.Open(name)
	return f, path.Base(name), index, err
}

// contentType does not depend on the machine's own tables.
func contentType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".js", ".mjs", ".cjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".wasm":
		return "application/wasm"
	case ".svg":
		return "image/svg+xml"
	case ".png", ".gif", ".webp", ".avif", ".bmp":
		return "image/" + ext[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".ico":
		return "image/x-icon"
	case ".woff", ".woff2", ".ttf", ".otf":
		return "font/" + ext[1:]
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".xml":
		return "text/xml; charset=utf-8"
	case ".mp3":
		return "audio/mpeg"
	case ".wav", ".ogg":
		return "audio/" + ext[1:]
	case ".mp4", ".webm":
		return "video/" + ext[1:]
	case ".pdf":
		return "application/pdf"
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}
