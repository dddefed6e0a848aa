//go:build ollama

package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
)

// TestOllama drives this package's client against the real server.
func TestOllama(t *testing.T) {
	const trained = 2048
	o := modeltest.StartOllama(t, trained)
	loadWith := func(t *testing.T, host string, numCtx int) *Loaded {
		t.Helper()
		c, err := New(Settings{Host: host, Models: map[Tier]string{Cheap: "tiny"}, NumCtx: numCtx})
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Load(context.Background(), Cheap, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	t.Run("preload and read back", func(t *testing.T) {
		l := loadWith(t, o.URL, 1024)
		if l.Context != 1024 || l.Trained != trained || !l.Tools || l.Thinking || l.Remote || l.Digest == "" || l.Server == "" {
			t.Errorf("loaded %+v", l)
		}
		if l = loadWith(t, o.URL, 100_000); l.Context != trained {
			t.Errorf("context %d: the server clamps to %d", l.Context, trained)
		}
	})
	t.Run("streamed chat without a reload", func(t *testing.T) { realChat(t, o, loadWith(t, o.URL, trained)) })
	t.Run("constrained JSON", func(t *testing.T) { realJSON(t, loadWith(t, o.URL, trained)) })
	t.Run("overflow", func(t *testing.T) { realOverflow(t, loadWith(t, o.URL, trained)) })
	t.Run("cancellation", func(t *testing.T) {
		// The server keeps the place of a reply for ever whose next piece comes
		// in the moment in which the client goes (streamResponse of v0.17.4): of
		// a model as fast as this about once in forty times.
		for range 3 {
			own := o.Another(t)
			if realCancel(t, loadWith(t, own.URL, trained)) {
				return
			}
		}
		t.Error("three times the next request got no answer")
	})
	t.Run("model not found", func(t *testing.T) {
		c, err := New(Settings{Host: o.URL, Models: map[Tier]string{Cheap: "tinny"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Load(context.Background(), Cheap, nil)
		var m *MissingModelError
		if !errors.As(err, &m) || len(m.Near) != 1 || m.Near[0] != o.Model {
			t.Errorf("got %v", err)
		}
	})
	t.Run("record and replay", func(t *testing.T) { realReplay(t, o, loadWith) })
}

func realChat(t *testing.T, o *modeltest.Ollama, l *Loaded) {
	runners := strings.Count(o.Log(), "starting runner")
	if runners == 0 {
		t.Fatal("the log no longer tells when a runner is started")
	}
	chat := l.NewChat("You speak noise.", someTools()[:1])
	chat.User("Say something.")
	last := 0
	for range 2 {
		pieces := 0
		r, err := chat.Next(context.Background(), func(d Delta) { pieces += min(1, len(d.Text)) })
		if err != nil {
			t.Fatal(err)
		}
		if r.Usage.TokensIn <= last || r.Usage.TokensOut == 0 || r.Usage.Calls == 0 || r.Usage.ReplyTime == 0 {
			t.Errorf("usage %+v", r.Usage)
		}
		if len(r.Text) > 100 && pieces < 2 {
			t.Errorf("%d bytes came in %d pieces", len(r.Text), pieces)
		}
		if chat.Room() >= l.Context-r.Usage.TokensIn/r.Usage.Calls {
			t.Errorf("room %d after %+v", chat.Room(), r.Usage)
		}
		if r.Finish == "length" || chat.Room() < 200 {
			return // noise goes on until its token for the end comes up
		}
		last = r.Usage.TokensIn
		for _, c := range r.Calls {
			chat.Result(c, "nothing")
		}
		chat.User("And more.")
	}
	if n := strings.Count(o.Log(), "starting runner"); n != runners {
		t.Errorf("the model was loaded anew %d times", n-runners)
	}
}

func realJSON(t *testing.T, l *Loaded) {
	schema := json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string","enum":["red","green"]},"sure":{"type":"boolean"}},"required":["colour","sure"]}`)
	for range 3 {
		var out struct {
			Colour string
			Sure   *bool
		}
		use, err := l.JSON(context.Background(), "", "Which?", schema, &out)
		if err != nil {
			t.Fatal(err)
		}
		if (out.Colour != "red" && out.Colour != "green") || out.Sure == nil || use.Retries != 0 {
			t.Errorf("got %+v, usage %+v", out, use)
		}
	}
}

func realOverflow(t *testing.T, l *Loaded) {
	long := strings.Repeat("far too long a word ", 400)
	chat := l.NewChat("system", nil)
	chat.User(long)
	if _, err := chat.Next(context.Background(), nil); !errors.Is(err, ErrContextFull) {
		t.Errorf("the budget let it through: %v", err)
	}
	// past the budget, the server itself must refuse and not cut
	x := exchange{l: l, predict: 1, messages: []api.Message{{Role: "user", Content: long}}}
	_, err := x.send(context.Background())
	if err = x.final(context.Background(), err); !errors.Is(err, ErrContextFull) {
		t.Errorf("the server: %v", err)
	}
}

// realCancel says whether the server answers after a reply that was cancelled.
func realCancel(t *testing.T, l *Loaded) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := exchange{l: l, predict: 1500, messages: []api.Message{{Role: "user", Content: "go on"}}}
	seen := 0
	x.watch = func(d Delta) {
		if d.Text != "" {
			seen++
			cancel()
		}
	}
	if _, err := x.send(ctx); seen > 0 && !errors.Is(err, context.Canceled) {
		t.Errorf("after %d pieces: %v", seen, err)
	}
	if seen == 0 {
		t.Error("nothing was streamed before the end")
	}
	after := exchange{l: l, predict: 1, messages: []api.Message{{Role: "user", Content: "still there?"}}}
	patience, end := context.WithTimeout(context.Background(), 20*time.Second)
	defer end()
	_, err := after.send(patience)
	if err != nil && patience.Err() == nil {
		t.Errorf("the next request: %v", err)
	}
	return patience.Err() == nil
}

func realReplay(t *testing.T, o *modeltest.Ollama, load func(*testing.T, string, int) *Loaded) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := NewRecorder(o.URL, f, "a tiny random model")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(host string) string {
		t.Helper()
		x := exchange{l: load(t, host, 2048), predict: 40, messages: []api.Message{{Role: "user", Content: "hello"}}}
		ans, err := x.send(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return ans.msg.Content
	}
	recorder := httptest.NewServer(rec)
	said := ask(recorder.URL)
	recorder.Close()
	if err := rec.Err(); err != nil {
		t.Fatal(err)
	}
	replay, err := NewReplay(file)
	if err != nil {
		t.Fatal(err)
	}
	replayed := httptest.NewServer(replay)
	defer replayed.Close()
	if again := ask(replayed.URL); again != said {
		t.Errorf("replayed %q, recorded %q", again, said)
	}
}
