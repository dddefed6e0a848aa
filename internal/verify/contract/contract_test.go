package contract

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"gitagent/features"
)

const stored = `{"version":1,"feature":"F001","revision":1,"checks":[
 {"id":"c1","kind":"page","covers":[1,2],"page":{"open":"/","steps":[{"click":"7"},{"click":"button:="},{"see":"8","in":"Display"}]}},
 {"id":"c2","kind":"command","covers":[3],"command":{"run":"node calc.js 3 5","exit":0,"stdout_has":["8"]}}]}`

var calc = features.Feature{ID: "F001", Steps: []string{
	"Open the page", `Press "7" and "=": the display shows "8"`, `Running calc with "3" and "5" prints "8"`,
}}

func parse(t *testing.T, data string) *Contract {
	t.Helper()
	c, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBytesAreCanonical(t *testing.T) {
	c := parse(t, stored)
	again := parse(t, string(c.Bytes()))
	if !bytes.Equal(c.Bytes(), again.Bytes()) || c.Digest() != again.Digest() {
		t.Fatal("bytes or digest differ after a round trip")
	}
	spaced := parse(t, strings.ReplaceAll(stored, ",", " ,\n  "))
	if spaced.Digest() != c.Digest() {
		t.Fatal("white space changed the digest")
	}
	if other := parse(t, strings.Replace(stored, `"8","in"`, `"9","in"`, 1)); other.Digest() == c.Digest() {
		t.Fatal("another expectation, the same digest")
	}
	next := c.Next(2)
	if next.Revision != 2 || c.Revision != 1 || next.Digest() == c.Digest() {
		t.Fatal("Next must change the revision of a copy")
	}
}

func TestParseIsStrict(t *testing.T) {
	cases := map[string][2]string{ // what is replaced
		"unknown key":       {`"feature"`, `"features"`},
		"case variant":      {`"covers":[3]`, `"Covers":[3]`},
		"duplicate":         {`"revision":1`, `"revision":1,"revision":1`},
		"version":           {`"version":1`, `"version":2`},
		"revision 0":        {`"revision":1`, `"revision":0`},
		"unknown kind":      {`"kind":"command"`, `"kind":"trust me"`},
		"kind without body": {`"kind":"command"`, `"kind":"page"`},
		"same id":           {`"id":"c2"`, `"id":"c1"`},
		"verb":              {`{"click":"7"}`, `{"klick":"7"}`},
		"foreign page":      {`"open":"/"`, `"open":"https://example.com/"`},
		"page key":          {`"open":"/",`, `"open":"/","eval":"1",`},
		"second document":   {`"stdout_has":["8"]}}]}`, `"stdout_has":["8"]}}]}{}`},
		"steps in a word":   {`"steps":[{"click":"7"},{"click":"button:="},{"see":"8","in":"Display"}]`, `"steps":"click 7"`},
	}
	for name, r := range cases {
		bad := strings.Replace(stored, r[0], r[1], 1)
		if bad == stored {
			t.Fatalf("%s: nothing replaced", name)
		}
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := Parse([]byte(stored + strings.Repeat(" ", MaxBytes))); err == nil {
		t.Error("too big: accepted")
	}
}

func TestWithoutActions(t *testing.T) {
	c := parse(t, stored)
	bite := c.WithoutActions(nil)
	if len(bite.Checks) != 1 || string(bite.Checks[0].Page) != `{"open":"/","steps":[{"see":"8","in":"Display"}]}` {
		t.Fatalf("%s", bite.Bytes())
	}
	slow := c.WithoutActions(map[string]time.Duration{"c1": 1500 * time.Millisecond})
	if string(slow.Checks[0].Page) != `{"open":"/","steps":[{"in":"Display","see":"8","timeout":3.5}]}` {
		t.Fatalf("%s", slow.Bytes())
	}
	if ex := c.Exempt(); len(ex) != 1 || !strings.Contains(ex["c2"], "command") {
		t.Fatalf("exempt: %v", ex)
	}
	if len(c.Checks) != 2 || !strings.Contains(string(c.Checks[0].Page), "click") {
		t.Fatal("the contract itself was changed")
	}
	look := parse(t, strings.NewReplacer(`{"click":"7"},{"click":"button:="},`, ``).Replace(stored))
	if got := look.WithoutActions(nil); len(got.Checks) != 0 || len(look.Exempt()) != 2 {
		t.Fatal("a page that is only looked at is exempt")
	}
}

func TestValidate(t *testing.T) {
	if bad := parse(t, stored).Validate(calc); len(bad) != 0 {
		t.Fatalf("a good contract: %v", bad)
	}
	cases := map[string][2]string{
		`step 3 is not covered by any check`:                              {`"covers":[3]`, `"covers":[2]`},
		`step 2 says "7" but no check that covers step 2 contains "7"`:    {`{"click":"7"}`, `{"click":"8"}`},
		`step 2 says that "8" is shown, but no check`:                     {`{"see":"8","in":"Display"}`, `{"click":"8"},{"see":"x"}`},
		`step 3 says "5" but no check that covers step 3 contains "5"`:    {`3 5"`, `3 55"`},
		`step 3 says that "8" is shown`:                                   {`"run":"node calc.js 3 5","exit":0,"stdout_has":["8"]`, `"run":"node calc.js 3 5 8","exit":0,"stdout_has":["18"]`},
		`check c1 expects nothing`:                                        {`,{"see":"8","in":"Display"}`, ``},
		`check c1 looks at nothing after its last action (step 3: click`:  {`{"click":"button:="},{"see":"8","in":"Display"}`, `{"see":"8"},{"click":"="}`},
		`check c2 covers step 4, but the feature has steps 1 to 3`:        {`"covers":[3]`, `"covers":[3,4]`},
		`check c2 covers no step`:                                         {`"covers":[3]`, `"covers":[]`},
		`check c2 expects only exit code 0`:                               {`,"stdout_has":["8"]`, ``},
		`check c2 expects an empty text in the output`:                    {`["8"]`, `["8",""]`},
		`step 3 is covered only by a test run`:                            {`"run":"node calc.js 3 5","exit":0,"stdout_has":["8"]`, `"run":"node --test","exit":0`},
		`the contract is for F002, not for F001`:                          {`"F001"`, `"F002"`},
		`check c2 uses ||, which turns a failure into success`:            {`3 5"`, `3 5 || true"`},
		`check c2 only reads files: that proves no behaviour, so run the`: {`node calc.js 3 5`, `cat 3 5`},
	}
	for want, r := range cases {
		bad := strings.Replace(stored, r[0], r[1], 1)
		if bad == stored {
			t.Fatalf("%s: nothing replaced", want)
		}
		problems := parse(t, bad).Validate(calc)
		if !slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.String(), want) }) {
			t.Errorf("want %q, got %v", want, problems)
		}
	}
	about := features.Feature{ID: "F001", Steps: []string{"All unit tests pass"}}
	only := &Contract{Version: 1, Feature: "F001", Revision: 1, Checks: []Check{{ID: "c1", Kind: KindCommand, Covers: []int{1}, Command: &Command{Run: "go test ./..."}}}}
	if bad := only.Validate(about); len(bad) > 0 {
		t.Errorf("a step about tests: %v", bad)
	}
	if (&Contract{Version: 1, Feature: "F001", Revision: 1}).Validate(calc) == nil {
		t.Error("no check at all was accepted")
	}
}

