package model

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

// playSession runs the same little session against any server: a constrained question,
// then a conversation in which result makes the tool results.
func playSession(t *testing.T, host string, result func(Call) string, users ...string) ([]Reply, error) {
	t.Helper()
	c, err := New(Settings{Host: host, Models: map[Tier]string{Cheap: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	l, err := c.Load(ctx, Cheap, nil)
	if err != nil {
		return nil, err
	}
	var p person
	if _, err := l.JSON(ctx, "sys", "Who?", json.RawMessage(personSchema), &p); err != nil {
		return nil, err
	}
	chat := l.NewChat("system", someTools())
	for _, u := range append([]string{"the task"}, users...) {
		chat.User(u)
	}
	var replies []Reply
	for range 3 {
		r, err := chat.Next(ctx, nil)
		if err != nil {
			return replies, err
		}
		r.Usage = Usage{}
		replies = append(replies, r)
		for _, call := range r.Calls {
			chat.Result(call, result(call))
		}
	}
	return replies, nil
}

// recording makes one of a session with the fake server.
func recording(t *testing.T, capable bool) (file string, replies []Reply) {
	t.Helper()
	args := api.NewToolCallFunctionArguments()
	args.Set("path", "b")
	steps := []modeltest.Step{
		modeltest.Say(`{"name":"Ada","age":36}`),
		modeltest.Use("run_command", "command", "go test").And("read_file", "path", "b"),
		modeltest.Say("Look:\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}"),
		modeltest.Say("all done"),
	}
	if !capable {
		steps[1] = modeltest.Say(FormatCall("read_file", args))
	}
	s := modeltest.New(t, modeltest.Script(steps...))
	if !capable {
		s.Capabilities = s.Capabilities[:1]
	}
	file = filepath.Join(t.TempDir(), "session.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	ln := listen(t)
	done := make(chan error, 1)
	go func() { done <- Record(ctx, ln, s.URL, file, "replies written by hand") }()
	replies, err := playSession(t, ln.Addr().String(), resultAt("2.31s", "/tmp/abc123/x.go", 4711))
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return file, replies
}

func resultAt(took, path string, port int) func(Call) string {
	return func(c Call) string {
		return c.Name + " wrote 12 bytes in " + took + "\nat " + path + ":3\nhttp://127.0.0.1:" + itoa(port) + "/"
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func TestReplayGivesTheRecordedReplies(t *testing.T) {
	testenv.Clean(t)
	for name, capable := range map[string]bool{"tools": true, "text": false} {
		t.Run(name, func(t *testing.T) {
			file, want := recording(t, capable)
			s, err := NewReplay(file)
			if err != nil {
				t.Fatal(err)
			}
			if s.Label() != "replies written by hand" {
				t.Errorf("label %q", s.Label())
			}
			srv := httptest.NewServer(s)
			defer srv.Close()
			got, err := playSession(t, srv.URL, resultAt("0.07s", "/tmp/zzz/x.go", 39999))
			if err != nil {
				t.Fatal(err)
			}
			a, _ := json.Marshal(want)
			b, _ := json.Marshal(got)
			if !bytes.Equal(a, b) {
				t.Errorf("replayed\n%s\nrecorded\n%s", b, a)
			}
			if s.Left() != 0 || s.Err() != nil {
				t.Errorf("%d replies left, %v", s.Left(), s.Err())
			}
			if _, err := playSession(t, srv.URL, resultAt("1s", "/tmp/zzz/x.go", 39999)); err == nil || !strings.Contains(err.Error(), "no more replies") {
				t.Errorf("a session too many: %v", err)
			}
		})
	}
}

func TestReplayFailsWhereResultsDiffer(t *testing.T) {
	testenv.Clean(t)
	for name, c := range map[string]struct {
		result  func(Call) string
		users   []string
		words   string
		capable bool
	}{
		"another byte count": {result: func(c Call) string {
			return strings.Replace(resultAt("1s", "/tmp/q/x.go", 80)(c), "12 bytes", "13 bytes", 1)
		}, words: "12 bytes", capable: true},
		"a result of the text protocol": {result: func(c Call) string { return "else" }, words: "differs"},
		"another file name":             {result: resultAt("1s", "/tmp/q/y.go", 80), words: "x.go", capable: true},
		"a message more":                {result: resultAt("1s", "/tmp/q/x.go", 80), users: []string{"and this"}, words: "had 2 messages, now it has 3", capable: true},
	} {
		t.Run(name, func(t *testing.T) {
			file, _ := recording(t, c.capable)
			s, err := NewReplay(file)
			if err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(s)
			defer srv.Close()
			_, err = playSession(t, srv.URL, c.result, c.users...)
			if err == nil || !strings.Contains(err.Error(), c.words) || s.Err() == nil {
				t.Fatalf("got %v, server %v", err, s.Err())
			}
		})
	}
}

func TestReplayAllowsOtherWording(t *testing.T) {
	testenv.Clean(t)
	file, _ := recording(t, true)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte("the task"), []byte("what to do"))
	data = bytes.ReplaceAll(data, []byte(`"system","content":"sys`), []byte(`"system","content":"older sys`))
	s, err := ReadReplay(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	defer srv.Close()
	if _, err := playSession(t, srv.URL, resultAt("9s", "/tmp/q/x.go", 80)); err != nil {
		t.Fatal(err)
	}
}

func TestRecordingFiles(t *testing.T) {
	for name, data := range map[string]string{
		"empty":        "",
		"not one":      "{\"a\":1}\n",
		"newer":        `{"kind":"git-agent recording","version":9}`,
		"broken line":  "{\"kind\":\"git-agent recording\",\"version\":1}\n{\"method\":",
		"keeps beyond": "{\"kind\":\"git-agent recording\",\"version\":1}\n{\"path\":\"/api/chat\",\"chat\":{\"keeps\":3}}",
	} {
		if _, err := ReadReplay(strings.NewReader(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	ln := listen(t)
	defer ln.Close()
	if err := Record(context.Background(), ln, "127.0.0.1:1", file, ""); err == nil {
		t.Error("an existing file was overwritten")
	}
}

func TestRecordingIsSmall(t *testing.T) {
	testenv.Clean(t)
	file, _ := recording(t, true)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("does run_command")); n != 1 {
		t.Errorf("the tools are stored %d times", n)
	}
	if n := bytes.Count(data, []byte("the task")); n != 1 {
		t.Errorf("the task is stored %d times", n)
	}
}

func TestNormalizeVolatile(t *testing.T) {
	for in, want := range map[string]string{
		"ok pkg 0.003s":                                "ok pkg <duration>",
		"# duration_ms 12.75":                          "# duration_ms <duration>",
		`{"n":1,"ms":812}`:                             `{"n":1,"ms":<duration>}`,
		"took 1m2.5s":                                  "took <duration>",
		"http://127.0.0.1:39999/x and [::1]:80":        "http://127.0.0.1:<port>/x and [::1]:<port>",
		"open /tmp/ga-1/deep/app.js:3: no":             "open <temp>/app.js:3: no",
		"in /tmp/abc":                                  "in <temp>",
		"/home/p/.local/state/git-agent/w1/check/a.js": "<temp>/a.js",
		"session 20261130-142233-a1b2 ended":           "session <session> ended",
		"at 2026-11-30T14:22:33.5Z":                    "at <date>",
		"on 2026-11-30":                                "on <date>",
		"Date: 2026-11-30 14:22:33 +0100.":             "Date: <date>.",
		"wrote 1234 bytes to a.txt, exit code 7":       "wrote 1234 bytes to a.txt, exit code 7",
		"the display shows 25:00, 3 items, v1.2.3":     "the display shows 25:00, 3 items, v1.2.3",
		"port 8080 in example.org:8080, 12 px, 5 rows": "port 8080 in example.org:8080, 12 px, 5 rows",
	} {
		if got := NormalizeVolatile(in); got != want {
			t.Errorf("NormalizeVolatile(%q) = %q, want %q", in, got, want)
		}
		if again := NormalizeVolatile(want); again != want {
			t.Errorf("not stable: %q became %q", want, again)
		}
	}
}
