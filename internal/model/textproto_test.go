package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

func TestParseBlock(t *testing.T) {
	for _, c := range []struct {
		name, text, tool string
		args             map[string]any
		open             bool
	}{
		{name: "short values", text: "Look.\n```tool\ntool: read_file\npath: a/b.txt\n```\nmore", tool: "read_file", args: map[string]any{"path": "a/b.txt"}},
		{name: "raw value", text: "```tool\ntool: write_file\npath: a\ncontent:\n<<<\nx: 1\n```js\n```\n>>\n>>>\n```", tool: "write_file", args: map[string]any{"path": "a", "content": "x: 1\n```js\n```\n>>"}},
		{name: "longer marks", text: "```tool\ntool: write_file\npath: a\ncontent:\n<<<<\n>>>\n>>>>\n```", tool: "write_file", args: map[string]any{"path": "a", "content": ">>>"}},
		{name: "mark on the key's line", text: "```tool\ntool: run_command\ncommand: <<<\nls\n>>>\n```", tool: "run_command", args: map[string]any{"command": "ls"}},
		{name: "no marks", text: "```tool\ntool: write_file\npath: a\ncontent:\nline 1\nline 2\n```", tool: "write_file", args: map[string]any{"path": "a", "content": "line 1\nline 2"}},
		{name: "a body without a name", text: "```tool\ntool: write_file\npath: a\n\n<p>x</p>\n```", tool: "write_file", args: map[string]any{"path": "a", "content": "<p>x</p>"}},
		{name: "quotes", text: "```tool\nname: \"read_file\"\npath: `a`\n```", tool: "read_file", args: map[string]any{"path": "a"}},
		{name: "two raw values", text: "~~~tool\ntool: edit_file\npath: a\nold_text:\n<<<\n  x\n>>>\nnew_text:\n<<<\n>>>\n~~~", tool: "edit_file", args: map[string]any{"path": "a", "old_text": "  x", "new_text": ""}},
		{name: "carriage returns", text: "```tool\r\ntool: read_file\r\npath: a\r\n```\r\n", tool: "read_file", args: map[string]any{"path": "a"}},
		{name: "cut in the value", text: "```tool\ntool: write_file\npath: a\ncontent:\n<<<\nhalf", tool: "write_file", args: map[string]any{"path": "a", "content": "half"}, open: true},
		{name: "cut before the end", text: "```tool\ntool: read_file\npath: a", tool: "read_file", args: map[string]any{"path": "a"}, open: true},
		{name: "no block", text: "```js\ntool: x\n```"},
		{name: "a block without a tool", text: "```tool\n```"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ok := parseBlock(c.text, newToolset(someTools()))
			if ok != (c.tool != "") {
				t.Fatalf("found: %v", ok)
			}
			if !ok {
				return
			}
			if b.name != c.tool || b.open != c.open {
				t.Errorf("tool %q, open %v", b.name, b.open)
			}
			if d := cmp.Diff(c.args, b.args.ToMap()); d != "" {
				t.Errorf("arguments (-want +got):\n%s", d)
			}
		})
	}
}

func TestTextProtocolDescribesEverything(t *testing.T) {
	s := TextProtocol(someTools())
	for _, want := range []string{"## edit_file", "- start_line (number, optional): the start_line", "- path (string, required)", "<<<"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
	if _, ok := parseBlock(s, newToolset(someTools())); !ok {
		t.Error("the form shown to the model does not parse")
	}
}

func FuzzTextProtocol(f *testing.F) {
	f.Add("a.txt", "line\n>>>\n```\n>>>>", "intro")
	f.Add("", "\r\n\n", "```tool\n```")
	f.Add("\"q\"", "<<<", "tool: x")
	set := newToolset(someTools())
	f.Fuzz(func(t *testing.T, path, content, around string) {
		parseBlock(around, set) // must not panic
		args := api.NewToolCallFunctionArguments()
		args.Set("path", path)
		args.Set("content", content)
		text := FormatCall("write_file", args)
		if !strings.Contains(around, "tool") {
			text = around + "\n" + text + "\n" + around
		}
		b, ok := parseBlock(text, set)
		if !ok || b.open || b.name != "write_file" {
			t.Fatalf("%q: found %v, open %v, tool %q", text, ok, b.open, b.name)
		}
		if d := cmp.Diff(args.ToMap(), b.args.ToMap()); d != "" {
			t.Fatalf("%q (-want +got):\n%s", text, d)
		}
	})
}
