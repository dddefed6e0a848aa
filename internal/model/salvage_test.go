package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

type wanted struct {
	name string
	args map[string]any
}

func readA() []wanted { return []wanted{{"read_file", map[string]any{"path": "a"}}} }

func salvageCases() []struct {
	name, text string
	want       []wanted
	rest       string
} {
	return []struct {
		name, text string
		want       []wanted
		rest       string
	}{
		{"bare", `{"name": "read_file", "arguments": {"path": "a"}}`, readA(), ""},
		{"parameters", `{"name": "read_file", "parameters": {"path": "a"}}`, readA(), ""},
		{"prose before", "I look.\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n", readA(), "I look."},
		{"prose after", `{"name": "read_file", "arguments": {"path": "a"}} This reads it.`, readA(), "This reads it."},
		{"fenced", "First:\n```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```\nthen more", readA(), "First:\n\nthen more"},
		{"two fences", "```\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```\n```\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```", append(readA(), readA()...), ""},
		{"array", `[{"name":"read_file","arguments":{"path":"a"}},{"name":"run_command","arguments":{"command":"ls"}}]`,
			append(readA(), wanted{"run_command", map[string]any{"command": "ls"}}), ""},
		{"several objects", "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}", append(readA(), readA()...), ""},
		{"openai's form", `{"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`, readA(), ""},
		{"tool_calls", `{"tool_calls":[{"function":{"name":"read_file","arguments":{"path":"a"}}}]}`, readA(), ""},
		{"flat", `{"tool":"read_file","path":"a"}`, readA(), ""},
		{"tagged", "Look.\n<tool_call>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n</tool_call>", readA(), "Look."},
		{"tag not closed", "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}", readA(), ""},
		{"tag closed by another", "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}<tool_call>", readA(), ""},
		{"qwen2.5's tools tag", "<tools>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n</tools>", readA(), ""},
		{"gemma's pipes", "<|tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}", readA(), ""},
		{"python tag", "<|python_tag|>{\"name\":\"read_file\",\"parameters\":{\"path\":\"a\"}}<|eom_id|>", readA(), ""},
		{"mistral", `[TOOL_CALLS] [{"name":"read_file","arguments":{"path":"a"}}]</s>`, readA(), ""},
		{"new mistral", `Sure.[TOOL_CALLS]read_file[ARGS]{"path":"a"}`, readA(), "Sure."},
		{"mistral, two", `[TOOL_CALLS]read_file{"path":"a"}[TOOL_CALLS]read_file{"path":"a"}`, append(readA(), readA()...), ""},
		{"qwen xml", "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", readA(), ""},
		{"xml without opener", "I look.\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", readA(), "I look."},
		{"xml without any end", "<function=read_file>\n<parameter=path>\na\n</parameter>", readA(), ""},
		{"xml, parameter not closed", "<function=read_file>\n<parameter=path>\na\n</function>", readA(), ""},
		{"claude's xml", `<invoke name="read_file"><parameter name="path">a</parameter></invoke>`, readA(), ""},
		{"xml in a value", "<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n<x></parameter></x>\n<tool_call>\n</parameter>\n</function>",
			[]wanted{{"write_file", map[string]any{"path": "a", "content": "<x></parameter></x>\n<tool_call>"}}}, ""},
		{"xml number", "<function=read_file><parameter=path>a</parameter><parameter=start_line>3</parameter></function>",
			[]wanted{{"read_file", map[string]any{"path": "a", "start_line": 3.0}}}, ""},
		{"aliases", `{"name":"bash","arguments":{"cmd":"ls"}}`, []wanted{{"run_command", map[string]any{"command": "ls"}}}, ""},
		{"harmony's name", `{"name":"functions.read_file<|channel|>analysis","arguments":{"filepath":"a"}}`, readA(), ""},
		{"finish", `{"name":"finish","arguments":{"status":"done"}}`, []wanted{{"end_session", map[string]any{"status": "done"}}}, ""},
		{"raw line break in a string", "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\n\"}}", []wanted{{"read_file", map[string]any{"path": "a\n"}}}, ""},
		{"a brace too few", `{"name":"read_file","arguments":{"path":"a"}`, readA(), ""},
		{"a comma too many", `{"name":"read_file","arguments":{"path":"a",},}`, readA(), ""},
		{"object for a string", `{"name":"write_file","arguments":{"path":"p","content":{"a":1}}}`,
			[]wanted{{"write_file", map[string]any{"path": "p", "content": "{\n  \"a\": 1\n}"}}}, ""},

		{"prose", "I would call read_file with the path a.", nil, ""},
		{"other json", `{"status": "ok", "path": "a"}`, nil, ""},
		{"unknown tool", `{"name":"launch","arguments":{"path":"a"}}`, nil, ""},
		{"cut in a string", `{"name":"write_file","arguments":{"path":"a","content":"<p>`, nil, ""},
		{"required argument missing", `{"name":"write_file","arguments":{"path":"a"}}`, nil, ""},
		{"xml cut", "<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nhalf a fi", nil, ""},
		{"json in prose", `A call looks like {"name":"read_file","arguments":{"path":"a"}} in JSON.`, nil, ""},
		{"data among calls", `[{"name":"read_file","arguments":{"path":"a"}},{"x":1}]`, nil, ""},
	}
}

func TestSalvage(t *testing.T) {
	set := newToolset(someTools())
	for _, c := range salvageCases() {
		t.Run(c.name, func(t *testing.T) {
			calls, rest := salvage(c.text, set)
			var got []wanted
			for _, f := range calls {
				got = append(got, wanted{f.name, set.arguments(f.name, f.args)})
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(wanted{})); d != "" {
				t.Fatalf("calls (-want +got):\n%s", d)
			}
			if want := c.rest; c.want != nil && rest != want {
				t.Errorf("rest %q, want %q", rest, want)
			}
			if c.want == nil && rest != c.text {
				t.Errorf("text without calls was changed to %q", rest)
			}
		})
	}
}

