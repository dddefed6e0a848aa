package contract

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.starlark.net/starlark"

	"gitagent/internal/plain"
)

// A placeholder is {expression}: no space behind the brace, no brace within,
// and at least one variable in it. Every other brace is what it is, so that JSON
// and code keep theirs.

// hole is a placeholder, or text that looks like one over unknown names.
type hole struct {
	start, end int // with the braces
	source     string
	expr       *expression
	unknown    []string // its names that are no variables
}

// holes finds the placeholders of a text, and apart from them what a writer may
// have meant as one.
func holes(text string, known func(name string) bool) (found, doubtful []hole) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '{')
		if i < 0 {
			return found, doubtful
		}
		start := from + i
		from = start + 1
		length := strings.IndexAny(text[from:], "{}\n")
		if length < 1 || text[from+length] != '}' || text[from] == ' ' {
			continue
		}
		h := hole{start: start, end: from + length + 1, source: text[from : from+length]}
		expr, err := parseExpression(h.source)
		if err != nil || len(expr.names) == 0 {
			continue
		}
		h.expr = expr
		for _, name := range expr.names {
			if !known(name) {
				h.unknown = append(h.unknown, name)
			}
		}
		switch {
		case len(h.unknown) < len(expr.names):
			found = append(found, h)
		default:
			doubtful = append(doubtful, h)
			continue
		}
		from = h.end
	}
}

// filler puts values into texts.
type filler struct {
	env map[string]starlark.Value
	// later names what is known only while the check runs; placeholders over
	// such names stay.
	later map[string]bool
	// lenient leaves unknown names in braces as they are.
	lenient bool
	// met is told of each placeholder that was filled.
	met func(h hole)
	// mark gives what stands in the text instead of a placeholder's value.
	mark func(h hole) string
}

func (f *filler) known(name string) bool {
	_, ok := f.env[name]
	return ok || f.later[name]
}

// fill replaces the placeholders of a text.
func (f *filler) fill(text string) (string, error) {
	out, _, err := f.filled(text)
	return out, err
}

// filled also gives the value of a text that is nothing but one placeholder.
func (f *filler) filled(text string) (string, starlark.Value, error) {
	found, doubtful := holes(text, f.known)
	for _, h := range doubtful {
		if f.lenient {
			break
		}
		return "", nil, fmt.Errorf("uses {%s}, but there is no variable %s: declare it in vars, or write { %s } for the text itself", plain.Line(h.source, 60), h.unknown[0], plain.Line(h.source, 60))
	}
	var b strings.Builder
	var whole starlark.Value
	at := 0
	for _, h := range found {
		if len(h.unknown) > 0 {
			return "", nil, fmt.Errorf("uses {%s}, but there is no variable %s", plain.Line(h.source, 60), h.unknown[0])
		}
		if n := f.laterNames(h); n > 0 {
			if n < len(h.expr.names) {
				return "", nil, fmt.Errorf("uses {%s}, which mixes a saved value with a variable: use them in braces of their own", plain.Line(h.source, 60))
			}
			continue
		}
		v, err := h.expr.value(f.env)
		if err != nil {
			return "", nil, fmt.Errorf("{%s} %w", plain.Line(h.source, 60), err)
		}
		s, err := textOf(v)
		if err != nil {
			return "", nil, fmt.Errorf("{%s} %w", plain.Line(h.source, 60), err)
		}
		if f.met != nil {
			f.met(h)
		}
		if f.mark != nil {
			s = f.mark(h)
			v = starlark.String(s)
		}
		b.WriteString(text[at:h.start])
		b.WriteString(s)
		at = h.end
		if h.start == 0 && h.end == len(text) {
			whole = v
		}
	}
	return b.String() + text[at:], whole, nil
}

func (f *filler) laterNames(h hole) (n int) {
	for _, name := range h.expr.names {
		if f.later[name] {
			n++
		}
	}
	return n
}

// fillAll fills a list of texts.
func (f *filler) fillAll(texts []string) ([]string, error) {
	out := slices.Clone(texts)
	for i, text := range out {
		var err error
		if out[i], err = f.fill(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fillJSON fills every text of a JSON value, names of members apart. With typed,
// a text that is nothing but one placeholder becomes the number that it stands
// for.
func (f *filler) fillJSON(raw stdjson.RawMessage, typed bool) (stdjson.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	var buf bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&buf)
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(buf.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if of, n := dec.StackIndex(dec.StackDepth()); tok.Kind() == '"' && (of != '{' || n%2 == 0) {
			text, whole, err := f.filled(tok.String())
			if err != nil {
				return nil, err
			}
			tok = jsontext.String(text)
			if _, isText := whole.(starlark.String); typed && whole != nil && !isText {
				if err := enc.WriteValue(jsontext.Value(text)); err != nil {
					return nil, err
				}
				continue
			}
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
	}
}

// With is the contract of one run: its placeholders filled, steps that stand
// for one click each character spread. It has no variables.
func (c *Contract) With(v Values) (*Contract, error) {
	out := c.Next(c.Revision)
	out.Vars, out.Examples = nil, nil
	var env map[string]starlark.Value
	if len(c.Vars) > 0 {
		var err error
		if env, err = c.env(v); err != nil {
			return nil, err
		}
	}
	for i, k := range out.Checks {
		filled, err := k.with(env, nil)
		if err != nil {
			return nil, fmt.Errorf("check %s %w", k.ID, err)
		}
		out.Checks[i] = filled
	}
	return out, nil
}

// with fills one check. No variables, no placeholders.
func (k Check) with(env map[string]starlark.Value, met func(p place, h hole)) (Check, error) {
	f := &filler{env: env}
	var err error
	switch {
	case k.Kind == KindPage:
		k.Page, err = fillPage(k.Page, env, met)
	case len(env) == 0:
	case k.Command != nil:
		k.Command, err = k.Command.with(f, met)
	case k.HTTP != nil:
		k.HTTP, err = fillExchanges(k.HTTP, f, met)
	}
	return k, err
}

// place says what a placeholder is for.
type place int

const (
	given    place = iota // typed, selected, sent: an input
	located               // the name of what is clicked
	expected              // looked for
	absent                // looked for, and not to be there
	neither
)

func (cmd *Command) with(f *filler, met func(place, hole)) (*Command, error) {
	out := *cmd
	var err [5]error
	f.at(given, met)
	out.Run, err[0] = f.fill(cmd.Run)
	out.Stdin, err[1] = f.fill(cmd.Stdin)
	f.at(expected, met)
	out.StdoutHas, err[2] = f.fillAll(cmd.StdoutHas)
	out.OutputHas, err[3] = f.fillAll(cmd.OutputHas)
	if cmd.StdoutIs != nil {
		var is string
		is, err[4] = f.fill(*cmd.StdoutIs)
		out.StdoutIs = &is
	}
	return &out, errors.Join(err[:]...)
}

// at tells met from now on that placeholders stand at p.
func (f *filler) at(p place, met func(place, hole)) {
	if met != nil {
		f.met = func(h hole) { met(p, h) }
	}
}
