package features

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gitagent/internal/hint"

	"github.com/google/go-cmp/cmp"
)

const sample = `{
  "version": 1,
  "project": "pomodoro",
  "goal": "A pomodoro timer for the browser",
  "features": [
    {
      "id": "F001",
      "category": "functional",
      "description": "Starting the timer counts down from 25:00",
      "steps": ["Open the page", "Press Start", "After two seconds the display shows less than 25:00"],
      "depends_on": [],
      "priority": 1,
      "passes": true
    },
    {
      "id": "F002",
      "category": "functional",
      "description": "The timer can be paused",
      "steps": ["Press Pause", "The display stands still"],
      "depends_on": ["F001"],
      "priority": 2,
      "passes": false
    },
    {
      "id": "F003",
      "category": "style",
      "description": "The display is large",
      "steps": ["Open the page", "The display is at least 80 pixels high"],
      "depends_on": ["F002"],
      "priority": 1,
      "passes": false
    }
  ]
}
`

func mustParse(t testing.TB, data string) *List {
	t.Helper()
	l, err := Parse([]byte(data))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return l
}

func TestParseReadsTheDesignsForm(t *testing.T) {
	l := mustParse(t, sample)
	want := Feature{ID: "F002", Category: "functional", Description: "The timer can be paused",
		Steps: []string{"Press Pause", "The display stands still"}, DependsOn: []string{"F001"}, Priority: 2}
	if diff := cmp.Diff(want, *l.Get("F002")); diff != "" {
		t.Error(diff)
	}
	if l.Version != 1 || l.Project != "pomodoro" || len(l.Features) != 3 || l.Passing() != 1 || string(l.Bytes()) != sample {
		t.Errorf("got %+v", l)
	}
	if l.Get("F009") != nil {
		t.Error("an unknown id has a feature")
	}
}