func TestSalvageTail(t *testing.T) {
	set := newToolset(someTools())
	call := `<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>`
	if got := salvageTail("I think.\n"+call, set); len(got) != 1 {
		t.Errorf("a call at the end of the thinking: %v", got)
	}
	if got := salvageTail("I could do\n"+call+"\nbut first I should wait", set); got != nil {
		t.Errorf("a mere plan was taken for a call: %v", got)
	}
}

func TestSplitThink(t *testing.T) {
	for in, want := range map[string][2]string{
		"<think>a</think>b":         {"a", "b"},
		"\n<think>\na\n</think>\nb": {"a", "\nb"},
		"a</think>b":                {"a", "b"},
		"<think>never closed":       {"never closed", ""},
		"plain":                     {"", "plain"},
		"<thinking>a</thinking>b":   {"a", "b"},
		"```\nx</think>\n```":       {"", "```\nx</think>\n```"},
	} {
		if a, b := splitThink(in); a != want[0] || b != want[1] {
			t.Errorf("splitThink(%q) = %q, %q", in, a, b)
		}
	}
}

func TestInferCall(t *testing.T) {
	set := newToolset(someTools())
	for raw, want := range map[string]string{
		`{"path":"a","content":"x` + "\n" + `y"}`: "write_file",
		`{"command":"ls"}`:                        "run_command",
		`{"path":"a"}`:                            "read_file",
		`{"what":"a"}`:                            "",
		`{"path":"a","content":"cut`:              "",
		`nonsense`:                                "",
	} {
		f, ok := inferCall(raw, set)
		if ok != (want != "") || f.name != want {
			t.Errorf("inferCall(%s) = %q, %v", raw, f.name, ok)
		}
	}
}

func TestRepetition(t *testing.T) {
	var grid, numbers, rows, steps strings.Builder
	for i := range 400 {
		grid.WriteString("      <td></td>\n")
		if i%9 == 8 {
			grid.WriteString("    </tr>\n    <tr>\n")
		}
	}
	for i := range 900 {
		numbers.WriteString(strconv.Itoa(i*i) + ", ")
		rows.WriteString("{\"id\": " + strconv.Itoa(i) + ", \"n\": " + strconv.Itoa(i*i) + "}\n")
	}
	for i := range 300 {
		steps.WriteString("Step " + strconv.Itoa(i) + ": I will now check the file again.\n")
	}
	source := ""
	for i := range 120 {
		source += "function f" + strings.Repeat("x", i%17) + "(a, b) { return a" + strings.Repeat("+b", i%5) + " }\n"
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"one sentence":           {strings.Repeat("I will fix it. ", 400), true},
		"one letter":             {strings.Repeat("a", 6000), true},
		"numbered sentences":     {steps.String(), true},
		"a long paragraph":       {strings.Repeat(strings.Repeat("abcdefghij", 29)+source[:200], 12), true},
		"a small grid":           {grid.String()[:1600], false},
		"a list of numbers":      {numbers.String(), false},
		"rows of data":           {rows.String(), false},
		"source":                 {source, false},
		"a rule of many hyphens": {strings.Repeat("-", 200) + "\n" + source, false},
	} {
		var r repetition
		got := false
		for _, p := range strings.SplitAfter(c.text, " ") {
			got = got || r.add(p)
		}
		if got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzSalvage(f *testing.F) {
	for _, c := range salvageCases() {
		f.Add(c.text)
	}
	set := newToolset(someTools())
	f.Fuzz(func(t *testing.T, text string) {
		calls, rest := salvage(text, set)
		for _, c := range calls {
			if _, known := set.tools[c.name]; !known {
				t.Errorf("unknown tool %q", c.name)
			}
			if c.start < 0 || c.end > len(text) || c.start > c.end {
				t.Errorf("span %d-%d in %d bytes", c.start, c.end, len(text))
			}
			if !set.complete(c.name, c.args) {
				t.Errorf("an incomplete call of %s", c.name)
			}
		}
		if len(calls) == 0 && rest != text {
			t.Error("text without calls was changed")
		}
		salvageTail(text, set)
		splitThink(text)
		inferCall(text, set)
		if s := repairJSON(text); json.Valid([]byte(text)) && !json.Valid([]byte(s)) {
			t.Errorf("repair broke valid JSON: %q", s)
		}
	})
}

// A call written as JSON in any of the usual wrappings is found again as it was.
func FuzzSalvageRoundTrip(f *testing.F) {
	f.Add("a.txt", "<p>\"x\"\\n</p>", uint8(0))
	f.Add("b", "```\nfence\n```\n</tool_call>", uint8(1))
	f.Add("", "\x00{\"name\":\"read_file\"}", uint8(2))
	set := newToolset(someTools())
	f.Fuzz(func(t *testing.T, path, content string, form uint8) {
		args := api.NewToolCallFunctionArguments()
		args.Set("path", strings.ToValidUTF8(path, "?"))
		args.Set("content", strings.ToValidUTF8(content, "?"))
		text := `{"name":"write_file","arguments":` + args.String() + `}`
		switch form % 4 {
		case 1:
			text = "<tool_call>\n" + text + "\n</tool_call>"
		case 2:
			text = "Here:\n```json\n" + text + "\n```"
		case 3:
			text = "[TOOL_CALLS][" + text + "]"
		}
		calls, _ := salvage(text, set)
		if len(calls) != 1 || calls[0].args.String() != args.String() {
			t.Fatalf("%q gave %+v", text, calls)
		}
	})
}
