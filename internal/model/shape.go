package model

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gitagent/internal/plain"
)

// shape checks values against the part of JSON schema that the harness's own
// schemas use; a keyword beyond it is refused, never passed over, and a number
// is the float64 that it decodes to. A complete
// validator would prepare all of the standard's schemas whenever the program
// starts, which is half of what a hook may cost; the tests hold this one to it.
type shape struct {
	types    []string
	props    map[string]*shape
	required []string
	closed   bool   // no other properties
	items    *shape // of an array
	anyOf    []*shape
	oneOf    []any // values of enum and const
	bounds   []bound
}

// bound is one of minItems, maxLength and their kind.
type bound struct {
	kind  string // the JSON type it speaks of
	unit  string
	least bool
	limit float64
}

var boundWords = map[string]bound{
	"minItems": {"array", "item(s)", true, 0}, "maxItems": {"array", "item(s)", false, 0},
	"minLength": {"string", "character(s)", true, 0}, "maxLength": {"string", "character(s)", false, 0},
	"minimum": {"number", "", true, 0}, "maximum": {"number", "", false, 0},
}

// parseShape reads a schema.
func parseShape(data []byte) (*shape, error) {
	var words map[string]json.RawMessage
	if err := json.Unmarshal(data, &words); err != nil {
		return nil, fmt.Errorf("a schema is an object: %w", err)
	}
	s := &shape{}
	for word, raw := range words {
		if err := s.word(word, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", word, err)
		}
	}
	return s, nil
}

// word takes one keyword.
func (s *shape) word(word string, raw json.RawMessage) (err error) {
	if b, ok := boundWords[word]; ok {
		err = json.Unmarshal(raw, &b.limit)
		s.bounds = append(s.bounds, b)
		return err
	}
	switch word {
	case "$schema", "title", "description":
		return nil
	case "type":
		return s.takeTypes(raw)
	case "properties":
		return json.Unmarshal(raw, &s.props)
	case "items":
		return json.Unmarshal(raw, &s.items)
	case "anyOf":
		return json.Unmarshal(raw, &s.anyOf)
	case "required":
		return json.Unmarshal(raw, &s.required)
	case "enum":
		return json.Unmarshal(raw, &s.oneOf)
	case "const":
		s.oneOf = make([]any, 1)
		return json.Unmarshal(raw, &s.oneOf[0])
	case "additionalProperties":
		var open bool
		err = json.Unmarshal(raw, &open)
		s.closed = !open
		return err
	}
	return fmt.Errorf("this keyword is not known here")
}

// UnmarshalJSON makes schemas inside schemas readable.
func (s *shape) UnmarshalJSON(data []byte) error {
	inner, err := parseShape(data)
	if err == nil {
		*s = *inner
	}
	return err
}

func (s *shape) takeTypes(raw json.RawMessage) error {
	if json.Unmarshal(raw, &s.types) != nil {
		s.types = make([]string, 1)
		if err := json.Unmarshal(raw, &s.types[0]); err != nil {
			return err
		}
	}
	for _, t := range s.types {
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t) {
			return fmt.Errorf("there is no type %q", t)
		}
	}
	return nil
}

// problems says, a line each, where value (decoded by encoding/json) does not
// keep to the shape; at is the JSON pointer of value.
func (s *shape) problems(value any, at string) []string {
	say := func(format string, args ...any) []string {
		where := at
		if where == "" {
			where = "the whole value"
		}
		return []string{"- at " + where + ": " + fmt.Sprintf(format, args...)}
	}
	kind := kindOf(value)
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return t == kind || t == "integer" && whole(value) }) {
		return say("got %s, want %s", kind, strings.Join(s.types, " or "))
	}
	if s.oneOf != nil && !slices.ContainsFunc(s.oneOf, func(v any) bool { return reflect.DeepEqual(v, value) }) {
		want, _ := json.Marshal(s.oneOf)
		return say("must be one of %s", want)
	}
	var found []string
	for _, b := range s.bounds {
		if n, ok := b.measure(value); ok && (b.least && n < b.limit || !b.least && n > b.limit) {
			word := map[bool]string{true: "at least", false: "at most"}[b.least]
			found = append(found, say("%s %s", word, strings.TrimSpace(strconv.FormatFloat(b.limit, 'f', -1, 64)+" "+b.unit))...)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range s.required {
			if _, ok := v[name]; !ok {
				found = append(found, say("%q is missing", name)...)
			}
		}
		found = append(found, s.members(v, at, say)...)
	case []any:
		for i := range v {
			if s.items != nil {
				found = append(found, s.items.problems(v[i], at+"/"+strconv.Itoa(i))...)
			}
		}
	}
	return append(found, s.alternatives(value, at)...)
}

// members checks the properties of an object, in the order of their names.
func (s *shape) members(object map[string]any, at string, say func(string, ...any) []string) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	var found []string
	for _, name := range names {
		switch inner := s.props[name]; {
		case inner != nil:
			found = append(found, inner.problems(object[name], at+"/"+plain.Line(name, 40))...)
		case s.closed:
			found = append(found, say("there is no property %q", plain.Line(name, 40))...)
		}
	}
	return found
}

// alternatives reports on the one that comes nearest.
func (s *shape) alternatives(value any, at string) []string {
	var nearest []string
	for _, a := range s.anyOf {
		found := a.problems(value, at)
		if len(found) == 0 {
			return nil
		}
		if nearest == nil || len(found) < len(nearest) {
			nearest = found
		}
	}
	return nearest
}

// measure is what the bound counts, where it speaks of such a value at all.
func (b bound) measure(value any) (float64, bool) {
	if kindOf(value) != b.kind {
		return 0, false
	}
	switch v := value.(type) {
	case []any:
		return float64(len(v)), true
	case string:
		return float64(utf8.RuneCountInString(v)), true
	case float64:
		return v, true
	}
	return 0, false
}

func whole(value any) bool {
	n, ok := value.(float64)
	return ok && n == math.Trunc(n)
}

func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}
