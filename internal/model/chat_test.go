package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
)

func TestConversationIsAppendOnly(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		modeltest.Step{Thinking: "I look first"}.And("read_file", "start_line", 3, "path", "a.txt"),
		modeltest.Use("write_file", "path", "a", "content", "x").And("run_command", "command", "ls"),
		modeltest.Say("all done"),
	))
	l := load(t, s, nil)
	chat := l.NewChat("system", someTools())
	chat.User("the task")
	results := 0
	for range 3 {
		r, err := chat.Next(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range r.Calls {
			results++
			chat.Result(call, "result")
		}
	}
	chats := s.Chats()
	if results != 3 || len(chats) != 3 {
		t.Fatalf("%d results, %d chats", results, len(chats))
	}
	for i := 1; i < len(chats); i++ {
		before, after := chats[i-1].Messages, chats[i].Messages
		for j := range before {
			if !sameMessage(before[j], after[j]) {
				t.Errorf("request %d changed message %d: %+v, was %+v", i, j, after[j], before[j])
			}
		}
		if chats[i].Tools.String() != chats[0].Tools.String() {
			t.Errorf("request %d has other tools", i)
		}
	}
	last := chats[2].Messages
	systems := 0
	for _, m := range last {
		if m.Role == "system" {
			systems++
		}
	}
	if systems != 1 || last[0].Role != "system" {
		t.Errorf("%d system messages", systems)
	}
	if last[2].Thinking != "I look first" || !strings.Contains(last[2].ToolCalls[0].Function.Arguments.String(), `{"start_line":3,"path":"a.txt"}`) {
		t.Errorf("the assistant's message was not kept as it came: %+v", last[2])
	}
	if last[3].Role != "tool" || last[3].ToolName != "read_file" || last[3].ToolCallID != last[2].ToolCalls[0].ID {
		t.Errorf("tool result: %+v", last[3])
	}
	for _, r := range chats {
		if n := r.Options["num_predict"].(float64); n < 1 || n >= float64(l.Context) {
			t.Errorf("num_predict %v in a context of %d", n, l.Context)
		}
	}
}

func TestEveryCallGetsExactlyOneResult(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Use("read_file", "path", "a"), modeltest.Say("ok")))
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	r, err := chat.Next(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chat.Next(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "no result") {
		t.Errorf("a missing result went unnoticed: %v", err)
	}
	chat.Result(r.Calls[0], "x")
	chat.Result(r.Calls[0], "x")
	if _, err := chat.Next(context.Background(), nil); err == nil {
		t.Error("a second result went unnoticed")
	}
}

