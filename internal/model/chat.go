package model

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ollama/ollama/api"
)

// Chat is one conversation: append-only, one system message at its head, tools
// that never change, assistant messages kept as they came (with their thinking
// and the order of their arguments), so that the server's prompt cache covers
// all but the newest part of every request. A Chat is not safe for concurrent
// use.
type Chat struct {
	l       *Loaded
	tools   api.Tools
	known   *toolset
	text    bool // fenced-text protocol
	history []api.Message
	pending []Call          // calls that still need a result
	results []api.Message   // results given since the last request, in call order
	given   map[string]bool // ids of pending calls that have a result
	misuse  error           // a result too many: a fault of the caller, told by Next
	calls   int             // for the ids of salvaged calls
	budget  budget
	usage   Usage
}

// Call is a tool call. Args are the arguments under the tool's own names and
// types. When Err is not empty the call must not be executed: Err says why, in
// words for the model, and is the text to give to Result.
type Call struct {
	ID   string
	Name string
	Args map[string]any
	Err  string

	wire string // the name the model used, which its template expects again
}

// Reply is one answer of the model.
type Reply struct {
	Text     string // without leaked thinking and without salvaged calls
	Thinking string
	Calls    []Call
	Usage    Usage  // of this reply, retries included
	Finish   string // "stop" or "length"
	Salvaged bool   // the calls were found in the text
}

// NewChat begins a conversation. The tools are sorted by name. A model that does
// not have the tools ability gets them described in its system message.
func (l *Loaded) NewChat(system string, tools []api.Tool) *Chat {
	sorted := slices.Clone(tools)
	slices.SortFunc(sorted, func(a, b api.Tool) int {
		if a.Function.Name < b.Function.Name {
			return -1
		}
		return 1
	})
	c := &Chat{l: l, tools: sorted, known: newToolset(sorted), given: map[string]bool{}}
	c.history = []api.Message{{Role: "system", Content: system}}
	if !l.Tools && len(sorted) > 0 {
		c.useText()
	}
	c.budget = newBudget(l.Context)
	c.budget.add(c.headBytes())
	return c
}

// useText switches to the fenced-text protocol; only before the first reply.
func (c *Chat) useText() {
	c.text = true
	c.history[0].Content += "\n\n" + TextProtocol(c.tools)
}

// headBytes is the size of what every request begins with.
func (c *Chat) headBytes() int {
	n := messageBytes(c.history[0])
	if !c.text && len(c.tools) > 0 {
		if b, err := json.Marshal(c.tools); err == nil {
			n += len(b)
		}
	}
	return n
}

// User appends a user message: the task, or a word to a model that made no call.
// It is not for hints in the middle of a loop: those belong into a tool result,
// since templates drop all thinking before the last user message.
func (c *Chat) User(text string) {
	c.flush()
	c.append(api.Message{Role: "user", Content: text})
	c.budget.floor = 0 // templates now drop the thinking before it
}

// Result gives the result of a call; exactly one for each, before Next.
func (c *Chat) Result(call Call, text string) {
	if c.given[call.ID] || !slices.ContainsFunc(c.pending, func(p Call) bool { return p.ID == call.ID }) {
		c.misuse = fmt.Errorf("a second or unasked result for call %s of %s", call.ID, call.Name)
		return
	}
	c.given[call.ID] = true
	m := api.Message{Role: "tool", Content: text, ToolName: call.wire, ToolCallID: call.ID}
	if c.text {
		m = api.Message{Role: "user", Content: textResult(call.Name, text)}
	}
	c.results = append(c.results, m)
	c.budget.add(messageBytes(m))
}

// flush moves the results to the history; in the text protocol they become one
// user message.
func (c *Chat) flush() {
	if c.text && len(c.results) > 1 {
		first := c.results[0]
		for _, m := range c.results[1:] {
			first.Content += "\n\n" + m.Content
		}
		c.results = []api.Message{first}
	}
	c.history = append(c.history, c.results...)
	c.results = nil
	c.pending = slices.DeleteFunc(c.pending, func(p Call) bool { return c.given[p.ID] })
	clear(c.given)
}

func (c *Chat) append(m api.Message) {
	c.history = append(c.history, m)
	c.budget.add(messageBytes(m))
}

// Messages is the conversation so far, for a transcript.
func (c *Chat) Messages() []api.Message {
	return append(slices.Clone(c.history), c.results...)
}

// Usage is what the conversation has cost so far.
func (c *Chat) Usage() Usage { return c.usage }

// Room is how many tokens can be added before the next request would not fit. It
// is an estimate on the safe side; zero or less means that Next would refuse.
func (c *Chat) Room() int { return c.budget.room() }

func (c *Chat) nextID() string {
	c.calls++
	return fmt.Sprintf("call_s%d", c.calls)
}
