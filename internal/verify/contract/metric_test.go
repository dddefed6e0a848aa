package contract

import (
	"strings"
	"testing"
)

func num(v float64) *float64 { return &v }

func TestMetricReads(t *testing.T) {
	for _, c := range []struct {
		after, out string
		want       float64
		ok         bool
	}{
		{"", "12 files\n1,234 bytes\n", 1234, true}, {"coverage:", "coverage: 20%\nok\ncoverage: 81.5% of statements\n", 81.5, true},
		{"time", "time -3.5e-2 s", -0.035, true}, {"", "no number", 0, false}, {"size", "12", 0, false}, {"size", "size: many", 0, false},
	} {
		m := Metric{After: c.after}
		if got, ok := m.Read(c.out); got != c.want || ok != c.ok {
			t.Errorf("%q after %q: %v %v", c.out, c.after, got, ok)
		}
	}
}

func TestMetricJudges(t *testing.T) {
	for name, c := range map[string]struct {
		m     Metric
		value float64
		base  *float64
		wrong string
	}{
		"enough":           {Metric{AtLeast: num(80)}, 80, nil, ""},
		"too little":       {Metric{AtLeast: num(80)}, 79.9, nil, "at least 80"},
		"too much":         {Metric{AtMost: num(100)}, 101, nil, "at most 100"},
		"as before":        {Metric{WorseBy: num(1), Better: Higher}, 79, num(80), ""},
		"worse":            {Metric{WorseBy: num(1), Better: Higher}, 78, num(80), "worse by more than 1"},
		"slower":           {Metric{WorseBy: num(0.5), Better: Lower}, 3, num(2), "worse by more than 0.5"},
		"faster":           {Metric{WorseBy: num(0), Better: Lower}, 1, num(2), ""},
		"nothing to be by": {Metric{WorseBy: num(0), Better: Lower}, 1, nil, ""},
	} {
		if wrong := c.m.Judge(c.value, c.base); (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

func TestMetricIsRefused(t *testing.T) {
	for _, text := range []string{`{}`, `{"at_least":3,"at_most":2}`, `{"worse_by":1}`, `{"worse_by":-1,"better":"lower"}`, `{"worse_by":1,"better":"faster"}`} {
		_, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"command","covers":[1],"command":{"run":"./m","exit":0,"metric":` + text + `}}]}`))
		if err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	c, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"command","covers":[1],"command":{"run":"./m","exit":0,"metric":{"after":"coverage:","at_least":80}}}]}`))
	if err != nil || *c.Checks[0].Command.Metric.AtLeast != 80 {
		t.Fatal(err)
	}
}
