package contract

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"gitagent/features"
	"gitagent/internal/pattern"
)

// The form in which a model writes a contract differs from the stored one: each
// page step has a verb out of a closed list and two plain texts, so that a
// grammar can force it and nothing has to be escaped or remembered.

type draft struct {
	Vars   []draftVar   `json:"vars"`
	Checks []draftCheck `json:"checks"`
}

type draftVar struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Example string `json:"example"`
}

type draftCheck struct {
	Covers    []int       `json:"covers"`
	Kind      string      `json:"kind"`
	Open      string      `json:"open"`
	Steps     []draftStep `json:"steps"`
	Run       string      `json:"run"`
	Stdin     string      `json:"stdin"`
	Exit      int         `json:"exit"`
	StdoutHas []string    `json:"stdout_has"`

	Exchanges []draftExchange `json:"exchanges"`
}

type draftStep struct {
	Do     string `json:"do"`
	What   string `json:"what"`
	In     string `json:"in"`
	Dialog string `json:"dialog"`
}

// what says which "what" a verb of the model's form takes.
type what int

const (
	whatNeeded what = iota
	whatNone        // the verb stands alone
	whatMay         // it may stand alone
)

// verbs in the order in which a model is shown them, with the key that "in"
// becomes ("" = the verb takes none).
var draftVerbs = []struct {
	name, in string
	what     what
}{
	{"click", "in", whatNeeded},
	{"dblclick", "in", whatNeeded},
	{"type", "into", whatNeeded},
	{"clear", "in", whatNeeded},
	{"press", "in", whatNeeded},
	{"click_each", "", whatNeeded},
	{"select", "from", whatNeeded},
	{"check", "in", whatNeeded},
	{"uncheck", "in", whatNeeded},
	{"hover", "in", whatNeeded},
	{"scroll", "", whatNeeded},
	{"drag", "to", whatNeeded},
	{"upload", "into", whatNeeded},
	{"see", "in", whatNeeded},
	{"not_see", "in", whatNeeded},
	{"value", "of", whatMay},
	{"count", "of", whatNeeded},
	{"enabled", "in", whatNeeded},
	{"disabled", "in", whatNeeded},
	{"animates", "in", whatNeeded},
	{"still", "in", whatNeeded},
	{"title", "", whatNeeded},
	{"wait", "", whatNeeded},
	{"open", "status", whatNeeded},
	{"reload", "", whatNone},
	{"resize", "", whatNeeded},
	{"popup", "", whatMay},
	{"restart", "", whatNone},
	{"fresh", "", whatMay},
}

// Schema is the JSON schema for a model's contract of a feature with this many
// steps. FromModel reads what it allows.
func Schema(steps int) stdjson.RawMessage {
	verbs := make([]string, len(draftVerbs))
	for i, v := range draftVerbs {
		verbs[i] = v.name
	}
	covers := fmt.Sprintf(`{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"integer","minimum":1,"maximum":%d}}`, max(steps, 1), max(steps, 1))
	step := `{"type":"object","properties":{"do":{"enum":["` + strings.Join(verbs, `","`) + `"]},"what":{"type":"string"},"in":{"type":"string"},` +
		`"dialog":{"enum":["accept","dismiss"]}},"required":["do","what","in"],"additionalProperties":false}`
	page := `{"type":"object","properties":{"kind":{"const":"page"},"covers":` + covers + `,"open":{"type":"string"},` +
		`"steps":{"type":"array","minItems":1,"maxItems":60,"items":` + step + `}},"required":["kind","covers","open","steps"],"additionalProperties":false}`
	command := `{"type":"object","properties":{"kind":{"const":"command"},"covers":` + covers + `,"run":{"type":"string"},"stdin":{"type":"string"},` +
		`"stdout_has":{"type":"array","maxItems":10,"items":{"type":"string"}},"exit":{"type":"integer","minimum":0,"maximum":125}},` +
		`"required":["kind","covers","run","stdin","stdout_has","exit"],"additionalProperties":false}`
	vars := `{"type":"array","maxItems":8,"items":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"string"},"example":{"type":"string"}},` +
		`"required":["name","kind","example"],"additionalProperties":false}}`
	return stdjson.RawMessage(`{"type":"object","properties":{"vars":` + vars + `,"checks":{"type":"array","minItems":1,"maxItems":12,"items":{"anyOf":[` + page + `,` + command + `,` +
		exchangeSchema(covers) + `]}}},"required":["checks"],"additionalProperties":false}`)
}

