package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"gitagent/internal/hint"
)

// Recorder is a server that passes every request on to another Ollama server and
// writes down what was asked and answered. Credentials in headers are passed on
// and not written down.
type Recorder struct {
	upstream *url.URL
	client   *http.Client

	mu    sync.Mutex
	out   io.Writer
	chats differences
	err   error
}

// NewRecorder records to w. label says where the replies come from, for example
// "replies written by hand", and is shown by whoever replays them.
func NewRecorder(upstream string, w io.Writer, label string) (*Recorder, error) {
	base, err := parseHost(upstream)
	if err != nil {
		return nil, err
	}
	r := &Recorder{upstream: base, client: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}, out: w}
	return r, r.write(recordingHead{Kind: recordingKind, Version: recordingVersion, Label: label})
}

// Err is the first fault in writing the recording.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if err != nil {
		err = fmt.Errorf("writing the recording: %w", err)
	}
	return err
}

// ServeHTTP passes one request on and records it.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		replyError(w, http.StatusBadRequest, err.Error())
		return
	}
	target := r.upstream.JoinPath(req.URL.Path)
	target.RawQuery = req.URL.RawQuery
	out, err := http.NewRequestWithContext(req.Context(), req.Method, target.String(), bytes.NewReader(body))
	if err != nil {
		replyError(w, http.StatusBadGateway, err.Error())
		return
	}
	for _, h := range []string{"Content-Type", "Accept", "Authorization", "User-Agent"} {
		if v := req.Header.Get(h); v != "" {
			out.Header.Set(h, v)
		}
	}
	resp, err := r.client.Do(out)
	if err != nil {
		replyError(w, http.StatusBadGateway, err.Error())
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.WriteHeader(resp.StatusCode)
	lines, cut := relay(w, resp.Body)
	r.record(req, body, resp.StatusCode, lines, cut)
	if cut {
		panic(http.ErrAbortHandler) // the client has to see the cut as well
	}
}

// relay copies a reply line by line and returns its lines.
func relay(w http.ResponseWriter, body io.Reader) (lines [][]byte, cut bool) {
	flush := http.NewResponseController(w)
	in := bufio.NewReader(body)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if text := bytes.TrimSpace(line); len(text) > 0 {
				lines = append(lines, text)
			}
			if _, werr := w.Write(line); werr != nil {
				return lines, true
			}
			_ = flush.Flush() // a writer that cannot flush sends at the end
		}
		if err == io.EOF {
			return lines, false
		}
		if err != nil {
			return lines, true
		}
	}
}

func (r *Recorder) record(req *http.Request, body []byte, status int, lines [][]byte, cut bool) {
	x := recordedExchange{Method: req.Method, Path: req.URL.Path, Status: status, Cut: cut}
	for _, l := range lines {
		if json.Valid(l) {
			x.Reply = append(x.Reply, l)
		} else {
			x.Text += string(l) + "\n"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var chat chatRequest
	if req.URL.Path == "/api/chat" && json.Unmarshal(body, &chat) == nil {
		x.Chat = r.chats.shrink(chat)
	} else if json.Valid(body) {
		x.Request = body
	}
	if err := r.write(x); err != nil && r.err == nil {
		r.err = err
	}
}

func replyError(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": words}) // the client may be gone
}

// Record serves a Recorder on listen, writing to a new file, until ctx ends.
func Record(ctx context.Context, listen net.Listener, upstream, file, label string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return hint.New(fmt.Errorf("there is a file %s already", file), "name another file for the recording")
	}
	if err != nil {
		return fmt.Errorf("making the recording: %w", err)
	}
	r, err := NewRecorder(upstream, f, label)
	if err == nil {
		err = serve(ctx, listen, r)
	}
	if r != nil && err == nil {
		err = r.Err()
	}
	if cerr := f.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("writing the recording: %w", cerr)
	}
	return err
}

// serve runs a handler on a listener until ctx ends, then lets replies finish.
func serve(ctx context.Context, listen net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 30 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listen) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", listen.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		return srv.Close()
	}
	return nil
}