func TestValuesOf(t *testing.T) {
	cases := map[string][]string{
		`Type "Zoë" and press "Enter"`:     {"Zoë", "Enter"},
		"Press “7”, then ‘8’ and `=`":      {"7", "="},
		`The user's list doesn't change`:   nil,
		`Press '7', '+' and '8'`:           {"7", "+", "8"},
		`The page says 'don't panic'`:      {"don't panic"},
		`Type "it's" into the field`:       {"it's"},
		`The display shows "  a   b "`:     {"a b"},
		`Nothing is quoted`:                nil,
		`"a" and "a" again`:                {"a"},
		`The title reads «Bonjour»`:        {"Bonjour"},
		`An open quote " and nothing more`: nil,
	}
	for step, want := range cases {
		var got []string
		for _, v := range valuesOf(step) {
			got = append(got, v.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
	vs := valuesOf(`Press "=": the display shows "8"`)
	if vs[0].outcome || !vs[1].outcome {
		t.Errorf("outcome: %v", vs)
	}
}

func TestHolds(t *testing.T) {
	cases := []struct {
		text, value string
		want        bool
	}{
		{"8", "8", true}, {"= 8\n", "8", true}, {"18", "8", false}, {"8.5", "8", false}, {"8.", "8", true}, {"1.8", "8", false},
		{"-8", "8", false}, {"3-8", "8", true}, {"-8", "-8", true}, {"x = -8", "8", false}, {"80", "8", false}, {"80 8", "8", true},
		{"less than 25:00", "25:00", true}, {"concatenate", "cat", false}, {"a cat.", "cat", true}, {"a  b", "a b", true},
		{"button:=", "=", true}, {"", "", false}, {"x", "", false}, {"8,000", "8", false}, {"8, 9", "8", true}, {"Zoë!", "Zoë", true}, {"Zoëlle", "Zoë", false},
	}
	for _, c := range cases {
		if got := Holds(c.text, c.value); got != c.want {
			t.Errorf("Holds(%q, %q) = %v", c.text, c.value, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stored))
	f.Add([]byte(`{"version":1,"feature":"F","revision":1,"checks":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(c.Bytes())
		if err != nil {
			t.Fatalf("own bytes refused: %v\n%s", err, c.Bytes())
		}
		if !bytes.Equal(c.Bytes(), again.Bytes()) {
			t.Fatal("not canonical")
		}
		c.Validate(calc)
		if _, err := Parse(c.WithoutActions(nil).Bytes()); err != nil {
			t.Fatalf("without actions: %v", err)
		}
	})
}
