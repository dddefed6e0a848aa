package model

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/ollama/ollama/types/model"

	"gitagent/internal/hint"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

func TestParseHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "http://127.0.0.1:11434",
		"0.0.0.0":                  "http://127.0.0.1:11434",
		"0.0.0.0:8080":             "http://127.0.0.1:8080",
		"::":                       "http://127.0.0.1:11434",
		"[::]:77":                  "http://127.0.0.1:77",
		"[::1]:77":                 "http://[::1]:77",
		"::1":                      "http://[::1]:11434",
		"box":                      "http://box:11434",
		":9999":                    "http://127.0.0.1:9999",
		"http://box":               "http://box:80",
		"https://box":              "https://box:443",
		"https://box:1/proxy":      "https://box:1/proxy",
		"ollama.com":               "https://ollama.com:443",
		"\" http://10.0.0.2:11 \"": "",
		" 'http://10.0.0.2:11434'": "http://10.0.0.2:11434",
		"box:notaport":             "",
		"box:0":                    "",
		"ftp://box":                "",
		"user@box":                 "",
	} {
		u, err := parseHost(in)
		switch {
		case want == "" && err == nil:
			t.Errorf("parseHost(%q) = %s, want an error", in, u)
		case want != "" && err != nil:
			t.Errorf("parseHost(%q): %v", in, err)
		case want != "" && u.String() != want:
			t.Errorf("parseHost(%q) = %s, want %s", in, u, want)
		case err != nil && len(hint.Of(err)) == 0:
			t.Errorf("parseHost(%q): no hint", in)
		}
	}
}

