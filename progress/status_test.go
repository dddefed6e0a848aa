package progress

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStatusFileReadsAsItLooks(t *testing.T) {
	data := AppendEvent(nil, "F012", Event{Time: day, Session: "s1", Phase: "check", Revision: 1, Attempt: 2, Kind: EventRejected, Detail: "c1: the display\nshows 5 | wanted 8", Evidence: ".agent/evidence/F012.json"})
	want := `# F012: what happened to this feature

Kept by git agent; rows are only ever added. r is the revision of the plan, n the attempt.

| time | session | phase | r | n | event | defect | observed | evidence |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 2026-11-30 15:16:02 UTC | s1 | check | 1 | 2 | rejected |  | c1: the display shows 5 \| wanted 8 | .agent/evidence/F012.json |
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	s, err := ParseStatus("F012", data)
	if err != nil || s.Revision != 1 || s.Attempt != 2 || s.Cycle != 1 || s.Events[0].Detail != "c1: the display shows 5 | wanted 8" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestEventsComeBackAsWritten(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	pieces := []string{"|", `\`, `\|`, "\n| 2026-01-01 00:00:00 UTC | s | act | | | verified | | | |\n", " ", "a", "é", "`", "\x1b[31m", "\r", "---", "time"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 200 {
		var data []byte
		n := 1 + r.IntN(6)
		for range n {
			now := AppendEvent(data, "F001", Event{Time: day, Session: text(), Phase: text(), Revision: r.IntN(3), Attempt: r.IntN(4), Kind: text(), Defect: text(), Detail: text(), Evidence: text()})
			if !IsPrefix(data, now) {
				t.Fatal("the old file is no prefix of the new")
			}
			data = now
		}
		s, err := ParseStatus("F001", data)
		if err != nil || len(s.Events) != n {
			t.Fatalf("%v\n%s", err, data)
		}
		var again []byte
		for _, e := range s.Events {
			again = AppendEvent(again, "F001", e)
		}
		if !bytes.Equal(data, again) {
			t.Fatal(cmp.Diff(string(data), string(again)))
		}
	}
}

func TestParkedUntilAPersonActs(t *testing.T) {
	s := &Status{Feature: "F001"}
	steps := []struct {
		kind   string
		want   int
		parked bool
	}{
		{"agreed", 0, false}, {EventIncomplete, 1, false}, {EventEnvironment, 1, false}, {EventInterrupted, 1, false},
		{EventUnverified, 2, false}, {EventBlocked, 3, true}, {EventRejected, 3, true}, {EventPerson, 0, false},
		{EventIncomplete, 1, false}, {EventVerified, 0, false},
	}
	for i, c := range steps {
		s.Apply(Event{Time: day.Add(time.Duration(i) * time.Minute), Session: fmt.Sprint(i), Kind: c.kind, Detail: "which port?"})
		if s.Incomplete != c.want || s.Parked(3) != c.parked {
			t.Errorf("after %d (%s): %d, parked %v", i, c.kind, s.Incomplete, s.Parked(3))
		}
		if want := map[bool]string{true: "which port?"}[c.kind == EventBlocked || c.kind == EventRejected && i == 6]; s.Blocked != want {
			t.Errorf("after %d (%s): blocked %q", i, c.kind, s.Blocked)
		}
	}
	if s.Cycle != len(steps) {
		t.Errorf("N = %d", s.Cycle)
	}
	if s.Parked(0) {
		t.Error("a limit of 0 parks")
	}
	parked := &Status{Feature: "F001"}
	for range 3 {
		parked.Apply(Event{Time: day, Kind: EventIncomplete})
	}
	parked.Heed([]Entry{{Time: day.Add(-time.Hour), Kind: KindFeatures, Feature: "F001"}, {Time: day.Add(time.Hour), Kind: KindFeatures, Feature: "F002"}})
	if !parked.Parked(3) {
		t.Error("an older act, or one on another feature, counts")
	}
	act := []Entry{{Time: day.Add(time.Hour), Kind: KindFeatures, Feature: "F001"}}
	for _, kind := range []string{"", "environment", "interrupted"} { // what says nothing about the feature parks nothing
		if kind != "" {
			parked.Apply(Event{Time: day.Add(2 * time.Hour), Kind: kind})
		}
		if parked.Heed(act); parked.Parked(1) {
			t.Errorf("a person's act does not count after %q", kind)
		}
	}
	for range 3 {
		parked.Apply(Event{Time: day.Add(3 * time.Hour), Kind: EventIncomplete})
	}
	if parked.Heed(act); !parked.Parked(3) {
		t.Error("sessions after a person's act do not count")
	}
}

func TestDefectsKeepTheirHistory(t *testing.T) {
	s := &Status{}
	s.Apply(Event{Kind: EventRejected, Detail: `c1: the display shows "5", wanted "8"`})
	s.Apply(Event{Kind: EventRejected, Detail: `c1: The display shows "12",  wanted "40"`})
	s.Apply(Event{Kind: EventDefect, Defect: "reload", Detail: "the list is gone after a reload"})
	s.Apply(Event{Kind: EventFixed, Defect: "reload"})
	s.Apply(Event{Kind: EventDefect, Defect: "reload", Detail: "gone again"})
	want := []Defect{
		{Key: "c#-the-display-shows-#-wanted-#", Text: `c1: The display shows "12",  wanted "40"`, Count: 2},
		{Key: "reload", Text: "gone again", Count: 2, Returned: 1},
	}
	if diff := cmp.Diff(want, s.Defects); diff != "" {
		t.Error(diff)
	}
	if len(s.Open()) != 2 {
		t.Errorf("open: %v", s.Open())
	}
	s.Apply(Event{Kind: EventVerified})
	if len(s.Open()) != 0 || len(s.Defects) != 2 {
		t.Errorf("after the flip: %+v", s.Defects)
	}
}

func TestParseStatusRefusesWhatItCannotRead(t *testing.T) {
	good := string(AppendEvent(nil, "F001", Event{Time: day, Kind: "x"}))
	for want, data := range map[string]string{
		"line 7: a row with 2 cells": strings.Split(good, "| 2026")[0] + "| 2026 | x |\n",
		`"yesterday" is no time`:     strings.Replace(good, "2026-11-30 15:16:02 UTC", "yesterday", 1),
		`"-1" is no count`:           strings.Replace(good, "|  |  | x |", "| -1 |  | x |", 1),
		"not UTF-8":                  good + "\xff",
	} {
		if _, err := ParseStatus("F001", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if s, err := ParseStatus("F001", nil); err != nil || s.Feature != "F001" || s.Events != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(AppendEvent(nil, "F001", Event{Time: day, Kind: EventDefect, Detail: `a|b\`})))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseStatus("F001", data)
		if err != nil {
			return
		}
		var again []byte
		for _, e := range s.Events {
			again = AppendEvent(again, "F001", e)
		}
		b, err := ParseStatus("F001", again)
		if err != nil || len(b.Events) != len(s.Events) {
			t.Fatalf("%d events became %d: %v", len(s.Events), len(b.Events), err)
		}
	})
}
