package model

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	omodel "github.com/ollama/ollama/types/model"

	"gitagent/internal/hint"
)

// Loaded is a model in the server's memory, with the context that it truly got.
// Every request made through it carries the same runner options, since another
// value makes the server load the model anew. A Loaded serves one request at a
// time.
type Loaded struct {
	Name     string
	Digest   string
	Server   string // version of the server
	Context  int    // tokens, read back from the server
	Trained  int    // tokens the model was trained for; 0 = unknown
	Tools    bool   // tool calls in the protocol; without it the fenced-text protocol is used
	Thinking bool
	Remote   bool
	OnCPU    float64 // share of the model outside of the GPU's memory, 0 to 1
	LoadTime time.Duration

	client      *Client
	numCtx      int
	noShift     bool // tell the server to stop at the context's end instead of forgetting the beginning
	think       *api.ThinkValue
	temperature float64
}

// Load finds the tier's model, loads it with the options that all later requests
// carry and reads back the context it got. progress, which may be nil, gets a
// line for each thing that takes time. Errors: *UnreachableError,
// *MissingModelError, *RemoteModelError, or the server's own words.
func (c *Client) Load(ctx context.Context, tier Tier, progress func(string)) (*Loaded, error) {
	if progress == nil {
		progress = func(string) {}
	}
	name, err := c.Model(tier)
	if err != nil {
		return nil, err
	}
	version, err := c.Version(ctx)
	if err != nil {
		return nil, err
	}
	show, err := c.api.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return nil, c.explain(ctx, name, err)
	}
	l := &Loaded{Name: name, Server: version, client: c, noShift: olderThan(version, 0, 30)}
	if err := l.describe(show); err != nil {
		return nil, err
	}
	if l.numCtx, err = c.chooseContext(ctx, l); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("loading %s with a context of %d tokens", name, l.numCtx))
	if err := l.preload(ctx); err != nil {
		return nil, err
	}
	if err := l.readBack(ctx); err != nil {
		return nil, err
	}
	if l.OnCPU > 0.01 {
		progress(fmt.Sprintf("%.0f%% of %s is outside of the GPU's memory: it will be slow", l.OnCPU*100, name))
	}
	return l, nil
}

// describe takes what /api/show says and refuses models that run elsewhere.
func (l *Loaded) describe(show *api.ShowResponse) error {
	set := l.client.set
	remote := show.RemoteHost
	if l.client.base.Hostname() == "ollama.com" {
		remote = l.client.Host()
	}
	l.Remote = remote != ""
	if l.Remote && !set.AllowRemote {
		return hint.New(&RemoteModelError{Model: l.Name, Host: remote},
			"choose a local model: git config agent.model NAME",
			"or allow it: git config agent.allowRemote true")
	}
	for _, cap := range show.Capabilities {
		switch cap {
		case omodel.CapabilityTools:
			l.Tools = true
		case omodel.CapabilityThinking:
			l.Thinking = true
		}
	}
	if len(show.Capabilities) == 0 { // servers before 0.6.4 do not tell
		l.Tools = strings.Contains(show.Template, ".Tools")
	}
	if set.TextTools {
		l.Tools = false
	}
	if l.Thinking || set.Think == "false" {
		l.think, _ = thinkValue(set.Think) // New has checked it
	}
	if arch, ok := show.ModelInfo["general.architecture"].(string); ok {
		if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok && n > 0 && n < math.MaxInt32 {
			l.Trained = int(n)
		}
	}
	l.temperature = modelTemperature(show.Parameters)
	return nil
}

// olderThan compares a version such as 0.17.4. From 0.30 on the shift setting
// belongs to the loaded model, and one that differs from another program's makes
// the server load it anew; before, it is free. Builds from source say 0.0.0.
func olderThan(version string, major, minor int) bool {
	var a, b int
	if n, err := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d", &a, &b); n < 2 || err != nil {
		return false
	}
	return a < major || (a == major && b < minor)
}

// modelTemperature reads the model file's temperature, else the server's default.
func modelTemperature(parameters string) float64 {
	for line := range strings.Lines(parameters) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "temperature" {
			if t, err := strconv.ParseFloat(f[1], 64); err == nil && t >= 0 && t <= 2 {
				return t
			}
		}
	}
	return 0.8
}

// chooseContext: what the user set; what is loaded already, when it is enough;
// else as much as the model knows up to a size that most machines can hold.
func (c *Client) chooseContext(ctx context.Context, l *Loaded) (int, error) {
	if c.set.NumCtx > 0 {
		return c.set.NumCtx, nil
	}
	want := defaultMaxCtx
	if l.Trained > 0 {
		want = min(want, l.Trained)
	}
	p, err := c.running(ctx, l.Name)
	if err != nil {
		return 0, err
	}
	if p != nil && p.ContextLength >= min(c.set.MinCtx, want) {
		return p.ContextLength, nil
	}
	return want, nil
}

// running is what /api/ps says of the model, or nil.
func (c *Client) running(ctx context.Context, name string) (*api.ProcessModelResponse, error) {
	ps, err := c.api.ListRunning(ctx)
	if err != nil {
		return nil, c.explain(ctx, name, err)
	}
	for i, m := range ps.Models {
		if sameModel(m.Name, name) || sameModel(m.Model, name) {
			return &ps.Models[i], nil
		}
	}
	return nil, nil
}

// preload sends a chat without messages, which loads the model and nothing else.
func (l *Loaded) preload(ctx context.Context) error {
	start := time.Now()
	x := exchange{l: l}
	_, err := x.send(ctx)
	l.LoadTime = time.Since(start)
	return err
}

func (l *Loaded) readBack(ctx context.Context) error {
	if l.Remote {
		l.Context = l.numCtx // it runs elsewhere: nothing here can be read
		return nil
	}
	p, err := l.client.running(ctx, l.Name)
	if err != nil {
		return err
	}
	if p == nil {
		return hint.Errorf("the server's log says why; free memory or choose a smaller model", "the server did not keep %q loaded", l.Name)
	}
	l.Digest = p.Digest
	l.Context = p.ContextLength
	if l.Context <= 0 { // servers before 0.11 do not tell; they clamp to the trained length
		l.Context = l.numCtx
		if l.Trained > 0 {
			l.Context = min(l.Context, l.Trained)
		}
	}
	if p.Size > 0 && p.SizeVRAM > 0 && p.SizeVRAM < p.Size {
		l.OnCPU = float64(p.Size-p.SizeVRAM) / float64(p.Size)
	}
	return nil
}

// Unload asks the server to free the model's memory.
func (l *Loaded) Unload(ctx context.Context) error {
	req := &api.ChatRequest{Model: l.Name, KeepAlive: &api.Duration{}}
	err := l.client.api.Chat(ctx, req, func(api.ChatResponse) error { return nil })
	return l.client.explain(ctx, l.Name, err)
}
