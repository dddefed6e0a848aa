package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"gitagent/features"
)

// varied is a contract of the given checks, as JSON, with variables.
func varied(t *testing.T, vars, examples Values, checks string) *Contract {
	t.Helper()
	v, _ := json.Marshal(vars)
	e, _ := json.Marshal(examples)
	c, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"vars":` + string(v) + `,"examples":` + string(e) + `,"checks":[` + checks + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const sumCheck = `{"id":"c1","kind":"command","covers":[1,2],"command":{"run":"sh sum.sh {a} {b}","exit":0,"stdout_has":["{a+b}"]}}`

var (
	twoInts    = Values{"a": "int 2..99", "b": "int 2..99"}
	sumFeature = features.Feature{ID: "F001", Description: "sums", Steps: []string{"Run sh sum.sh 40 2", `It prints "42"`}}
)

func TestExpressions(t *testing.T) {
	env := map[string]starlark.Value{"a": starlark.MakeInt(12), "b": starlark.MakeInt(5), "x": starlark.Float(0.1), "y": starlark.Float(0.2), "who": starlark.String("zoë")}
	for source, want := range map[string]string{
		"a": "12", "a*b": "60", "a+b": "17", "b-a": "-7", "a/b": "2.4", "a/4": "3", "a//b": "2", "a%b": "2", "x+y": "0.3",
		"a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a": "3833759992447475122176", "round(a/7, 2)": "1.71", "fixed(a, 2)": "12.00", "fixed(1.005, 2)": "1.01", "round(2.5)": "3",
		"who.upper()": "ZOË", `who+"!"`: "zoë!", `who+a`: "zoë12", "len(who)": "3", "rev(who)": "ëoz", "who[::-1]": "ëoz", "rev(a)": "21", "who[0]": "z", "who[1:]": "oë",
		`"even" if a%2==0 else "odd"`: "even", "max(a,b)": "12", "min(a,b)": "5", "abs(b-a)": "7", `", ".join(sorted([who,"ann"]))`: "ann, zoë", "int(\"7\")*a": "84",
		`who.replace("z","b")`: "boë", "str(a)+str(b)": "125", `"-"*b`: "-----", "a>b": "true", "a/b*1.0": "2.4",
	} {
		e, err := parseExpression(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		v, err := e.value(env)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := textOf(v); got != want || err != nil {
			t.Errorf("%s = %q, %v, want %q", source, got, err, want)
		}
	}
	for source, want := range map[string]string{
		"a/7": "round", "a//0": "zero", "c+a": "no variable", `"x"*9999999`: "repeats", "[i for i in [1]]": "not understood", "lambda: 1": "not understood",
		"a<<2": "not understood", "who.format(a)": "calls .format", "open(a)": "not there", "who[9]": "has 3", "a.b": "not understood", "[a]": "neither",
		"(" + strings.Repeat("a*", 140) + "a)": "", `who.replace("","aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").replace("a",who*900)`: "more than",
	} {
		e, err := parseExpression(source)
		if err == nil {
			var v starlark.Value
			if v, err = e.value(env); err == nil {
				_, err = textOf(v)
			}
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

func TestOnlyPlaceholdersAreFilled(t *testing.T) {
	f := &filler{env: map[string]starlark.Value{"a": starlark.MakeInt(4), "who": starlark.String("zed")}}
	for text, want := range map[string]string{
		"{a}":                           "4",
		"x{a+1}y{who}":                  "x5yzed",
		`{"n":{a},"m":{"k":"v"}}`:       `{"n":4,"m":{"k":"v"}}`,
		"{ a }":                         "{ a }",
		"{}":                            "{}",
		"{1}":                           "{1}",
		"function(){return a}":          "function(){return a}",
		"{a":                            "{a",
		"{{a}}":                         "{4}",
		"${a}":                          "$4",
		`{"even" if a%2==0 else "odd"}`: "even",
	} {
		if got, err := f.fill(text); err != nil || got != want {
			t.Errorf("%q = %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"{c}": "no variable c", "{a+c}": "no variable c", "{a//0}": "zero"} {
		if _, err := f.fill(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	var plain Contract
	if err := json.Unmarshal([]byte(`{"feature":"F","revision":1,"checks":[{"id":"c1","kind":"page","page":{"open":"/","steps":[{"type":"{x}","into":"Name"},{"see":"{x}"}]}}]}`), &plain); err != nil {
		t.Fatal(err)
	}
	if got, err := plain.With(nil); err != nil || !strings.Contains(string(got.Checks[0].Page), "{x}") {
		t.Errorf("a contract without variables lost its braces: %v", err)
	}
}

func TestDrawsDiffer(t *testing.T) {
	c := varied(t, twoInts, Values{"a": "40", "b": "2"}, sumCheck)
	for i := range 300 {
		drawn, err := c.Avoiding(Values{"a": "50", "b": "51"}).Draw(NewSeed(), 2)
		if err != nil {
			t.Fatal(err)
		}
		x, y := drawn[0], drawn[1]
		if x["a"] == y["a"] || x["b"] == y["b"] || x["a"] == x["b"] || y["a"] == y["b"] || x["a"] == "40" || x["b"] == "2" || x["a"] == "50" || x["b"] == "51" {
			t.Fatalf("draw %d: %v, %v", i, x, y)
		}
		ex, ey := c.expectations(x), c.expectations(y)
		for text := range ex {
			if ey[text] || text == "42" {
				t.Fatalf("draw %d expects %s twice: %v, %v", i, text, x, y)
			}
		}
	}
	one, _ := c.Draw("seed", 2)
	two, _ := c.Draw("seed", 2)
	if fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("a seed does not draw again what it drew: %v, %v", one, two)
	}
	if three, _ := c.Draw("other", 2); fmt.Sprint(one) == fmt.Sprint(three) {
		t.Error("two seeds draw the same")
	}
}

// What is entered is no part of another text by chance, such as "le" of "Cleo".
func TestDrawsAreNotMistaken(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	page := `{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"` + letters[:20] + ` ba da fa ga ka la ma na pa ra sa ta va za","into":"Name"},{"type":"{b}","into":"Name"},{"type":"{n}","into":"Other"},{"type":"{b[:2].upper()}","into":"Search"},{"see":"{b} {n}"}]}}`
	c := varied(t, Values{"b": "name", "n": "name"}, Values{"b": "Ben", "n": "Bo"}, page)
	for range 100 {
		drawn, err := c.Draw(NewSeed(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range drawn {
			if n := c.mistakable(v); n > 0 {
				t.Errorf("%v can be mistaken", v)
			}
		}
	}
}

func TestEveryKindDraws(t *testing.T) {
	for text, ok := range map[string]func(string) bool{
		"int -5..5":                   func(s string) bool { return s != "0" && s != "1" && s != "-1" },
		"decimal 0.1..9.9/1":          func(s string) bool { return len(s) == 3 && s[1] == '.' },
		"decimal 0.05..0.99/2":        func(s string) bool { return len(s) == 4 },
		"word":                        func(s string) bool { return len(s) == 7 && strings.ToLower(s) == s },
		"name":                        func(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' },
		"words":                       func(s string) bool { return len(strings.Fields(s)) == 2 },
		"words 3":                     func(s string) bool { return len(strings.Fields(s)) == 3 },
		"one of red|green|light blue": func(s string) bool { return slices.Contains([]string{"red", "green", "light blue"}, s) },
	} {
		c := varied(t, Values{"a": text}, nil, `{"id":"c1","kind":"command","command":{"run":"sh x.sh '{a}'","exit":0,"stdout_has":["{a}"]}}`)
		for range 30 {
			drawn, err := c.Draw(NewSeed(), 1)
			if err != nil || !ok(drawn[0]["a"]) {
				t.Fatalf("%s: %v %v", text, drawn, err)
			}
		}
	}
	for _, text := range []string{"int", "int 5..5", "int 9..2", "decimal 1..2", "decimal 0.01..9/1", "one of a", "one of a|a", "number 1..9", "one of {a}|b", ""} {
		if _, err := parseKind(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for loose, want := range map[string]string{"integer 2 to 99": "int 2..99", "Int 2-99": "int 2..99", "int(2, 50)": "int 2..50", "number": "int 2..99", "string": "word", "one of: a, b": "one of a|b", "int 2..9": "int 2..9"} {
		if got := mendKind(loose); got != want {
			t.Errorf("%q is mended to %q", loose, got)
		}
	}
}

func TestRuns(t *testing.T) {
	c := varied(t, twoInts, Values{"a": "40", "b": "2"}, sumCheck+`,{"id":"c2","kind":"command","covers":[1],"command":{"run":"sh sum.sh","exit":2,"output_has":["usage"]}}`)
	runs, err := c.Runs("s", 2)
	if err != nil || len(runs) != 3 {
		t.Fatalf("%v %+v", err, runs)
	}
	first := runs[0].Contract
	if first.Checks[0].Command.Run != "sh sum.sh 40 2" || first.Checks[0].Command.StdoutHas[0] != "42" || len(first.Checks) != 2 || len(first.Vars) != 0 {
		t.Errorf("the run of the steps' own words: %+v", first)
	}
	for _, r := range runs[1:] {
		if len(r.Contract.Checks) != 1 || r.Seed != "s" || r.Values["a"] == "40" {
			t.Errorf("a draw: %+v", r)
		}
	}
	if bad := c.Validate(sumFeature); len(bad) > 0 {
		t.Errorf("a good contract is refused: %v", bad)
	}
	again, err := Parse(c.Bytes())
	if err != nil || again.Digest() != c.Digest() {
		t.Errorf("the contract is not read as it was written: %v", err)
	}
}

func TestClickEach(t *testing.T) {
	page := `{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"click_each":"button:{a}"},{"click":"+"},{"click_each":"{b}"},{"click":"="},{"value":"{a+b}","of":"Display"}]}}`
	c := varied(t, twoInts, Values{"a": "40", "b": "2"}, page)
	lit, err := c.Literal()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"open":"/","steps":[{"click":"button:4"},{"click":"button:0"},{"click":"+"},{"click":"2"},{"click":"="},{"value":"42","of":"Display"}]}`
	if got := string(lit.Checks[0].Page); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if idle := lit.WithoutActions(nil); len(idle.Checks) != 1 || strings.Contains(string(idle.Checks[0].Page), "click") {
		t.Errorf("without actions: %+v", idle)
	}
}

