package contract

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// MaxExchanges is how many exchanges one check may hold, MaxRestarts how many of
// them start the server anew.
const (
	MaxExchanges = 30
	MaxRestarts  = 3
)

// Exchange is one request to the project's server and what its answer must be.
// Cookies are kept from one exchange of a check to the next.
type Exchange struct {
	// Restart ends the server and starts it again, instead of a request: what is
	// asked afterwards was kept. Nothing else may be set then.
	Restart bool              `json:"restart,omitempty"`
	Method  string            `json:"method,omitempty"` // "" = GET
	Path    string            `json:"path,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent as JSON; a text is sent as it is.
	Body   stdjson.RawMessage `json:"body,omitempty"`
	Expect Expect             `json:"expect,omitzero"`
	// Save keeps values of the answer, by JSON path, under names that later
	// exchanges use as {name}.
	Save map[string]string `json:"save,omitempty"`
}

// Expect is what an answer must be.
type Expect struct {
	Status int `json:"status,omitempty"` // 0 = any of 200 to 299
	// JSON holds by path what the answer's value is: a value, or one of
	// {"not":value}, {"has":"text"} and {"count":n}.
	JSON map[string]stdjson.RawMessage `json:"json,omitempty"`
	// Has and HasNot are texts in the answer's body, each as a whole word or
	// number (see Holds).
	Has    []string `json:"has,omitempty"`
	HasNot []string `json:"has_not,omitempty"`
	// Header holds texts that are part of a header's value.
	Header map[string]string `json:"header,omitempty"`
}

// Verb is the method, GET where none is named.
func (e *Exchange) Verb() string {
	if e.Method == "" {
		return http.MethodGet
	}
	return e.Method
}

// Acts says whether the request is one that changes something.
func (e *Exchange) Acts() bool {
	switch e.Verb() {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// String is the request in one line.
func (e *Exchange) String() string {
	if e.Restart {
		return "restart the server"
	}
	s := e.Verb() + " " + e.Path
	if len(e.Body) > 0 {
		s += " " + string(e.Body)
	}
	return s
}

// looks says whether the answer is looked at in a way that not every server
// satisfies.
func (x *Expect) looks() bool {
	return len(x.JSON)+len(x.Has)+len(x.HasNot)+len(x.Header) > 0 || x.Status >= 300
}

// values are the JSON values of the exchange.
func (e *Exchange) values() []*stdjson.RawMessage {
	out := []*stdjson.RawMessage{&e.Body}
	for _, path := range slices.Sorted(maps.Keys(e.Expect.JSON)) {
		raw := e.Expect.JSON[path]
		v := bytes.NewBuffer(nil)
		if stdjson.Compact(v, raw) == nil {
			e.Expect.JSON[path] = v.Bytes()
		}
	}
	return out
}

var methodNames = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions}

// exchangesShape says whether exchanges can be tried at all.
func exchangesShape(list []Exchange) error {
	if len(list) > MaxExchanges {
		return fmt.Errorf("%d exchanges, more than %d", len(list), MaxExchanges)
	}
	saved, restarts := map[string]bool{}, 0
	for i := range list {
		e := &list[i]
		if e.Restart {
			restarts++
		}
		if restarts > MaxRestarts {
			return fmt.Errorf("%d restarts and more; at most %d prove as much", restarts, MaxRestarts)
		}
		if err := e.shape(saved); err != nil {
			return fmt.Errorf("exchange %d %w", i+1, err)
		}
		for name := range e.Save {
			saved[name] = true
		}
	}
	return nil
}

func (e *Exchange) shape(saved map[string]bool) error {
	if e.Restart {
		if len(e.Method)+len(e.Path)+len(e.Headers)+len(e.Body)+len(e.Save) > 0 || e.Expect.Status != 0 || e.Expect.looks() {
			return errors.New(`restarts the server and asks something: write {"restart":true}, then the request as an exchange of its own`)
		}
		return nil
	}
	switch {
	case !slices.Contains(methodNames, e.Verb()):
		return fmt.Errorf("has the method %q: use one of %s", e.Method, strings.Join(methodNames, ", "))
	case !strings.HasPrefix(e.Path, "/") || strings.HasPrefix(e.Path, "//") || strings.ContainsAny(e.Path, " \n\\"):
		return fmt.Errorf("has the path %q: write one that begins with / and has no spaces, such as /items?q=a", e.Path)
	case e.Expect.Status != 0 && (e.Expect.Status < 200 || e.Expect.Status > 599):
		return fmt.Errorf("expects the status %d", e.Expect.Status)
	case len(e.Body) > 0 && !e.Acts():
		return fmt.Errorf("sends a body with %s: use POST, PUT or PATCH, or put it into the path", e.Verb())
	}
	for name, path := range e.Save {
		if !canName(name) {
			return fmt.Errorf("saves under %q: use a small letter, then letters, digits and _", name)
		}
		if _, err := ParsePath(path); err != nil {
			return err
		}
	}
	for path, want := range e.Expect.JSON {
		if _, err := ParsePath(path); err != nil {
			return err
		}
		if _, err := parseWanted(want); err != nil {
			return fmt.Errorf("expects at %s %w", path, err)
		}
	}
	if len(saved) == 0 {
		return nil
	}
	known := func(name string) bool { return saved[name] }
	for _, text := range []string{e.Path, string(e.Body)} {
		if _, doubtful := holes(text, known); len(doubtful) > 0 {
			return fmt.Errorf("uses {%s}, but no exchange before it saves that", doubtful[0].source)
		}
	}
	return nil
}

// fillExchanges fills placeholders; those over saved values stay.
func fillExchanges(list []Exchange, f *filler, met func(place, hole)) ([]Exchange, error) {
	f.later = map[string]bool{}
	out := slices.Clone(list)
	for i, e := range list {
		filled, err := e.filled(f, met)
		if err != nil {
			return nil, fmt.Errorf("exchange %d %w", i+1, err)
		}
		out[i] = filled
		for name := range e.Save {
			if _, taken := f.env[name]; taken {
				return nil, fmt.Errorf("exchange %d saves under %s, which is a variable: choose another name", i+1, name)
			}
			f.later[name] = true
		}
	}
	return out, nil
}

func (e Exchange) filled(f *filler, met func(place, hole)) (Exchange, error) {
	var errs []error
	text := func(s string) string {
		out, err := f.fill(s)
		errs = append(errs, err)
		return out
	}
	texts := func(m map[string]string) map[string]string {
		out := maps.Clone(m)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			out[key] = text(m[key])
		}
		return out
	}
	f.at(given, met)
	e.Path, e.Headers = text(e.Path), texts(e.Headers)
	var err error
	e.Body, err = f.fillJSON(e.Body, true)
	errs = append(errs, err)
	f.at(expected, met)
	x := &e.Expect
	x.Header = texts(x.Header)
	x.JSON = maps.Clone(x.JSON)
	for _, path := range slices.Sorted(maps.Keys(x.JSON)) {
		f.at(expected, met)
		if denies(x.JSON[path]) {
			f.at(absent, met)
		}
		want, err := f.fillJSON(x.JSON[path], false)
		errs = append(errs, err)
		if name := text(path); name != path {
			delete(x.JSON, path)
			path = name
		}
		x.JSON[path] = want
	}
	f.at(expected, met)
	x.Has, err = f.fillAll(x.Has)
	errs = append(errs, err)
	f.at(absent, met)
	x.HasNot, err = f.fillAll(x.HasNot)
	errs = append(errs, err)
	return e, errors.Join(errs...)
}

// denies says whether an expected value is {"not": …}.
func denies(want stdjson.RawMessage) bool {
	var op map[string]stdjson.RawMessage
	return stdjson.Unmarshal(want, &op) == nil && len(op) == 1 && op["not"] != nil
}

// Filled puts saved values, JSON scalars each, into the placeholders that wait
// for them.
func (e Exchange) Filled(saved map[string]stdjson.RawMessage) (Exchange, error) {
	if len(saved) == 0 {
		return e, nil
	}
	env := make(map[string]starlark.Value, len(saved))
	for name, raw := range saved {
		v, err := DecodeJSON(raw)
		if err != nil {
			return e, err
		}
		switch v := v.(type) {
		case string:
			env[name] = starlark.String(v)
		case bool:
			env[name] = starlark.Bool(v)
		case stdjson.Number:
			if n, err := v.Int64(); err == nil {
				env[name] = starlark.MakeInt64(n)
			} else if f, err := v.Float64(); err == nil {
				env[name] = starlark.Float(f)
			}
		}
	}
	return e.filled(&filler{env: env, lenient: true}, nil)
}

// exchangeProblems are reasons why exchanges prove nothing; each is the rest of
// a sentence that begins with the check's name.
func exchangeProblems(list []Exchange) (bad []string) {
	lastAct, lastLook, restart := -1, -1, -1
	for i := range list {
		if list[i].Restart {
			restart = i
		}
		if list[i].Acts() {
			lastAct = i
		}
		if list[i].Expect.looks() {
			lastLook = i
		}
		for _, s := range list[i].Expect.Has {
			if strings.TrimSpace(s) == "" {
				bad = append(bad, fmt.Sprintf("expects an empty text in exchange %d: name what the answer holds", i+1))
			}
		}
	}
	switch {
	case lastLook < 0:
		bad = append(bad, "expects nothing but success, which every server can say: expect json or has")
	case lastLook < lastAct:
		bad = append(bad, fmt.Sprintf("looks at nothing after its last action (exchange %d: %s): add a GET with json or has behind it", lastAct+1, &list[lastAct]))
	case lastLook < restart:
		bad = append(bad, fmt.Sprintf("looks at nothing after the server was restarted (exchange %d): add a GET with json or has behind it", restart+1))
	}
	return bad
}

// exchangeTexts gives the words of exchanges. What the same request sent proves
// little when it comes back.
func exchangeTexts(list []Exchange) (t texts) {
	for i := range list {
		e := &list[i]
		if e.Restart {
			continue
		}
		sent := append([]string{e.Verb(), e.Path, e.String()}, scalars(e.Body)...)
		for name, value := range e.Headers {
			sent = append(sent, name, value)
		}
		t.done = append(t.done, sent...)
		var shown []string
		shown = append(shown, e.Expect.Has...)
		for path, want := range e.Expect.JSON {
			w, err := parseWanted(want)
			switch {
			case err != nil:
			case w.op == "not":
				t.absent = append(t.absent, scalars(want)...)
			default:
				shown = append(shown, scalars(want)...)
				shown = append(shown, path)
			}
		}
		for name, value := range e.Expect.Header {
			shown = append(shown, name, value)
		}
		if e.Expect.Status != 0 {
			shown = append(shown, fmt.Sprint(e.Expect.Status))
		}
		t.absent = append(t.absent, e.Expect.HasNot...)
		for _, text := range shown {
			if slices.ContainsFunc(sent, func(s string) bool { return Holds(s, text) }) {
				t.echoed = append(t.echoed, text)
			} else {
				t.after = append(t.after, text)
			}
		}
		t.shown = append(t.shown, shown...)
	}
	t.named = slices.Concat(t.done, t.shown, t.absent)
	return t
}

// idleExchanges are the exchanges without those that act and those that need
// what such a one saved; nil when nothing is left that is looked at.
func idleExchanges(list []Exchange) []Exchange {
	var kept []Exchange
	lost, looks := map[string]bool{}, false
	for _, e := range list {
		f := func(name string) bool { return lost[name] }
		needs := len(lost) > 0
		if needs {
			found, _ := holes(e.String(), f)
			needs = len(found) > 0
		}
		if e.Acts() || needs {
			for name := range e.Save {
				lost[name] = true
			}
			continue
		}
		looks = looks || e.Expect.looks()
		kept = append(kept, e)
	}
	if !looks || len(kept) == len(list) {
		return nil
	}
	return kept
}
