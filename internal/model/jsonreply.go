package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gitagent/internal/plain"
)

// JSON asks once for a value that keeps to a JSON schema and decodes it into out
// (nil: it is only checked). The server is told to constrain the reply, which
// not every server does, so the value is validated here and asked for again,
// twice at most, with the reasons. Errors: ErrInvalidReply, and those of Next.
func (l *Loaded) JSON(ctx context.Context, system, prompt string, schema json.RawMessage, out any) (Usage, error) {
	return l.JSONWatch(ctx, system, prompt, schema, out, nil)
}

// JSONWatch is JSON for someone watching the reply arrive.
func (l *Loaded) JSONWatch(ctx context.Context, system, prompt string, schema json.RawMessage, out any, watch func(Delta)) (Usage, error) {
	check, err := compileSchema(schema)
	if err != nil {
		return Usage{}, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, schema); err != nil {
		return Usage{}, fmt.Errorf("reading the schema: %w", err)
	}
	// The grammar steers the sampling alone; the model has to be told as well.
	prompt += "\n\nReply with one JSON value that keeps to this JSON schema, and nothing else:\n" + compact.String()
	x := exchange{l: l, format: json.RawMessage(compact.Bytes()), watch: watch}
	if system != "" {
		x.messages = append(x.messages, api.Message{Role: "system", Content: system})
	}
	x.messages = append(x.messages, api.Message{Role: "user", Content: prompt})
	for try := 0; ; try++ {
		problem, reply, err := x.value(ctx, check, out)
		if err != nil || problem == "" {
			return x.usage, err
		}
		if try == mistakes {
			return x.usage, fmt.Errorf("%w: %s", ErrInvalidReply, problem)
		}
		x.note("the reply does not keep to its schema; asking again")
		x.warmer++
		x.usage.Retries++
		if reply != "" {
			x.messages = append(x.messages, api.Message{Role: "assistant", Content: reply})
		}
		x.messages = append(x.messages, api.Message{Role: "user", Content: "That cannot be used: " + problem + "\nReply again with the whole corrected JSON value and nothing else."})
	}
}

// value sends the request and checks the reply; problem says what is wrong with
// it, in words for the model.
func (x *exchange) value(ctx context.Context, check *jsonschema.Schema, out any) (problem, reply string, err error) {
	b := newBudget(x.l.Context)
	for _, m := range x.messages {
		b.add(messageBytes(m))
	}
	if b.room() <= 0 {
		return "", "", fmt.Errorf("%w: the question takes about %d of %d tokens", ErrContextFull, b.used(), b.context)
	}
	x.predict = b.predict()
	ans, err := x.send(ctx)
	switch {
	case classify(err) == faultParse:
		return serverWords(err), "", nil
	case err != nil:
		return "", "", x.final(ctx, err)
	case b.learn(ans.metric, b.total, 0):
		return "", "", fmt.Errorf("%w: the server counted %d prompt and %d reply tokens in a context of %d", ErrContextFull, ans.metric.PromptEvalCount, ans.metric.EvalCount, b.context)
	}
	_, text := splitThink(ans.msg.Content)
	raw, problem := pickJSON(text, check)
	if problem != "" && ans.finish == "length" {
		return "the reply was cut off at its longest; be shorter.", "", nil
	}
	if problem == "" && out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			problem = err.Error()
		}
	}
	return problem, plain.Clip(text, 2000), nil
}

// pickJSON finds the value in a reply that may have prose or a code fence around
// it, and validates it.
func pickJSON(text string, check *jsonschema.Schema) (json.RawMessage, string) {
	problem := "there is no JSON value in the reply."
	for _, candidate := range jsonCandidates(text) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(candidate))
		if err != nil {
			continue
		}
		if err := check.Validate(doc); err != nil {
			problem = validationWords(err)
			continue
		}
		return json.RawMessage(candidate), ""
	}
	return nil, problem
}

// jsonCandidates are the parts of a text that may be the value meant, the likely
// ones first; the last problem reported is that of the last one that is JSON.
func jsonCandidates(text string) []string {
	text = strings.TrimSpace(text)
	list := []string{text}
	for _, m := range fence.FindAllStringSubmatch(text, 8) {
		list = append(list, strings.TrimSpace(m[1]))
	}
	tries := 0
	for i := 0; i < len(text) && tries < 16; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		tries++
		if n := valueEnd(text[i:]); n > 0 {
			list = append(list, text[i:i+n])
			i += n - 1
		}
	}
	return list
}

func validationWords(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return err.Error()
	}
	lines := strings.Split(v.Error(), "\n")
	if len(lines) > 1 {
		lines = lines[1:] // the first names the schema's address
	}
	return plain.Clip(strings.Join(lines, "\n"), 1200)
}

func compileSchema(schema json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	const name = "mem://schema.json" // never fetched
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return s, nil
}
