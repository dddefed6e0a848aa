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
		"no such page":       {`Open /nope: the server returns "404" and the page shows "Nothing here"`, `"status":404,"steps":[{"see":"Nothing here"}]`, ""},
		"another status":     {`Open /nope: the server returns "404" and the page shows "Nothing here"`, `"status":410,"steps":[{"see":"Nothing here"}]`, `contains "404"`},
		"a status it may":    {`Open /nope: the server returns "404" and the page shows "Nothing here"`, `"allow_status":404,"steps":[{"see":"Nothing here"}]`, `contains "404"`},
		"no page by a step":  {`Open /nope: the server returns "404" and the page shows "Nothing here"`, `"steps":[{"open":"/nope","status":404},{"see":"Nothing here"}]`, ""},
		"no page after one":  {`Click "Delete". Open the note again: the page shows "404"`, `"steps":[{"click":"Delete"},{"open":"/note/1","status":404},{"see":"gone"}]`, ""},
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
		if strings.HasPrefix(k.page, `"status"`) && !strings.Contains(string(c.Bytes()), `"status": 4`) {
			t.Errorf("%s: not kept: %s", name, c.Bytes())
		}
	}
	for page, want := range map[string]string{
		`"open":"/nope","status":200`:                    "failing HTTP status",
		`"open":"/nope","status":0`:                      "failing HTTP status",
		`"open":"/nope","status":404,"allow_status":404`: "given once",
		`"open":"/nope","expect_status":404`:             "unknown object member",
	} {
		_, err := Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"page","covers":[1],"page":{` + page + `,"steps":[{"see":"x"}]}}]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", page, err, want)
		}
	}
	// A status has to be there also where values are put in.
	with := parse(t, `{"version":1,"feature":"F001","revision":1,"vars":{"a":"word"},"checks":[{"id":"c1","kind":"page","covers":[1],"page":{"open":"/{a}","status":404,"steps":[{"see":"no {a} here"}]}}]}`)
	filled, err := with.With(Values{"a": "tea"})
	if want := `{"open":"/tea","status":404,"steps":[{"see":"no tea here"}]}`; err != nil || string(filled.Checks[0].Page) != want {
		t.Errorf("filled: %s, %v", filled.Checks[0].Page, err)
	}
}