// Guide tells a model, in a few lines, what the fields of Schema mean.
const Guide = `Fields
vars: for every number, text or name that a person enters in the steps: name = a small letter, kind = "int 2..99" (20 values or more), "decimal 0.5..9.5/1", "word", "name", "words 2" or "one of red|green",
  example = the value that the step uses. The checks then use {a} for what is entered, and {a} or a sum like {a+b} for what is expected. The checks run with the examples and again
  with other values, so a fixed answer fails. Each variable is both entered and expected. No input in the steps: vars = [].
  Expressions: {a*b}, {a-b}, {round(a/b, 2)}, {fixed(a*b, 2)}, {who.upper()}, {who+"!"}, {len(who)}, {"even" if a%2==0 else "odd"}.
kind "page": covers = the numbers of the steps it goes through. open = the path ("/"). steps are tried in order in a real browser:
  do is the verb, what its object, in the place.
  click: what = the visible name ("7", "button:Save"), in = "" or, where several have that name, the row or section it is in ("milk", "dialog", "list:Done"). type: what = the text, in = the field's name. press: what = a key ("Enter").
  click_each: what = a number such as {a}, entered on buttons, one click for each digit.
  select: what = the choice, in = the list's name. see / not_see: what = the text, in = "" (anywhere) or the label it stands beside.
  check / uncheck: what = the box's name. value: what = the field's content, in = its name.
  dblclick, hover, enabled, disabled, animates, still: as click. scroll: what = the visible name. drag: what = its name, in = where it is dropped.
  upload: what = the file's name and below it, line by line, its content; in = the field. count: what = how many, in = of what ("listitem", "button:Delete").
  title: what = the page's title. resize: what = "mobile" or "800x600". popup: go on in the window that opened; what = "close": back.
  restart: stop the project's server and start it again. fresh: another person's browser; what = a path, or "first": back.
  wait: what = a text that must appear. open: what = a path, in = "" or the error status it must have ("404"). reload: what = "".
  dialog: how to answer a question that the click opens.
kind "command": run = one command that runs the program (no |, ||, ; or &), stdin = its input, stdout_has = what it prints, exit = its exit code.
  A build, a type check or reading a source file is no check.
kind "http": exchanges with the project's server, for steps that speak of requests: method, path ("/items"), body = JSON as a text or "", status = the expected status,
  json = what the answer holds: path ("$.items[0].name", "$.items[*].name", "$.items.length") and equals. save = names for values of the answer, used later as {name}.
  The method RESTART stops the server and starts it again, for steps about what is kept; its other fields are empty and do not count.
  After the last POST, PUT, PATCH or DELETE comes a GET that shows what it changed.
Example, for the steps 1. Type "2" into Amount and click Add 2. The page shows "2 in all":
{"vars":[{"name":"a","kind":"int 2..99","example":"2"}],"checks":[{"kind":"page","covers":[1,2],"open":"/","steps":[{"do":"type","what":"{a}","in":"Amount"},{"do":"click","what":"Add","in":""},{"do":"see","what":"{a} in all","in":""}]}]}
Example, for the steps 1. Run sh sum.sh 40 2 2. It prints "42":
{"vars":[{"name":"a","kind":"int 2..99","example":"40"},{"name":"b","kind":"int 2..99","example":"2"}],"checks":[{"kind":"command","covers":[1,2],"run":"sh sum.sh {a} {b}","stdin":"","stdout_has":["{a+b}"],"exit":0}]}`

