package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// found is a tool call discovered in text; name is the harness's.
type found struct {
	name       string
	args       api.ToolCallFunctionArguments
	start, end int // the bytes it takes up, with its tags or fence
}

// salvage finds calls that a model printed as text, in the forms that local
// models use, and gives the text without them. Only tools that exist are found,
// so that an example in prose is not taken for a call of something else.
func salvage(text string, set *toolset) (calls []found, rest string) {
	for _, find := range []func(string, *toolset) []found{
		findTagged, findXML, findMistral, findFenced, findBare,
	} {
		if calls = find(text, set); len(calls) > 0 {
			return calls, without(text, calls)
		}
	}
	return nil, text
}

// salvageTail finds calls at the very end of a model's thinking: it meant to
// call and never left the thinking block. Calls in the middle are mere plans.
func salvageTail(thinking string, set *toolset) []found {
	calls, _ := salvage(thinking, set)
	if len(calls) == 0 {
		return nil
	}
	tail := thinking[calls[len(calls)-1].end:]
	if strings.Trim(tail, " \t\r\n") != "" && !strings.HasPrefix(strings.TrimSpace(tail), "</") {
		return nil
	}
	return calls[len(calls)-1:]
}

// without cuts the calls' spans out of the text.
func without(text string, calls []found) string {
	var b strings.Builder
	at := 0
	for _, c := range calls {
		if c.start > at {
			b.WriteString(text[at:c.start])
		}
		at = max(at, c.end)
	}
	b.WriteString(text[at:])
	return strings.TrimSpace(b.String())
}

// splitThink takes leaked thinking off the head of a reply: a leading think
// block, or everything before a closing tag whose opener was in the template.
func splitThink(s string) (thinking, rest string) {
	t := strings.TrimLeft(s, " \t\r\n")
	for _, tag := range []string{"think", "thinking"} {
		open, closing := "<"+tag+">", "</"+tag+">"
		if after, ok := strings.CutPrefix(t, open); ok {
			thinking, rest, _ = strings.Cut(after, closing)
			return strings.TrimSpace(thinking), rest
		}
		before, after, ok := strings.Cut(s, closing)
		if ok && !strings.Contains(before, open) && !strings.Contains(before, "```") && !strings.Contains(before, "<function") && !strings.Contains(before, "<tool_call>") {
			return strings.TrimSpace(before), after
		}
	}
	return "", s
}

var (
	openTag  = regexp.MustCompile(`<\|?(tool_call|tool_calls|function_call|function_invocation|tools|tool_use)\|?>|<\|python_tag\|>`)
	closeTag = regexp.MustCompile(`</?\|?(?:tool_call|tool_calls|function_call|function_invocation|tools|tool_use)\|?>|<\|eom_id\|>|<\|eot_id\|>`)
)

// mostTries bounds how many places of a text are looked at, so that no text can
// hold up a session.
const mostTries = 32

// findTagged reads <tool_call>…</tool_call> and its relatives, with or without
// the closing tag, holding JSON or XML.
func findTagged(text string, set *toolset) []found {
	var calls []found
	at := 0
	for range mostTries {
		open := openTag.FindStringIndex(text[at:])
		if open == nil {
			break
		}
		start, from := at+open[0], at+open[1]
		in, end := insideTag(text, from, set)
		for _, f := range in {
			f.start, f.end = start, end
			calls = append(calls, f)
		}
		if at = from; len(in) > 0 {
			at = end
		}
	}
	return calls
}

// insideTag reads the calls behind an opening tag and says where they end.
func insideTag(text string, from int, set *toolset) (calls []found, end int) {
	// the arguments of an XML call may hold anything, also tags: it says itself
	// where it ends
	if m := xmlFunc.FindStringSubmatchIndex(text[from:]); m != nil && strings.TrimSpace(text[from:from+m[0]]) == "" {
		if f, ok := xmlCall(text, from, m, set); ok {
			return []found{f}, f.end
		}
		return nil, from
	}
	to, end := len(text), len(text)
	if c := closeTag.FindStringIndex(text[from:]); c != nil {
		to, end = from+c[0], from+c[1]
	}
	return decodeCalls(text[from:to], set), end
}

var mistralName = regexp.MustCompile(`^\s*([\w.\-]+)\s*(?:\[CALL_ID\][\w\-]*\s*)?(?:\[ARGS\])?\s*\{`)

// findMistral reads [TOOL_CALLS] followed by JSON, or by a name and arguments.
func findMistral(text string, set *toolset) []found {
	const mark = "[TOOL_CALLS]"
	var calls []found
	at := strings.Index(text, mark)
	for range mostTries {
		if at < 0 {
			break
		}
		from, to := at+len(mark), len(text)
		next := strings.Index(text[from:], mark)
		if next >= 0 {
			to = from + next
		}
		body := strings.TrimSuffix(strings.TrimSpace(text[from:to]), "</s>")
		in := decodeCalls(body, set)
		if m := mistralName.FindStringSubmatchIndex(body); len(in) == 0 && m != nil {
			if f, ok := makeCall(body[m[2]:m[3]], body[m[1]-1:], set); ok {
				in = []found{f}
			}
		}
		for _, f := range in {
			f.start, f.end = at, to
			calls = append(calls, f)
		}
		if next < 0 {
			break
		}
		at = to
	}
	return calls
}

var fence = regexp.MustCompile("(?ms)^[ \t]*```[\\w+\\-]*[ \t]*\r?\n(.*?)\r?\n?^?[ \t]*```[ \t]*\r?$")

