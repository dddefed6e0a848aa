package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// Next sends the conversation and appends the reply. watch, which may be nil,
// sees the reply as it arrives. Next itself waits for a busy server, asks again
// after crashes, broken streams and loops, finds calls printed as text and tells
// the model when a call could not be read (twice at most; these words are not
// kept). Errors: ErrContextFull before anything is sent that would not fit,
// ErrIncomplete, ErrRepetition, ErrIdle, *UnreachableError, *MissingModelError.
// After an error the history is as it was.
func (c *Chat) Next(ctx context.Context, watch func(Delta)) (Reply, error) {
	if c.misuse != nil {
		return Reply{}, c.misuse
	}
	for _, p := range c.pending {
		if !c.given[p.ID] {
			return Reply{}, fmt.Errorf("call %s of %s has no result", p.ID, p.Name)
		}
	}
	c.flush()
	t := turn{c: c, x: exchange{l: c.l, watch: watch}}
	reply, err := t.run(ctx)
	c.usage.Add(t.x.usage)
	reply.Usage = t.x.usage
	return reply, err
}

const mistakes = 2 // how often the model is told what was wrong with its reply

// turn is one Next: the same conversation, asked until the reply can be used.
type turn struct {
	c     *Chat
	x     exchange
	tries int
	nudge string // what was wrong with the last reply
}

func (t *turn) run(ctx context.Context) (Reply, error) {
	for {
		if t.c.budget.room() <= 0 {
			return Reply{}, fmt.Errorf("%w: about %d of %d tokens are used", ErrContextFull, t.c.budget.used(), t.c.budget.context)
		}
		t.prepare()
		ans, err := t.x.send(ctx)
		switch {
		case err == nil:
			reply, again, err := t.read(ans)
			if err != nil || !again {
				return reply, err
			}
		case classify(err) == faultParse:
			if reply, ok := t.salvageRaw(ans, rawReply(err)); ok {
				return reply, nil
			}
			if t.tries >= mistakes {
				return Reply{}, fmt.Errorf("%w: the server could not read its tool calls: %s", ErrInvalidReply, serverWords(err))
			}
			t.again("Your last reply was not a valid tool call and was dropped (" + serverWords(err) + ").")
		case classify(err) == faultNoTools && !t.c.text && len(t.c.history) == 2:
			t.c.l.Tools = false
			t.c.useText()
			t.c.budget = newBudget(t.c.l.Context)
			t.c.budget.add(t.c.headBytes() + messageBytes(t.c.history[1]))
			t.x.note("this model has no tools; using the text protocol")
		default:
			return Reply{}, t.x.final(ctx, err)
		}
	}
}

// prepare fills the request. A correction rides in the last message of this one
// request, so that the history and the cached prefix stay as they are.
func (t *turn) prepare() {
	t.x.messages = t.c.history
	if t.nudge != "" {
		copied := append([]api.Message(nil), t.c.history...)
		copied[len(copied)-1].Content += "\n\n" + t.nudge
		t.x.messages = copied
	}
	t.x.tools = nil
	if !t.c.text {
		t.x.tools = t.c.tools
	}
	t.x.predict = t.c.budget.predict() - len(t.nudge)/2
}

// again asks once more, telling the model what was wrong.
func (t *turn) again(problem string) {
	t.tries++
	t.x.warmer++
	t.x.usage.Retries++
	t.nudge = "[" + problem + " " + t.c.callAdvice() + "]"
	t.x.note(problem + " Asking again.")
}

func (c *Chat) callAdvice() string {
	if len(c.known.names) == 0 {
		return "Reply again."
	}
	if c.text {
		return "Reply with one tool block as described at the start. The tools are: " + strings.Join(c.known.names, ", ") + "."
	}
	return "Call one of these tools, by its exact name, with complete arguments: " + strings.Join(c.known.names, ", ") + "."
}

// read makes a Reply of an answer and appends it, or says that the model has to
// be asked again.
func (t *turn) read(ans answer) (Reply, bool, error) {
	c := t.c
	sent := c.budget.total + len(t.nudge)
	if c.budget.learn(ans.metric, sent, len(t.nudge)) {
		return Reply{}, false, fmt.Errorf("%w: the server counted %d prompt and %d reply tokens in a context of %d, so it has cut something",
			ErrContextFull, ans.metric.PromptEvalCount, ans.metric.EvalCount, c.budget.context)
	}
	reply, msg := c.interpret(ans)
	if reply.Text == "" && len(reply.Calls) == 0 && ans.finish != "length" && t.tries < mistakes {
		c.budget.forget(ans.metric.EvalCount + len(t.nudge)/3)
		if ans.metric.EvalCount > 8 && ans.msg.Thinking == "" {
			t.again("Your last reply held no text and no tool call that could be read.")
		} else {
			t.again("Your last reply was empty.")
		}
		return Reply{}, true, nil
	}
	c.keep(msg, reply)
	return reply, false, nil
}

