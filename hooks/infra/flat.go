package infra

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"gitagent/hooks/lex"
)

// leaf is one value of a structured file. Path has the keys down to it; the
// elements of a list stand under their number.
type leaf struct {
	path  []string
	value string
	line  int
}

func (l leaf) key() string { return strings.Join(l.path, ".") }

// at copies a path; what stands at the top of a file by itself has a name too.
func at(path []string, more ...string) []string {
	out := append(append([]string{}, path...), more...)
	if len(out) == 0 {
		return []string{"(text)"}
	}
	return out
}

// under says whether the leaf stands below keys.
func (l leaf) under(keys ...string) bool {
	if len(l.path) < len(keys) {
		return false
	}
	for i, k := range keys {
		if l.path[i] != k {
			return false
		}
	}
	return true
}

// jsonLeaves reads JSON, comments and trailing commas allowed. What cannot be
// read gives one leaf, the text itself: a broken file is another file.
func jsonLeaves(data []byte) []leaf {
	clean := lex.Of("x.js").NoComments(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	clean = dropCommas(clean)
	d := json.NewDecoder(bytes.NewReader(clean))
	d.UseNumber()
	r := &jsonReader{d: d, src: clean}
	if err := r.value(nil, 0); err != nil {
		return []leaf{{path: []string{"(unreadable)"}, value: string(data), line: 1}}
	}
	return r.out
}

// dropCommas blanks commas before closing brackets.
func dropCommas(src []byte) []byte {
	code := lex.Of("x.js").OnlyCode(src)
	out := bytes.Clone(src)
	for i, c := range code {
		if c != ',' {
			continue
		}
		rest := bytes.TrimLeft(code[i+1:], " \t\r\n")
		if len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') {
			out[i] = ' '
		}
	}
	return out
}

type jsonReader struct {
	d   *json.Decoder
	src []byte
	out []leaf
}

func (r *jsonReader) value(path []string, depth int) error {
	if depth > 64 {
		return fmt.Errorf("too deep")
	}
	tok, err := r.d.Token()
	if err != nil {
		return err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		r.out = append(r.out, leaf{at(path), fmt.Sprint(tok), lex.Line(r.src, int(r.d.InputOffset()))})
		return nil
	}
	for n := 0; r.d.More(); n++ {
		key := fmt.Sprint(n)
		if delim == '{' {
			k, err := r.d.Token()
			if err != nil {
				return err
			}
			key = fmt.Sprint(k)
		}
		if err := r.value(append(path, key), depth+1); err != nil {
			return err
		}
	}
	_, err = r.d.Token()
	return err
}

// yamlLeaves reads YAML as jsonLeaves reads JSON.
func yamlLeaves(data []byte) []leaf {
	var out []leaf
	d := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := d.Decode(&doc)
		if err == io.EOF {
			return out
		}
		if err != nil {
			return []leaf{{path: []string{"(unreadable)"}, value: string(data), line: 1}}
		}
		walkYAML(&doc, nil, 0, &out)
	}
}

func walkYAML(n *yaml.Node, path []string, depth int, out *[]leaf) {
	if depth > 64 || len(*out) > 100_000 {
		return
	}
	switch n.Kind {
	case yaml.DocumentNode:
		for _, c := range n.Content {
			walkYAML(c, path, depth+1, out)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			walkYAML(n.Content[i+1], append(path, n.Content[i].Value), depth+1, out)
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			walkYAML(c, append(path, fmt.Sprint(i)), depth+1, out)
		}
	case yaml.AliasNode:
		*out = append(*out, leaf{at(path), "*" + n.Value, n.Line})
	default:
		*out = append(*out, leaf{at(path), n.Value, n.Line})
	}
}

// xmlLeaves reads XML: the text and the attributes of elements, under the names
// of those around them.
func xmlLeaves(data []byte) []leaf {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	var out []leaf
	var path []string
	for {
		tok, err := d.Token()
		if err != nil {
			if err != io.EOF {
				return []leaf{{path: []string{"(unreadable)"}, value: string(data), line: 1}}
			}
			return out
		}
		line, _ := d.InputPos()
		switch t := tok.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			for _, a := range t.Attr {
				out = append(out, leaf{at(path, "@"+a.Name.Local), a.Value, line})
			}
		case xml.EndElement:
			path = path[:max(0, len(path)-1)]
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				out = append(out, leaf{at(path), text, line})
			}
		}
	}
}

