package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
)

// kind is the type of a parameter. All are flat: nested schemas confuse small
// models.
type kind string

const (
	text   kind = "string"
	number kind = "integer"
	object kind = "object" // JSON, given as text or as itself
)

// param is one parameter of a tool.
type param struct {
	name     string
	kind     kind
	about    string
	optional bool
	enum     []string
	aliases  []string // squashed names used elsewhere
}

// values are the accepted arguments of a call.
type values map[string]any

func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
}

// number returns the value, or def when it was not given.
func (v values) number(name string, def int) int {
	if n, ok := v[name].(int); ok {
		return n
	}
	return def
}

func (v values) has(name string) bool { _, ok := v[name]; return ok }

func (t tool) schema() api.Tool {
	props := api.NewToolPropertiesMap()
	var required []string
	for _, p := range t.params {
		prop := api.ToolProperty{Type: api.PropertyType{string(p.kind)}, Description: p.about}
		for _, e := range p.enum {
			prop.Enum = append(prop.Enum, e)
		}
		props.Set(p.name, prop)
		if !p.optional {
			required = append(required, p.name)
		}
	}
	return api.Tool{Type: "function", Function: api.ToolFunction{
		Name: t.name, Description: t.about,
		Parameters: api.ToolFunctionParameters{Type: "object", Required: required, Properties: props},
	}}
}

// form is the call as it should look.
func (t tool) form() string {
	var names []string
	for _, p := range t.params {
		if p.optional {
			names = append(names, "["+p.name+"]")
		} else {
			names = append(names, p.name)
		}
	}
	return t.name + "(" + strings.Join(names, ", ") + ")"
}

// accept turns what a model sent into arguments: other spellings of the keys,
// numbers and JSON in strings. Unknown keys are ignored; small models invent
// them. The error says how to call the tool.
func (t tool) accept(args map[string]any) (values, error) {
	args = unwrap(t, args)
	out := values{}
	var missing []string
	for _, p := range t.params {
		raw, ok := lookup(p, args)
		if !ok && p.kind == object && len(args) > 0 {
			raw, ok = any(args), true // the object itself in place of its wrapper
		}
		if !ok || raw == nil {
			if !p.optional {
				missing = append(missing, p.name)
			}
			continue
		}
		v, err := p.coerce(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %s %w. Call it as %s.", t.name, p.name, err, t.form())
		}
		out[p.name] = v
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s needs %s. Call it as %s.", t.name, strings.Join(missing, " and "), t.form())
	}
	return out, nil
}

// unwrap opens arguments that came inside one more object, or as JSON text.
func unwrap(t tool, args map[string]any) map[string]any {
	for range 3 {
		if len(args) != 1 {
			return args
		}
		var inner map[string]any
		for k, v := range args {
			switch squash(k) {
			case "arguments", "parameters", "args", "params", "input", "kwargs":
			default:
				return args
			}
			switch v := v.(type) {
			case map[string]any:
				inner = v
			case string:
				if json.Unmarshal([]byte(v), &inner) != nil {
					return args
				}
			}
		}
		if !t.knows(inner) {
			return args
		}
		args = inner
	}
	return args
}

// knows says whether these can be the tool's own arguments.
func (t tool) knows(args map[string]any) bool {
	for _, p := range t.params {
		if _, ok := lookup(p, args); ok || p.kind == object && len(args) > 0 {
			return true
		}
		if _, nested := lookup(param{name: "arguments", aliases: []string{"parameters", "input"}}, args); nested {
			return true
		}
	}
	return false
}

// lookup finds a parameter by its name, else by its squashed name or an alias,
// in a fixed order so that the same call always means the same.
func lookup(p param, args map[string]any) (any, bool) {
	if v, ok := args[p.name]; ok {
		return v, true
	}
	keys := make([]string, 0, len(args))
	for k := range args {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, want := range append([]string{squash(p.name)}, p.aliases...) {
		for _, k := range keys {
			if squash(k) == want {
				return args[k], true
			}
		}
	}
	return nil, false
}

// squash makes filePath, file_path and File-Path the same.
func squash(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(s))
}

func (p param) coerce(raw any) (any, error) {
	switch p.kind {
	case number:
		return toNumber(raw)
	case object:
		return toJSON(raw)
	}
	s, err := toText(raw)
	if err != nil || p.enum == nil {
		return s, err
	}
	for _, e := range p.enum {
		if squash(s) == squash(e) {
			return e, nil
		}
	}
	return s, nil // the tool says what is wrong with it
}

// toText accepts scalars; a list of strings is lines; other JSON is its text.
func toText(raw any) (string, error) {
	switch v := raw.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case json.Number:
		return v.String(), nil
	case int:
		return strconv.Itoa(v), nil
	case []any:
		if lines, ok := stringsOf(v); ok {
			return strings.Join(lines, "\n"), nil
		}
	}
	data, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return "", errors.New("must be text")
	}
	return string(data), nil
}

func stringsOf(list []any) ([]string, bool) {
	var out []string
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func toNumber(raw any) (int, error) {
	var f float64
	switch v := raw.(type) {
	case float64:
		f = v
	case int:
		return v, nil
	case json.Number, string:
		s := strings.Trim(fmt.Sprint(v), " \t\n\"'`")
		parsed, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("must be a whole number, not %q", clipWord(s))
		}
		f = parsed
	default:
		return 0, errors.New("must be a whole number")
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return 0, fmt.Errorf("must be a whole number, not %v", f)
	}
	return int(f), nil
}

// toJSON accepts JSON text, with raw line breaks inside its strings mended, or
// the value itself.
func toJSON(raw any) (json.RawMessage, error) {
	s, ok := raw.(string)
	if !ok {
		data, err := json.Marshal(raw)
		if err != nil {
			return nil, errors.New("must be JSON")
		}
		return data, nil
	}
	s = unfence(strings.TrimSpace(s))
	for range 2 { // text of text of JSON happens
		if json.Valid([]byte(s)) {
			var inner string
			if json.Unmarshal([]byte(s), &inner) != nil {
				return json.RawMessage(s), nil
			}
			s = strings.TrimSpace(inner)
		} else if mended := escapeBreaks(s); json.Valid([]byte(mended)) {
			return json.RawMessage(mended), nil
		}
	}
	if json.Valid([]byte(s)) {
		return json.RawMessage(s), nil
	}
	var v any
	return nil, fmt.Errorf("is not valid JSON (%w)", json.Unmarshal([]byte(s), &v))
}

// escapeBreaks writes line breaks and tabs inside JSON strings as escapes.
func escapeBreaks(s string) string {
	var b strings.Builder
	inside, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && inside:
			escaped = true
		case r == '"':
			inside = !inside
		case inside && r == '\n':
			b.WriteString(`\n`)
			continue
		case inside && r == '\r':
			continue
		case inside && r == '\t':
			b.WriteString(`\t`)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unfence takes a Markdown fence off that holds all of s.
func unfence(s string) string {
	body, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	_, body, ok = strings.Cut(body, "\n")
	if !ok {
		return s
	}
	body = strings.TrimRight(body, " \t\n")
	inner, ok := strings.CutSuffix(body, "```")
	if !ok || strings.Contains(inner, "\n```") {
		return s
	}
	return inner
}

func clipWord(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
