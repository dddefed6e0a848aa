package contract

import (
	"strings"
	"testing"

	"gitagent/features"
)

// What the words of the steps are looked for in, in pages as they are stored.
func TestPageCoversItsSteps(t *testing.T) {
	for name, k := range map[string]struct {
		step, page, want string // want "" = no objection
	}{
		"dragged to":         {`Drag "Paint" to "Doing": the board shows "1 in work"`, `"steps":[{"drag":"Paint","to":"Doing"},{"see":"1 in work"}]`, ""},
		"dragged elsewhere":  {`Drag "Paint" to "Doing": the board shows "1 in work"`, `"steps":[{"drag":"Paint","to":"Done"},{"see":"1 in work"}]`, `step 1 says "Doing"`},
		"uploaded":           {`Choose a file that holds "a,b": the page shows "2 columns"`, `"steps":[{"upload":"x.csv","into":"File","content":"a,b"},{"see":"2 columns"}]`, ""},
		"uploaded another":   {`Choose a file that holds "a,b": the page shows "2 columns"`, `"steps":[{"upload":"x.csv","into":"File","content":"a;b"},{"see":"2 columns"}]`, `step 1 says "a,b"`},
		"disabled":           {`Click "Save": the page shows the button "Next" disabled`, `"steps":[{"click":"Save"},{"disabled":"button:Next"}]`, ""},
		"titled":             {`Click "Save": the title reads "Saved"`, `"steps":[{"click":"Save"},{"title":"Saved"}]`, ""},
		"prefers dark":       {`The page shows "Night"`, `"prefers":"dark","steps":[{"see":"Night"}]`, ""},
		"acts once more":     {`Click "Add": the page shows "1". Click "Undo" once more`, `"steps":[{"click":"Add"},{"see":"1"},{"click":"Undo"},{"not_see":"1"}]`, ""},
		"only looks for it":  {`Click "Add": the page shows "1". Click "Undo" once more`, `"steps":[{"click":"Add"},{"see":"1"},{"see":"Undo"}]`, `does something with "Undo"`},
		"shows it, e.g. so":  {`Click "Add": the page shows a sum, e.g. "41"`, `"steps":[{"click":"Add"},{"see":"a sum"},{"not_see":"41"}]`, `says that "41" is shown`},
		"shows one. And two": {`Click "Add": the page shows "1". "2" is gone`, `"steps":[{"click":"Add"},{"see":"1"},{"not_see":"2"}]`, ""},
	} {
		f := features.Feature{ID: "F001", Steps: []string{k.step}}
		c, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"page","covers":[1],"page":{"open":"/",` + k.page + `}}]}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for _, p := range c.Validate(f) {
			all = append(all, p.String())
		}
		if got := strings.Join(all, "; "); (k.want == "") != (got == "") || !strings.Contains(got, k.want) {
			t.Errorf("%s: %q, want %q", name, got, k.want)
		}
		if strings.Contains(k.page, "prefers") && !strings.Contains(string(c.Bytes()), `"prefers": "dark"`) {
			t.Errorf("%s: not kept: %s", name, c.Bytes())
		}
	}
}