// tomlLeaves reads TOML closely enough: tables, arrays of tables, keys, and
// values as their text.
func tomlLeaves(data []byte) []leaf {
	var out []leaf
	var table []string
	seen := map[string]int{}
	var open *leaf
	for n, raw := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(tomlComment(raw))
		if open != nil {
			open.value += " " + text
			if closed(open.value) {
				out, open = append(out, *open), nil
			}
			continue
		}
		switch {
		case text == "":
		case strings.HasPrefix(text, "[["):
			table = tomlKey(strings.Trim(text, "[] "))
			name := strings.Join(table, ".")
			table = append(table, fmt.Sprint(seen[name]))
			seen[name]++
		case strings.HasPrefix(text, "["):
			table = tomlKey(strings.Trim(text, "[] "))
		default:
			key, value, ok := strings.Cut(text, "=")
			if !ok {
				continue
			}
			l := leaf{append(append([]string{}, table...), tomlKey(key)...), strings.TrimSpace(value), n + 1}
			if closed(l.value) {
				out = append(out, l)
			} else {
				open = &l
			}
		}
	}
	if open != nil {
		out = append(out, *open)
	}
	var all []leaf
	for _, l := range out {
		l.value = strings.Join(strings.Fields(l.value), " ")
		all = inlineTable(l, all, 0)
	}
	return all
}

// inlineTable takes a table on one line apart.
func inlineTable(l leaf, out []leaf, depth int) []leaf {
	if !strings.HasPrefix(l.value, "{") || depth > 8 {
		return append(out, l)
	}
	code := lex.Of("x.py").OnlyCode([]byte(l.value))
	end := lex.Close(code, 0)
	if end < 0 {
		return append(out, l)
	}
	for at := 1; at < end-1; {
		stop := min(valueEnd(code, at), end-1)
		if i := bytes.IndexByte(code[at:stop], '='); i >= 0 {
			path := append(append([]string{}, l.path...), tomlKey(l.value[at:at+i])...)
			out = inlineTable(leaf{path, strings.TrimSpace(l.value[at+i+1 : stop]), l.line}, out, depth+1)
		}
		at = stop + 1
	}
	return out
}

// tomlComment cuts a comment off, outside of strings.
func tomlComment(line string) string {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && quote == '"':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '#':
			return line[:i]
		}
	}
	return line
}

// closed says whether a value's brackets and long strings are closed.
func closed(value string) bool {
	if strings.Count(value, `"""`)%2 == 1 || strings.Count(value, "'''")%2 == 1 {
		return false
	}
	depth := 0
	for _, c := range lex.Of("x.py").OnlyCode([]byte(value)) {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return depth <= 0
}

// tomlKey splits a dotted key.
func tomlKey(key string) []string {
	var out []string
	var part strings.Builder
	var quote rune
	for _, c := range strings.TrimSpace(key) {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '.':
			out = append(out, strings.TrimSpace(part.String()))
			part.Reset()
		default:
			part.WriteRune(c)
		}
	}
	return append(out, strings.TrimSpace(part.String()))
}

// iniLeaves reads the ini files of Python's tools: values go on in lines that
// are indented.
func iniLeaves(data []byte) []leaf {
	var out []leaf
	section := ""
	for n, raw := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(raw)
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
		case text[0] == '[' && strings.HasSuffix(text, "]"):
			section = strings.Trim(text, "[] ")
		case (raw[0] == ' ' || raw[0] == '\t') && len(out) > 0 && out[len(out)-1].path[0] == section:
			out[len(out)-1].value = strings.TrimSpace(out[len(out)-1].value + "\n" + text)
		default:
			i := strings.IndexAny(text, "=:")
			if i < 0 {
				i = len(text)
			}
			out = append(out, leaf{[]string{section, strings.TrimSpace(text[:i])}, strings.TrimSpace(strings.TrimLeft(text[i:], "=: ")), n + 1})
		}
	}
	return out
}