// Every refusal names the place and the way out.
func TestParseRefuses(t *testing.T) {
	one := func(from, to string) string {
		out := strings.Replace(sample, from, to, 1)
		if out == sample {
			t.Fatalf("%q is not in the sample", from)
		}
		return out
	}
	cases := []struct {
		name, data string
		line, col  int
		msg        string
	}{
		{"empty", "", 1, 1, "empty"},
		{"only space", " \n ", 1, 1, "empty"},
		{"byte order mark", "\xef\xbb\xbf" + sample, 1, 1, "byte order mark"},
		{"utf-16", "\xff\xfe{\x00", 1, 1, "UTF-16"},
		{"not utf-8", one("pomodoro\"", "p\xc3(\""), 3, 16, "0xc3 is not UTF-8"},
		{"an array", "[]", 1, 1, "expected '{'"},
		{"second document", sample + "{}", 35, 1, "follows the end"},
		{"cut off", sample[:200], 9, 22, "not closed"},
		{"duplicate passes", one(`"passes": false`, `"passes": false, "passes": true`), 22, 24, `"passes" is there twice`},
		{"other case", one(`"passes": false`, `"Passes": false`), 22, 7, `"Passes" is not known`},
		{"long s", one(`"passes": false`, `"paſſes": false`), 22, 7, "is not known"},
		{"zero width key", one(`"passes": false`, "\"pas\u200bses\": false"), 22, 7, "is not known"},
		{"escaped key", one(`"passes": false`, `"\u0070asses": false`), 22, 7, "written with an escape"},
		{"extra key", one(`"passes": false`, `"passes": false, "verified": true`), 22, 24, `"verified" is not known`},
		{"extra outer key", one(`"version": 1,`, `"version": 1, "skip": 1,`), 2, 17, `"skip" is not known`},
		{"null flag", one(`"passes": false`, `"passes": null`), 22, 17, "found null"},
		{"string flag", one(`"passes": false`, `"passes": "false"`), 22, 17, "found a string"},
		{"number flag", one(`"passes": false`, `"passes": 0`), 22, 17, "found a number"},
		{"python flag", one(`"passes": false`, `"passes": False`), 22, 17, "found False"},
		{"longer word", one(`"passes": false`, `"passes": falsey`), 22, 17, "found falsey"},
		{"missing flag", one(",\n      \"passes\": false", ""), 15, 5, `F002 has no "passes"`},
		{"missing goal", one("\"goal\": \"A pomodoro timer for the browser\",", ""), 1, 1, `"goal" is missing`},
		{"newer version", one(`"version": 1`, `"version": 2`), 2, 14, "version 2"},
		{"fraction", one(`"priority": 2`, `"priority": 2.5`), 21, 19, "whole number"},
		{"leading zero", one(`"priority": 2`, `"priority": 02`), 21, 19, "expected a whole number"},
		{"huge number", one(`"priority": 2`, `"priority": 99999999999999999999`), 21, 19, "whole number"},
		{"trailing comma", one("\"passes\": false\n", "\"passes\": false,\n"), 22, 22, "a comma before '}'"},
		{"missing comma", one(`"id": "F002",`, `"id": "F002"`), 17, 7, "expected a comma or '}'"},
		{"comment", one(`"id": "F002",`, `"id": "F002", // second`), 16, 21, "a comment"},
		{"single quotes", one(`"id": "F002"`, `'id': "F002"`), 16, 7, "a single quote"},
		{"curly quotes", one(`"id": "F002"`, `“id”: "F002"`), 16, 7, "found"},
		{"unclosed string", one(`"Press Pause",`, `"Press Pause,`), 19, 32, ""},
		{"string over a line", one(`"The timer can be paused",`, "\"The timer\n\","), 18, 32, "not closed on its line"},
		{"raw control character", one("Press Pause", "Press\x07Pause"), 19, 23, "control character 0x07"},
		{"escaped control character", one("Press Pause", `Press\u001b[2J`), 19, 17, "hidden or control"},
		{"bidi", one("Press Pause", "Press\u202ePause"), 19, 17, "hidden or control"},
		{"lone surrogate", one("Press Pause", `Press\ud800`), 19, 23, "surrogate"},
		{"lone low surrogate", one("Press Pause", `\udc00`), 19, 18, "surrogate"},
		{"unknown escape", one("Press Pause", `Press\x`), 19, 23, "escape"},
		{"same id", one(`"id": "F002"`, `"id": "F001"`), 16, 13, `"F001" is taken`},
		{"same id in other case", one(`"id": "F002"`, `"id": "f001"`), 16, 13, "is taken"},
		{"id with a path", one(`"id": "F002"`, `"id": "../F"`), 16, 13, "letters, digits"},
		{"device name", one(`"id": "F002"`, `"id": "nul"`), 16, 13, "Windows"},
		{"no id", one(`"id": "F002"`, `"id": ""`), 16, 13, "an id has"},
		{"no steps", one(`["Press Pause", "The display stands still"]`, `[]`), 19, 16, "cannot be verified"},
		{"blank step", one(`"Press Pause"`, `" "`), 19, 17, "step 1 is empty"},
		{"step is no string", one(`"Press Pause"`, `7`), 19, 17, "a step in double quotes"},
		{"blank description", one(`"The timer can be paused"`, `"  "`), 18, 22, "description is empty"},
		{"unknown dependency", one(`["F001"]`, `["F001", "F9"]`), 20, 30, `depends on "F9"`},
		{"named twice", one(`["F001"]`, `["F001", "F001"]`), 20, 30, "twice"},
		{"depends on itself", one(`["F001"]`, `["F002"]`), 20, 21, "wait for each other"},
		{"circle", one(`["F001"]`, `["F003"]`), 20, 21, "F002, F003"},
		{"too many steps", one(`"Press Pause"`, strings.Repeat(`"a", `, 1000)+`"b"`), 19, 5017, "more than 1000"},
		{"too deep", one(`["F001"]`, strings.Repeat("[", 20)), 20, 22, ""},
	}
	for _, c := range cases {
		l, err := Parse([]byte(c.data))
		var bad *SyntaxError
		if l != nil || !errors.As(err, &bad) {
			t.Errorf("%s: got %v, %v", c.name, l, err)
			continue
		}
		if bad.Line != c.line || bad.Col != c.col || !strings.Contains(bad.Msg, c.msg) {
			t.Errorf("%s: got line %d, column %d: %s\nwant line %d, column %d: …%s", c.name, bad.Line, bad.Col, bad.Msg, c.line, c.col, c.msg)
		}
		if bad.Mend == "" || len(hint.Of(err)) == 0 {
			t.Errorf("%s: no way out in %v", c.name, err)
		}
		if !strings.HasPrefix(err.Error(), "features.json, line ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestParseNamesTheKeyThatWasMeant(t *testing.T) {
	for key, want := range map[string]string{"Passes": "passes", "paſſes": "passes", "pases": "passes", "dependsOn": "depends_on", "discription": "description", "Steps ": "steps"} {
		if got := nearest(key, featureKeys); got != want {
			t.Errorf("nearest(%q) = %q, want %q", key, got, want)
		}
	}
	for _, key := range []string{"verified", "notes", "x", strings.Repeat("passes", 20)} {
		if got := nearest(key, featureKeys); got != "" {
			t.Errorf("nearest(%q) = %q", key, got)
		}
	}
}

func TestParseAcceptsOtherLayouts(t *testing.T) {
	for name, data := range map[string]string{
		"crlf":        strings.ReplaceAll(sample, "\n", "\r\n"),
		"one line":    strings.Join(strings.Fields(sample), " "),
		"no new line": strings.TrimSpace(sample),
		"escapes":     strings.Replace(sample, "Press Pause", `Press \"Pause\" \ud83d\ude00 \\ \/ \u00e9`, 1),
	} {
		l := mustParse(t, data)
		if len(l.Features) != 3 || string(l.Bytes()) != data {
			t.Errorf("%s: %+v", name, l.Features)
		}
		if name == "escapes" && l.Get("F002").Steps[0] != `Press "Pause" 😀 \ / é` {
			t.Errorf("got %q", l.Get("F002").Steps[0])
		}
	}
}

// big makes a list of n features that form one long chain.
func big(t testing.TB, n int) []byte {
	t.Helper()
	fs := make([]Feature, n)
	for i := range fs {
		fs[i] = Feature{Category: "functional", Description: fmt.Sprintf("Row %d can be edited", i),
			Steps: []string{"Open the page", fmt.Sprintf("Press Edit in row %d", i), "The row is shown as a form", "Press Save"}}
		if i > 0 {
			fs[i].DependsOn = []string{fmt.Sprintf("F%03d", i)}
		}
	}
	l, err := New("table", "A table that can be edited", fs)
	if err != nil {
		t.Fatal(err)
	}
	return l.Bytes()
}

// The best of some tries counts, since other work on the machine can only add;
// the figures are printed.
func TestLargeListsAreFastAndOversizedOnesRefusedAtOnce(t *testing.T) {
	data := big(t, 10_000)
	start := time.Now()
	l := mustParse(t, string(data))
	t.Logf("10,000 features, %d bytes: read in %v", len(data), time.Since(start))
	start = time.Now()
	f, _ := l.Next(nil)
	now, err := l.Flip(f.ID)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := Flipped(data, now)
	if err != nil || len(ids) != 1 || ids[0] != f.ID {
		t.Fatalf("Flipped = %v, %v", ids, err)
	}
	t.Logf("10,000 features: next, flip and check of the flip in %v", time.Since(start))

	hostile := map[string][]byte{
		"20 MB":           append([]byte("{"), make([]byte, 20<<20)...),
		"10,001 levels":   []byte(strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)),
		"10,001 objects":  []byte(strings.Repeat(`{"features":`, 10_001)),
		"16 MB of lists":  []byte(`{"features":[` + strings.Repeat("[],", 5_000_000)),
		"16 MB of quotes": []byte(`{"goal":"` + strings.Repeat(`\"`, 8_000_000)),
		"16 MB of deps":   []byte(`{"features":[{"id":"A","depends_on":[` + strings.Repeat(`"A",`, 4_000_000)),
	}
	for name, data := range hostile {
		for what, read := range map[string]func() error{
			"read":     func() error { _, err := Parse(data); return err },
			"imported": func() error { _, err := Import(data, "", ""); return err },
		} {
			best := time.Hour
			var err error
			for try := 0; try == 0 || try < 5 && best > time.Second && !raceDetector; try++ {
				start := time.Now()
				err = read()
				best = min(best, time.Since(start))
			}
			t.Logf("%s, %s: %v after %v", name, what, err, best)
			if err == nil || best > time.Second && !raceDetector {
				t.Errorf("%s, %s: %v after %v", name, what, err, best)
			}
		}
	}
}
