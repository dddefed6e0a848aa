package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"

	"gitagent/internal/plain"
)

// ReplayServer plays a recording back: it stands where Ollama stands. Replies to
// chats come in their recorded order, each only when the conversation has the
// recorded shape: as many messages, of the same roles, and every tool result
// equal to the recorded one but for what NormalizeVolatile names. The system
// prompt and the wording of user messages may differ.
type ReplayServer struct {
	label string
	chats []recordedStep
	other map[string][]recordedStep // by method, path and model

	mu   sync.Mutex
	next int
	turn map[string]int
	err  error
}

// NewReplay reads a recording.
func NewReplay(file string) (*ReplayServer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	defer f.Close()
	return ReadReplay(f)
}

// ReadReplay reads a recording from r.
func ReadReplay(r io.Reader) (*ReplayServer, error) {
	head, steps, err := readRecording(r)
	if err != nil {
		return nil, err
	}
	s := &ReplayServer{label: plain.Line(head.Label, 200), other: map[string][]recordedStep{}, turn: map[string]int{}}
	for _, step := range steps {
		if step.Chat != nil && len(step.request.Messages) > 0 {
			s.chats = append(s.chats, step)
			continue
		}
		key := replayKey(step.Method, step.Path, modelIn(step.Request, step.request.Model))
		s.other[key] = append(s.other[key], step)
	}
	return s, nil
}

// Label says where the replies come from.
func (s *ReplayServer) Label() string { return s.label }

// Err is the first difference from the recording, or nil.
func (s *ReplayServer) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Left is how many recorded replies have not been played.
func (s *ReplayServer) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.chats) - s.next
}

func replayKey(method, path, model string) string { return method + " " + path + " " + model }

// modelIn is the model that a request names.
func modelIn(body []byte, otherwise string) string {
	var b struct{ Model, Name string }
	if json.Unmarshal(body, &b) != nil {
		return otherwise
	}
	switch {
	case b.Model != "":
		return b.Model
	case b.Name != "":
		return b.Name
	}
	return otherwise
}

// ServeHTTP answers one request from the recording.
func (s *ReplayServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		replyError(w, http.StatusBadRequest, err.Error())
		return
	}
	if r.URL.Path == "/" {
		_, _ = io.WriteString(w, "Ollama is running") // what the real one says
		return
	}
	var chat chatRequest
	if r.URL.Path == "/api/chat" {
		if err := json.Unmarshal(body, &chat); err != nil {
			replyError(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	step, err := s.choose(r, body, chat)
	if err != nil {
		replyError(w, http.StatusConflict, err.Error())
		return
	}
	if step == nil {
		replyError(w, http.StatusNotFound, fmt.Sprintf("model or path not found in the recording: %s %s %s", r.Method, r.URL.Path, modelIn(body, "")))
		return
	}
	play(w, step)
}

// choose finds the recorded exchange for a request; nil when there is none.
func (s *ReplayServer) choose(r *http.Request, body []byte, chat chatRequest) (*recordedStep, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(chat.Messages) == 0 {
		key := replayKey(r.Method, r.URL.Path, modelIn(body, ""))
		list := s.other[key]
		if len(list) == 0 {
			return nil, nil
		}
		i := min(s.turn[key], len(list)-1) // the last answer stays
		s.turn[key]++
		return &list[i], nil
	}
	err := s.compare(chat)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return nil, err
	}
	s.next++
	return &s.chats[s.next-1], nil
}

// compare holds a request against the one that is next in the recording.
func (s *ReplayServer) compare(got chatRequest) error {
	at := fmt.Sprintf("replay, reply %d of %d", s.next+1, len(s.chats))
	if s.next >= len(s.chats) {
		return fmt.Errorf("replay: the recording has no more replies (%d were recorded)", len(s.chats))
	}
	want := s.chats[s.next].request
	if (len(got.Format) > 0) != (len(want.Format) > 0) {
		return fmt.Errorf("%s: a schema-constrained request was %s, now it is %s", at, yesNo(len(want.Format) > 0), yesNo(len(got.Format) > 0))
	}
	if len(got.Messages) != len(want.Messages) {
		return fmt.Errorf("%s: the conversation had %d messages, now it has %d", at, len(want.Messages), len(got.Messages))
	}
	for i, m := range got.Messages {
		if err := compareMessage(m, want.Messages[i]); err != nil {
			return fmt.Errorf("%s, message %d: %w", at, i+1, err)
		}
	}
	return nil
}

func yesNo(b bool) string {
	if b {
		return "recorded"
	}
	return "absent"
}

func compareMessage(got, want api.Message) error {
	if got.Role != want.Role {
		return fmt.Errorf("its role was %s, now it is %s", want.Role, got.Role)
	}
	if want.Role != "tool" && !strings.HasPrefix(want.Content, resultMark) {
		return nil
	}
	if got.ToolName != want.ToolName {
		return fmt.Errorf("it was a result of %s, now it is one of %s", want.ToolName, got.ToolName)
	}
	a, b := NormalizeVolatile(want.Content), NormalizeVolatile(got.Content)
	if a == b {
		return nil
	}
	was, is := firstDifference(a, b)
	return fmt.Errorf("the result of %s differs\nrecorded: %s\nnow:      %s", plain.Line(want.ToolName, 60), was, is)
}

// firstDifference gives the first lines in which two texts differ.
func firstDifference(a, b string) (string, string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		var l, r string
		if i < len(x) {
			l = x[i]
		}
		if i < len(y) {
			r = y[i]
		}
		if l != r || i >= len(x) || i >= len(y) {
			return fmt.Sprintf("line %d: %s", i+1, around(l, r)), fmt.Sprintf("line %d: %s", i+1, around(r, l))
		}
	}
	return "", ""
}

// around shows s from a little before the place where it leaves other.
func around(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	if i > 60 {
		s = "…" + strings.ToValidUTF8(s[i-40:], "")
	}
	return plain.Line(s, 240)
}

// play writes a recorded reply.
func play(w http.ResponseWriter, step *recordedStep) {
	kind := "application/json; charset=utf-8"
	if step.Chat != nil || step.Path == "/api/pull" {
		kind = "application/x-ndjson"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(step.Status)
	flush := http.NewResponseController(w)
	for _, line := range step.Reply {
		if _, err := w.Write(append(append([]byte(nil), line...), '\n')); err != nil {
			return // the client is gone
		}
		_ = flush.Flush() // a writer that cannot flush sends at the end
	}
	_, _ = io.WriteString(w, step.Text)
	if step.Cut {
		panic(http.ErrAbortHandler)
	}
}

// Replay serves a recording on listen until ctx ends; the error is the first
// difference from it.
func Replay(ctx context.Context, listen net.Listener, file string) error {
	s, err := NewReplay(file)
	if err != nil {
		return err
	}
	if err := serve(ctx, listen, s); err != nil {
		return err
	}
	return s.Err()
}
