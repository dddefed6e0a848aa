package evidence

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() *Record {
	return &Record{
		Version: 1, Feature: "F001", Session: "s1", Model: "m", Tree: "aaaa", Contract: "cccc",
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Verdict: Pass,
		Checks: []Check{
			{ID: "c1", Kind: "page", How: HowPage, Covers: []int{1}, Verdict: Pass, Observed: []string{"Display: 8"}},
			{ID: "c2", Kind: "command", How: HowTests, Counted: ByID, Covers: []int{2}, Verdict: Pass},
		},
		Bite:  []Check{{ID: "c1", Kind: "page", How: HowPage, Covers: []int{1}, Verdict: Fail}},
		Tests: []Tests{{Command: "go", Runner: "go", Counted: ByID, Verdict: Pass, Passed: 1}},
	}
}

func TestBytesComeBack(t *testing.T) {
	r := sample()
	got, err := Parse(r.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, got); d != "" {
		t.Fatal(d)
	}
	if !bytes.Equal(r.Bytes(), got.Bytes()) {
		t.Fatal("bytes differ after a round trip")
	}
}

func TestProves(t *testing.T) {
	if err := sample().Proves("F001", "aaaa", "cccc"); err != nil {
		t.Fatalf("an honest record: %v", err)
	}
	cases := map[string]func(r *Record){
		"is for F002":             func(r *Record) { r.Feature = "F002" },
		"tree bbbb":               func(r *Record) { r.Tree = "bbbb" },
		"contract dddd":           func(r *Record) { r.Contract = "dddd" },
		"verdict is fail":         func(r *Record) { r.Verdict = Fail },
		"verdict is unverified":   func(r *Record) { r.Verdict = Unverified },
		"verdict is missing":      func(r *Record) { r.Verdict = "" },
		"no check was run":        func(r *Record) { r.Checks = nil },
		"check c2 is unverified":  func(r *Record) { r.Checks[1].Verdict = Unverified },
		"covers step 1":           func(r *Record) { r.Checks[0].Covers = nil },
		"covers step 2":           func(r *Record) { r.Checks[1].Covers = []int{3} },
		"names no step":           func(r *Record) { r.Checks[0].Covers, r.Checks[1].Covers = nil, nil },
		`the tests "go" are fail`: func(r *Record) { r.Tests[0].Verdict = Fail },
	}
	for want, change := range cases {
		r := sample()
		change(r)
		err := r.Proves("F001", "aaaa", "cccc")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	for name, change := range map[string]func(r *Record){
		"no bite":                   func(r *Record) { r.Bite = nil },
		"a bite that passed":        func(r *Record) { r.Bite[0].Verdict = Pass },
		"a bite of something else":  func(r *Record) { r.Bite[0].ID = "c9" },
		"a bite without a check id": func(r *Record) { r.Bite[0].ID = "" },
	} {
		r := sample()
		change(r)
		if err := r.Proves("F001", "aaaa", "cccc"); err == nil || !strings.Contains(err.Error(), "before the work") {
			t.Errorf("%s: %v", name, err)
		}
	}
	blind := sample()
	blind.Bite[0].Verdict = Unverified // there was nothing to look at yet
	if err := blind.Proves("F001", "aaaa", "cccc"); err != nil {
		t.Errorf("a bite on a tree that shows nothing: %v", err)
	}
	if err := sample().Covered(3); err == nil {
		t.Error("step 3 is not covered")
	}
	empty := sample()
	empty.Tree, empty.Contract = "", ""
	if empty.Proves("F001", "", "cccc") == nil || empty.Proves("F001", "", "") == nil {
		t.Error("an empty id proves nothing")
	}
}

func TestParseIsStrict(t *testing.T) {
	good := string(sample().Bytes())
	cases := map[string]string{
		"second document": good + good,
		"unknown key":     strings.Replace(good, `"session"`, `"sessions"`, 1),
		"case variant":    strings.Replace(good, `"verdict"`, `"Verdict"`, 1),
		"duplicate key":   strings.Replace(good, `"feature": "F001",`, `"feature": "F001", "feature": "F001",`, 1),
		"other version":   strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"strange verdict": strings.Replace(good, `"verdict": "pass"`, `"verdict": "passed"`, 1),
		"year 10000":      strings.Replace(good, "2026-01-02T03:04:05Z", "9999-12-31T23:59:59-01:00", 1),
		"bom":             "\ufeff" + good,
		"bad utf-8":       strings.Replace(good, `"m"`, "\"\xff\"", 1),
		"empty":           "",
		"null":            "null",
		"too big":         good + strings.Repeat(" ", MaxBytes),
	}
	for name, data := range cases {
		if _, err := Parse([]byte(data)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestWorst(t *testing.T) {
	cases := []struct {
		in   []string
		want string
	}{
		{nil, Unverified}, {[]string{Pass, Pass}, Pass}, {[]string{Pass, Unverified}, Unverified},
		{[]string{Unverified, Fail}, Fail}, {[]string{Pass, ""}, Unverified}, {[]string{"ok"}, Unverified},
	}
	for _, c := range cases {
		if got := Worst(c.in...); got != c.want {
			t.Errorf("Worst(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample().Bytes())
	f.Add([]byte(`{"version":1,"feature":"F","verdict":"fail","checks":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(r.Bytes())
		if err != nil {
			t.Fatalf("own bytes refused: %v", err)
		}
		if !bytes.Equal(r.Bytes(), again.Bytes()) {
			t.Fatal("not canonical")
		}
	})
}

// A check with variables is proved by two draws that differ; the examples of the
// contract count for neither.
func TestDrawn(t *testing.T) {
	draw := func(seed, a, verdict string) Draw { return Draw{seed, map[string]string{"a": a}, verdict} }
	for name, c := range map[string]struct {
		draws []Draw
		ok    bool
	}{
		"two":             {[]Draw{draw("", "40", Pass), draw("s", "7", Pass), draw("s", "9", Pass)}, true},
		"examples only":   {[]Draw{draw("", "40", Pass), draw("", "41", Pass)}, false},
		"one twice":       {[]Draw{draw("s", "7", Pass), draw("s", "7", Pass)}, false},
		"one of them bad": {[]Draw{draw("s", "7", Pass), draw("s", "9", Fail)}, false},
		"none":            {nil, false},
	} {
		r := &Record{Checks: []Check{{ID: "c1", Draws: c.draws}}}
		if err := r.Drawn([]string{"c1"}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&Record{}).Drawn([]string{"c1"}); err == nil {
		t.Error("a check that was not run is drawn")
	}
	r := &Record{Version: 1, Feature: "F001", Verdict: Pass, Checks: []Check{{ID: "c1", Verdict: Pass, Draws: []Draw{draw("s", "7", Fail)}}}}
	if _, err := Parse(r.Bytes()); err == nil {
		t.Error("a check passes although a draw of it failed")
	}
}
