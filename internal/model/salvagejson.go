package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// decodeCalls reads text that is nothing but calls in JSON: an object, an array,
// or several of them. Anything else in it, or an unknown tool, and it is none.
func decodeCalls(text string, set *toolset) []found {
	text = strings.Trim(text, " \t\r\n`;")
	if text == "" || (text[0] != '{' && text[0] != '[') {
		return nil
	}
	for _, candidate := range []string{text, repairJSON(text)} {
		values, ok := jsonValues(candidate)
		if !ok {
			continue
		}
		var calls []found
		for _, v := range values {
			in := callsOf(v, set, 0)
			if len(in) == 0 {
				return nil
			}
			calls = append(calls, in...)
		}
		return calls
	}
	return nil
}

// jsonValues splits a text into the JSON values it consists of.
func jsonValues(text string) ([]json.RawMessage, bool) {
	var values []json.RawMessage
	for text = trimBetween(text); text != ""; text = trimBetween(text) {
		n := valueEnd(text)
		if n == 0 || len(values) == 64 {
			return nil, false
		}
		values = append(values, json.RawMessage(text[:n]))
		text = text[n:]
	}
	return values, len(values) > 0
}

func trimBetween(s string) string { return strings.TrimLeft(s, " \t\r\n,;") }

// valueEnd is the length of the JSON value that s begins with, or 0.
func valueEnd(s string) int {
	d := json.NewDecoder(strings.NewReader(s))
	var v json.RawMessage
	if err := d.Decode(&v); err != nil {
		return 0
	}
	return int(d.InputOffset())
}

// callsOf reads one JSON value as a call or a list of calls.
func callsOf(v json.RawMessage, set *toolset, depth int) []found {
	if depth > 3 {
		return nil
	}
	v = bytes.TrimSpace(v)
	if len(v) > 0 && v[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			return nil
		}
		var calls []found
		for _, e := range list {
			in := callsOf(e, set, depth+1)
			if len(in) == 0 {
				return nil
			}
			calls = append(calls, in...)
		}
		return calls
	}
	var obj map[string]json.RawMessage
	if json.Unmarshal(v, &obj) != nil {
		return nil
	}
	for _, key := range []string{"tool_calls", "tool_call", "function"} {
		if in := obj[key]; len(in) > 0 && (in[0] == '{' || in[0] == '[') {
			return callsOf(in, set, depth+1)
		}
	}
	if f, ok := objectCall(v, obj, set); ok {
		return []found{f}
	}
	return nil
}

// objectCall reads {name, arguments} under the names that models use for the two,
// also with the arguments beside the name.
func objectCall(v json.RawMessage, obj map[string]json.RawMessage, set *toolset) (found, bool) {
	nameKey, name := "", ""
	for _, key := range []string{"name", "tool", "tool_name", "function", "function_name", "action"} {
		if json.Unmarshal(obj[key], &name) == nil && name != "" {
			nameKey = key
			break
		}
	}
	if nameKey == "" {
		return found{}, false
	}
	for _, key := range []string{"arguments", "parameters", "args", "params", "input", "tool_input", "action_input"} {
		if raw, ok := obj[key]; ok {
			return makeCall(name, string(raw), set)
		}
	}
	flat := decodeArgs(v)
	args := api.NewToolCallFunctionArguments()
	for k, val := range flat.All() {
		if k != nameKey && k != "type" && k != "id" {
			args.Set(k, val)
		}
	}
	tool, ok := set.resolve(name)
	if !ok || !set.complete(tool, args) {
		return found{}, false
	}
	return found{name: tool, args: args}, true
}

// makeCall reads arguments given as an object, or as a string holding one.
func makeCall(name, raw string, set *toolset) (found, bool) {
	tool, ok := set.resolve(name)
	if !ok {
		return found{}, false
	}
	raw = strings.TrimSpace(raw)
	var inner string
	if strings.HasPrefix(raw, `"`) && json.Unmarshal([]byte(raw), &inner) == nil {
		raw = strings.TrimSpace(inner)
	}
	if raw == "null" || raw == "" {
		raw = "{}"
	}
	if !strings.HasPrefix(raw, "{") {
		return found{}, false
	}
	if !json.Valid([]byte(raw)) {
		if raw = repairJSON(raw); !json.Valid([]byte(raw)) {
			return found{}, false
		}
	}
	args := decodeArgs(json.RawMessage(raw))
	return found{name: tool, args: args}, set.complete(tool, args)
}

// decodeArgs reads a valid JSON object, keeping the order of its keys.
func decodeArgs(raw json.RawMessage) api.ToolCallFunctionArguments {
	args := api.NewToolCallFunctionArguments()
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return args
	}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return args
		}
		key, ok := k.(string)
		var v any
		if !ok || d.Decode(&v) != nil {
			return args
		}
		args.Set(key, v)
	}
	return args
}

// repairJSON mends what small models do to JSON: raw line breaks and tabs inside
// of strings, commas before a closing bracket, closing brackets left out at the
// very end. A text that ends within a string was cut off and stays broken.
func repairJSON(s string) string {
	b := make([]byte, 0, len(s)+4)
	var open []byte
	inString, escaped := false, false
	comma := -1 // where b has a comma with nothing but space after it
	for i := 0; i < len(s); i++ {
		c := s[i]
		if inString {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				inString = false
			case c < 0x20:
				b = append(b, escapeControl(c)...)
				continue
			}
			b = append(b, c)
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			open = append(open, c)
		case '}', ']':
			if comma >= 0 {
				b = b[:comma]
			}
			open = open[:max(0, len(open)-1)]
		}
		if c == ',' {
			comma = len(b)
		} else if c > ' ' {
			comma = -1
		}
		b = append(b, c)
	}
	if !inString && len(open) <= 3 {
		for _, c := range slices.Backward(open) {
			b = append(b, c+2) // '{'+2 is '}', '['+2 is ']'
		}
	}
	return string(b)
}

func escapeControl(c byte) string {
	switch c {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	const hex = "0123456789abcdef"
	return `\u00` + string(hex[c>>4]) + string(hex[c&15])
}

// inferCall names the tool that a bare arguments object can only belong to: some
// servers quote the arguments of a call they could not read without its name.
func inferCall(raw string, set *toolset) (found, bool) {
	raw = strings.TrimSpace(raw)
	if !json.Valid([]byte(raw)) {
		raw = repairJSON(raw)
	}
	var obj map[string]json.RawMessage
	if json.NewDecoder(strings.NewReader(raw)).Decode(&obj) != nil || len(obj) == 0 || !json.Valid([]byte(raw)) {
		return found{}, false
	}
	args := decodeArgs(json.RawMessage(raw))
	var match []string
	for _, name := range set.names {
		params := set.tools[name].Parameters
		fits := len(params.Required) > 0
		for k := range obj {
			_, has := params.Properties.Get(k)
			fits = fits && has
		}
		if fits && set.complete(name, args) {
			match = append(match, name)
		}
	}
	if len(match) != 1 {
		return found{}, false
	}
	return found{name: match[0], args: args}, true
}