// findFenced reads code blocks that hold calls and nothing else.
func findFenced(text string, set *toolset) []found {
	var calls []found
	for _, m := range fence.FindAllStringSubmatchIndex(text, 64) {
		for _, f := range decodeCalls(text[m[2]:m[3]], set) {
			f.start, f.end = m[0], m[1]
			calls = append(calls, f)
		}
	}
	return calls
}

// findBare reads JSON that is the whole reply, that begins it, or that runs from
// the beginning of a line to the end.
func findBare(text string, set *toolset) []found {
	tries := 0
	for pos := 0; pos < len(text) && tries < mostTries/2; {
		line := pos
		for pos < len(text) && (text[pos] == ' ' || text[pos] == '\t') {
			pos++
		}
		if pos < len(text) && (text[pos] == '{' || text[pos] == '[') {
			tries++
			end := len(text)
			in := decodeCalls(text[pos:], set)
			if len(in) == 0 && strings.TrimSpace(text[:pos]) == "" {
				if n := valueEnd(text[pos:]); n > 0 {
					in, end = decodeCalls(text[pos:pos+n], set), pos+n
				}
			}
			for i := range in {
				in[i].start, in[i].end = line, end
			}
			if len(in) > 0 {
				return in
			}
		}
		next := strings.IndexByte(text[pos:], '\n')
		if next < 0 {
			break
		}
		pos += next + 1
	}
	return nil
}

var (
	xmlFunc  = regexp.MustCompile(`<(?:function|invoke)(?:\s*=\s*|\s+name\s*=\s*)["']?([\w.\-]+)["']?\s*>`)
	xmlParam = regexp.MustCompile(`^\s*<param(?:eter)?(?:\s*=\s*|\s+name\s*=\s*)["']?([\w.\-]+)["']?\s*>`)
	xmlEnd   = regexp.MustCompile(`^\s*</(?:function|invoke)>`)
	// what may honestly follow the end of a parameter
	xmlAfter = regexp.MustCompile(`^\s*(?:<param(?:eter)?(?:\s*=|\s+name)|</(?:function|invoke|tool_call)>|$)`)
)

// findXML reads qwen's <function=NAME><parameter=KEY>value</parameter></function>,
// with or without the <tool_call> around it.
func findXML(text string, set *toolset) []found {
	var calls []found
	at := 0
	for range mostTries {
		m := xmlFunc.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		f, ok := xmlCall(text, at, m, set)
		if ok {
			calls = append(calls, f)
			at = f.end
		} else {
			at += m[1]
		}
	}
	return calls
}

// xmlCall reads the call whose opening tag was matched at m behind at.
func xmlCall(text string, at int, m []int, set *toolset) (found, bool) {
	name, known := set.resolve(text[at+m[2] : at+m[3]])
	if !known {
		return found{}, false
	}
	args, n, ok := xmlArgs(text[at+m[1]:])
	if !ok || !set.complete(name, args) {
		return found{}, false
	}
	return found{name: name, args: args, start: openerBefore(text, at+m[0]), end: at + m[1] + n}, true
}

// openerBefore moves a call's start over the <tool_call> right before it.
func openerBefore(text string, start int) int {
	before := strings.TrimRight(text[:start], " \t\r\n")
	if s, ok := strings.CutSuffix(before, "<tool_call>"); ok {
		return len(s)
	}
	return start
}

// xmlArgs reads parameters up to the end of the function and says how many bytes
// that took. It fails when a parameter does not end: the reply was cut.
func xmlArgs(s string) (args api.ToolCallFunctionArguments, n int, ok bool) {
	args = api.NewToolCallFunctionArguments()
	for range mostTries {
		m := xmlParam.FindStringSubmatchIndex(s[n:])
		if m == nil {
			break
		}
		key, from := s[n+m[2]:n+m[3]], n+m[1]
		to, next, ok := paramEnd(s, from)
		if !ok {
			return args, 0, false
		}
		args.Set(key, trimNewlines(s[from:to]))
		n = next
	}
	if m := xmlEnd.FindStringIndex(s[n:]); m != nil {
		n += m[1]
	}
	if strings.HasPrefix(strings.TrimLeft(s[n:], " \t\r\n"), "</tool_call>") {
		n += strings.Index(s[n:], "</tool_call>") + len("</tool_call>")
	}
	return args, n, true
}

// paramEnd finds where a value ends and where the next thing begins. A closing
// tag inside of the value does not count; where it is missing, the next
// parameter or the end of the function ends the value.
func paramEnd(s string, from int) (to, next int, ok bool) {
	for at := from; ; {
		n := strings.Index(s[at:], "</param")
		if n < 0 {
			break
		}
		start := at + n
		at = start + len("</param")
		rest := strings.TrimPrefix(s[at:], "eter")
		if strings.HasPrefix(rest, ">") && xmlAfter.MatchString(rest[1:]) {
			return start, len(s) - len(rest) + 1, true
		}
	}
	end := -1
	for _, mark := range []string{"\n<parameter=", "\n<param=", "</function>", "</invoke>"} {
		if n := strings.Index(s[from:], mark); n >= 0 && (end < 0 || n < end) {
			end = n
		}
	}
	return from + end, from + end, end >= 0
}

func trimNewlines(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// complete says whether every required argument is there, under whatever name.
func (s *toolset) complete(tool string, args api.ToolCallFunctionArguments) bool {
	have := s.arguments(tool, args)
	return !slices.ContainsFunc(s.tools[tool].Parameters.Required, func(r string) bool {
		_, ok := have[r]
		return !ok
	})
}
