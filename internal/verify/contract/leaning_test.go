package contract

import (
	"strings"
	"testing"

	"gitagent/features"
)

// Small models like to give each step a check of its own and to forget that a
// check begins on a fresh page.
func TestPagesThatLeanOnEachOther(t *testing.T) {
	score := features.Feature{ID: "F001", Steps: []string{`Add "Ben"`, `Click "Point for Ben"`, `The list shows "Ben: 1"`}}
	const add = `{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"Ben","into":"Player"},{"press":"Enter"},{"see":"Ben: 0"}]}}`
	cases := []struct{ name, second, want string }{
		{"acts on what the first typed", `{"click":"Point for Ben"},{"see":"Ben: 1"}`, `check c2 needs "Ben", which only check c1 types`},
		{"types it too", `{"type":"Ben","into":"Player"},{"press":"Enter"},{"click":"Point for Ben"},{"see":"Ben: 1"}`, ""},
		{"part of a word only", `{"click":"Point for Benjamin"},{"see":"Ben: 1"}`, ""},
		{"only looks", `{"click":"Point for all"},{"see":"Ben: 1"}`, ""},
	}
	for _, c := range cases {
		k := parse(t, `{"version":1,"feature":"F001","revision":1,"checks":[`+add+`,{"id":"c2","kind":"page","covers":[2,3],"page":{"open":"/","steps":[`+c.second+`]}}]}`)
		var got []string
		for _, p := range k.Validate(score) {
			if strings.Contains(p.String(), "fresh page") {
				got = append(got, p.String())
			}
		}
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: refused: %v", c.name, got)
		case c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)):
			t.Errorf("%s: want %q, got %v", c.name, c.want, got)
		}
	}
}
