package browser

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseForms(t *testing.T) {
	click7 := Step{Verb: VerbClick, Target: "7"}
	zoe := Step{Verb: VerbType, Text: "Zoë", Target: "Name"}
	see56 := Step{Verb: VerbSee, Text: "56", Target: "Display"}
	value := Step{Verb: VerbValue, Text: "Bob", Target: "Name"}
	large := Step{Verb: VerbSelect, Text: "Large", Target: "Size"}
	cases := []struct {
		in   string
		want []Step
	}{
		{`{"steps":[{"click":"7"}]}`, []Step{click7}},
		{`[{"click":7}]`, []Step{click7}},
		{`{"click":"7"}`, []Step{click7}},
		{`{"steps":{"click":"7"}}`, []Step{click7}},
		{`{"steps":"click 7"}`, []Step{click7}},
		{`"click 7"`, []Step{click7}},
		{`["Click on the \"7\""]`, []Step{click7}},
		{`{"action":"click","target":"7"}`, []Step{click7}},
		{`{"type":"click","target":"7"}`, []Step{click7}},
		{`{"action":"click","selector":"7"}`, []Step{click7}},
		{`{"action":"click 7"}`, []Step{click7}},
		{`{"tap":"7"}`, []Step{click7}},
		{`{"click":{"role":"button","name":"7"}}`, []Step{{Verb: VerbClick, Target: "button:7"}}},
		{`{"press":"Start"}`, []Step{{Verb: VerbClick, Target: "Start"}}},
		{`{"press":"Enter"}`, []Step{{Verb: VerbPress, Text: "Enter"}}},
		{`{"press":"Control+a"}`, []Step{{Verb: VerbPress, Text: "Control+a"}}},
		{`{"press":"+"}`, []Step{{Verb: VerbPress, Text: "+"}}},
		{`{"key":"Escape","in":"Search"}`, []Step{{Verb: VerbPress, Text: "Escape", Target: "Search"}}},
		{`{"type":"Zoë","into":"Name"}`, []Step{zoe}},
		{`{"fill":"Name","text":"Zoë"}`, []Step{zoe}},
		{`{"fill":"Name","value":"Zoë"}`, []Step{zoe}},
		{`{"fill":"Name","with":"Zoë"}`, []Step{zoe}},
		{`{"action":"type","target":"Name","text":"Zoë"}`, []Step{zoe}},
		{`{"action":"fill","field":"Name","value":"Zoë"}`, []Step{zoe}},
		{`{"type":{"text":"Zoë","into":"Name"}}`, []Step{zoe}},
		{`{"type":"Zoë","in":"Name"}`, []Step{zoe}},
		{`"type \"Zoë\" into Name"`, []Step{zoe}},
		{`"type Zoë into Name"`, []Step{zoe}},
		{`{"see":"56","in":"Display"}`, []Step{see56}},
		{`{"assert":"56","in":"Display"}`, []Step{see56}},
		{`{"expect":"Display","text":"56"}`, []Step{see56}},
		{`{"expect":{"text":"56","in":"Display"}}`, []Step{see56}},
		{`{"action":"see","text":"56","in":"Display"}`, []Step{see56}},
		{`{"see":56,"in":"Display"}`, []Step{see56}},
		{`"see 56 in Display"`, []Step{see56}},
		{`"Then I should see 56 in Display"`, []Step{see56}},
		{`"see '56' in 'Display'"`, []Step{see56}},
		{`{"not_see":"Error"}`, []Step{{Verb: VerbNotSee, Text: "Error"}}},
		{`"don't see Error"`, []Step{{Verb: VerbNotSee, Text: "Error"}}},
		{`"do not see \"No results\""`, []Step{{Verb: VerbNotSee, Text: "No results"}}},
		{`{"value":"Bob","of":"Name"}`, []Step{value}},
		{`{"value":"Name","is":"Bob"}`, []Step{value}},
		{`{"value":{"of":"Name","is":"Bob"}}`, []Step{value}},
		{`{"action":"value","target":"Name","is":"Bob"}`, []Step{value}},
		{`"value of Name is Bob"`, []Step{value}},
		{`{"value":"Name","is":""}`, []Step{{Verb: VerbValue, Target: "Name"}}},
		{`{"select":"Large","from":"Size"}`, []Step{large}},
		{`{"select":"Size","option":"Large"}`, []Step{large}},
		{`{"select":"Size","value":"Large"}`, []Step{large}},
		{`"select Large from Size"`, []Step{large}},
		{`{"wait":2}`, []Step{{Verb: VerbWait, Pause: 2 * time.Second}}},
		{`"wait 2 seconds"`, []Step{{Verb: VerbWait, Pause: 2 * time.Second}}},
		{`{"wait":"500ms"}`, []Step{{Verb: VerbWait, Pause: time.Second / 2}}},
		{`{"sleep":1.5}`, []Step{{Verb: VerbWait, Pause: 1500 * time.Millisecond}}},
		{`{"wait":"Saved","timeout":3}`, []Step{{Verb: VerbWait, Text: "Saved", Timeout: 3 * time.Second}}},
		{`"wait for Saved"`, []Step{{Verb: VerbWait, Text: "Saved"}}},
		{`{"reload":true}`, []Step{{Verb: VerbReload}}},
		{`["reload","back"]`, []Step{{Verb: VerbReload}, {Verb: VerbBack}}},
		{`{"screenshot":"end"}`, []Step{{Verb: VerbShot, Text: "end"}}},
		{`["shot"]`, []Step{{Verb: VerbShot, Text: "shot"}}},
		{`["open index.html",{"open":"http://localhost:8000/a?b=1#c"}]`, []Step{{Verb: VerbOpen, Text: "/index.html"}, {Verb: VerbOpen, Text: "/a?b=1#c"}}},
		{`{"click":"Delete","dialog":"accept","dialog_says":"Sure?"}`, []Step{{Verb: VerbClick, Target: "Delete", Dialog: "accept", DialogSays: "Sure?"}}},
		{`{"click":"Rename","answer":"Bob"}`, []Step{{Verb: VerbClick, Target: "Rename", Dialog: "accept", Answer: "Bob"}}},
		{`{"click":" Delete \n all ","in":"Milk","nth":2}`, []Step{{Verb: VerbClick, Target: "Delete all", In: "Milk", Nth: 2}}},
	}
	for _, c := range cases {
		s, err := ParseScenario([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if d := cmp.Diff(c.want, s.Steps); d != "" {
			t.Errorf("%s: %s", c.in, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	cases := []struct{ in, want string }{
		{`{"steps":[{"clik":"7"}]}`, `step 1: unknown verb "clik": did you mean "click", as in {"click":"NAME"}?`},
		{`{"steps":[{"click":"7"},{"se":"56"}]}`, `step 2: unknown verb "se": did you mean "see"`},
		{`["klick 7"]`, `did you mean "click"`},
		{`{"steps":[{"click":"7","colour":"red"}]}`, `unknown key "colour" beside click: write {"click":"NAME"}`},
		{`{"steps":[{"type":"5","intoo":"Bill"}]}`, `unknown key "intoo" beside type: did you mean "into"? Write {"type":`},
		{`{"steps":[{"select":"15","form":"Tip"}]}`, `unknown key "form" beside select: did you mean "from"?`},
		{`["Zzyzx the Tip"]`, `unknown verb "Zzyzx": a step is an object such as {"click":"NAME"}. The verbs are open,`},
		{`{"click":["7","8"]}`, `"click" must be a text or a number`},
		{`{"checks":[{"page":{"steps":[]}}]}`, `this is a contract`},
		{`{"vars":{"a":"int 2..99"},"steps":[{"see":"{a}"}]}`, `a scenario has no variables`},
		{" \n", `not valid JSON: it is empty`},
		{`{"steps":[{"see":"7"},]}`, `line 1, column 22: invalid character ',' at start of value within "/steps"`},
		{`{"steps":[{"see":"7"}]`, `it ends too early; something that was opened is not closed`},
		{`{"stepz":[]}`, `unknown key "stepz": the list is called "steps"`},
		{`{"steps":[],"opne":"/"}`, `unknown key "opne": did you mean "open"`},
		{`{"steps":[{"click":"7","see":"56"}]}`, "two verbs"},
		{`{"steps":[{"click":"7","into":"x"}]}`, `click does not take "into"`},
		{`{"steps":[{"see":"7","answer":"x"}]}`, "see opens no dialog"},
		{`{"steps":[{}]}`, "an empty step"},
		{`{"steps":[{"in":"x"}]}`, "no verb"},
		{`{"steps":[7]}`, "a step is an object"},
		{`{"steps":[{"click":["7"]}]}`, `"click" must be a text`},
		{`{"steps":[{"click":""}]}`, "click needs a name"},
		{`{"steps":[{"see":" "}]}`, "see needs a text"},
		{`{"steps":[{"type":"x","into":"y","text":"z"}]}`, `type does not take "text"`},
		{`{"steps":[{"click":"x","nth":0}]}`, "nth must be"},
		{`{"steps":[{"see":"x","timeout":31}]}`, "timeout must be"},
		{`{"steps":[{"wait":99}]}`, "wait takes seconds up to 30"},
		{`{"steps":[{"click":"x","dialog":"maybe"}]}`, `dialog must be "accept" or "dismiss"`},
		{`{"steps":[{"press":"Contrl+a"}]}`, `unknown modifier "Contrl"`},
		{`{"steps":[{"press":"Entr","in":"Name"}]}`, `did you mean "enter"`},
		{`{"steps":[{"open":"file:///etc/passwd"}]}`, "only pages of the project count"},
		{`{"steps":[{"open":"data:text/html,x"}]}`, "only pages of the project count"},
		{`{"steps":[{"open":"https://example.org/"}]}`, "only pages of the project count"},
		{`{"steps":[{"open":"//example.org/"}]}`, "only pages of the project count"},
		{`{"open":"javascript:alert(1)","steps":[]}`, "only pages of the project count"},
		{`{"steps":[{"shot":"../x"}]}`, "a shot's name"},
		{`{"steps":[{"see":"` + long + `"}]}`, "at most 2000"},
		{`["see Logged in as Bob"]`, "read in two ways"},
		{`{"steps":[` + strings.Repeat(`"reload",`, MaxSteps) + `"reload"]}`, "61 steps; at most 60"},
		{`{"steps":[{"click":"a","click":"b"}]}`, "line 1"},
		{"{\"steps\":[\n {\"click\":\"a\",}]}", "line 2, column"},
		{`{"steps":[]} {}`, "not valid JSON"},
		{"\"\xff\"", "not valid JSON"},
		{``, "not valid JSON"},
		{`7`, "must be"},
		{`{}`, "nothing to do"},
		{`{"steps":[],"timeout":500}`, "timeout must be"},
		{`{"steps":[],"actions":[]}`, "both"},
	}
	for _, c := range cases {
		_, err := ParseScenario([]byte(c.in))
		var se *ScenarioError
		if !errors.As(err, &se) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: got %v, want …%s…", c.in, err, c.want)
		}
	}
}

func TestWithoutActionsAndLiterals(t *testing.T) {
	s, err := ParseScenario([]byte(`{"open":"/","steps":[{"see":"0"},{"type":"Zoë","into":"Name"},{"click":"Add","dialog":"accept","answer":"yes"},{"wait":"Saved"},"reload",{"see":"Zoë"},"shot"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for _, st := range s.WithoutActions().Steps {
		verbs = append(verbs, string(st.Verb))
	}
	if d := cmp.Diff([]string{"see", "wait", "reload", "see"}, verbs); d != "" {
		t.Error(d)
	}
	if len(s.Steps) != 7 {
		t.Error("WithoutActions changed the scenario")
	}
	if d := cmp.Diff([]string{"0", "Zoë", "yes", "Saved"}, s.Literals()); d != "" {
		t.Error(d)
	}
}

func TestShows(t *testing.T) {
	cases := []struct {
		text, want string
		ok         bool
	}{
		{"8", "8", true}, {"18", "8", false}, {"78", "8", false}, {"81", "8", false}, {"= 8", "8", true}, {"8 items", "8", true},
		{"8.5", "8", false}, {"1.8", "8", false}, {".8", "8", false}, {"1,008", "8", false}, {"1,008", "1", false}, {"1'000", "1", false},
		{"-8", "8", false}, {"−8", "8", false}, {"-8", "-8", true}, {"= -8", "-8", true}, {"3-8", "8", true}, {"8:30", "8", false},
		{"Total: 8.", "8", true}, {"(8)", "8", true}, {"$8", "8", true}, {"8%", "8", true}, {"8, 9", "8", true}, {"8e5", "8", false},
		{"8 18", "8", true}, {"18 8", "8", true}, {"x8", "8", false}, {"item_8", "8", false},
		{"Milk", "Milk", true}, {"Buy Milk", "Milk", true}, {"Milky", "Milk", false}, {"milk", "Milk", false}, {"Buy  Milk\nnow", "Milk now", true},
		{"Zoë", "Zo", false}, {"Zoe\u0308", "Zoe", false}, {"don't", "don", true}, {"25:00", "25:00", true}, {"125:00", "25:00", false},
		{"牛乳を買う", "牛乳", true}, {"🎉 done", "🎉", true}, {"👩\u200d💻", "👩", false}, {"", "", true}, {"x", "", false}, {"", "x", false},
		{"A-B", "A", true}, {"+5", "5", true}, {"a+b", "+", true},
	}
	for _, c := range cases {
		if got := Shows(c.text, c.want); got != c.ok {
			t.Errorf("Shows(%q, %q) = %v", c.text, c.want, got)
		}
	}
}

func FuzzParseScenario(f *testing.F) {
	for _, s := range []string{
		`{"open":"/","steps":[{"click":"7"},{"see":"56","in":"Display"}]}`, `["type \"a\" into b","wait 2"]`, `{"action":"fill","target":"a","value":"b"}`,
		`{"value":{"of":"a","is":1}}`, `{"press":"+"}`, `{"press":"a++"}`, `"see '"`, `{"steps":[{"press":"++"}]}`, `{"type":"type","text":"x"}`, `{"wait":"NaN"}`, `{"wait":1e300}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseScenario(data)
		if err != nil {
			var se *ScenarioError
			if !errors.As(err, &se) {
				t.Fatalf("not a ScenarioError: %v", err)
			}
			return
		}
		if len(s.Steps) > MaxSteps || s.Timeout <= 0 || s.Timeout > maxTimeout {
			t.Fatalf("limits: %+v", s)
		}
		for _, st := range s.Steps {
			if _, ok := verbOf(string(st.Verb)); !ok || st.Timeout > maxStepWait || st.Pause > maxStepWait || st.Pause < 0 {
				t.Fatalf("%+v", st)
			}
			if st.Assertion() && st.Verb != VerbValue && collapse(st.Text) == "" {
				t.Fatalf("asserts nothing: %+v", st)
			}
			if st.Verb == VerbPress {
				if _, err := parseKey(st.Text); err != nil {
					t.Fatal(err)
				}
			}
			_ = fmt.Sprint(st)
		}
		for _, st := range s.WithoutActions().Steps {
			if st.Action() {
				t.Fatalf("an action is left: %v", st)
			}
		}
	})
}

func FuzzShows(f *testing.F) {
	f.Add("a 8 b", "8")
	f.Add("1.8", "8")
	f.Fuzz(func(t *testing.T, text, want string) {
		if !Shows(want, want) {
			t.Fatalf("%q does not show itself", want)
		}
		if collapse(want) != "" && !Shows("( "+want+" )", want) {
			t.Fatalf("%q is not shown between spaces", want)
		}
		if Shows(text, want) && !strings.Contains(collapse(text), collapse(want)) {
			t.Fatalf("%q shows %q", text, want)
		}
	})
}
