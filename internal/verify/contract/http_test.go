package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gitagent/features"
)

func TestJSONPaths(t *testing.T) {
	doc, err := DecodeJSON([]byte(`{"items":[{"name":"milk","n":2,"tags":["a","b"]},{"name":"tea","n":3.50}],"total":5.5,"ok":true,"none":null,"a b":"x","text":"hello world","big":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string]map[string]bool{
		"$.items[0].name":  {`"milk"`: true, `"tea"`: false, `"mil"`: false},
		"items[1].n":       {`3.5`: true, `"3.5"`: true, `"3.50"`: true, `3`: false, `{"not":3}`: true},
		"$.items[-1].name": {`"tea"`: true},
		"$.items[*].name":  {`"tea"`: true, `["milk","tea"]`: true, `["tea","milk"]`: false, `["milk"]`: false, `{"not":"milk"}`: false, `{"not":"gin"}`: true, `{"count":2}`: true},
		"$.items.length":   {`2`: true, `"2"`: true, `3`: false},
		"$.items":          {`{"count":2}`: true, `{"count":1}`: false, `{"has":"milk"}`: true},
		"$.items[0].tags":  {`["a","b"]`: true, `["a"]`: false},
		"$.total":          {`5.50`: true, `"5.5"`: true, `55`: false},
		"$.ok":             {`true`: true, `"true"`: true, `false`: false},
		"$.none":           {`null`: true, `"null"`: false},
		`$["a b"]`:         {`"x"`: true},
		"$.text":           {`{"has":"world"}`: true, `{"has":"worl"}`: false, `{"count":1}`: false},
		"$.missing":        {`"x"`: false, `{"not":"x"}`: true, `null`: false},
		"$.big":            {`12345678901234567890`: true, `12345678901234567891`: false},
		"$":                {`{"has":"milk"}`: true},
	} {
		for want, ok := range wants {
			got, why := Match(doc, path, json.RawMessage(want))
			if got != ok || (why == "") != ok {
				t.Errorf("%s %s: %v %q", path, want, got, why)
			}
		}
	}
	for _, path := range []string{"$.a[", "$..a", "$.a[?(@.x)]", "a b", "$.items[0:2]"} {
		if p, err := ParsePath(path); err == nil {
			t.Errorf("%q is read as %v", path, p)
		}
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, s := range []string{"$.a[0]", "$[*].b.length", `$["x"]`, "a.b", "$", "[-1]"} {
		f.Add(s, `{"a":[{"b":"c"}],"x":1e9}`, `"c"`)
	}
	f.Add("$.a", `{"a":1e999999}`, `"1e999999"`)
	f.Fuzz(func(t *testing.T, path, doc, want string) {
		v, err := DecodeJSON([]byte(doc))
		if err != nil {
			return
		}
		if ok, why := Match(v, path, json.RawMessage(want)); !ok && why == "" {
			t.Errorf("%q %q %q: no reason", path, doc, want)
		}
	})
}

func exchanges(list string) string {
	return `{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"http","covers":[1],"http":[` + list + `]}]}`
}

func TestExchangesAreRefused(t *testing.T) {
	f := features.Feature{ID: "F001", Description: "items", Steps: []string{"The server keeps items"}}
	for list, want := range map[string]string{
		`{"path":"items"}`:                                                             "begins with /",
		`{"path":"http://example.org/"}`:                                               "begins with /",
		`{"path":"//example.org/"}`:                                                    "begins with /",
		`{"method":"BREW","path":"/"}`:                                                 "has the method",
		`{"path":"/","body":{"a":1}}`:                                                  "sends a body with GET",
		`{"path":"/","expect":{"status":99}}`:                                          "status 99",
		`{"path":"/","expect":{"json":{"$..x":1}}}`:                                    "write it like",
		`{"path":"/","expect":{"json":{"$.x":{"gt":1}}}}`:                              "an object: write a value",
		`{"path":"/","save":{"Id":"$.id"}}`:                                            "saves under",
		`{"path":"/","save":{"id":"$.id"}},{"path":"/{no}"}`:                           "no exchange before it saves",
		`{"path":"/"}`:                                                                 "expects nothing but success",
		`{"path":"/","expect":{"status":200}}`:                                         "expects nothing but success",
		`{"path":"/","expect":{"has":["x"]}},{"method":"POST","path":"/"}`:             "looks at nothing after its last action",
		`{"path":"/","expect":{"has":[" "]}}`:                                          "empty text",
		`{"restart":true,"path":"/"}`:                                                  "restarts the server and asks something",
		`{"restart":true,"expect":{"status":200}}`:                                     "restarts the server and asks something",
		`{"path":"/","expect":{"has":["x"]}},{"restart":true}`:                         "looks at nothing after the server was restarted",
		`{"restart":true}`:                                                             "expects nothing but success",
		strings.Repeat(`{"restart":true},`, 4) + `{"path":"/","expect":{"has":["x"]}}`: "at most 3 prove as much",
		`{"path":"/","unknown":1}`:                                                     "unknown",
	} {
		c, err := Parse([]byte(exchanges(list)))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(c.Validate(f))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\ngot %s\nwant %q", list, got, want)
		}
	}
}

// What a request sends and its own answer repeats is no outcome; another
// exchange has to show it.
func TestAnswerThatRepeatsTheRequest(t *testing.T) {
	f := features.Feature{ID: "F001", Description: "items", Steps: []string{`Add an item, then GET /items shows "tea"`}}
	echo := `{"method":"POST","path":"/items","body":{"name":"tea"},"expect":{"json":{"$.name":"tea"}}}`
	c, err := Parse([]byte(exchanges(echo)))
	if err != nil {
		t.Fatal(err)
	}
	if bad := c.Validate(f); len(bad) == 0 {
		t.Error("an echo is taken for an outcome")
	}
	c, err = Parse([]byte(exchanges(echo + `,{"path":"/items","expect":{"json":{"$[*].name":"tea"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if bad := c.Validate(f); len(bad) > 0 {
		t.Errorf("%v", bad)
	}
	if idle := c.WithoutActions(nil); len(idle.Checks) != 1 || len(idle.Checks[0].HTTP) != 1 || idle.Checks[0].HTTP[0].Acts() {
		t.Errorf("without what it sends: %+v", idle)
	}
}

func TestSavedValuesAreFilled(t *testing.T) {
	c := varied(t, Values{"item": "word"}, Values{"item": "milk"}, `{"id":"c1","kind":"http","covers":[1],"http":[
 {"method":"POST","path":"/items","body":{"name":"{item}"},"save":{"id":"$.id"}},
 {"method":"PUT","path":"/items/{id}","body":{"ref":"{id}","text":"no {id}","name":"{item}"}},
 {"path":"/items/{id}","expect":{"json":{"$.name":"{item}","$.id":"{id}"}}}]}`)
	lit, err := c.Literal()
	if err != nil {
		t.Fatal(err)
	}
	e, err := lit.Checks[0].HTTP[1].Filled(map[string]json.RawMessage{"id": json.RawMessage("7")})
	if err != nil || e.Path != "/items/7" || string(e.Body) != `{"ref":7,"text":"no 7","name":"milk"}` {
		t.Errorf("%v %+v %s", err, e, e.Body)
	}
	if idle := lit.WithoutActions(nil); len(idle.Checks) != 0 {
		t.Errorf("what needs a saved value is asked without it: %+v", idle)
	}
	if why := c.Exempt()["c1"]; why == "" {
		t.Error("it is not said why nothing is left")
	}
}

func TestModelWritesExchanges(t *testing.T) {
	f := features.Feature{ID: "F001", Description: "items", Steps: []string{`POST "milk" to /items`, `GET /items shows "milk"`}}
	data := `{"vars":[{"name":"item","kind":"word","example":"milk"}],"checks":[{"kind":"http","covers":[1,2],"exchanges":[
 {"method":"POST","path":"/items","body":"{\"name\":\"{item}\"}","status":201,"json":[],"save":[{"name":"id","path":"$.id"}]},
 {"method":"RESTART","path":"","body":"","status":200,"json":[]},
 {"method":"GET","path":"/items/{id}","body":"","status":200,"json":[{"path":"$.name","equals":"{item}"}]}]}]}`
	doc := compile(t, Schema(2))
	var v any
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(v); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
	c, err := FromModel([]byte(data), f)
	if err != nil {
		t.Fatal(err)
	}
	if bad := c.Validate(f); len(bad) > 0 || string(c.Checks[0].HTTP[0].Body) != `{"name":"{item}"}` || !c.Checks[0].HTTP[1].Restart {
		t.Errorf("%v %s", bad, c.Bytes())
	}
}
