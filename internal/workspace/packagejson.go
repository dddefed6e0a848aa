package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// dependencySections are the keys of package.json that package managers keep.
func dependencySections() []string {
	return []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"}
}

// member is one entry of a JSON object: where its value lies in the text.
type member struct {
	key        string
	start, end int // of the value
	from       int // of the key
}

// mergePackageJSON takes the dependency sections of new into old. Without any,
// old comes back as it was.
func mergePackageJSON(old, new []byte) (merged []byte, rest, ok bool) {
	given := old
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	was, err1 := sections(old)
	is, err2 := sections(new)
	if err1 != nil || err2 != nil {
		return nil, true, false
	}
	deps := map[string]bool{}
	for _, key := range dependencySections() {
		deps[key] = true
	}
	if sameExcept(was, is, deps) {
		if sameExcept(was, is, nil) {
			return given, false, true // only spaced or ordered otherwise
		}
		return new, false, true
	}
	merged = old
	for _, key := range dependencySections() {
		if merged, err1 = splice(merged, key, is[key]); err1 != nil {
			return nil, true, false
		}
	}
	if after, err := sections(merged); err != nil || sameExcept(was, after, nil) {
		return given, true, err == nil
	}
	return merged, true, true
}

// sections splits a JSON object into its raw values.
func sections(data []byte) (map[string]json.RawMessage, error) {
	list, err := members(data)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for _, m := range list {
		if _, twice := out[m.key]; twice {
			return nil, errors.New("a key appears twice")
		}
		out[m.key] = data[m.start:m.end]
	}
	return out, nil
}

// sameExcept compares two objects by meaning, without the keys of but.
func sameExcept(a, b map[string]json.RawMessage, but map[string]bool) bool {
	for key := range b {
		if _, ok := a[key]; !ok && !but[key] {
			return false
		}
	}
	for key, va := range a {
		if but[key] {
			continue
		}
		vb, ok := b[key]
		if !ok || !sameJSON(va, vb) {
			return false
		}
	}
	return true
}

func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var va, vb any
	return json.Unmarshal(a, &va) == nil && json.Unmarshal(b, &vb) == nil && reflect.DeepEqual(va, vb)
}

// members finds the entries of the one JSON object in data.
func members(data []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var list []member
	for dec.More() {
		before := int(dec.InputOffset())
		t, err := dec.Token()
		key, isString := t.(string)
		if err != nil || !isString {
			return nil, errors.New("not a JSON object")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		from := before + bytes.IndexByte(data[before:], '"')
		list = append(list, member{key: key, from: from, start: end - len(value), end: end})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return list, nil
}

// splice sets key to value, removes it when value is nil, and leaves every
// other byte of the object alone.
func splice(data []byte, key string, value json.RawMessage) ([]byte, error) {
	list, err := members(data)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		if m.key != key {
			continue
		}
		if value != nil {
			return replace(data, m.start, m.end, string(value)), nil
		}
		switch {
		case i+1 < len(list): // up to the next key
			return replace(data, m.from, list[i+1].from, ""), nil
		case i > 0: // from the end of the one before, with its comma
			return replace(data, list[i-1].end, m.end, ""), nil
		}
		return replace(data, m.from, m.end, ""), nil
	}
	if value == nil {
		return data, nil
	}
	entry := `"` + key + `": ` + string(value)
	if len(list) == 0 {
		open := bytes.IndexByte(data, '{')
		shut := bytes.LastIndexByte(data, '}')
		return replace(data, open+1, shut, "\n  "+entry+"\n"), nil
	}
	last := list[len(list)-1]
	lead := string(data[:last.from])
	indent := lead[strings.LastIndexAny(lead, "{,\n\"]}")+1:]
	if nl := strings.LastIndexByte(lead, '\n'); nl >= 0 && strings.TrimSpace(lead[nl:]) == "" {
		indent = lead[nl:]
	}
	return replace(data, last.end, last.end, ","+indent+entry), nil
}

func replace(data []byte, from, to int, text string) []byte {
	out := append([]byte{}, data[:from]...)
	out = append(out, text...)
	return append(out, data[to:]...)
}
