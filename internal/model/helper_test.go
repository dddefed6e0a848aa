package model

import (
	"context"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

// tool makes a tool of string arguments; a name ending in ? is optional, one
// ending in # is an integer.
func tool(name string, args ...string) api.Tool {
	t := api.Tool{Type: "function", Function: api.ToolFunction{Name: name, Description: "does " + name}}
	t.Function.Parameters.Type = "object"
	t.Function.Parameters.Properties = api.NewToolPropertiesMap()
	for _, a := range args {
		kind, required := "string", true
		for {
			last := a[len(a)-1]
			if last == '?' {
				required = false
			} else if last == '#' {
				kind = "integer"
			} else {
				break
			}
			a = a[:len(a)-1]
		}
		t.Function.Parameters.Properties.Set(a, api.ToolProperty{Type: api.PropertyType{kind}, Description: "the " + a})
		if required {
			t.Function.Parameters.Required = append(t.Function.Parameters.Required, a)
		}
	}
	return t
}

func someTools() []api.Tool {
	return []api.Tool{
		tool("write_file", "path", "content"),
		tool("read_file", "path", "start_line#?"),
		tool("edit_file", "path", "old_text", "new_text"),
		tool("run_command", "command"),
		tool("end_session", "status", "reason?"),
	}
}

// connect makes a client of the fake server that does not wait between tries.
func connect(t *testing.T, s *modeltest.Server, change func(*Settings)) *Client {
	t.Helper()
	testenv.Clean(t)
	set := Settings{Host: s.URL, Models: map[Tier]string{Cheap: "test"}, Idle: 10 * time.Second}
	if change != nil {
		change(&set)
	}
	c, err := New(set)
	if err != nil {
		t.Fatal(err)
	}
	c.backoff = time.Millisecond
	return c
}

func load(t *testing.T, s *modeltest.Server, change func(*Settings)) *Loaded {
	t.Helper()
	l, err := connect(t, s, change).Load(context.Background(), Cheap, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