// keep appends the assistant's message; its tokens are counted already.
func (c *Chat) keep(msg api.Message, reply Reply) {
	c.budget.total += messageBytes(msg)
	if msg.Content == "" && msg.Thinking == "" && len(msg.ToolCalls) == 0 {
		return // nothing was said: an empty message would only confuse templates
	}
	c.history = append(c.history, msg)
	c.pending = reply.Calls
}

// salvageRaw uses the model's text that a parse error quotes.
func (t *turn) salvageRaw(ans answer, raw string) (Reply, bool) {
	if raw == "" {
		return Reply{}, false
	}
	ans.msg.Content, ans.msg.ToolCalls = raw, nil
	ans.finish = "stop"
	if f, ok := inferCall(raw, t.c.known); ok && !t.c.text {
		ans.msg.Content = ""
		ans.msg.ToolCalls = []api.ToolCall{{Function: api.ToolCallFunction{Name: f.name, Arguments: f.args}}}
	}
	reply, msg := t.c.interpret(ans)
	if len(reply.Calls) == 0 {
		return Reply{}, false
	}
	reply.Salvaged = true
	t.c.budget.fresh += messageBytes(msg) // the server has not counted it
	t.c.keep(msg, reply)
	return reply, true
}

// interpret finds a reply's calls, in the protocol or in the text, and the
// message that goes into the history.
func (c *Chat) interpret(ans answer) (Reply, api.Message) {
	msg := ans.msg
	reply := Reply{Thinking: msg.Thinking, Finish: ans.finish}
	leaked, text := splitThink(msg.Content)
	if reply.Thinking == "" {
		reply.Thinking = leaked
	}
	reply.Text = strings.TrimSpace(text)
	switch {
	case len(msg.ToolCalls) > 0:
		for i := range msg.ToolCalls {
			if id := msg.ToolCalls[i].ID; id == "" || slices.ContainsFunc(reply.Calls, func(o Call) bool { return o.ID == id }) {
				msg.ToolCalls[i].ID = c.nextID()
			}
			reply.Calls = append(reply.Calls, c.call(msg.ToolCalls[i]))
		}
	case c.text:
		c.interpretText(&reply, &msg, text)
	case len(c.tools) > 0:
		c.interpretLost(&reply, &msg, text)
	}
	if ans.finish == "length" && len(reply.Calls) > 0 {
		last := &reply.Calls[len(reply.Calls)-1]
		last.Err = "your reply was cut off at its longest, so this call may be incomplete; do it in smaller parts"
	}
	return reply, msg
}

// interpretLost looks for calls that the server's parser let through as text.
// The message then carries them as calls, which shows the model the right form.
func (c *Chat) interpretLost(reply *Reply, msg *api.Message, text string) {
	found, rest := salvage(text, c.known)
	if len(found) == 0 && strings.TrimSpace(text) == "" {
		found = salvageTail(reply.Thinking, c.known)
	}
	if len(found) == 0 {
		return
	}
	reply.Salvaged = true
	reply.Text = strings.TrimSpace(rest)
	msg.Content = reply.Text
	for i, f := range found {
		tc := api.ToolCall{ID: c.nextID(), Function: api.ToolCallFunction{Index: i, Name: f.name, Arguments: f.args}}
		msg.ToolCalls = append(msg.ToolCalls, tc)
		reply.Calls = append(reply.Calls, c.call(tc))
	}
}

// interpretText reads the fenced-text protocol. Whatever a model writes after
// its block it has made up, so the message ends with the block.
func (c *Chat) interpretText(reply *Reply, msg *api.Message, text string) {
	block, ok := parseBlock(text, c.known)
	if !ok {
		found, rest := salvage(text, c.known)
		if len(found) == 0 {
			return
		}
		reply.Salvaged, reply.Text = true, strings.TrimSpace(rest)
		for _, f := range found {
			reply.Calls = append(reply.Calls, c.call(api.ToolCall{ID: c.nextID(), Function: api.ToolCallFunction{Name: f.name, Arguments: f.args}}))
		}
		return
	}
	reply.Text = strings.TrimSpace(text[:block.start])
	msg.Content = text[:block.end]
	call := c.call(api.ToolCall{ID: c.nextID(), Function: api.ToolCallFunction{Name: block.name, Arguments: block.args}})
	if block.open && call.Err == "" {
		call.Err = "the tool block is not closed"
	}
	endLine(call.Args)
	reply.Calls = []Call{call}
}

// call reads a call with the harness's names and types.
func (c *Chat) call(tc api.ToolCall) Call {
	call := Call{ID: tc.ID, Name: tc.Function.Name, wire: tc.Function.Name}
	name, ok := c.known.resolve(tc.Function.Name)
	if !ok {
		call.Args = tc.Function.Arguments.ToMap()
		call.Err = c.known.unknown(tc.Function.Name)
		return call
	}
	call.Name = name
	call.Args = c.known.arguments(name, tc.Function.Arguments)
	return call
}
