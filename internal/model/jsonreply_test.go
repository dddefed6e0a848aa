package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
)

const personSchema = `{
	"type": "object",
	"properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer"}},
	"required": ["name", "age"]
}`

type person struct {
	Name string
	Age  int
}

func TestJSON(t *testing.T) {
	good := modeltest.Say(`{"name":"Ada","age":36}`)
	for _, c := range []struct {
		name  string
		steps []modeltest.Step
		err   error
		calls int
	}{
		{name: "at once", steps: []modeltest.Step{good}, calls: 1},
		{name: "fenced", steps: []modeltest.Step{modeltest.Say("Here it is:\n```json\n{\"name\":\"Ada\",\"age\":36}\n```\nGood?")}, calls: 1},
		{name: "in prose", steps: []modeltest.Step{modeltest.Say(`Sure {1}: {"name":"Ada","age":36}, done.`)}, calls: 1},
		{name: "after leaked thinking", steps: []modeltest.Step{modeltest.Say(`<think>{"name":"x","age":1}</think>{"name":"Ada","age":36}`)}, calls: 1},
		{name: "a missing field", steps: []modeltest.Step{modeltest.Say(`{"name":"Ada"}`), good}, calls: 2},
		{name: "no JSON, then cut", steps: []modeltest.Step{modeltest.Say("I cannot."), {Text: `{"name":"Ad`, Finish: "length"}, good}, calls: 3},
		{name: "a parse error of the server", steps: []modeltest.Step{modeltest.Fail(500, "failed to parse JSON: x"), good}, calls: 1},
		{name: "never", steps: []modeltest.Step{modeltest.Say("a"), modeltest.Say(`{"age":1}`), modeltest.Say(`{"name":"","age":1}`), good}, err: ErrInvalidReply, calls: 3},
		{name: "a schema that the server rejects", steps: []modeltest.Step{modeltest.Fail(500, "invalid JSON schema in format")}, err: errAny, calls: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(c.steps...))
			var p person
			use, err := load(t, s, nil).JSON(context.Background(), "sys", "Who?", json.RawMessage(personSchema), &p)
			if use.Calls != c.calls {
				t.Errorf("%d calls, want %d", use.Calls, c.calls)
			}
			if c.err != nil {
				if err == nil || (c.err != errAny && !errors.Is(err, c.err)) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil || p != (person{"Ada", 36}) {
				t.Fatalf("got %+v, %v", p, err)
			}
			for i, r := range s.Chats() {
				if len(r.Format) == 0 || len(r.Tools) > 0 || !strings.Contains(r.Messages[1].Content, `"minLength":1`) {
					t.Errorf("request %d: format %s, tools %d, %s", i, r.Format, len(r.Tools), r.Messages[1].Content)
				}
			}
		})
	}
}

var errAny = errors.New("any")

func TestJSONTellsTheReasons(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Say(`{"name":"Ada","age":"old"}`), modeltest.Say(`{"name":"Ada","age":36}`)))
	if _, err := load(t, s, nil).JSON(context.Background(), "", "Who?", json.RawMessage(personSchema), nil); err != nil {
		t.Fatal(err)
	}
	m := s.Chats()[1].Messages
	if len(m) != 3 || m[1].Role != "assistant" || !strings.Contains(m[2].Content, "/age") || !strings.Contains(m[2].Content, "integer") {
		t.Errorf("messages: %+v", m)
	}
}

func TestJSONDoesNotSendWhatDoesNotFit(t *testing.T) {
	s := modeltest.New(t, func(int, api.ChatRequest) modeltest.Step { return modeltest.Say("{}") })
	s.Trained = 2048
	_, err := load(t, s, nil).JSON(context.Background(), "", strings.Repeat("word ", 3000), json.RawMessage(personSchema), nil)
	if !errors.Is(err, ErrContextFull) || len(s.Chats()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Chats()))
	}
}

func TestJSONRefusesABrokenSchema(t *testing.T) {
	s := modeltest.New(t, modeltest.Script())
	l := load(t, s, nil)
	for _, schema := range []string{`{`, `{"type":"nonsense"}`} {
		if _, err := l.JSON(context.Background(), "", "x", json.RawMessage(schema), nil); err == nil {
			t.Errorf("schema %s was taken", schema)
		}
	}
	if len(s.Chats()) != 0 {
		t.Error("something was sent")
	}
}