func TestHostFromEnvironment(t *testing.T) {
	testenv.Clean(t)
	t.Setenv("OLLAMA_HOST", "0.0.0.0:4711")
	c, err := New(Settings{})
	if err != nil || c.Host() != "http://127.0.0.1:4711" {
		t.Fatalf("host %v, %v", c, err)
	}
	if c, err = New(Settings{Host: "other:1"}); err != nil || c.Host() != "http://other:1" {
		t.Fatalf("an explicit host should win: %v, %v", c, err)
	}
}

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"m", "m:latest", true}, {"m:7b", "m", false}, {"M:7b", "m:7b", true},
		{"host:1/ns/m", "host:1/ns/m:latest", true}, {"library/m", "m:latest", true},
	} {
		if sameModel(c.a, c.b) != c.want {
			t.Errorf("sameModel(%q, %q) = %v", c.a, c.b, !c.want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	testenv.Clean(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	c, err := New(Settings{Host: addr, Models: map[Tier]string{Cheap: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Load(context.Background(), Cheap, nil)
	var u *UnreachableError
	if !errors.As(err, &u) || u.Host != "http://"+addr {
		t.Fatalf("got %v", err)
	}
	hints := strings.Join(hint.Of(err), "\n")
	if !strings.Contains(hints, "ollama serve") || !strings.Contains(hints, "ollama pull") {
		t.Errorf("hints: %s", hints)
	}
}

func TestLoadChoosesContext(t *testing.T) {
	for _, c := range []struct {
		name                                    string
		set, trained, loaded, clamp, asked, got int
	}{
		{name: "the trained length when it is small", trained: 8192, asked: 8192, got: 8192},
		{name: "at most 32768 on its own", trained: 262144, asked: 32768, got: 32768},
		{name: "what the user set", set: 50000, trained: 262144, asked: 50000, got: 50000},
		{name: "what is loaded, when enough", trained: 262144, loaded: 20000, asked: 20000, got: 20000},
		{name: "not what is loaded, when too small", trained: 262144, loaded: 4096, asked: 32768, got: 32768},
		{name: "the budget is what the server gave", set: 40000, trained: 262144, clamp: 5000, asked: 40000, got: 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Say("hello")))
			s.Trained, s.LoadedCtx, s.Clamp = c.trained, c.loaded, c.clamp
			l := load(t, s, func(set *Settings) { set.NumCtx = c.set })
			if l.Context != c.got || l.Digest != "d1" || !l.Tools || l.Thinking {
				t.Errorf("loaded %+v, want context %d", l, c.got)
			}
			chat := l.NewChat("sys", nil)
			chat.User("hi")
			if _, err := chat.Next(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			for i, r := range s.Requests() {
				if r.Shift == nil || *r.Shift {
					t.Errorf("request %d lets an old server shift", i)
				}
				if r.Options["num_ctx"] != float64(c.asked) || r.Truncate == nil || *r.Truncate || r.KeepAlive == nil {
					t.Errorf("request %d: %v truncate %v keep %v", i, r.Options, r.Truncate, r.KeepAlive)
				}
			}
			if s.Loads() != 1 {
				t.Errorf("the model was loaded %d times", s.Loads())
			}
		})
	}
}

func TestRemoteModelIsRefused(t *testing.T) {
	s := modeltest.New(t, modeltest.Script())
	s.RemoteHost = "https://ollama.com"
	_, err := connect(t, s, nil).Load(context.Background(), Cheap, nil)
	var r *RemoteModelError
	if !errors.As(err, &r) || r.Host != "https://ollama.com" {
		t.Fatalf("got %v", err)
	}
	if len(s.Requests()) > 0 {
		t.Error("something was sent to a remote model")
	}
	l := load(t, s, func(set *Settings) { set.AllowRemote = true })
	if !l.Remote || l.Context == 0 {
		t.Errorf("loaded %+v", l)
	}
}

func TestMissingModelNamesNeighbours(t *testing.T) {
	s := modeltest.New(t, modeltest.Script())
	s.Models = []string{"qwen3-coder:30b", "qwen3-codr:7b", "llama3.2:3b", "gemma4:e4b"}
	c := connect(t, s, func(set *Settings) { set.Models = map[Tier]string{Strong: "qwen3-coder:32b"} })
	_, err := c.Load(context.Background(), Cheap, nil) // falls back to the strong tier's model
	var m *MissingModelError
	if !errors.As(err, &m) || m.Model != "qwen3-coder:32b" {
		t.Fatalf("got %v", err)
	}
	if !slices.Equal(m.Near, []string{"qwen3-coder:30b", "qwen3-codr:7b"}) {
		t.Errorf("near: %q", m.Near)
	}
}

func TestCapabilities(t *testing.T) {
	s := modeltest.New(t, modeltest.Script())
	s.Capabilities = []model.Capability{model.CapabilityCompletion, model.CapabilityThinking}
	l := load(t, s, nil)
	if l.Tools || !l.Thinking {
		t.Errorf("loaded %+v", l)
	}
}

func TestPull(t *testing.T) {
	s := modeltest.New(t, modeltest.Script())
	c := connect(t, s, nil)
	var seen []string
	if err := c.Pull(context.Background(), "new", func(status string, done, total int64) {
		seen = append(seen, status)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []string{"pulling manifest", "pulling 0123456789ab", "success"}) {
		t.Errorf("progress: %q", seen)
	}
	if err := c.Pull(context.Background(), "absent", nil); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("absent: %v", err)
	}
	if err := c.Pull(context.Background(), "cut", nil); !errors.Is(err, ErrIncomplete) {
		t.Errorf("cut: %v", err)
	}
}

func TestLoadErrorsSayWhatToDo(t *testing.T) {
	for words, want := range map[string]string{
		"model requires more system memory (9 GiB) than is available (2 GiB)": "numCtx",
		"llama runner process has terminated: exit status 2":                  "log",
	} {
		err := (&Client{}).explain(context.Background(), "m", errors.New(words))
		if !strings.Contains(strings.Join(hint.Of(err), "\n"), want) {
			t.Errorf("%s: hints %q", words, hint.Of(err))
		}
	}
}

func TestOlderThan(t *testing.T) {
	for v, want := range map[string]bool{"0.17.4": true, "0.0.0": true, "v0.29.9-rc1": true, "0.30.0": false, "1.2.3": false, "0.33.0-rc2": false, "": false, "main": false} {
		if olderThan(v, 0, 30) != want {
			t.Errorf("olderThan(%q, 0.30) = %v", v, !want)
		}
	}
}
