// Package modeltest is a hand-made Ollama server for tests: it answers by a
// script or a policy and can fail in the ways that real servers do. It must
// never be used outside of tests.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// Policy answers a chat request that has messages; n counts them from 0.
type Policy func(n int, req api.ChatRequest) Step

// Server is a fake Ollama. Set its fields before the first request.
type Server struct {
	URL          string
	Models       []string // the first is the one that is asked for
	Capabilities []model.Capability
	Trained      int    // trained context
	Clamp        int    // /api/ps tells at most this; 0 = as asked
	LoadedCtx    int    // a context that is loaded from the start; 0 = none
	RemoteHost   string // told by /api/show
	Parameters   string
	Truncates    bool // drops messages beyond the context silently, as truncate:true does

	policy Policy

	mu       sync.Mutex
	requests []api.ChatRequest
	loads    int
	chats    int
	ctx      int
	running  string
}

// New starts a server that answers by policy; the test ends it.
func New(t testing.TB, policy Policy) *Server {
	t.Helper()
	s := &Server{
		Models:       []string{"test:latest"},
		Capabilities: []model.Capability{model.CapabilityCompletion, model.CapabilityTools},
		Trained:      32768,
		policy:       policy,
	}
	srv := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	s.URL = srv.URL
	return s
}

// Script is a policy that gives these steps in order and then fails.
func Script(steps ...Step) Policy {
	return func(n int, _ api.ChatRequest) Step {
		if n >= len(steps) {
			return Fail(http.StatusTeapot, fmt.Sprintf("the script has no step %d", n+1))
		}
		return steps[n]
	}
}

// Requests are the chats asked for so far, loads included.
func (s *Server) Requests() []api.ChatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]api.ChatRequest(nil), s.requests...)
}

// Chats are the requests that had messages.
func (s *Server) Chats() []api.ChatRequest {
	var out []api.ChatRequest
	for _, r := range s.Requests() {
		if len(r.Messages) > 0 {
			out = append(out, r)
		}
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		_, _ = io.WriteString(w, "Ollama is running")
	case "/api/version":
		write(w, map[string]string{"version": "0.17.4"})
	case "/api/tags":
		var list api.ListResponse
		s.mu.Lock()
		for _, m := range s.Models {
			list.Models = append(list.Models, api.ListModelResponse{Name: m, Model: m, Size: 1})
		}
		s.mu.Unlock()
		write(w, list)
	case "/api/show":
		s.show(w, r)
	case "/api/ps":
		s.ps(w)
	case "/api/chat":
		s.chat(w, r)
	case "/api/pull":
		s.pull(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) has(name string) bool { return s.find(name) != "" }

// find is the full name of a model, "" where there is none.
func (s *Server) find(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.Models {
		if m == name || m == name+":latest" {
			return m
		}
	}
	return ""
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var req api.ShowRequest
	if json.NewDecoder(r.Body).Decode(&req) != nil || !s.has(req.Model) {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	write(w, api.ShowResponse{
		Capabilities: s.Capabilities,
		RemoteHost:   s.RemoteHost,
		Parameters:   s.Parameters,
		ModelInfo:    map[string]any{"general.architecture": "llama", "llama.context_length": s.Trained},
	})
}

func (s *Server) ps(w http.ResponseWriter) {
	s.mu.Lock()
	ctx, name := s.ctx, s.running
	s.mu.Unlock()
	if name == "" {
		name = s.Models[0]
	}
	if ctx == 0 {
		ctx = s.LoadedCtx
	}
	var list api.ProcessResponse
	if ctx > 0 {
		list.Models = []api.ProcessModelResponse{{Name: name, Model: name, Digest: "d1", Size: 100, SizeVRAM: 100, ContextLength: ctx}}
	}
	write(w, list)
}

// asked is the num_ctx of a request as the server would give it.
func (s *Server) asked(req api.ChatRequest) int {
	n, _ := req.Options["num_ctx"].(float64)
	ctx := min(int(n), s.Trained)
	if s.Clamp > 0 {
		ctx = min(ctx, s.Clamp)
	}
	return ctx
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req api.ChatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	running := s.find(req.Model)
	if running == "" {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	s.mu.Lock()
	s.running = running
	s.requests = append(s.requests, req)
	if ctx := s.asked(req); ctx != s.ctx {
		s.ctx = ctx
		s.loads++
	}
	ctx, n := s.ctx, s.chats
	if len(req.Messages) > 0 {
		s.chats++
	}
	s.mu.Unlock()
	if len(req.Messages) == 0 {
		write(w, api.ChatResponse{Model: req.Model, Done: true, DoneReason: "load"})
		return
	}
	prompt := Tokens(req)
	if prompt > ctx && !s.Truncates {
		fail(w, http.StatusBadRequest, "the input length exceeds the context length")
		return
	}
	if prompt > ctx {
		prompt = ctx * 3 / 4 // whole messages were dropped
	}
	s.policy(n, req).play(w, r, prompt)
}

// Loads is how often the model was loaded: once unless its options changed.
func (s *Server) Loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// Tokens is how the server counts a prompt: four bytes for one.
func Tokens(req api.ChatRequest) int {
	b, _ := json.Marshal(struct {
		M []api.Message
		T api.Tools
	}{req.Messages, req.Tools})
	return len(b) / 4
}

func (s *Server) pull(w http.ResponseWriter, r *http.Request) {
	var req api.PullRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	write(w, api.ProgressResponse{Status: "pulling manifest"})
	switch req.Model {
	case "absent":
		write(w, map[string]string{"error": "pull model manifest: file does not exist"})
		return
	case "cut":
		return
	}
	write(w, api.ProgressResponse{Status: "pulling 0123456789ab", Digest: "sha256:0123", Total: 100, Completed: 50})
	s.mu.Lock()
	s.Models = append(s.Models, req.Model)
	s.mu.Unlock()
	write(w, api.ProgressResponse{Status: "success"})
}

func write(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) } // the client may be gone

func fail(w http.ResponseWriter, status int, words string) {
	w.WriteHeader(status)
	write(w, map[string]string{"error": words})
}
