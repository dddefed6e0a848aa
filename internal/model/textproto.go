package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// The fenced-text protocol is for models without tool calls. A call is one fenced
// block of header lines; a long value stands raw between a line of <<< and a line
// of >>>, so that code needs no escaping.

const resultMark = "[result of "

// textResult is how a tool result reads in a user message.
func textResult(tool, text string) string { return resultMark + tool + "]\n" + text }

// TextProtocol describes the protocol and the tools for a system message.
func TextProtocol(tools []api.Tool) string {
	var b strings.Builder
	b.WriteString("# Tools\n\nYou act by tools. To use one, end your reply with exactly one block of this form:\n\n")
	b.WriteString("```tool\ntool: NAME\nshort_argument: value on the same line\nlong_argument:\n<<<\nraw text of any length, nothing escaped\n>>>\n```\n\n")
	b.WriteString("The result comes in the next message. Never write a result yourself. If the text has a line that is just >>>, use <<<< and >>>>.\n")
	for _, t := range tools {
		f := t.Function
		fmt.Fprintf(&b, "\n## %s\n%s\n", f.Name, f.Description)
		for name, p := range f.Parameters.Properties.All() {
			need := "optional"
			if slices.Contains(f.Parameters.Required, name) {
				need = "required"
			}
			fmt.Fprintf(&b, "- %s (%s, %s)", name, p.ToTypeScriptType(), need)
			if p.Description != "" {
				b.WriteString(": " + p.Description)
			}
			for i, e := range p.Enum {
				if i == 0 {
					b.WriteString(" One of:")
				}
				fmt.Fprintf(&b, " %v", e)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// FormatCall writes a call in the protocol. Argument names must be words.
func FormatCall(name string, args api.ToolCallFunctionArguments) string {
	var b strings.Builder
	b.WriteString("```tool\ntool: " + name + "\n")
	for key, v := range args.All() {
		s, ok := v.(string)
		if !ok {
			if raw, err := json.Marshal(v); err == nil {
				s = string(raw)
			}
		}
		if inline(s) {
			b.WriteString(key + ": " + s + "\n")
			continue
		}
		n := 3
		for slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
			return strings.TrimRight(line, " \t\r") == strings.Repeat(">", n)
		}) {
			n++
		}
		fmt.Fprintf(&b, "%s:\n%s\n%s\n%s\n", key, strings.Repeat("<", n), s, strings.Repeat(">", n))
	}
	b.WriteString("```")
	return b.String()
}

func inline(s string) bool {
	return s != "" && len(s) < 200 && s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\n\r") && !strings.ContainsAny(s[:1], "<\"'`|>")
}

// block is a call read from text.
type block struct {
	name       string
	args       api.ToolCallFunctionArguments
	start, end int
	open       bool // its end is missing
}

var (
	blockOpen = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})[ \t]*(?:tool|tool_call|tool_use|tool_code)[ \t]*\r?$")
	headLine  = regexp.MustCompile(`^[ \t]*([A-Za-z_][A-Za-z0-9_\-]*)[ \t]*:[ \t]*(.*)$`)
	rawOpen   = regexp.MustCompile(`^[ \t]*(<{3,})[ \t\r]*$`)
)

// blockReader goes through a text by lines and knows where it is.
type blockReader struct {
	text string
	at   int
}

// line gives the next line without its line break; ok is false at the end.
func (r *blockReader) line() (line string, ok bool) {
	if r.at >= len(r.text) {
		return "", false
	}
	rest := r.text[r.at:]
	n := strings.IndexByte(rest, '\n')
	if n < 0 {
		r.at = len(r.text)
		return rest, true
	}
	r.at += n + 1
	return rest[:n], true
}

// parseBlock reads the first tool block of a text.
func parseBlock(text string, set *toolset) (block, bool) {
	r := &blockReader{text: text}
	for {
		start := r.at
		line, ok := r.line()
		if !ok {
			return block{}, false
		}
		m := blockOpen.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		b := block{start: start, open: true, args: api.NewToolCallFunctionArguments()}
		r.headers(&b, m[1], set)
		b.end = r.at
		if b.name == "" {
			continue
		}
		return b, true
	}
}

// headers reads a block from behind its opening line up to its closing fence.
func (r *blockReader) headers(b *block, fence string, set *toolset) {
	for {
		before := r.at
		line, ok := r.line()
		if !ok {
			return
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == fence {
			b.open = false
			return
		}
		if trimmed == "" {
			continue
		}
		m := headLine.FindStringSubmatch(line)
		switch {
		case b.name == "" && m != nil:
			b.name = unquote(strings.TrimSpace(m[2]))
		case b.name == "":
			return // not a call
		case m != nil && (strings.TrimSpace(m[2]) == "" || rawOpen.MatchString(m[2])):
			value, closed := r.value(m[2], fence)
			b.args.Set(m[1], value)
			if !closed {
				return
			}
		case m != nil:
			b.args.Set(m[1], unquote(strings.TrimSpace(m[2])))
		default: // a body without a name
			r.at = before
			value, _ := r.value("", fence)
			b.args.Set(set.bodyArg(b.name, b.args), value)
		}
	}
}

// value reads a long value: raw text up to the line that matches its opening
// line, or, where the model left these out, up to the closing fence.
func (r *blockReader) value(opening, fence string) (string, bool) {
	at := r.at
	if strings.TrimSpace(opening) == "" {
		opening, _ = r.line()
	}
	m := rawOpen.FindStringSubmatch(opening)
	end := fence
	if m != nil {
		at = r.at
		end = strings.Repeat(">", len(m[1]))
	}
	r.at = at
	for {
		before := r.at
		line, ok := r.line()
		if !ok {
			return strings.TrimSuffix(r.text[at:], "\n"), false
		}
		stop := strings.TrimRight(line, " \t\r") == end
		if m == nil {
			stop = strings.TrimSpace(line) == end
		}
		if !stop {
			continue
		}
		if m == nil {
			r.at = before // the fence is the block's
		}
		if before == at {
			return "", true
		}
		return r.text[at : before-1], true
	}
}

// unquote takes off quotation marks that a model put around a short value.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// bodyArg is the argument that a body without a name stands for: the last
// required one that was not given.
func (s *toolset) bodyArg(name string, have api.ToolCallFunctionArguments) string {
	tool, _ := s.resolve(name)
	required := s.tools[tool].Parameters.Required
	for _, r := range slices.Backward(required) {
		if _, ok := have.Get(r); !ok {
			return r
		}
	}
	return "body"
}

// endLine gives a file's content the final line break that the protocol's form
// leaves out.
func endLine(args map[string]any) {
	if s, ok := args["content"].(string); ok && s != "" && !strings.HasSuffix(s, "\n") {
		args["content"] = s + "\n"
	}
}
