// Command byhand answers where Ollama would, with replies that a person wrote:
// the first to the first chat, and so on. Put `git agent model record` in front
// of it and it makes the demo's recording again (demo/rerecord.sh). It is a tool
// for that alone and no part of git agent.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// name is the model's name as the program sees it.
const name = "by-hand"

const window = 32768 // tokens

// reply is one answer of the file. Say is plain text, JSON a value given as
// text, Call a tool call with Args; an argument or Say that is a list of lines
// is joined.
type reply struct {
	Say  lines            `json:"say"`
	JSON json.RawMessage  `json:"json"`
	Call string           `json:"call"`
	Args map[string]lines `json:"args"`
}

// lines is any JSON value; a list of strings becomes one text.
type lines struct{ value any }

func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		l.value = strings.Join(list, "\n")
		return nil
	}
	return json.Unmarshal(data, &l.value)
}

func (l lines) text() string {
	s, _ := l.value.(string)
	return s
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: byhand REPLIES.json")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	s := &server{}
	if err := json.Unmarshal(data, &s.replies); err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("answering by hand at %s\n", ln.Addr())
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(srv.Serve(ln))
}

type server struct {
	replies []reply
	mu      sync.Mutex
	next    int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/version":
		write(w, map[string]string{"version": "0.17.4"})
	case "/api/tags":
		write(w, api.ListResponse{Models: []api.ListModelResponse{{Name: name, Model: name, Size: 1}}})
	case "/api/show":
		write(w, map[string]any{
			"capabilities": []string{"completion", "tools"},
			"model_info":   map[string]any{"general.architecture": "hand", "hand.context_length": window},
		})
	case "/api/ps":
		write(w, api.ProcessResponse{Models: []api.ProcessModelResponse{{Name: name, Model: name, Digest: name, Size: 1, SizeVRAM: 1, ContextLength: window}}})
	case "/api/chat":
		s.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	var req api.ChatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	end := api.ChatResponse{Model: name, Done: true, DoneReason: "load"}
	if len(req.Messages) == 0 {
		write(w, end)
		return
	}
	s.mu.Lock()
	n := s.next
	s.next++
	s.mu.Unlock()
	last := req.Messages[len(req.Messages)-1]
	fmt.Fprintf(os.Stderr, "\n--- reply %d is asked for; the last message (%s %s):\n%s\n", n+1, last.Role, last.ToolName, last.Content)
	if n >= len(s.replies) {
		w.WriteHeader(http.StatusTeapot)
		write(w, map[string]string{"error": fmt.Sprintf("nobody wrote a reply %d", n+1)})
		return
	}
	msg := s.replies[n].message(n)
	write(w, api.ChatResponse{Model: name, Message: msg})
	end.DoneReason = "stop"
	end.PromptEvalCount, end.EvalCount = count(req.Messages, req.Tools), count(msg) // nobody counted tokens: bytes by four
	write(w, end)
}

func (p reply) message(n int) api.Message {
	msg := api.Message{Role: "assistant", Content: p.Say.text()}
	if len(p.JSON) > 0 {
		var b bytes.Buffer
		if json.Compact(&b, p.JSON) == nil {
			msg.Content = b.String()
		}
	}
	if p.Call != "" {
		call := api.ToolCall{ID: fmt.Sprintf("call_%d", n+1), Function: api.ToolCallFunction{Name: p.Call, Arguments: api.NewToolCallFunctionArguments()}}
		for _, key := range slices.Sorted(maps.Keys(p.Args)) {
			call.Function.Arguments.Set(key, p.Args[key].value)
		}
		msg.ToolCalls = []api.ToolCall{call}
	}
	return msg
}

// count is about how many tokens the values are.
func count(values ...any) int {
	n := 0
	for _, v := range values {
		if data, err := json.Marshal(v); err == nil {
			n += len(data)
		}
	}
	return max(1, n/4)
}

func write(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
