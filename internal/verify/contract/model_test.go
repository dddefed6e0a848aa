package contract

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const drafted = `{"checks":[
 {"kind":"page","covers":[1,2],"open":"","steps":[
  {"do":"click","what":"7","in":""},{"do":"click","what":"=","in":"","dialog":"accept"},{"do":"type","what":"a \"b\"","in":"Name"},
  {"do":"press","what":"Enter","in":""},{"do":"select","what":"Red","in":"Colour"},{"do":"reload","what":"","in":""},
  {"do":"wait","what":"Saved","in":""},{"do":"value","what":"","in":"Name"},{"do":"see","what":"8","in":"Display"},{"do":"not_see","what":"Error","in":""}]},
 {"kind":"command","covers":[3],"run":" node calc.js 3 5 ","stdin":"","stdout_has":["8",""],"exit":0},
 {"kind":"command","covers":[3],"run":"node calc.js","stdin":"x","stdout_has":["usage"],"exit":2}]}`

func compile(t *testing.T, schema json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("contract.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("contract.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaAndFromModelAgree(t *testing.T) {
	schema := compile(t, Schema(3))
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(drafted))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Fatalf("the example does not fit the schema: %v", err)
	}
	c, err := FromModel([]byte(drafted), calc)
	if err != nil {
		t.Fatal(err)
	}
	if bad := c.Validate(calc); len(bad) > 0 {
		t.Fatalf("%v", bad)
	}
	if _, err := Parse(c.Bytes()); err != nil {
		t.Fatalf("the stored form does not parse: %v", err)
	}
	want := `{"open":"/","steps":[{"click":"7"},{"click":"=","dialog":"accept"},{"type":"a \"b\"","into":"Name"},{"press":"Enter"},` +
		`{"select":"Red","from":"Colour"},{"reload":true},{"wait":"Saved"},{"value":"","of":"Name"},{"see":"8","in":"Display"},{"not_see":"Error"}]}`
	if got := string(c.Checks[0].Page); got != want {
		t.Errorf("page:\n%s\nwant\n%s", got, want)
	}
	if k := c.Checks[1].Command; k.Run != "node calc.js 3 5" || len(k.StdoutHas) != 1 {
		t.Errorf("command: %+v", k)
	}
	if k := c.Checks[2].Command; len(k.StdoutHas) != 0 || len(k.OutputHas) != 1 || k.Exit != 2 {
		t.Errorf("a refusal is looked for on both streams: %+v", k)
	}
}

// Every verb of the schema must be one that the browser understands.
func TestEveryVerbIsStored(t *testing.T) {
	what := map[string]string{"count": "3", "resize": "mobile", "fresh": "/"}
	for _, v := range draftVerbs {
		text := cmp.Or(what[v.name], "Enter")
		data, err := json.Marshal(draft{Checks: []draftCheck{{Kind: KindPage, Covers: []int{1}, Open: "/", Steps: []draftStep{{Do: v.name, What: text, In: "x"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FromModel(data, calc); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// What becomes of a model's step, verb by verb.
func TestStoredSteps(t *testing.T) {
	for want, s := range map[string]draftStep{
		`{"hover":"Menu","in":"x"}`:                            {Do: "hover", What: "Menu", In: "x"},
		`{"click":"Delete","in":"buy milk","dialog":"accept"}`: {Do: "click", What: "Delete", In: "buy milk", Dialog: "accept"},
		`{"click":"Delete","in":"row:{who}"}`:                  {Do: "click", What: "Delete", In: " row:{who} "},
		`{"click":"Save"}`:                                     {Do: "click", What: "Save", In: "the page"},
		`{"check":"Agree"}`:                                    {Do: "check", What: "Agree", In: "agree"},
		`{"see":"56","in":"Display"}`:                          {Do: "see", What: "56", In: "Display"},
		`{"see":"Menu"}`:                                       {Do: "see", What: "Menu", In: "Page"},
		`{"scroll":"Far"}`:                                     {Do: "scroll", What: "Far", In: "x"},
		`{"open":"/nope","status":"404"}`:                      {Do: "open", What: "/nope", In: "404"},
		`{"open":"/list"}`:                                     {Do: "open", What: "/list", In: "200"},
		`{"drag":"Paint","to":"Doing"}`:                        {Do: "drag", What: "Paint", In: "Doing"},
		`{"upload":"a.csv","into":"File"}`:                     {Do: "upload", What: "a.csv", In: "File"},
		`{"count":"3","of":"listitem"}`:                        {Do: "count", What: "3", In: "listitem"},
		`{"disabled":"button:Next"}`:                           {Do: "disabled", What: "button:Next"},
		`{"popup":true}`:                                       {Do: "popup"},
		`{"popup":"close"}`:                                    {Do: "popup", What: "close"},
		`{"restart":true}`:                                     {Do: "restart", What: "the server"},
		`{"fresh":"first"}`:                                    {Do: "fresh", What: "first"},
		`{"value":"","of":"Name"}`:                             {Do: "value", In: "Name"},
		`drag needs "in": the name of where`:                   {Do: "drag", What: "Paint"},
		`count needs "in": what is counted`:                    {Do: "count", What: "3"},
		`upload needs "in": the name of the`:                   {Do: "upload", What: "a.csv"},
		`animates needs "what"`:                                {Do: "animates"},
		`value needs "in": the name of the fi`:                 {Do: "value", What: "3"},
		`{"upload":"a.csv","content":"name,age\nZoë,{n}","into":"File"}`: {Do: "upload", What: "a.csv\nname,age\nZoë,{n}", In: "File"},
	} {
		got, err := s.stored()
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.HasPrefix(string(got), want) || (want[0] == '{' && string(got) != want) {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}

func TestFromModelSaysWhatIsWrong(t *testing.T) {
	cases := map[string]string{
		`no check`:                     `{"checks":[]}`,
		`not valid JSON`:               `I think`,
		`kind "ftp" is not known`:      `{"checks":[{"kind":"ftp","covers":[1]}]}`,
		`check c1: step 1: type needs`: `{"checks":[{"kind":"page","covers":[1],"open":"/","steps":[{"do":"type","what":"","in":"Name"}]}]}`,
		`needs "in"`:                   `{"checks":[{"kind":"page","covers":[1],"open":"/","steps":[{"do":"type","what":"a","in":""}]}]}`,
		`verb "eval" is not known`:     `{"checks":[{"kind":"page","covers":[1],"open":"/","steps":[{"do":"eval","what":"a","in":""}]}]}`,
	}
	for want, data := range cases {
		if _, err := FromModel([]byte(data), calc); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestSchemaRefusesWhatWeDoNotRead(t *testing.T) {
	schema := compile(t, Schema(2))
	for _, data := range []string{
		`{"checks":[]}`,
		`{"checks":[{"kind":"page","covers":[3],"open":"/","steps":[{"do":"click","what":"7","in":""}]}]}`,
		`{"checks":[{"kind":"page","covers":[1],"open":"/","steps":[]}]}`,
		`{"checks":[{"kind":"command","covers":[1]}]}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("accepted: %s", data)
		}
	}
	if n := len(Schema(5)); n > 2600 { // it is part of every request
		t.Errorf("the schema has %d bytes", n)
	}
}