func TestFaults(t *testing.T) {
	flood := modeltest.Use("read_file", "path", strings.Repeat("a", 4<<20))
	use := modeltest.Use("read_file", "path", "a")
	for _, c := range []struct {
		name    string
		steps   []modeltest.Step
		err     error  // nil: the reply is the call of use
		words   string // in the error
		retries int
	}{
		{name: "a busy server is asked again", retries: 2, steps: []modeltest.Step{
			modeltest.Fail(503, "server busy, please try again.  maximum pending requests exceeded"), modeltest.Fail(503, "Server overloaded, please retry shortly"), use}},
		{name: "a crash is tried once more", retries: 1, steps: []modeltest.Step{
			modeltest.Fail(500, "llama runner process has terminated: exit status 2"), use}},
		{name: "a second crash is told", words: "unexpectedly stopped", retries: 1, steps: []modeltest.Step{
			modeltest.Fail(500, "model runner has unexpectedly stopped"), modeltest.Fail(500, "model runner has unexpectedly stopped"), use}},
		{name: "an error in mid-stream", words: "CUDA error", retries: 1, steps: []modeltest.Step{
			{Text: "I will", Error: "CUDA error: out of memory"}, {Text: "I will", Error: "CUDA error: out of memory"}}},
		{name: "no closing word, once", retries: 1, steps: []modeltest.Step{{Text: "half", NoDone: true}, use}},
		{name: "no closing word, twice", err: ErrIncomplete, retries: 1, steps: []modeltest.Step{{Text: "half", NoDone: true}, {Text: "half", NoDone: true}}},
		{name: "a broken connection", err: ErrIncomplete, retries: 1, steps: []modeltest.Step{{Text: "half", Cut: true}, {Cut: true}}},
		{name: "a parse error is told to the model", retries: 1, steps: []modeltest.Step{
			modeltest.Fail(500, "failed to parse JSON: unexpected end of JSON input"), use}},
		{name: "parse errors without end", err: ErrInvalidReply, retries: 2, steps: []modeltest.Step{
			modeltest.Fail(500, "XML syntax error on line 3"), modeltest.Fail(500, "XML syntax error on line 3"), modeltest.Fail(500, "XML syntax error on line 3"), use}},
		{name: "a swallowed call is asked for again", retries: 1, steps: []modeltest.Step{{Tokens: 40}, use}},
		{name: "an empty reply", retries: 2, steps: []modeltest.Step{{Tokens: 1}, {Tokens: 1}, use}},
		{name: "the server finds it too long", err: ErrContextFull, steps: []modeltest.Step{modeltest.Fail(400, "the input length exceeds the context length")}},
		{name: "the newer server's words for it", err: ErrContextFull, steps: []modeltest.Step{modeltest.Fail(400, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it")}},
		{name: "the user's turn was lost", err: ErrContextFull, steps: []modeltest.Step{modeltest.Fail(500, "no user query found in messages")}},
		{name: "not signed in", words: "401", steps: []modeltest.Step{modeltest.Fail(401, "unauthorized")}},
		{name: "a loop, once", retries: 1, steps: []modeltest.Step{modeltest.Say(strings.Repeat("I will now fix it. ", 900)), use}},
		{name: "a loop, twice", err: ErrRepetition, retries: 1, steps: []modeltest.Step{
			modeltest.Say(strings.Repeat("I will now fix it. ", 900)), {Thinking: strings.Repeat("hmm. ", 3000)}}},
		{name: "more than was asked for, once", retries: 1, steps: []modeltest.Step{flood, use}},
		{name: "more than was asked for, twice", err: ErrEndless, retries: 1, steps: []modeltest.Step{flood, flood}},
		{name: "the call is in the quoted raw text", steps: []modeltest.Step{
			modeltest.Fail(500, "error parsing tool call: raw='{\"path\":\"a\",\"start_line\":\"1\n\"}', err=invalid character '\\n' in string literal")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(c.steps...))
			chat := load(t, s, nil).NewChat("system", someTools())
			chat.User("task")
			before := len(chat.Messages())
			r, err := chat.Next(context.Background(), nil)
			if r.Usage.Retries != c.retries {
				t.Errorf("%d retries, want %d", r.Usage.Retries, c.retries)
			}
			if c.err != nil || c.words != "" {
				if err == nil || (c.err != nil && !errors.Is(err, c.err)) || !strings.Contains(err.Error(), c.words) {
					t.Fatalf("got %+v, %v", r, err)
				}
				if len(chat.Messages()) != before {
					t.Error("a failed reply was kept")
				}
				return
			}
			if err != nil || len(r.Calls) != 1 || r.Calls[0].Name != "read_file" || r.Calls[0].Args["path"] != "a" || r.Calls[0].Err != "" {
				t.Fatalf("got %+v, %v", r, err)
			}
			if n := len(chat.Messages()); n != before+1 {
				t.Errorf("history has %d messages, want %d: corrections are not kept", n, before+1)
			}
		})
	}
}

func TestRetriesChangeTheTemperatureAlone(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Step{Text: "half", NoDone: true}, modeltest.Say("ok")))
	s.Parameters = "temperature                    0.5\nstop \"x\""
	chat := load(t, s, nil).NewChat("system", nil)
	chat.User("task")
	if _, err := chat.Next(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	first, second := s.Chats()[0], s.Chats()[1]
	if first.Options["temperature"] != nil || second.Options["temperature"] != 0.7 {
		t.Errorf("temperatures %v and %v", first.Options["temperature"], second.Options["temperature"])
	}
	if first.Options["num_ctx"] != second.Options["num_ctx"] || s.Loads() != 1 {
		t.Error("a retry changed the runner's options")
	}
}

func TestLengthDoesNotExecuteTheLastCall(t *testing.T) {
	step := modeltest.Use("read_file", "path", "a").And("write_file", "path", "b")
	step.Finish = "length"
	s := modeltest.New(t, modeltest.Script(step))
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	r, err := chat.Next(context.Background(), nil)
	if err != nil || len(r.Calls) != 2 || r.Calls[0].Err != "" || r.Calls[1].Err == "" || r.Finish != "length" {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestUnknownToolsAndOtherNames(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		modeltest.Use("bash", "cmd", "ls").And("launch_rocket", "when", "now").And("str_replace", "filePath", "a", "oldText", "x", "new_string", "y"),
		modeltest.Say("ok"),
	))
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	r, err := chat.Next(context.Background(), nil)
	if err != nil || len(r.Calls) != 3 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if c := r.Calls[0]; c.Name != "run_command" || c.Args["command"] != "ls" {
		t.Errorf("bash: %+v", c)
	}
	if c := r.Calls[1]; !strings.Contains(c.Err, "run_command") {
		t.Errorf("an unknown tool should name the known ones: %+v", c)
	}
	if c := r.Calls[2]; c.Name != "edit_file" || c.Args["path"] != "a" || c.Args["old_text"] != "x" || c.Args["new_text"] != "y" {
		t.Errorf("str_replace: %+v", c)
	}
	for _, c := range r.Calls {
		chat.Result(c, "done")
	}
	if _, err := chat.Next(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if m := s.Chats()[1].Messages[3]; m.ToolName != "bash" {
		t.Errorf("the template expects the model's own name back: %+v", m)
	}
}

func TestContextFullBeforeSending(t *testing.T) {
	s := modeltest.New(t, func(int, api.ChatRequest) modeltest.Step { return modeltest.Use("read_file", "path", "a") })
	s.Trained = 4096
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	var err error
	turns, rooms := 0, []int{chat.Room()}
	for ; turns < 50; turns++ {
		var r Reply
		if r, err = chat.Next(context.Background(), nil); err != nil {
			break
		}
		chat.Result(r.Calls[0], strings.Repeat("some result text ", 60))
		rooms = append(rooms, chat.Room())
	}
	if !errors.Is(err, ErrContextFull) || turns < 3 {
		t.Fatalf("after %d turns: %v", turns, err)
	}
	if len(s.Chats()) != turns {
		t.Errorf("%d requests were sent, %d answered: one did not fit", len(s.Chats()), turns)
	}
	for i := 1; i < len(rooms); i++ {
		if rooms[i] >= rooms[i-1] {
			t.Errorf("room grew from %d to %d", rooms[i-1], rooms[i])
		}
	}
	if chat.Room() > 0 {
		t.Errorf("room %d after the end", chat.Room())
	}
}

func TestSilentTruncationIsNoticed(t *testing.T) {
	for name, step := range map[string]modeltest.Step{
		"the prompt fills the context":     {Text: "ok", Prompt: 4096},
		"prompt and reply exceed it":       {Text: "ok", Prompt: 3500, Tokens: 900},
		"the prompt shrank near the limit": {Text: "ok", Prompt: 2500, Tokens: 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Step{Text: "fine", Prompt: 3000}, step))
			s.Trained, s.Truncates = 4096, true
			chat := load(t, s, nil).NewChat("system", someTools())
			chat.User("task")
			if _, err := chat.Next(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			chat.append(api.Message{Role: "tool", Content: "x"})
			if r, err := chat.Next(context.Background(), nil); !errors.Is(err, ErrContextFull) {
				t.Fatalf("got %+v, %v", r, err)
			}
		})
	}
}

func TestIdleAndCancel(t *testing.T) {
	s := modeltest.New(t, func(int, api.ChatRequest) modeltest.Step {
		return modeltest.Step{Text: "thinking about it", Wait: true}
	})
	chat := load(t, s, func(set *Settings) { set.Idle = 50 * time.Millisecond }).NewChat("system", nil)
	chat.User("task")
	if _, err := chat.Next(context.Background(), nil); !errors.Is(err, ErrIdle) {
		t.Errorf("idle: %v", err)
	}
	chat = load(t, s, nil).NewChat("system", nil)
	chat.User("task")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := chat.Next(ctx, func(d Delta) {
		if d.Text != "" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}