// FromModel reads a model's contract and puts it into the stored form, with
// revision 1. Errors are sentences that the model can act on. What the contract
// is worth is for Validate to say.
func FromModel(data []byte, f features.Feature) (*Contract, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the contract has %d bytes, more than %d", len(data), MaxBytes)
	}
	var d draft
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("the contract is not valid JSON: %w", err)
	}
	if len(d.Checks) == 0 {
		return nil, errors.New("the contract has no check")
	}
	c := &Contract{Version: Version, Feature: f.ID, Revision: 1, Wording: WordingOf(f)}
	for _, v := range d.Vars {
		if err := c.declare(v); err != nil {
			return nil, err
		}
	}
	for i, dc := range d.Checks {
		k, err := dc.check(fmt.Sprintf("c%d", i+1))
		if err != nil {
			return nil, fmt.Errorf("check c%d: %w", i+1, err)
		}
		c.Checks = append(c.Checks, k)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// declare takes a variable as a model named it.
func (c *Contract) declare(v draftVar) error {
	name := strings.Trim(strings.ToLower(strings.TrimSpace(v.Name)), "{}$")
	if _, twice := c.Vars[name]; twice {
		return fmt.Errorf("variable %s is declared twice", name)
	}
	if c.Vars == nil {
		c.Vars, c.Examples = Values{}, Values{}
	}
	c.Vars[name] = mendKind(v.Kind)
	if example := strings.TrimSpace(v.Example); example != "" {
		c.Examples[name] = example
	}
	return nil
}

func (dc draftCheck) check(id string) (Check, error) {
	k := Check{ID: id, Kind: dc.Kind, Covers: dc.Covers}
	switch dc.Kind {
	case KindPage:
		page, err := dc.page()
		k.Page = page
		return k, err
	case KindCommand:
		k.Command = &Command{Run: strings.TrimSpace(dc.Run), Stdin: dc.Stdin, Exit: dc.Exit}
		// A program that refuses says why on standard error, and a model does
		// not tell the two apart.
		if _, tests := k.Command.Tests(); tests {
			return k, nil // counted by their results
		}
		if dc.Exit == 0 {
			k.Command.StdoutHas = notEmpty(dc.StdoutHas)
		} else {
			k.Command.OutputHas = notEmpty(dc.StdoutHas)
		}
		return k, nil
	}
	if dc.Kind == KindHTTP {
		var err error
		k.HTTP, err = exchangesOf(dc.Exchanges)
		return k, err
	}
	return k, fmt.Errorf("kind %q is not known: use page, command or http", dc.Kind)
}

func notEmpty(list []string) []string {
	var out []string
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

func (dc draftCheck) page() (stdjson.RawMessage, error) {
	p := pageForm{Open: strings.TrimSpace(dc.Open), Steps: []stdjson.RawMessage{}}
	if p.Open == "" {
		p.Open = "/"
	}
	for i, ds := range dc.Steps {
		step, err := ds.stored()
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		p.Steps = append(p.Steps, step)
	}
	return stdjson.Marshal(p)
}

var errorStatus = pattern.Lazy(`^[45]\d\d$`)

// stored writes the step with its verb first.
func (ds draftStep) stored() (stdjson.RawMessage, error) {
	for _, v := range draftVerbs {
		if v.name != ds.Do {
			continue
		}
		what, in := strings.TrimSpace(ds.What), strings.TrimSpace(ds.In)
		if v.in == "in" && nowhere(in, what) {
			in = ""
		}
		switch {
		case v.what == whatNone, v.what == whatMay && what == "" && v.in == "":
			return stdjson.RawMessage(`{"` + v.name + `":true}`), nil
		case what == "" && v.what == whatNeeded:
			return nil, fmt.Errorf("%s needs \"what\"", v.name)
		case in == "" && v.in != "" && v.in != "in" && v.in != "status":
			return nil, fmt.Errorf("%s needs \"in\": %s", v.name, inOf(v.name))
		}
		out := `{"` + v.name + `":` + quote(ds.What)
		if name, content, ok := strings.Cut(strings.TrimLeft(ds.What, "\n"), "\n"); ok && v.name == "upload" {
			out = `{"upload":` + quote(strings.TrimSpace(name)) + `,"content":` + quote(content)
		}
		if v.in == "status" && !errorStatus.MatchString(in) {
			in = "" // said of a page that is there
		}
		if in != "" && v.in != "" {
			out += `,"` + v.in + `":` + quote(in)
		}
		if ds.Dialog != "" && v.name == "click" {
			out += `,"dialog":` + quote(ds.Dialog)
		}
		return stdjson.RawMessage(out + "}"), nil
	}
	return nil, fmt.Errorf("verb %q is not known", ds.Do)
}

// nowhere says that a place is none: a schema wants one from a model that has
// nothing to say, which then repeats itself or names the page.
func nowhere(in, what string) bool {
	in = strings.TrimPrefix(strings.ToLower(in), "the ")
	return in == strings.ToLower(what) || slices.Contains([]string{"page", "browser", "anywhere", "none"}, in)
}

// inOf says what a verb needs as its "in".
func inOf(verb string) string {
	switch verb {
	case "drag":
		return "the name of where it is dropped"
	case "count":
		return `what is counted, such as "listitem"`
	}
	return "the name of the field"
}

func quote(s string) string {
	b, err := stdjson.Marshal(s)
	if err != nil { // a string always marshals
		panic(err)
	}
	return string(b)
}
