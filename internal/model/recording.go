package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/ollama/ollama/api"
)

// A recording is a file of JSON lines. The first is the head; every other one is
// an exchange in the order in which they happened. A chat stores only what its
// conversation has more than the chat before, since each request repeats it all.

const recordingVersion = 1

type recordingHead struct {
	Kind    string `json:"kind"` // "git-agent recording"
	Version int    `json:"version"`
	Label   string `json:"label"` // where the replies come from
}

const recordingKind = "git-agent recording"

type recordedExchange struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Chat    *recordedChat     `json:"chat,omitempty"`
	Request json.RawMessage   `json:"request,omitempty"` // of everything but chats
	Status  int               `json:"status"`
	Reply   []json.RawMessage `json:"reply,omitempty"` // one for each line
	Text    string            `json:"text,omitempty"`  // a reply that is not JSON
	Cut     bool              `json:"cut,omitempty"`   // the stream broke off
}

type recordedChat struct {
	Model    string          `json:"model"`
	Keeps    int             `json:"keeps"` // messages that are those of the chat before
	Messages []api.Message   `json:"messages"`
	Tools    json.RawMessage `json:"tools,omitempty"` // left out when they are those of the chat before
	NoTools  bool            `json:"no_tools,omitempty"`
	Format   bool            `json:"format,omitempty"`
	Options  map[string]any  `json:"options,omitempty"`
}

// chatRequest is what a recording needs to know of a request.
type chatRequest struct {
	Model    string          `json:"model"`
	Messages []api.Message   `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Format   json.RawMessage `json:"format"`
	Options  map[string]any  `json:"options"`
}

// differences keeps the last chat, against which the next one is stored.
type differences struct {
	messages []api.Message
	tools    json.RawMessage
}

// shrink stores a request against the last one.
func (d *differences) shrink(r chatRequest) *recordedChat {
	keeps := 0
	for keeps < len(r.Messages) && keeps < len(d.messages) && sameMessage(r.Messages[keeps], d.messages[keeps]) {
		keeps++
	}
	c := &recordedChat{Model: r.Model, Keeps: keeps, Messages: r.Messages[keeps:], Format: len(r.Format) > 0, Options: r.Options}
	switch {
	case len(r.Tools) == 0:
		c.NoTools = len(d.tools) > 0
	case !bytes.Equal(r.Tools, d.tools):
		c.Tools = r.Tools
	}
	d.messages, d.tools = r.Messages, r.Tools
	return c
}

// grow gives back the whole request.
func (d *differences) grow(c *recordedChat) (chatRequest, error) {
	if c.Keeps < 0 || c.Keeps > len(d.messages) {
		return chatRequest{}, fmt.Errorf("a chat keeps %d messages of %d", c.Keeps, len(d.messages))
	}
	r := chatRequest{Model: c.Model, Options: c.Options, Tools: d.tools}
	r.Messages = append(slices.Clone(d.messages[:c.Keeps]), c.Messages...)
	if len(c.Tools) > 0 {
		r.Tools = c.Tools
	}
	if c.NoTools {
		r.Tools = nil
	}
	if c.Format {
		r.Format = json.RawMessage(`true`)
	}
	d.messages, d.tools = r.Messages, r.Tools
	return r, nil
}

func sameMessage(a, b api.Message) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// recordedStep is an exchange with its chat request made whole.
type recordedStep struct {
	recordedExchange
	request chatRequest
}

// readRecording reads a whole recording. Errors name the line.
func readRecording(r io.Reader) (recordingHead, []recordedStep, error) {
	var head recordingHead
	var steps []recordedStep
	var chats differences
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return head, nil, fmt.Errorf("reading the recording: %w", err)
		}
		last := err == io.EOF
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := readLine(n, line, &head, &steps, &chats); err != nil {
				return head, nil, fmt.Errorf("recording, line %d: %w", n, err)
			}
		}
		if last {
			break
		}
	}
	if head.Kind == "" {
		return head, nil, fmt.Errorf("this is not a recording: it is empty")
	}
	return head, steps, nil
}

func readLine(n int, line []byte, head *recordingHead, steps *[]recordedStep, chats *differences) error {
	if n == 1 {
		if err := json.Unmarshal(line, head); err != nil || head.Kind != recordingKind {
			return fmt.Errorf("this is not a recording: its head is missing")
		}
		if head.Version != recordingVersion {
			return fmt.Errorf("version %d is not understood", head.Version)
		}
		return nil
	}
	var s recordedStep
	if err := json.Unmarshal(line, &s.recordedExchange); err != nil {
		return err
	}
	if s.Chat != nil {
		var err error
		if s.request, err = chats.grow(s.Chat); err != nil {
			return err
		}
	}
	*steps = append(*steps, s)
	return nil
}
