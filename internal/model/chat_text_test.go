package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"gitagent/internal/model/modeltest"
)

func TestSalvagedCallsGoIntoTheHistoryAsCalls(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		modeltest.Say("Let me look.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```"),
		modeltest.Step{Thinking: "I should look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"b\"}}\n</tool_call>"},
		modeltest.Say("ok"),
	))
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	for _, path := range []string{"a", "b"} {
		r, err := chat.Next(context.Background(), nil)
		if err != nil || !r.Salvaged || len(r.Calls) != 1 || r.Calls[0].Args["path"] != path {
			t.Fatalf("got %+v, %v", r, err)
		}
		chat.Result(r.Calls[0], "text")
	}
	if _, err := chat.Next(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	m := s.Chats()[2].Messages
	if m[2].Content != "Let me look." || len(m[2].ToolCalls) != 1 || m[3].ToolCallID != m[2].ToolCalls[0].ID {
		t.Errorf("messages: %+v", m)
	}
	if m[4].Thinking == "" || len(m[4].ToolCalls) != 1 || m[4].ToolCalls[0].ID == m[2].ToolCalls[0].ID {
		t.Errorf("the thinking was lost: %+v", m[4])
	}
}

func TestTextProtocolConversation(t *testing.T) {
	code := "<p>\"quoted\" \\n</p>\n```\nfence\n```"
	args := api.NewToolCallFunctionArguments()
	args.Set("path", "a.html")
	args.Set("content", code)
	s := modeltest.New(t, modeltest.Script(
		modeltest.Say("I write it.\n"+FormatCall("write_file", args)+"\n[result of write_file]\nwritten\n\nNow I am done."),
		modeltest.Say("ok"),
	))
	s.Capabilities = []model.Capability{model.CapabilityCompletion}
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	r, err := chat.Next(context.Background(), nil)
	if err != nil || len(r.Calls) != 1 || r.Calls[0].Args["content"] != code+"\n" || r.Text != "I write it." {
		t.Fatalf("got %+v, %v", r, err)
	}
	chat.Result(r.Calls[0], "12 bytes")
	if _, err := chat.Next(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	chats := s.Chats()
	if len(chats[0].Tools) != 0 || !strings.Contains(chats[0].Messages[0].Content, "## write_file") {
		t.Error("the tools are not described in the system message")
	}
	m := chats[1].Messages
	if strings.Contains(m[2].Content, "Now I am done") || m[3].Role != "user" || m[3].Content != "[result of write_file]\n12 bytes" {
		t.Errorf("messages: %+v", m[2:])
	}
}

func TestNoToolsAbilityFallsBackToText(t *testing.T) {
	args := api.NewToolCallFunctionArguments()
	args.Set("path", "a")
	s := modeltest.New(t, modeltest.Script(
		modeltest.Fail(http.StatusBadRequest, "registry.ollama.ai/library/test does not support tools"),
		modeltest.Say(FormatCall("read_file", args)),
	))
	chat := load(t, s, nil).NewChat("system", someTools())
	chat.User("task")
	r, err := chat.Next(context.Background(), nil)
	if err != nil || len(r.Calls) != 1 || r.Calls[0].Name != "read_file" {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestThinkIsDroppedWhereItIsNotTaken(t *testing.T) {
	s := modeltest.New(t, func(_ int, req api.ChatRequest) modeltest.Step {
		if req.Think != nil {
			return modeltest.Fail(http.StatusBadRequest, `think value "low" is not supported for this model`)
		}
		return modeltest.Say("ok")
	})
	s.Capabilities = append(s.Capabilities, model.CapabilityThinking)
	chat := load(t, s, func(set *Settings) { set.Think = "low" }).NewChat("system", nil)
	chat.User("task")
	if r, err := chat.Next(context.Background(), nil); err != nil || r.Text != "ok" {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestUsageAndLeakedThinking(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Step{Text: "<think>let me see</think>\nHello", Tokens: 10, Prompt: 100}))
	chat := load(t, s, nil).NewChat("system", nil)
	chat.User("task")
	var text strings.Builder
	r, err := chat.Next(context.Background(), func(d Delta) { text.WriteString(d.Text) })
	if err != nil || r.Text != "Hello" || r.Thinking != "let me see" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if u := r.Usage; u.Calls != 1 || u.TokensIn != 100 || u.TokensOut != 10 || u.Rate() != 5000 || chat.Usage() != u {
		t.Errorf("usage %+v, rate %v", u, u.Rate())
	}
	if !strings.Contains(text.String(), "Hello") {
		t.Errorf("streamed %q", text.String())
	}
	if b, err := json.Marshal(chat.Messages()); err != nil || !strings.Contains(string(b), "let me see") {
		t.Error("the message was not kept as it came")
	}
}
