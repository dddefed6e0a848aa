package browser

import (
	"strings"
	"testing"
)

// TestParseOtherVerbs reads the verbs beside the everyday ones, as people and
// small models write them.
func TestParseOtherVerbs(t *testing.T) {
	for text, want := range map[string]string{
		`{"drag":"Write","to":"Done"}`:                             `drag "Write" to "Done"`,
		`{"drag_and_drop":"Write","onto":"Done"}`:                  `drag "Write" to "Done"`,
		`{"action":"drag","target":"Write","to":"Done"}`:           `drag "Write" to "Done"`,
		`"drag \"Write\" to \"Done\""`:                             `drag "Write" to "Done"`,
		`{"upload":"a.txt","into":"File","content":"hi"}`:          `upload "a.txt" into "File"`,
		`{"upload":"File","file":"a.txt"}`:                         `upload "a.txt" into "File"`,
		`{"attach":"a.txt","to":"File"}`:                           `upload "a.txt" into "File"`,
		`{"scroll":"down"}`:                                        `scroll "down"`,
		`{"scroll":true}`:                                          `scroll "down"`,
		`{"scroll":500}`:                                           `scroll "down"`,
		`{"scroll":"bottom","in":"Log"}`:                           `scroll "bottom" within "Log"`,
		`{"scroll_to":"Footer"}`:                                   `scroll to "Footer"`,
		`"scroll to Footer"`:                                       `scroll to "Footer"`,
		`{"count":3,"of":"listitem","in":"Todo"}`:                  `count 3 of "listitem" within "Todo"`,
		`{"count":"listitem","is":3}`:                              `count 3 of "listitem"`,
		`"count 3 of listitem"`:                                    `count 3 of "listitem"`,
		`{"animates":"Ball"}`:                                      `animates "Ball"`,
		`{"is_still":"Ball"}`:                                      `still "Ball"`,
		`{"resize":"mobile"}`:                                      `resize "mobile"`,
		`{"resize":{"width":800,"height":600}}`:                    `resize "800x600"`,
		`{"viewport":"800 x 600"}`:                                 `resize "800 x 600"`,
		`{"popup":true}`:                                           `popup`,
		`{"popup":"close"}`:                                        `popup "close"`,
		`{"new_tab":"Help"}`:                                       `popup "Help"`,
		`{"restart":true}`:                                         `restart`,
		`"restart_server"`:                                         `restart`,
		`{"disabled":"button:Next","in":"Wizard"}`:                 `disabled "button:Next" within "Wizard"`,
		`"greyed_out Next"`:                                        `disabled "Next"`,
		`{"action":"is_enabled","target":"Next"}`:                  `enabled "Next"`,
		`{"title":"Basket (2)"}`:                                   `title "Basket (2)"`,
		`{"fresh":"/"}`:                                            `fresh "/"`,
		`{"incognito":true}`:                                       `fresh "/"`,
		`{"fresh":"first"}`:                                        `fresh "first"`,
		`{"go":"back"}`:                                            `back`,
		`{"go":"/about"}`:                                          `open "/about"`,
		`{"click":"Log in","expect_status":401}`:                   `click "Log in" (status 401 expected)`,
		`{"open":"/missing","expect_status":404,"note":"by hand"}`: `open "/missing" (status 404 expected)`,
	} {
		s, err := ParseScenario([]byte(`{"steps":[` + text + `]}`))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Steps[0].String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	for text, part := range map[string]string{
		`{"drag":"Write"}`:                         "drag needs two names",
		`{"upload":"/etc/passwd","into":"File"}`:   "plain name of a file",
		`{"upload":"../x","into":"File"}`:          "plain name of a file",
		`{"upload":".env","into":"File"}`:          "plain name of a file",
		`{"upload":"a.txt"}`:                       "needs a file name and a field",
		`{"count":"many","of":"listitem"}`:         "count needs a number",
		`{"disabled":""}`:                          "disabled needs a name",
		`{"title":" "}`:                            "title needs a text",
		`{"count":3}`:                              "count needs a number",
		`{"resize":"huge"}`:                        "resize takes",
		`{"resize":"10x10"}`:                       "resize takes",
		`{"fresh":"https://example.com/"}`:         "only pages of the project count",
		`{"see":"x","expect_status":404}`:          "asks nothing of the server",
		`{"click":"x","expect_status":200}`:        "failing HTTP status",
		`{"restart":"now"}`:                        "takes nothing",
		`{"dragg":"a","to":"b"}`:                   `did you mean "drag"`,
		`{"scrol":"down"}`:                         `did you mean "scroll"`,
		`{"animates":"Ball","in":"Box","of":"12"}`: `does not take "of"`,
	} {
		_, err := ParseScenario([]byte(`{"steps":[` + text + `]}`))
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
}

func TestSuspiciousNames(t *testing.T) {
	for name, want := range map[string]look{
		"app": looksOrdinary, "testimonials": looksOrdinary, "latest": looksOrdinary, "contestants": looksOrdinary, "webhooks": looksOrdinary,
		"testHook": looksTesting, "debug": looksTesting, "DEBUG_MODE": looksTesting, "exposeState": looksTesting, "runTests": looksTesting,
		"__test": looksHidden, "__app": looksHidden, "__state__": looksHidden,
		"__NEXT_DATA__": looksOrdinary, "__vite_plugin_react_preamble_installed__": looksOrdinary, "__assign": looksOrdinary, "__VUE__": looksOrdinary,
	} {
		if got := nameLooks(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// A page that is expected to be an error says so beside the path.
func TestStatusOfThePage(t *testing.T) {
	for text, want := range map[string]Scenario{
		`{"open":"/nope","status":404,"steps":["see gone"]}`:            {Open: "/nope", Status: 404},
		`{"open":"/nope","expect_status":"404","steps":["see gone"]}`:   {Open: "/nope", Status: 404},
		`{"open":"/nope","allow_status":500,"steps":["see gone"]}`:      {Open: "/nope", Status: 500, StatusMay: true},
		`{"open":"/nope","status":404}`:                                 {Open: "/nope", Status: 404},
		`{"open":"/a","click":"Save","status":400}`:                     {Open: "/a"}, // of the click
		`{"open":"/a","steps":[{"open":"/nope","status":404},"see x"]}`: {Open: "/a"},
	} {
		s, err := ParseScenario([]byte(text))
		if err != nil || s.Open != want.Open || s.Status != want.Status || s.StatusMay != want.StatusMay {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for text, part := range map[string]string{
		`{"open":"/nope","status":200,"steps":["see gone"]}`:                    "failing HTTP status",
		`{"open":"/nope","status":404,"allow_status":404,"steps":["see gone"]}`: "given once",
		`{"status":404,"steps":[{"open":"/nope"},"see gone"]}`:                  "a status is that of the page to open",
		`{"status":[404],"open":"/","steps":["see gone"]}`:                      "one number",
	} {
		if _, err := ParseScenario([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
}

// TestErrorPages opens what is not there.
func TestErrorPages(t *testing.T) {
	base := site(t, map[string]string{"index.html": `<!doctype html><title>T</title><p>Home</p>`})
	for _, c := range []struct{ text, verdict, reason string }{
		{`{"open":"/nope","status":404,"steps":["see \"not found\""]}`, Pass, ""},
		{`{"open":"/nope","allow_status":404,"steps":["see \"not found\""]}`, Pass, ""},
		{`{"open":"/nope","status":404,"steps":[{"see":"Home","timeout":0.2}]}`, Fail, "expected to see"},
		{`{"open":"/nope","status":410,"steps":["see \"not found\""]}`, Fail, "status 404"},
		{`{"open":"/","status":404,"steps":["see Home"]}`, Fail, "expected with status 404, but the server answered with 200"},
		{`{"open":"/","allow_status":404,"steps":["see Home"]}`, Pass, ""},
		{`{"open":"/nope","steps":["see \"not found\""]}`, Fail, "status 404"},
		{`{"open":"/nope","status":404,"steps":["see \"not found\"",{"open":"/no2"},"see \"not found\""]}`, Fail, "status 404"},
	} {
		if r := playStage(t, Stage{URL: base}, c.text); r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: got %s: %s, want %s: …%s…", c.text, r.Verdict, r.Reason, c.verdict, c.reason)
		}
	}
}
