package contract

import (
	"strings"
	"testing"
)

// command is a check of one, that expects these texts, as JSON.
func command(run, has string) string {
	return `{"id":"c1","kind":"command","covers":[1],"command":{"run":"` + run + `","exit":0,"stdout_has":[` + has + `]}}`
}

// A number of few values lets a table answer; a choice, a text or a second
// number does not make that a fault.
func TestNarrowRanges(t *testing.T) {
	cases := map[string]struct {
		vars  Values
		check string
		want  string // "" = fine
	}{
		"wide":                     {Values{"a": "int 2..99"}, command("sh x.sh {a}", `"{a*2}"`), ""},
		"four":                     {Values{"a": "int 2..5"}, command("sh x.sh {a}", `"{a*2}"`), `variable a is "int 2..5", which has 4 values: a table of them would pass check c1. Use a wider range such as "int 2..99"`},
		"nineteen":                 {Values{"a": "int 1..19"}, command("sh x.sh {a}", `"{a*2}"`), "19 values"},
		"twenty":                   {Values{"a": "int 1..20"}, command("sh x.sh {a}", `"{a*2}"`), ""},
		"high":                     {Values{"a": "int 90..95"}, command("sh x.sh {a}", `"{a*2}"`), `such as "int 90..189"`},
		"decimal":                  {Values{"a": "decimal 0.5..1.5/1"}, command("sh x.sh {a}", `"{a*2}"`), `such as "decimal 0.5..9.5/1"`},
		"shown as it is":           {Values{"a": "int 2..5"}, command("sh x.sh {a}", `"{a}"`), "4 values"},
		"two together":             {Values{"a": "int 2..9", "b": "int 2..9"}, command("sh x.sh {a} {b}", `"{a+b}"`), ""},
		"two are too few":          {Values{"a": "int 2..5", "b": "int 2..5"}, command("sh x.sh {a} {b}", `"{a+b}"`), "a and b have 16 values together"},
		"one by itself":            {Values{"a": "int 2..5", "w": "word"}, command("sh x.sh {a} {w}", `"{a*2}","{w}"`), "4 values"},
		"shown beside another":     {Values{"a": "int 2..5", "w": "word"}, command("sh x.sh {a} {w}", `"{a} for {w}"`), ""},
		"shown apart":              {Values{"a": "int 2..5", "w": "word"}, command("sh x.sh {a} {w}", `"{a}","{w}"`), ""},
		"turned round":             {Values{"a": "int 2..5", "w": "word"}, command("sh x.sh {a*2} {w}", `"{a}","{w}"`), "4 values"},
		"a choice":                 {Values{"a": "one of red|green"}, command("sh x.sh {a}", `"{a}"`), ""},
		"a choice and a number":    {Values{"a": "one of red|green", "n": "int 2..9"}, command("sh x.sh {a} {n}", `"{n*2} {a}"`), "a and n have 16 values together"},
		"a choice and a wider one": {Values{"a": "one of red|green", "n": "int 2..12"}, command("sh x.sh {a} {n}", `"{n*2} {a}"`), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, p := range varied(t, c.vars, nil, c.check).narrowProblems() {
				all = append(all, p.String())
			}
			got := strings.Join(all, "; ")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Validate says it, and a person's contract is kept all the same.
func TestNarrowContractIsRefused(t *testing.T) {
	c := varied(t, Values{"a": "int 38..41", "b": "int 2..5"}, Values{"a": "40", "b": "2"}, sumCheck)
	bad := c.Validate(sumFeature)
	if len(bad) != 1 || !strings.Contains(bad[0].Text, "16 values together") {
		t.Errorf("%v", bad)
	}
	c.By = ByPerson
	if err := c.Usable(sumFeature); err != nil {
		t.Error(err)
	}
}
