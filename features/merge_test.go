package features

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func mergeList(t testing.TB, fs ...Feature) *List {
	t.Helper()
	l, err := New("p", "g", fs)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func oneFeature(id string) Feature {
	return Feature{ID: id, Category: "functional", Description: "does " + id, Steps: []string{"try " + id}, Priority: 1}
}

func mustBytes(t testing.TB) func(data []byte, err error) []byte {
	return func(data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

func TestMerge(t *testing.T) {
	must := mustBytes(t)
	base := mergeList(t, oneFeature("F001"), oneFeature("F002"), oneFeature("F003"))
	flip := func(l *List, id string) *List { r, _ := Parse(must(l.Flip(id))); return r }
	add := func(l *List, f Feature) *List {
		data, _, err := l.Add(f, nil)
		r, _ := Parse(must(data, err))
		return r
	}
	edit := func(l *List, id, text string) *List {
		r, _ := Parse(must(l.Edit(id, func(f *Feature) { f.Description = text })))
		return r
	}
	retire := func(l *List, id string) *List { r, _ := Parse(must(l.Retire(id))); return r }
	four, other := oneFeature("F004"), oneFeature("F004")
	other.Description = "another thing"
	five := oneFeature("F005")
	five.DependsOn = []string{"F004"}
	cases := []struct {
		name         string
		ours, theirs *List
		want         string // ids, passing ones with +; "" for a conflict
	}{
		{"both flip", flip(base, "F001"), flip(base, "F002"), "F001+ F002+ F003"},
		{"both flip the same", flip(base, "F001"), flip(base, "F001"), "F001+ F002 F003"},
		{"one adds, one flips", flip(base, "F001"), add(base, four), "F001+ F002 F003 F004"},
		{"both add other ids", add(base, four), add(base, oneFeature("F009")), "F001 F002 F003 F004 F009"},
		{"both add the same", add(base, four), add(base, four), "F001 F002 F003 F004"},
		{"both add under one id", add(base, four), add(base, other), "F001 F002 F003 F004 F005"},
		{"what depends on a renamed one goes along", add(base, other), add(add(base, four), five), "F001 F002 F003 F004 F006 F005"},
		{"one adds and proves", base, flip(add(base, four), "F004"), "F001 F002 F003 F004+"},
		{"one id, one of them proved", add(base, other), flip(add(base, four), "F004"), ""},
		{"one edits", flip(base, "F001"), edit(base, "F002", "does more"), "F001+ F002 F003"},
		{"both edit", edit(base, "F002", "x"), edit(base, "F002", "y"), ""},
		{"one retires", flip(base, "F001"), retire(base, "F003"), "F001+ F002"},
		{"both retire", retire(base, "F003"), retire(base, "F003"), "F001 F002"},
		{"one retires, one proves", retire(base, "F003"), flip(base, "F003"), ""},
	}
	for _, c := range cases {
		data, err := Merge(base.Bytes(), c.ours.Bytes(), c.theirs.Bytes())
		if c.want == "" {
			if !errors.Is(err, ErrConflict) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if idsOf(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, idsOf(got), c.want)
		}
	}
	if data, err := Merge(base.Bytes(), base.Bytes(), flip(base, "F002").Bytes()); err != nil || string(data) != string(flip(base, "F002").Bytes()) {
		t.Errorf("a flip is its one splice: %v", err)
	}
}

func idsOf(l *List) string {
	var out []string
	for _, f := range l.Features {
		if f.Passes {
			f.ID += "+"
		}
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

// Whatever two branches flip and add: no flag is lost, ids are unique, and both
// directions know the same features.
func TestMergeRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 2))
	must := mustBytes(t)
	for round := range 200 {
		var fs []Feature
		for i := range 2 + rng.IntN(5) {
			fs = append(fs, oneFeature(fmt.Sprintf("F%03d", i+1)))
		}
		base := mergeList(t, fs...)
		side := func(name string) *List {
			l := base
			for range rng.IntN(4) {
				if rng.IntN(2) == 0 {
					f := oneFeature("")
					f.Description = fmt.Sprintf("%s %d", name, rng.Int())
					data, _, err := l.Add(f, nil)
					l, _ = Parse(must(data, err))
				} else if f := base.Features[rng.IntN(len(base.Features))]; !l.Get(f.ID).Passes {
					l, _ = Parse(must(l.Flip(f.ID)))
				}
			}
			return l
		}
		a, b := side("ours"), side("theirs")
		for _, pair := range [][2]*List{{a, b}, {b, a}} {
			merged, err := Parse(must(Merge(base.Bytes(), pair[0].Bytes(), pair[1].Bytes())))
			if err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			if len(merged.Features) != len(a.Features)+len(b.Features)-len(base.Features) {
				t.Fatalf("seed %d, round %d: %s from %s and %s", seed, round, idsOf(merged), idsOf(a), idsOf(b))
			}
			for _, l := range pair {
				for _, f := range l.Features {
					if f.Passes && !merged.Get(f.ID).Passes {
						t.Fatalf("seed %d, round %d: %s lost its flag", seed, round, f.ID)
					}
				}
			}
		}
	}
}
