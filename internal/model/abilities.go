package model

import (
	"context"
	"fmt"

	"github.com/ollama/ollama/api"
)

// Abilities says in one line what the server tells about a model, without
// loading it. Errors are those of Load.
func (c *Client) Abilities(ctx context.Context, name string) (string, error) {
	show, err := c.api.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return "", c.explain(ctx, name, err)
	}
	l := &Loaded{Name: name, client: c}
	if err := l.describe(show); err != nil {
		return "", err
	}
	how := "tool calls"
	if !l.Tools {
		how = "no tool calls, the fenced-text protocol is used"
	}
	if l.Thinking {
		how += ", thinking"
	}
	text := fmt.Sprintf("%s: %s", name, how)
	if l.Trained > 0 {
		text += fmt.Sprintf(", trained for %d tokens", l.Trained)
	}
	return text, nil
}
