package features

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gitagent/internal/hint"

	"github.com/google/go-cmp/cmp"
)

func TestNewWritesTheDesignsForm(t *testing.T) {
	l := mustParse(t, sample)
	made, err := New(l.Project, l.Goal, l.Features)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, string(made.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestNewGivesIdsAndPriorities(t *testing.T) {
	steps := []string{"Open\nthe page\x1b[2J "}
	l, err := New("p", "g", []Feature{{Description: "a", Steps: steps}, {ID: "F007", Description: "b", Steps: steps}, {Description: "c <&>", Steps: steps}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range l.Features {
		got = append(got, f.ID, strings.Repeat("*", f.Priority), f.Steps[0])
	}
	want := []string{"F008", "*", "Open the page", "F007", "**", "Open the page", "F009", "***", "Open the page"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(l.Bytes()), `"c <&>"`) {
		t.Error("letters were escaped for HTML")
	}
}

func TestNewRefuses(t *testing.T) {
	ok := Feature{Description: "Numbers add up", Steps: []string{"Press 5"}}
	with := func(change func(*Feature)) Feature {
		f := clean(ok)
		f.Description += " again"
		change(&f)
		return f
	}
	for want, f := range map[string]Feature{
		"say the same":       {Description: "  numbers  ADD up. ", Steps: []string{"Press 6"}},
		"has no steps":       with(func(f *Feature) { f.Steps = nil }),
		"step 2 of":          with(func(f *Feature) { f.Steps = []string{"a", " \u200b"} }),
		"no description":     with(func(f *Feature) { f.Description = "\t" }),
		"not in the list":    with(func(f *Feature) { f.DependsOn = []string{"F9"} }),
		"wait for each":      with(func(f *Feature) { f.ID, f.DependsOn = "F5", []string{"F5"} }),
		"letters, digits":    with(func(f *Feature) { f.ID = "a/b" }),
		"is taken by":        with(func(f *Feature) { f.ID = "x1" }),
		"of reasonable size": with(func(f *Feature) { f.Priority = 1 << 40 }),
	} {
		first := ok
		first.ID = "X1"
		if _, err := New("p", "g", []Feature{first, f}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestImportForms(t *testing.T) {
	array := `[
  {"category": "functional", "description": "Starts", "steps": ["Step 1: Open", "Step 2: Look"], "passes": true},
  {"category": "style", "description": "Looks good", "steps": ["Open"], "passes": false}
]`
	stories := `{"project": "tasks", "branchName": "ralph/tasks", "description": "A task list", "extra": {"deep": [1, null]},
 "userStories": [
  {"id": "US-001", "title": "Add a task", "description": "As a user I add a task", "acceptanceCriteria": ["The task is shown"], "priority": 2, "passes": false, "notes": ""},
  {"id": "US-002", "title": "Done", "acceptanceCriteria": ["A tick"], "priority": 1, "passes": true, "dependsOn": ["US-001"]}
 ]}`
	partial := `{"features": [{"description": "Starts", "steps": ["Open"]}]}`
	cases := map[string]struct {
		data, project, goal string
		want                []Feature
	}{
		"array": {array, "mine", "wish", []Feature{
			{ID: "F001", Category: "functional", Description: "Starts", Steps: []string{"Step 1: Open", "Step 2: Look"}, DependsOn: []string{}, Priority: 1, Passes: true},
			{ID: "F002", Category: "style", Description: "Looks good", Steps: []string{"Open"}, DependsOn: []string{}, Priority: 2}}},
		"stories": {stories, "", "", []Feature{
			{ID: "US-001", Category: "functional", Description: "Add a task: As a user I add a task", Steps: []string{"The task is shown"}, DependsOn: []string{}, Priority: 2},
			{ID: "US-002", Category: "functional", Description: "Done", Steps: []string{"A tick"}, DependsOn: []string{"US-001"}, Priority: 1, Passes: true}}},
		"partial": {partial, "mine", "wish", []Feature{
			{ID: "F001", Description: "Starts", Steps: []string{"Open"}, DependsOn: []string{}, Priority: 1}}},
	}
	for name, c := range cases {
		l, err := Import([]byte(c.data), c.project, c.goal)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		norm := func(fs []Feature) []Feature {
			out := make([]Feature, len(fs))
			for i, f := range fs {
				if len(f.DependsOn) == 0 {
					f.DependsOn = nil
				}
				out[i] = f
			}
			return out
		}
		if diff := cmp.Diff(norm(c.want), norm(l.Features)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "stories" && (l.Project != "tasks" || l.Goal != "A task list") {
			t.Errorf("project %q, goal %q", l.Project, l.Goal)
		}
		if name != "stories" && (l.Project != "mine" || l.Goal != "wish") {
			t.Errorf("%s: project %q, goal %q", name, l.Project, l.Goal)
		}
	}
	own, err := Import([]byte(sample), "other", "other")
	if err != nil || string(own.Bytes()) != sample {
		t.Errorf("the own form did not keep its bytes: %v", err)
	}
}

func TestImportRefuses(t *testing.T) {
	for want, data := range map[string]string{
		"is empty":                            `[]`,
		"the file is empty":                   ``,
		"line 1, column 39: the key \"oops\"": `[{"description": "a", "steps": ["b"], "oops": 1}]`,
		"has no \"steps\"":                    `[{"description": "a"}]`,
		"say the same":                        `[{"description": "a", "steps": ["b"]}, {"description": "A.", "steps": ["c"]}]`,
		"\"Passes\"":                          `[{"description": "a", "steps": ["b"], "Passes": true}]`,
		"acceptance criteria":                 `{"userStories": [{"id": "U1", "title": "t"}]}`,
		"\"acceptancecriteria\" is not":       `{"userStories": [{"id": "U1", "title": "t", "acceptancecriteria": ["x"]}]}`,
		"is there twice":                      `{"userStories": [], "userStories": []}`,
		"levels":                              `{"userStories": [{"notes": ` + strings.Repeat("[", 10_001),
		"follows the end":                     `[{"description": "a", "steps": ["b"]}] []`,
		"expected a list of":                  `"features"`,
	} {
		if _, err := Import([]byte(data), "p", "g"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestNext(t *testing.T) {
	l := mustParse(t, sample)
	f, skipped := l.Next(nil)
	if f == nil || f.ID != "F002" || len(skipped) != 1 || skipped[0] != (Skipped{"F003", "waits for F002"}) {
		t.Errorf("got %v, %v", f, skipped)
	}
	f, skipped = l.Next(func(id string) string { return "parked" })
	if f != nil || len(skipped) != 2 || skipped[1] != (Skipped{"F002", "parked"}) {
		t.Errorf("got %v, %v", f, skipped)
	}
	done := mustParse(t, strings.ReplaceAll(sample, "false", "true"))
	if f, skipped := done.Next(nil); f != nil || skipped != nil {
		t.Errorf("got %v, %v", f, skipped)
	}
	low := mustParse(t, strings.Replace(sample, `["F002"]`, `[]`, 1))
	if f, _ := low.Next(nil); f.ID != "F003" {
		t.Errorf("priority 1 comes before 2, got %s", f.ID)
	}
}

// layouts are the sample in the forms that people and programs write.
func layouts(t *testing.T) map[string]string {
	var v any
	if err := json.Unmarshal([]byte(sample), &v); err != nil {
		t.Fatal(err)
	}
	tabs, _ := json.MarshalIndent(v, "", "\t")
	compact, _ := json.Marshal(v)
	return map[string]string{"design": sample, "crlf": strings.ReplaceAll(sample, "\n", "\r\n"), "tabs": string(tabs), "compact": string(compact)}
}

func TestAddKeepsEverythingElse(t *testing.T) {
	for name, data := range layouts(t) {
		l := mustParse(t, data)
		out, id, err := l.Add(Feature{Description: "A bell rings", Steps: []string{"Wait", "A bell is heard"}, DependsOn: []string{"F001"}}, []string{"F004", "f007"})
		if err != nil || id != "F008" {
			t.Errorf("%s: %q, %v", name, id, err)
			continue
		}
		n := common([]byte(data), out)
		if rest := data[n:]; !strings.HasSuffix(string(out), rest) || n < len(data)*9/10 && name != "compact" && name != "tabs" {
			t.Errorf("%s: other bytes changed:\n%s", name, out)
		}
		d := Compare(l, mustParse(t, string(out)))
		if len(d) != 1 || d[0].Kind != KindAdded || d[0].ID != "F008" {
			t.Errorf("%s: %v", name, d)
		}
		if f := mustParse(t, string(out)).Get("F008"); f.Priority != 2 {
			t.Errorf("%s: priority %d", name, f.Priority)
		}
		back, err := mustParse(t, string(out)).Retire("F008")
		if err != nil || string(back) != data {
			t.Errorf("%s: retiring it does not give the old bytes back: %v\n%s", name, err, cmp.Diff(data, string(back)))
		}
	}
	out, _, err := mustParse(t, sample).Add(Feature{Category: "c", Description: "d", Steps: []string{"s"}, Priority: 3}, nil)
	want := strings.Replace(sample, "\n    }\n  ]", `
    },
    {
      "id": "F004",
      "category": "c",
      "description": "d",
      "steps": ["s"],
      "depends_on": [],
      "priority": 3,
      "passes": false
    }
  ]`, 1)
	if err != nil || string(out) != want {
		t.Errorf("%v %s", err, cmp.Diff(want, string(out)))
	}
	empty := mustParse(t, `{"version": 1, "project": "p", "goal": "g", "features": [ ]}`)
	if out, id, err := empty.Add(Feature{Description: "d", Steps: []string{"s"}}, nil); err != nil || id != "F001" {
		t.Errorf("%s, %v", out, err)
	}
}

func TestAddRefuses(t *testing.T) {
	l := mustParse(t, sample)
	for want, f := range map[string]Feature{
		"added as passing": {Description: "x", Steps: []string{"s"}, Passes: true},
		"says the same":    {Description: "the display  is LARGE!", Steps: []string{"s"}},
		"has no steps":     {Description: "x"},
		"no such feature":  {Description: "x", Steps: []string{"s"}, DependsOn: []string{"F9"}},
		"in use":           {ID: "f002", Description: "x", Steps: []string{"s"}},
		"was in use":       {ID: "F009", Description: "x", Steps: []string{"s"}},
	} {
		if _, _, err := l.Add(f, []string{"F009"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestEditRewritesWhatChangedAlone(t *testing.T) {
	l := mustParse(t, sample)
	out, err := l.Edit("F002", func(f *Feature) { f.Steps[0] = "Press the \"Pause\" button"; f.Priority = 5 })
	want := strings.NewReplacer(`"Press Pause"`, `"Press the \"Pause\" button"`, `"priority": 2`, `"priority": 5`).Replace(sample)
	if err != nil || string(out) != want {
		t.Errorf("%v %s", err, cmp.Diff(want, string(out)))
	}
	short := strings.Replace(sample, "      \"depends_on\": [\"F001\"],\n      \"priority\": 2,\n", "", 1)
	out, err = mustParse(t, short).Edit("F002", func(f *Feature) { f.Priority = 2; f.DependsOn = []string{"F001"} })
	want = strings.Replace(short, "can be paused\",", "can be paused\",\n      \"depends_on\": [\"F001\"],\n      \"priority\": 2,", 1)
	if err != nil || string(out) != want {
		t.Errorf("%v %s", err, cmp.Diff(want, string(out)))
	}
	if out, err := l.Edit("F002", func(*Feature) {}); err != nil || string(out) != sample {
		t.Errorf("an edit of nothing changed something: %v", err)
	}
	if l.Get("F002").Steps[0] != "Press Pause" {
		t.Error("Edit changed the list at hand")
	}
}

func TestEditRefuses(t *testing.T) {
	l := mustParse(t, sample)
	for want, c := range map[string]struct {
		id     string
		change func(*Feature)
	}{
		"set by a session":           {"F002", func(f *Feature) { f.Passes = true }},
		"never goes back":            {"F001", func(f *Feature) { f.Passes = false }},
		"cannot change":              {"F002", func(f *Feature) { f.ID = "F009" }},
		"with its steps as they are": {"F001", func(f *Feature) { f.Steps = f.Steps[:1] }},
		"says the same":              {"F002", func(f *Feature) { f.Description = "the display is large" }},
		"wait for each other":        {"F002", func(f *Feature) { f.DependsOn = []string{"F003"} }},
		"no such feature":            {"F2", func(*Feature) {}},
	} {
		if _, err := l.Edit(c.id, c.change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestSplitPutsPartsInPlace(t *testing.T) {
	for name, data := range layouts(t) {
		l := mustParse(t, data)
		out, ids, err := l.Split("F002", []Feature{{Description: "Pause", Steps: []string{"Press Pause"}}, {Description: "Resume", Steps: []string{"Press Resume"}, DependsOn: []string{}}}, []string{"F010"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		now := mustParse(t, string(out))
		if diff := cmp.Diff([]string{"F011", "F012"}, ids); diff != "" {
			t.Error(diff)
		}
		want := []Feature{
			l.Features[0],
			{ID: "F011", Category: "functional", Description: "Pause", Steps: []string{"Press Pause"}, DependsOn: []string{"F001"}, Priority: 2},
			{ID: "F012", Category: "functional", Description: "Resume", Steps: []string{"Press Resume"}, Priority: 2},
			l.Features[2],
		}
		want[3].DependsOn = []string{"F011", "F012"}
		if diff := cmp.Diff(want, now.Features); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "crlf" && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
			t.Errorf("mixed line ends:\n%q", out)
		}
	}
	l := mustParse(t, sample)
	two := []Feature{{Description: "a", Steps: []string{"s"}}, {Description: "A", Steps: []string{"s"}}}
	if _, _, err := l.Split("F001", two, nil); !errors.Is(err, ErrPasses) {
		t.Errorf("split of a passing feature: %v", err)
	}
	if _, _, err := l.Split("F002", two, nil); err == nil || !strings.Contains(err.Error(), "says the same") {
		t.Errorf("equal parts: %v", err)
	}
	if _, _, err := l.Split("F002", two[:1], nil); err == nil {
		t.Error("one part is no split")
	}
}

func TestRetire(t *testing.T) {
	l := mustParse(t, sample)
	if _, err := l.Retire("F001"); err == nil || !strings.Contains(err.Error(), "needed by F002") || len(hint.Of(err)) == 0 {
		t.Errorf("others depend on it: %v", err)
	}
	data := l.Bytes()
	for _, id := range []string{"F003", "F002", "F001"} {
		out, err := mustParse(t, string(data)).Retire(id)
		if err != nil {
			t.Fatal(err)
		}
		data = out
	}
	if l := mustParse(t, string(data)); len(l.Features) != 0 {
		t.Errorf("left: %s", data)
	}
	first := mustParse(t, strings.Replace(sample, `["F001"]`, `[]`, 1))
	out, err := first.Retire("F001")
	if err != nil || strings.Contains(string(out), "F001") || !strings.Contains(string(out), "[\n    {\n      \"id\": \"F002\"") {
		t.Errorf("%v\n%s", err, out)
	}
}
