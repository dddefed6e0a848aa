package contract

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gitagent/internal/pattern"
	"gitagent/internal/plain"
)

// JSONPath is a small part of JSON paths: $, .name, ["name"], [n], [-n], [*],
// and .length at the end of a list or text.
type JSONPath []pathStep

type pathStep struct {
	name  string
	index int
	kind  byte // 'n'ame, 'i'ndex, '*'
}

var (
	pathName  = pattern.Lazy(`^\.([\p{L}_$][\p{L}\p{N}_$-]*)`)
	pathIndex = pattern.Lazy(`^\[(-?\d{1,6})\]`)
	pathKey   = pattern.Lazy(`^\["([^"\\]+)"\]|^\['([^'\\]+)'\]`)
)

// ParsePath reads a path; the $ in front may be left out. The error is the rest
// of a sentence.
func ParsePath(text string) (JSONPath, error) {
	rest, dollar := strings.CutPrefix(strings.TrimSpace(text), "$")
	if !dollar && !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "[") {
		rest = "." + rest
	}
	path := JSONPath{}
	for rest != "" {
		if m := pathName.FindStringSubmatch(rest); m != nil {
			path, rest = append(path, pathStep{name: m[1], kind: 'n'}), rest[len(m[0]):]
			continue
		}
		if m := pathIndex.FindStringSubmatch(rest); m != nil {
			n, _ := strconv.Atoi(m[1])
			path, rest = append(path, pathStep{index: n, kind: 'i'}), rest[len(m[0]):]
			continue
		}
		if m := pathKey.FindStringSubmatch(rest); m != nil {
			path, rest = append(path, pathStep{name: m[1] + m[2], kind: 'n'}), rest[len(m[0]):]
			continue
		}
		if strings.HasPrefix(rest, "[*]") {
			path, rest = append(path, pathStep{kind: '*'}), rest[3:]
			continue
		}
		return nil, fmt.Errorf("has the path %q: write it like $.items[0].name, $.items[*].name or $.items.length", plain.Line(text, 60))
	}
	return path, nil
}

// Find gives what the path leads to; many says that it has a [*], so that there
// may be any number.
func (p JSONPath) Find(v any) (found []any, many bool) {
	found = []any{v}
	for _, step := range p {
		var next []any
		for _, v := range found {
			next = append(next, step.of(v)...)
		}
		found, many = next, many || step.kind == '*'
	}
	return found, many
}

func (s pathStep) of(v any) []any {
	switch v := v.(type) {
	case map[string]any:
		if s.kind == '*' {
			var out []any
			for _, item := range v {
				out = append(out, item)
			}
			return out
		}
		if item, ok := v[s.name]; ok && s.kind == 'n' {
			return []any{item}
		}
	case []any:
		i := s.index
		if i < 0 {
			i += len(v)
		}
		switch {
		case s.kind == '*':
			return v
		case s.kind == 'i' && i >= 0 && i < len(v):
			return []any{v[i]}
		case s.kind == 'n' && s.name == "length":
			return []any{stdjson.Number(strconv.Itoa(len(v)))}
		}
	case string:
		if s.kind == 'n' && s.name == "length" {
			return []any{stdjson.Number(strconv.Itoa(len([]rune(v))))}
		}
	}
	return nil
}

// wanted is what a path must lead to.
type wanted struct {
	op    string // "", not, has, count
	value any
}

func parseWanted(raw stdjson.RawMessage) (wanted, error) {
	v, err := DecodeJSON(raw)
	if err != nil {
		return wanted{}, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return wanted{value: v}, nil
	}
	for op, value := range m {
		if len(m) == 1 && (op == "not" || op == "has" || op == "count") {
			return wanted{op, value}, nil
		}
	}
	return wanted{}, errors.New(`an object: write a value, {"not":value}, {"has":"text"} or {"count":n}`)
}

// Match says whether the path leads to what is wanted in a decoded JSON value
// (numbers as json.Number); why is the rest of a sentence that begins with the
// path.
func Match(doc any, path string, raw stdjson.RawMessage) (ok bool, why string) {
	p, err := ParsePath(path)
	if err != nil {
		return false, err.Error()
	}
	want, err := parseWanted(raw)
	if err != nil {
		return false, err.Error()
	}
	found, many := p.Find(doc)
	hit := false
	for _, v := range found {
		hit = hit || want.met(v)
	}
	if list, isList := want.value.([]any); isList && many && want.op == "" {
		hit = equal(list, append([]any{}, found...))
	}
	switch {
	case want.op == "count":
		n := len(found)
		if !many && n == 1 {
			list, isList := found[0].([]any)
			if !isList {
				return false, fmt.Sprintf("is %s, which is no list", short(found))
			}
			n = len(list)
		}
		if fmt.Sprint(want.value) == strconv.Itoa(n) {
			return true, ""
		}
		return false, fmt.Sprintf("has %d, expected %v", n, want.value)
	case want.op == "not":
		if !hit {
			return true, ""
		}
		return false, fmt.Sprintf("is %s", short(found))
	case hit:
		return true, ""
	case len(found) == 0:
		return false, fmt.Sprintf("is not in the answer, expected %s", plain.Line(string(raw), 80))
	}
	return false, fmt.Sprintf("is %s, expected %s", short(found), plain.Line(string(raw), 80))
}

// met says whether one value is the wanted one (for not: the one that may not
// be there).
func (w wanted) met(v any) bool {
	if w.op == "has" {
		text, isText := v.(string)
		if !isText {
			b, _ := stdjson.Marshal(v)
			text = string(b)
		}
		return Holds(text, fmt.Sprint(w.value))
	}
	return equal(w.value, v)
}

// equal compares JSON values. A number that is wanted as a text may come as a
// number: the words of a step do not tell the two apart.
func equal(want, got any) bool {
	switch want := want.(type) {
	case stdjson.Number:
		n, ok := got.(stdjson.Number)
		return ok && sameNumber(string(want), string(n))
	case string:
		switch got := got.(type) {
		case string:
			return want == got
		case stdjson.Number:
			return sameNumber(want, string(got))
		case bool:
			return want == strconv.FormatBool(got)
		}
		return false
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !equal(want[i], list[i]) {
				return false
			}
		}
		return true
	case map[string]any: // within a list
		m, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for key, value := range want {
			if v, ok := m[key]; !ok || !equal(value, v) {
				return false
			}
		}
		return true
	}
	return want == got
}

func sameNumber(a, b string) bool {
	if len(a) > 60 || len(b) > 60 || strings.ContainsAny(a+b, "/_xXpP") || bigExponent.MatchString(a+" "+b) {
		return a == b
	}
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok && ok2 && x.Cmp(y) == 0
}

var bigExponent = pattern.Lazy(`[eE][+-]?\d{3,}`)

func short(found []any) string {
	var v any = found
	if len(found) == 1 {
		v = found[0]
	}
	b, err := stdjson.Marshal(v)
	if err != nil {
		return "something else"
	}
	return plain.Line(string(b), 80)
}

// DecodeJSON reads one value, with its numbers as they are written
// (json.Number).
func DecodeJSON(raw []byte) (any, error) {
	dec := stdjson.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// scalars are the texts and numbers in a JSON value.
func scalars(raw []byte) []string {
	v, err := DecodeJSON(raw)
	if err != nil {
		return nil
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case stdjson.Number:
			out = append(out, string(v))
		case bool:
			out = append(out, strconv.FormatBool(v))
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	return out
}