func TestVariablesAreRefused(t *testing.T) {
	run := func(run, has string) string {
		return `{"id":"c1","kind":"command","covers":[1,2],"command":{"run":"` + run + `","exit":0,"stdout_has":["` + has + `"]}}`
	}
	cases := map[string]struct {
		vars, examples Values
		checks, want   string
	}{
		"unknown":          {Values{"a": "int 2..99"}, Values{"a": "40"}, run("sh sum.sh {a} {b}", "{a+2}"), "no variable b"},
		"no kind":          {Values{"a": "letters", "b": "int 2..99"}, nil, sumCheck, `is "letters", which is no kind`},
		"never expected":   {twoInts, Values{"a": "40", "b": "2"}, run("sh sum.sh {a} {b}", "42"), "nothing that is expected depends on it"},
		"never given":      {twoInts, Values{"a": "40", "b": "2"}, run("sh sum.sh 40 2", "{a+b}"), "never used as input"},
		"not used":         {Values{"a": "int 2..99", "b": "int 2..99", "c": "word"}, Values{"a": "40", "b": "2"}, sumCheck, "variable c is not used"},
		"uneven":           {twoInts, Values{"a": "40", "b": "2"}, run("sh sum.sh {a} {b}", "{a/97/b/89}"), "round("},
		"bad example":      {twoInts, Values{"a": "forty"}, sumCheck, `a whole number, not "forty"`},
		"wrong example":    {twoInts, Values{"a": "41", "b": "2"}, sumCheck, `"42"`},
		"no example":       {twoInts, nil, sumCheck, "give the example of a, b"},
		"a function":       {Values{"len": "word"}, nil, sumCheck, "another name"},
		"a keyword":        {Values{"in": "int 2..99", "b": "int 2..99"}, nil, run("sh sum.sh {in} {b}", "{in}"), `variable "in" needs another name`},
		"a shell's choice": {Values{"a": "one of 40|$HOME", "b": "int 2..99"}, Values{"a": "40", "b": "2"}, run("sh sum.sh {a} {b}", "{a+b}"), "means something to a shell"},
		"apart": {Values{"a": "int 2..99"}, Values{"a": "40"},
			`{"id":"c1","kind":"command","covers":[1,2],"command":{"run":"sh sum.sh {a} 2","exit":0,"stdout_has":["42"]}},{"id":"c2","kind":"command","covers":[2],"command":{"run":"sh sum.sh 40 2","exit":0,"stdout_has":["{a+2}"]}}`, "one check must do both"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v, _ := json.Marshal(c.vars)
			e, _ := json.Marshal(c.examples)
			got := ""
			k, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"vars":` + string(v) + `,"examples":` + string(e) + `,"checks":[` + c.checks + `]}`))
			if err != nil {
				got = err.Error()
			} else {
				for _, p := range k.Validate(sumFeature) {
					got += p.Text + "\n"
				}
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is typed and then clicked by its name has to be shown for that.
func TestClickedNameIsExpected(t *testing.T) {
	c := varied(t, Values{"who": "word"}, Values{"who": "milk"},
		`{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{who}","into":"New"},{"press":"Enter"},{"click":"checkbox:{who}"},{"see":"0 left"}]}}`)
	if bad := c.varProblems(); len(bad) > 0 {
		t.Errorf("%v", bad)
	}
}

func TestModelWritesVariables(t *testing.T) {
	data := `{"vars":[{"name":"A","kind":"integer 2 to 99","example":"40"},{"name":"b","kind":"int 2..99","example":"2"}],"checks":[{"kind":"command","covers":[1,2],"run":"sh sum.sh {a} {b}","stdin":"","stdout_has":["{a+b}"],"exit":0}]}`
	c, err := FromModel([]byte(data), sumFeature)
	if err != nil {
		t.Fatal(err)
	}
	if bad := c.Validate(sumFeature); len(bad) > 0 || c.Vars["a"] != "int 2..99" || !c.Varies("c1") {
		t.Errorf("%v %+v", bad, c)
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range []string{"{a}", "{a*b}", `{"k":{a}}`, "{who.upper()}", "{ a }", "{a if b else who}", "{[a][0]}", "{rev(who)[1:]}", `{"x"*a}`, "{a\n}", "{fixed(a,2)}"} {
		f.Add(s)
	}
	env := map[string]starlark.Value{"a": starlark.MakeInt(7), "b": starlark.MakeInt(3), "who": starlark.String("zed")}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := (&filler{env: env}).fill(text)
		if err == nil && len(out) > len(text)*(maxResult+maxExpression) {
			t.Errorf("%q grew to %d bytes", text, len(out))
		}
	})
}

// What every draw comes to as well, a canned answer gives.
func TestConstantExpectationIsRefused(t *testing.T) {
	parse := func(expect string) *Contract {
		c, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"vars":{"a":"int 2..99"},"checks":[{"id":"c1","kind":"command","covers":[1],"command":{"run":"sh sum.sh {a}","exit":0,"stdout_has":["` + expect + `"]}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for expect, bad := range map[string]bool{"{a-a+8}": true, "{a*0}": true, "{a+8}": false, "{a%2}": false} {
		p, found := parse(expect).sample()
		if found != bad || bad && !strings.Contains(p.Text, "whatever is drawn") {
			t.Errorf("%s: %v, %q", expect, found, p.Text)
		}
	}
}

// Two draws of one call differ even where what is left was shown before.
func TestDrawsDifferWhereFewAreLeft(t *testing.T) {
	c, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"vars":{"m":"one of light|dark"},"checks":[{"id":"c1","kind":"command","covers":[1],"command":{"run":"sh mode.sh {m}","exit":0,"stdout_has":["{m}"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c = c.Avoiding(Values{"m": "dark"})
	for i := range 50 {
		drawn, err := c.Draw(strconv.Itoa(i), 2)
		if err != nil || drawn[0]["m"] == drawn[1]["m"] {
			t.Fatalf("seed %d: %v, %v", i, drawn, err)
		}
	}
}

// A name that no expression can use would leave its braces as they are.
func TestNamesOfVariables(t *testing.T) {
	for _, name := range []string{"in", "if", "else", "for", "def", "and", "or", "not", "lambda", "pass", "return", "while", "class", "is", "import", "with", "None", "True", "round", "1a", "a-b", ""} {
		if canName(name) {
			t.Errorf("%q is taken for a variable", name)
		}
	}
	for _, name := range []string{"a", "who", "total_2", "into", "notes", "x1", "true_name", "price"} {
		if !canName(name) {
			t.Errorf("%q is refused", name)
		}
	}
}
