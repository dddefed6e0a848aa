package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// newEnv makes an environment over a new folder with these files.
func newEnv(t testing.TB, files map[string]string) (*Env, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		put(t, dir, name, content)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &Env{Root: root}, dir
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func call(t testing.TB, env *Env, name string, args map[string]any) Result {
	t.Helper()
	return NewBox(*env).Call(t.Context(), name, args)
}

// Nine schemas may cost about 900 tokens: with the system prompt they must stay
// below 2,200.
func TestSchemasAreSmallSortedAndConstant(t *testing.T) {
	env, _ := newEnv(t, nil)
	box := NewBox(*env)
	data, err := json.Marshal(box.Schemas())
	if err != nil {
		t.Fatal(err)
	}
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(string(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tokens for %d tools", n, len(box.Names()))
	if n > 900 {
		t.Errorf("the schemas cost %d tokens, more than 900:\n%s", n, data)
	}
	if !slices.IsSorted(box.Names()) || len(box.Names()) != 9 {
		t.Errorf("tools = %v", box.Names())
	}
	for range 20 {
		again, err := json.Marshal(NewBox(*env).Schemas())
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(data) {
			t.Fatal("the schemas differ from call to call")
		}
	}
}

func TestBoxHoldsOnlyTheNamedTools(t *testing.T) {
	env, _ := newEnv(t, map[string]string{"a.txt": "x"})
	box := NewBox(*env, "search_text", "read_file", "no_such_tool")
	if got := strings.Join(box.Names(), " "); got != "read_file search_text" {
		t.Fatalf("Names = %q", got)
	}
	res := box.Call(t.Context(), "write_file", map[string]any{"path": "b.txt", "content": "x"})
	if res.OK || !strings.Contains(res.Text, "read_file, search_text") {
		t.Fatalf("a tool outside the box answered %+v", res)
	}
}

func TestCallSurvivesAPanicAndAnEndedSession(t *testing.T) {
	env, _ := newEnv(t, nil)
	env.Run = func(context.Context, string, time.Duration) (CommandResult, error) { panic("boom") }
	res := call(t, env, "run_command", map[string]any{"command": "true"})
	if res.OK || !strings.Contains(res.Text, "boom") {
		t.Errorf("panic: %+v", res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := NewBox(*env).Call(ctx, "end_session", map[string]any{"status": "done"}); res.OK || res.End != nil {
		t.Errorf("cancelled: %+v", res)
	}
}

func TestArgumentsInOtherShapes(t *testing.T) {
	files := map[string]string{"src/a.txt": "one\ntwo\nthree\n"}
	cases := []struct {
		name, tool string
		args       map[string]any
		want       string // in the answer
		ok         bool
	}{
		{"alias key", "read_file", map[string]any{"filePath": "src/a.txt"}, "1|one", true},
		{"number as text", "read_file", map[string]any{"path": "src/a.txt", "start_line": "3", "end_line": " 3 "}, "3|three", true},
		{"number as float", "read_file", map[string]any{"path": "src/a.txt", "start_line": 2.0}, "2|two", true},
		{"null is missing", "read_file", map[string]any{"path": "src/a.txt", "start_line": nil}, "1|one", true},
		{"unknown key", "read_file", map[string]any{"path": "src/a.txt", "encoding": "utf8", "why": 1.0}, "1|one", true},
		{"wrapped", "read_file", map[string]any{"arguments": map[string]any{"path": "src/a.txt"}}, "1|one", true},
		{"wrapped as text", "read_file", map[string]any{"input": `{"path":"src/a.txt"}`}, "1|one", true},
		{"wrapped twice", "calculate", map[string]any{"input": map[string]any{"arguments": map[string]any{"expression": "6*7"}}}, "42", true},
		{"alias that wraps", "calculate", map[string]any{"input": "6*7"}, "42", true},
		{"hidden characters", "read_file", map[string]any{"path": "a\u202eb"}, "read_file: ab does not exist", false},
		{"quoted path", "read_file", map[string]any{"path": "`./src/a.txt`"}, "1|one", true},
		{"backslashes", "read_file", map[string]any{"path": `src\a.txt`}, "1|one", true},
		{"other tool name", "cat", map[string]any{"path": "src/a.txt"}, "1|one", true},
		{"missing", "read_file", map[string]any{}, "read_file needs path. Call it as read_file(path, [start_line], [end_line]).", false},
		{"nil", "write_file", nil, "write_file needs path and content. Call it as write_file(path, content).", false},
		{"no number", "read_file", map[string]any{"path": "src/a.txt", "start_line": "two"}, "whole number", false},
		{"half a line", "read_file", map[string]any{"path": "src/a.txt", "start_line": 1.5}, "whole number", false},
		{"bool as text", "write_file", map[string]any{"path": "b", "content": true}, `"bytes":4`, true},
		{"lines as list", "write_file", map[string]any{"path": "c", "content": []any{"x", "y"}}, `"bytes":3`, true},
		{"object as content", "write_file", map[string]any{"path": "d.json", "content": map[string]any{"a": 1.0}}, `"bytes":12`, true},
		{"unknown tool", "fly", nil, "Tools: calculate, check_page", false},
	}
	for _, c := range cases {
		env, _ := newEnv(t, files)
		res := call(t, env, c.tool, c.args)
		if res.OK != c.ok || !strings.Contains(res.Text, c.want) {
			t.Errorf("%s: OK %v, %q; want OK %v with %q", c.name, res.OK, res.Text, c.ok, c.want)
		}
	}
}

// What an answer of check_page leaves out can be read, and lies in no folder.
func TestReadsTheRestOfAPage(t *testing.T) {
	env, dir := newEnv(t, nil)
	read := func() Result { return call(t, env, "read_file", map[string]any{"path": PageResult}) }
	if res := read(); res.OK {
		t.Errorf("there is no page yet: %q", res.Text)
	}
	last := ""
	env.LastPage = func() string { return last }
	if res := read(); res.OK {
		t.Errorf("nothing was left out: %q", res.Text)
	}
	last = "{\n \"verdict\": \"pass\",\n \"snapshot\": \"long\"\n}"
	if res := read(); !res.OK || !strings.Contains(res.Text, PageResult+": 4 lines") || !strings.Contains(res.Text, `3| "snapshot": "long"`) {
		t.Errorf("got %q", res.Text)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s was written", left[0].Name())
	}
	put(t, dir, PageResult, "mine\n")
	if res := read(); !strings.Contains(res.Text, "1|mine") {
		t.Errorf("the project's own file is hidden: %q", res.Text)
	}
}

func TestCheckPageTakesTextObjectAndBareSteps(t *testing.T) {
	steps := []any{map[string]any{"see": "8"}}
	cases := map[string]map[string]any{
		"object":      {"scenario": map[string]any{"open": "/", "steps": steps}},
		"text":        {"scenario": `{"open":"/","steps":[{"see":"8"}]}`},
		"fenced":      {"scenario": "```json\n{\"open\":\"/\",\"steps\":[{\"see\":\"8\"}]}\n```"},
		"twice":       {"scenario": `"{\"open\":\"/\",\"steps\":[{\"see\":\"8\"}]}"`},
		"bare":        {"open": "/", "steps": steps},
		"wrapped":     {"arguments": map[string]any{"open": "/", "steps": steps}},
		"other name":  {"json": `{"open":"/","steps":[{"see":"8"}]}`},
		"line breaks": {"scenario": "{\"open\":\"/\",\n\"steps\":[{\"see\":\"8\"}]}"},
	}
	for name, args := range cases {
		env, _ := newEnv(t, nil)
		var got struct {
			Open  string
			Steps []map[string]string
		}
		env.CheckPage = func(_ context.Context, s json.RawMessage) (string, error) {
			return "verdict pass", json.Unmarshal(s, &got)
		}
		res := call(t, env, "check_page", args)
		if !res.OK || got.Open != "/" || len(got.Steps) != 1 || got.Steps[0]["see"] != "8" {
			t.Errorf("%s: %+v, got %+v", name, res, got)
		}
	}
	env, _ := newEnv(t, nil)
	if res := call(t, env, "check_page", map[string]any{"scenario": "{}"}); res.OK || !strings.Contains(res.Text, "no browser") {
		t.Errorf("without a browser: %+v", res)
	}
	env.CheckPage = func(context.Context, json.RawMessage) (string, error) { return "", nil }
	if res := call(t, env, "check_page", map[string]any{"scenario": "{open:"}); res.OK || !strings.Contains(res.Text, "not valid JSON") {
		t.Errorf("broken JSON: %+v", res)
	}
}

func TestEndSession(t *testing.T) {
	cases := []struct {
		status, reason, want string // want "" is a refusal
	}{
		{"done", "", Done}, {"completed", "all there", Done}, {"Cannot verify", "no browser", CannotVerify},
		{"cannot_verify", " ", ""}, {"blocked", "no key", Blocked}, {"failed", "x", ""}, {"", "x", ""},
	}
	for _, c := range cases {
		env, _ := newEnv(t, nil)
		res := call(t, env, "end_session", map[string]any{"status": c.status, "reason": c.reason})
		switch {
		case c.want == "" && (res.OK || res.End != nil):
			t.Errorf("%q: accepted %+v", c.status, res)
		case c.want != "" && (res.End == nil || res.End.Status != c.want):
			t.Errorf("%q: %+v, want %s", c.status, res, c.want)
		}
	}
}

func TestRunCommandAnswers(t *testing.T) {
	long := strings.Repeat("x", 50000) + "TAIL"
	cases := []struct {
		name string
		res  CommandResult
		want []string
		ok   bool
	}{
		{"fine", CommandResult{Output: "hi\n"}, []string{"exit code 0\nhi"}, true},
		{"silent", CommandResult{}, []string{"(no output)"}, true},
		{"fails", CommandResult{ExitCode: 3, Output: "no"}, []string{"exit code 3"}, false},
		{"timeout", CommandResult{TimedOut: true}, []string{"timed out after 7 s"}, false},
		{"shorter timeout", CommandResult{TimedOut: true, Limit: 5 * time.Second}, []string{"timed out after 5 s"}, false},
		{"signal", CommandResult{Signal: "killed", ExitCode: -1}, []string{"ended by signal killed"}, false},
		{"memory", CommandResult{Signal: "SIGKILL", ExitCode: 137, Exceeded: "memory"}, []string{"because it used too much memory"}, false},
		{"disk", CommandResult{Exceeded: "disk"}, []string{"too much of the disk"}, false},
		{"processes", CommandResult{Exceeded: "processes"}, []string{"too many processes"}, false},
		{"flood", CommandResult{Flooded: true, Signal: "SIGKILL"}, []string{"wrote far too much output"}, false},
		{"long", CommandResult{Output: long, Dropped: 9}, []string{"bytes left out", "TAIL", "9 bytes of output were dropped"}, true},
		{"files", CommandResult{Kept: []string{"package-lock.json"}, Lost: []string{"out/a", "b"}},
			[]string{"copied back into the project: package-lock.json", "not kept (only write_file and edit_file change the project): out/a, b"}, true},
		{"colours", CommandResult{Output: "\x1b[31mred\x1b[0m"}, []string{"\nred"}, true},
	}
	for _, c := range cases {
		env, _ := newEnv(t, nil)
		var asked time.Duration
		env.Run = func(_ context.Context, command string, timeout time.Duration) (CommandResult, error) {
			asked = timeout
			return c.res, nil
		}
		res := call(t, env, "bash", map[string]any{"cmd": "x", "timeout": "7"})
		for _, w := range c.want {
			if !strings.Contains(res.Text, w) {
				t.Errorf("%s: %q lacks %q", c.name, res.Text, w)
			}
		}
		if res.OK != c.ok || asked != 7*time.Second || len(res.Text) > maxOutput+1000 {
			t.Errorf("%s: OK %v, timeout %v, %d bytes", c.name, res.OK, asked, len(res.Text))
		}
	}
}

// Whatever a model sends, every tool answers and none panics.
func FuzzCall(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a.txt"}`, `{"path":["a"],"content":{"x":[1,null,"\u0000"]}}`, `{"arguments":{"arguments":{"path":1e308}}}`,
		`{"start_line":"1e9","path":"a.txt","end_line":-4}`, `{"input":"{\"path\":\"a.txt\"}"}`, `{"pattern":"(?P<x","path":"*"}`,
		`{"expression":"9**9**9**9"}`, `{"old_text":"a","new_text":"b","path":"a.txt"}`, `{"status":7,"reason":{}}`, `{"pattern":"\\Qa"}`,
	} {
		f.Add("", seed)
	}
	env, _ := newEnv(f, map[string]string{"a.txt": "a\nb\n"})
	env.Run = func(context.Context, string, time.Duration) (CommandResult, error) { return CommandResult{}, nil }
	env.CheckPage = func(context.Context, json.RawMessage) (string, error) { return "verdict pass", nil }
	box := NewBox(*env)
	f.Fuzz(func(t *testing.T, name, text string) {
		var args map[string]any
		if json.Unmarshal([]byte(text), &args) != nil {
			return
		}
		for _, tool := range append(box.Names(), name) {
			res := box.Call(t.Context(), tool, args)
			if strings.Contains(res.Text, "internal fault") || res.Text == "" {
				t.Fatalf("%s(%s) answered %q", tool, text, res.Text)
			}
		}
	})
}
