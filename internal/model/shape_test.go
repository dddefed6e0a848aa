package model

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are of the kind that the harness asks models to keep to.
var schemas = []string{
	personSchema,
	`{"type":"array","minItems":1,"maxItems":3,"items":{"type":"integer","minimum":1,"maximum":4}}`,
	`{"enum":["red","green",3,null,[1],{"a":1}]}`,
	`{"type":["string","null"],"maxLength":3}`,
	`{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"number"}},"required":["a"],"additionalProperties":false}`,
	`{"properties":{"a":{"anyOf":[{"type":"object","properties":{"kind":{"const":"p"},"n":{"type":"integer"}},"required":["kind","n"],"additionalProperties":false},
		{"type":"object","properties":{"kind":{"const":"c"},"s":{"type":"string","minLength":2}},"required":["kind","s"]}]}}}`,
	`{"items":{"type":"boolean"},"minLength":2,"title":"t","description":"d"}`,
	`{"type":"number","minimum":-1.5}`,
	`{"type":"integer"}`,
	`{}`,
}

// complete is the validator that knows the whole standard.
func complete(t testing.TB, schema string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem://s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem://s.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agree holds the two validators to one another.
func agree(t *testing.T, schema, value string) (valid bool) {
	t.Helper()
	s, err := parseShape([]byte(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	var v any
	if json.Unmarshal([]byte(value), &v) != nil {
		return false
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	found, want := s.problems(v, ""), complete(t, schema).Validate(doc)
	if (len(found) == 0) != (want == nil) {
		t.Errorf("schema %s\nvalue %s\ngot  %q\nwant %v", schema, value, found, want)
	}
	return want == nil
}

func TestShapeAgreesWithTheStandard(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	valid := 0
	for _, schema := range schemas {
		for range 300 {
			data, err := json.Marshal(anyValue(r, 3))
			if err != nil {
				t.Fatal(err)
			}
			if agree(t, schema, string(data)) {
				valid++
			}
		}
	}
	if valid < 100 {
		t.Errorf("only %d of the values were valid: they test little", valid)
	}
}

// anyValue makes values that are often nearly right.
func anyValue(r *rand.Rand, depth int) any {
	scalars := []any{nil, true, false, 0, 1, 3, 5, -1.5, 2.0, 1e300, "", "x", "p", "c", "red", "äöü", "four"}
	if depth == 0 || r.IntN(3) == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	if r.IntN(3) == 0 {
		list := make([]any, r.IntN(5))
		for i := range list {
			list[i] = anyValue(r, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for _, name := range []string{"a", "b", "kind", "n", "s", "name", "age"} {
		if r.IntN(2) == 0 {
			object[name] = anyValue(r, depth-1)
		}
	}
	return object
}

// beyond are numbers that a float64 does not hold exactly, and the shape takes a
// number for its float64.
var beyond = regexp.MustCompile(`[0-9][0-9.]{15,}|[eE][+-]?[0-9]{3,}`)

func FuzzShape(f *testing.F) {
	for i := range schemas {
		f.Add(i, `{"name":"Ada","age":36}`)
		f.Add(i, `[1,2.0,5e-1]`)
		f.Add(i, `{"a":{"kind":"c","s":"xx"}}`)
	}
	f.Fuzz(func(t *testing.T, i int, value string) {
		if beyond.MatchString(value) {
			t.Skip()
		}
		agree(t, schemas[uint(i)%uint(len(schemas))], value)
	})
}

func TestShapeRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, schema := range []string{
		`[]`, `true`, `{"type":"nonsense"}`, `{"type":3}`, `{"pattern":"x"}`, `{"properties":{"a":{"format":"date"}}}`,
		`{"items":[{}]}`, `{"anyOf":[{"uniqueItems":true}]}`, `{"additionalProperties":{"type":"string"}}`, `{"minItems":"1"}`,
	} {
		if _, err := parseShape([]byte(schema)); err == nil {
			t.Errorf("%s was taken", schema)
		}
	}
}

func TestShapeSaysWhatIsWrong(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":{"kind":"p","n":1.5}}`: "- at /a/n: got number, want integer",
		`{"a":{"kind":"c"}}`:         `- at /a: "s" is missing`,
		`{"a":7}`:                    "- at /a: got number, want object",
	} {
		s, err := parseShape([]byte(schemas[5]))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.problems(v, ""), "\n"); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
