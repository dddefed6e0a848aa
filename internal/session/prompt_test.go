package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/session"
)

// request is a chat request with the bytes of its parts as they were sent.
type request struct {
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
	Format   json.RawMessage   `json:"format"`
	Options  struct {
		NumCtx int `json:"num_ctx"`
	} `json:"options"`
}

// wire stands between a session and its model and keeps what the executor sent.
type wire struct {
	mu   sync.Mutex
	sent []request
}

// tap puts a wire before the server at host and returns its address.
func tap(t *testing.T, host string) (*wire, string) {
	t.Helper()
	target, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // replies that break off are meant
	w := &wire{}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var req request
		if r.URL.Path == "/api/chat" && json.Unmarshal(body, &req) == nil && len(req.Messages) > 0 && len(req.Format) == 0 {
			w.mu.Lock()
			w.sent = append(w.sent, req)
			w.mu.Unlock()
		}
		defer func() { // a reply that breaks off, as some here do
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				t.Errorf("proxy: %v", p)
			}
		}()
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(srv.Close)
	return w, srv.URL
}

// conversations checks that every request repeats the one before it to the byte
// and adds to its end, or begins a conversation anew; it returns how often.
func (w *wire) conversations(t *testing.T) int {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	begun := 0
	var last []json.RawMessage
	for i, req := range w.sent {
		if !bytes.Equal(req.Messages[0], w.sent[0].Messages[0]) {
			t.Errorf("request %d: the system prompt changed:\n%s\nwas\n%s", i, req.Messages[0], w.sent[0].Messages[0])
		}
		if !bytes.Equal(req.Tools, w.sent[0].Tools) {
			t.Errorf("request %d: the tools changed:\n%s\nwere\n%s", i, req.Tools, w.sent[0].Tools)
		}
		if req.Options.NumCtx != w.sent[0].Options.NumCtx || req.Options.NumCtx == 0 {
			t.Errorf("request %d: num_ctx %d, was %d", i, req.Options.NumCtx, w.sent[0].Options.NumCtx)
		}
		if len(req.Messages) == 2 && (last == nil || !bytes.Equal(req.Messages[1], last[1])) {
			begun++
			last = req.Messages
			continue
		}
		if len(req.Messages) < len(last) {
			t.Errorf("request %d has %d messages, the one before had %d", i, len(req.Messages), len(last))
			continue
		}
		for n := range last {
			if !bytes.Equal(req.Messages[n], last[n]) {
				t.Errorf("request %d: message %d changed:\n%s\nwas\n%s", i, n, req.Messages[n], last[n])
			}
		}
		last = req.Messages
	}
	return begun
}

// hard is a session with everything that tempts a client to rewrite what it
// said: thinking, several calls, prose, a lost reply, a call printed as text,
// arguments in an order of their own, a rejection and its repair.
func hard() []modeltest.Step {
	thinking := modeltest.Use("write_file", "content", "echo 5\n", "path", "sum.sh")
	thinking.Thinking, thinking.Text = "what if I print 5 <b>always</b> …", "Writing \u2028 it."
	return []modeltest.Step{
		modeltest.Use("list_files", "path", ".").And("read_file", "path", "README.md").And("calculate", "expression", "2+3"),
		thinking,
		modeltest.Say("I think that this is what was asked for."),
		{Text: "half a re", Cut: true},
		modeltest.Say("<tool_call>{\"name\": \"run_command\", \"arguments\": {\"command\": \"sh sum.sh 2 3\"}}</tool_call>"),
		modeltest.Use("no_such_tool", "x", 1),
		done, // rejected: 40 and 2 make no 5
		modeltest.Use("edit_file", "path", "sum.sh", "old", "echo 5", "new", "echo $(($1 + $2))"),
		work,
		done,
	}
}

func TestPromptStaysAndHistoryGrows(t *testing.T) {
	cases := map[string]struct {
		policy modeltest.Policy
		turns  int
		text   bool
		end    session.End
		begun  int // conversations
		least  int // requests
	}{
		"one conversation, one rejection": {rest(hard()...), 12, false, session.Verified, 1, 10},
		"by fenced text":                  {fenced, 12, true, session.Verified, 1, 4},
		"two conversations":               {rest(hard()[:6]...), 6, false, session.Incomplete, 2, 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			repo, _ := project(t, sumList)
			set := settings(t, sumContract, c.policy)
			var w *wire
			w, set.Host = tap(t, set.Host)
			set.Turns, set.TextTools = c.turns, c.text
			out, err := session.Step(context.Background(), repo, set, session.Options{}, watching{t})
			if err != nil || out.End != c.end {
				t.Fatalf("the session ended as %+v, %v", out, err)
			}
			if begun := w.conversations(t); begun != c.begun {
				t.Errorf("%d conversations, want %d", begun, c.begun)
			}
			if len(w.sent) < c.least {
				t.Errorf("%d requests, want %d or more", len(w.sent), c.least)
			}
			if hasTools := len(w.sent[0].Tools) > 0; hasTools == c.text {
				t.Errorf("tools in the request: %v", hasTools)
			}
		})
	}
}

// fenced plays the honest work as a model without the tools ability does.
func fenced(n int, _ api.ChatRequest) modeltest.Step {
	replies := []string{
		"```tool\ntool: read_file\npath: README.md\n```",
		"```tool\ntool: write_file\npath: sum.sh\ncontent:\n<<<\necho $(($1 + $2))\n>>>\n```",
		"It should work now.",
		"```tool\ntool: end_session\nstatus: done\nreason: it adds\n```",
	}
	return modeltest.Say(replies[min(n, len(replies)-1)])
}
