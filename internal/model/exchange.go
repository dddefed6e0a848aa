package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/plain"
)

// Delta is a piece of a reply as it arrives, or a note on what happens.
type Delta struct {
	Text     string
	Thinking string
	Note     string // one line for the person watching
	Tokens   int    // tokens received so far in this reply, about
}

// Usage is what requests cost.
type Usage struct {
	Calls        int // requests that were answered
	TokensIn     int // prompt tokens, the cached ones too
	TokensOut    int
	Retries      int
	Duration     time.Duration
	LoadDuration time.Duration
	PromptTime   time.Duration // reading the uncached part of the prompts
	ReplyTime    time.Duration // generating
}

// Add sums two usages.
func (u *Usage) Add(o Usage) {
	u.Calls += o.Calls
	u.TokensIn += o.TokensIn
	u.TokensOut += o.TokensOut
	u.Retries += o.Retries
	u.Duration += o.Duration
	u.LoadDuration += o.LoadDuration
	u.PromptTime += o.PromptTime
	u.ReplyTime += o.ReplyTime
}

// Rate is the speed of generating, in tokens a second; 0 when it is not known.
func (u Usage) Rate() float64 {
	if u.ReplyTime <= 0 {
		return 0
	}
	return float64(u.TokensOut) / u.ReplyTime.Seconds()
}

// answer is what one request brought.
type answer struct {
	msg    api.Message
	metric api.Metrics
	finish string
	done   bool
}

// exchange is one request with the retries that do not depend on what the reply
// means: a busy server, a crashed runner, a reply that breaks off or loops.
type exchange struct {
	l        *Loaded
	messages []api.Message
	tools    api.Tools
	format   json.RawMessage
	predict  int // most tokens to generate; at least 1 when there are messages
	warmer   int // steps by which the temperature is raised, since the same request brings the same mistake
	watch    func(Delta)
	usage    Usage
}

const busyTries = 6

// send asks until there is an answer. Errors of the model's own making (parse
// errors) and of the conversation (context, tools) are returned as they came.
func (x *exchange) send(ctx context.Context) (answer, error) {
	var busy, crashed, broken int
	for {
		ans, err := x.once(ctx)
		if err == nil {
			return ans, nil
		}
		if ctx.Err() != nil {
			return ans, x.l.client.explain(ctx, x.l.Name, err)
		}
		kind := classify(err)
		switch {
		case kind == faultBusy && busy < busyTries:
			wait := x.l.client.backoff << busy
			busy++
			x.note("the model server is busy; asking again")
			if err := pause(ctx, wait+rand.N(wait/2+1)); err != nil {
				return ans, err
			}
		case kind == faultCrash && crashed == 0:
			crashed++
			x.note("the model's process crashed; asking once more")
		case kind == faultNoThink && x.l.think != nil:
			x.l.think = nil
			x.note("this model does not take the think setting; going on without it")
		case (errors.Is(err, ErrIncomplete) || errors.Is(err, ErrRepetition) || errors.Is(err, ErrEndless)) && broken == 0:
			broken++
			x.warmer++
			x.note(err.Error() + "; asking again")
		case kind == faultParse, kind == faultContext, kind == faultNoTools, kind == faultFormat,
			errors.Is(err, ErrIncomplete), errors.Is(err, ErrRepetition), errors.Is(err, ErrEndless), errors.Is(err, ErrIdle):
			return ans, err
		default:
			return ans, x.l.client.explain(ctx, x.l.Name, err)
		}
		x.usage.Retries++
	}
}

// final explains an error that send returned as it came.
func (x *exchange) final(ctx context.Context, err error) error {
	switch classify(err) {
	case faultContext, faultNoTools, faultFormat:
		return x.l.client.explain(ctx, x.l.Name, err)
	}
	return err
}

func (x *exchange) request() *api.ChatRequest {
	no := false
	options := map[string]any{"num_ctx": x.l.numCtx}
	if len(x.messages) > 0 {
		options["num_predict"] = max(1, x.predict) // 0 would mean without limit
	}
	if x.warmer > 0 {
		options["temperature"] = min(1.5, x.l.temperature+0.2*float64(x.warmer))
	}
	messages := x.messages
	if messages == nil {
		messages = []api.Message{}
	}
	req := &api.ChatRequest{
		Model:     x.l.Name,
		Messages:  messages,
		Tools:     x.tools,
		Format:    x.format,
		Options:   options,
		Think:     x.l.think,
		Truncate:  &no,
		KeepAlive: &api.Duration{Duration: x.l.client.set.KeepAlive},
	}
	if x.l.noShift {
		req.Shift = &no
	}
	return req
}

// once sends one request and reads the stream to its end.
func (x *exchange) once(ctx context.Context) (answer, error) {
	idle := x.l.client.set.Idle
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(idle, func() {
		cancel(fmt.Errorf("%w (nothing for %s)", ErrIdle, idle))
	})
	defer timer.Stop()

	var ans answer
	var content, thinking strings.Builder
	var loopText, loopThought repetition
	chunks, room := 0, x.limit()
	err := x.l.client.api.Chat(ctx, x.request(), func(r api.ChatResponse) error {
		timer.Reset(idle)
		chunks++
		content.WriteString(r.Message.Content)
		thinking.WriteString(r.Message.Thinking)
		ans.msg.ToolCalls = append(ans.msg.ToolCalls, r.Message.ToolCalls...)
		if room -= size(r.Message); room < 0 {
			return ErrEndless
		}
		if r.Done {
			ans.done, ans.finish, ans.metric = true, r.DoneReason, r.Metrics
			return nil
		}
		x.show(Delta{Text: r.Message.Content, Thinking: r.Message.Thinking, Tokens: chunks})
		if loopText.add(r.Message.Content) || loopThought.add(r.Message.Thinking) {
			return ErrRepetition
		}
		return nil
	})
	ans.msg.Role = "assistant"
	ans.msg.Content, ans.msg.Thinking = content.String(), thinking.String()
	switch {
	case ans.done && err == nil:
		x.count(ans.metric)
		return ans, nil
	case errors.Is(err, ErrRepetition), errors.Is(err, ErrEndless):
		return ans, err
	case context.Cause(ctx) != nil:
		return ans, context.Cause(ctx) // the API client reports a cut stream as success
	case err == nil:
		return ans, ErrIncomplete
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return ans, fmt.Errorf("%w: %w", ErrIncomplete, err)
	default:
		return ans, err
	}
}

// limit is how many bytes of a reply are read: far more than the tokens that were
// asked for can be, since a server that keeps to them ends long before.
func (x *exchange) limit() int { return 1<<20 + 64*max(x.predict, 0) }

// size counts what a piece of a reply adds to it; a call costs a token or more.
func size(m api.Message) int {
	n := len(m.Content) + len(m.Thinking)
	for _, c := range m.ToolCalls {
		n += 64 + len(c.Function.Name) + len(c.Function.Arguments.String())
	}
	return n
}

func (x *exchange) count(m api.Metrics) {
	x.usage.Add(Usage{
		Calls: 1, TokensIn: m.PromptEvalCount, TokensOut: m.EvalCount, Duration: m.TotalDuration,
		LoadDuration: m.LoadDuration, PromptTime: m.PromptEvalDuration, ReplyTime: m.EvalDuration,
	})
	if len(x.messages) > 0 && m.LoadDuration > 3*time.Second {
		x.note("the server loaded the model anew: another program may be using it with other options")
	}
}

func (x *exchange) note(s string) { x.show(Delta{Note: plain.Line(s, 300)}) }

func (x *exchange) show(d Delta) {
	if x.watch != nil {
		x.watch(d)
	}
}
