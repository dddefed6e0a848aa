package modeltest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"
)

// Step is one answer of the fake server.
type Step struct {
	Text     string
	Thinking string
	Calls    []api.ToolCall
	Finish   string // "" = stop
	Status   int    // an HTTP error before anything is sent
	Error    string // its words; with Status 0 an error in the middle of the stream
	NoDone   bool   // the stream ends without its closing word
	Cut      bool   // the connection breaks
	Wait     bool   // sends the text and then nothing, until the client goes
	Tokens   int    // eval_count; 0 = from the length of the reply
	Prompt   int    // prompt_eval_count; 0 = counted
}

// Say answers with text.
func Say(text string) Step { return Step{Text: text} }

// Fail answers with an HTTP error.
func Fail(status int, words string) Step { return Step{Status: status, Error: words} }

// Use answers with a tool call; the pairs are argument names and values, in order.
func Use(tool string, pairs ...any) Step { return Step{}.And(tool, pairs...) }

// And adds one more tool call.
func (s Step) And(tool string, pairs ...any) Step {
	args := api.NewToolCallFunctionArguments()
	for i := 0; i+1 < len(pairs); i += 2 {
		args.Set(pairs[i].(string), pairs[i+1])
	}
	id := "call_" + strings.Repeat("x", len(s.Calls)+1)
	s.Calls = append(append([]api.ToolCall(nil), s.Calls...), api.ToolCall{
		ID: id, Function: api.ToolCallFunction{Index: len(s.Calls), Name: tool, Arguments: args},
	})
	return s
}

func (s Step) play(w http.ResponseWriter, r *http.Request, prompt int) {
	if s.Status != 0 {
		fail(w, s.Status, s.Error)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	flush := http.NewResponseController(w)
	send := func(m api.Message) {
		m.Role = "assistant"
		write(w, api.ChatResponse{Model: "test", Message: m})
		_ = flush.Flush() // a writer that cannot flush sends at the end
	}
	for _, p := range pieces(s.Thinking) {
		send(api.Message{Thinking: p})
	}
	for _, p := range pieces(s.Text) {
		send(api.Message{Content: p})
	}
	for _, c := range s.Calls {
		send(api.Message{ToolCalls: []api.ToolCall{c}})
	}
	switch {
	case s.Error != "":
		write(w, map[string]string{"error": s.Error})
		return
	case s.Cut:
		panic(http.ErrAbortHandler)
	case s.Wait:
		<-r.Context().Done()
		return
	case s.NoDone:
		return
	}
	write(w, api.ChatResponse{Model: "test", Done: true, DoneReason: s.finish(), Metrics: s.metrics(prompt)})
}

func (s Step) finish() string {
	if s.Finish == "" {
		return "stop"
	}
	return s.Finish
}

func (s Step) metrics(prompt int) api.Metrics {
	if s.Prompt > 0 {
		prompt = s.Prompt
	}
	calls, _ := json.Marshal(s.Calls)
	n := s.Tokens
	if n == 0 {
		n = (len(s.Text)+len(s.Thinking)+len(calls))/4 + 1
	}
	return api.Metrics{PromptEvalCount: prompt, EvalCount: n, TotalDuration: 5e6, EvalDuration: 2e6, PromptEvalDuration: 1e6}
}

// pieces cuts text as a server streams it, in parts of a few characters.
func pieces(s string) []string {
	var out []string
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(7, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
