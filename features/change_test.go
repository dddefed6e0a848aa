package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlipChangesOneLiteral(t *testing.T) {
	l := mustParse(t, sample)
	got, err := l.Flip("F002")
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(sample, `"passes": false`)
	want := sample[:i] + `"passes": true` + sample[i+len(`"passes": false`):]
	if string(got) != want {
		t.Error(cmp.Diff(want, string(got)))
	}
	if string(l.Bytes()) != sample {
		t.Error("Flip changed what it was given")
	}
	if _, err := l.Flip("F001"); !errors.Is(err, ErrPasses) {
		t.Errorf("flip of a passing feature: %v", err)
	}
	if _, err := l.Flip("F004"); !errors.Is(err, ErrUnknown) {
		t.Errorf("flip of an unknown feature: %v", err)
	}
}

func TestFlippedAcceptsFlipsAlone(t *testing.T) {
	f2 := strings.Replace(sample, `false`, `true`, 1)
	both := strings.ReplaceAll(sample, `false`, `true`)
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"nothing": {sample, sample, nil},
		"one":     {sample, f2, []string{"F002"}},
		"other":   {f2, both, []string{"F003"}},
		"two":     {sample, both, []string{"F002", "F003"}},
	} {
		ids, err := Flipped([]byte(c.old), []byte(c.new))
		if err != nil || !cmp.Equal(ids, c.want) {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
	}
	if _, err := Flipped([]byte("{"), []byte("{}")); err == nil || errors.As(err, new(*IllegalChangeError)) {
		t.Errorf("an old list that is none: %v", err)
	}
}

// Each of these has deceived a reader of JSON somewhere.
func TestFlippedRefusesEverythingElse(t *testing.T) {
	edit := func(from, to string) string {
		out := strings.Replace(sample, from, to, 1)
		if out == sample {
			t.Fatalf("%q is not in the sample", from)
		}
		return out
	}
	var any1 map[string]any
	if err := json.Unmarshal([]byte(sample), &any1); err != nil {
		t.Fatal(err)
	}
	compact, _ := json.Marshal(any1)
	f2 := sample[strings.Index(sample, "    {\n      \"id\": \"F002\""):strings.Index(sample, "    {\n      \"id\": \"F003\"")]
	cases := map[string]struct {
		new  string
		kind Kind // "" for lists that cannot be read, or other layout
	}{
		"back to false":       {edit(`"passes": true`, `"passes": false`), KindUnflipped},
		"flip and more":       {edit(`"passes": false`, `"passes": true `), ""},
		"added feature":       {edit(f2, f2+strings.Replace(f2, "F002", "F004", 1)), KindAdded},
		"added as passing":    {edit(f2, f2+strings.NewReplacer("F002", "F004", "false", "true").Replace(f2)), KindAddedTrue},
		"removed feature":     {strings.Replace(sample, ",\n"+sample[strings.Index(sample, "    {\n      \"id\": \"F003\""):strings.Index(sample, "\n  ]")], "", 1), KindRemoved},
		"reworded step":       {edit("Press Pause", "Press Pause or not"), KindSteps},
		"step taken out":      {edit(`"Press Pause", `, ""), KindSteps},
		"reworded":            {edit("The timer can be paused", "The timer exists"), KindDescription},
		"goal":                {edit("for the browser", "for the terminal"), KindGoal},
		"project":             {edit(`"pomodoro"`, `"other"`), KindProject},
		"category":            {edit(`"style"`, `"functional"`), KindCategory},
		"priority":            {edit(`"priority": 2`, `"priority": 9`), KindPriority},
		"dependency":          {edit(`["F001"]`, `[]`), KindDepends},
		"other id":            {edit(`"id": "F003"`, `"id": "F004"`), KindRemoved},
		"duplicate key":       {edit(`"passes": false`, `"passes": false, "passes": true`), ""},
		"other case":          {edit(`"passes": false`, `"passes": false, "Passes": true`), ""},
		"escaped key":         {edit(`"passes": false`, `"\u0070asses": true`), ""},
		"null":                {edit(`"passes": false`, `"passes": null`), ""},
		"one":                 {edit(`"passes": false`, `"passes": 1`), ""},
		"second document":     {sample + sample, ""},
		"byte order mark":     {"\xef\xbb\xbf" + sample, ""},
		"crlf":                {strings.ReplaceAll(sample, "\n", "\r\n"), ""},
		"compact":             {string(compact), ""},
		"white space at end":  {sample + "\n", ""},
		"cut":                 {sample[:len(sample)-1], ""},
		"empty":               {"", ""},
		"escape of a letter":  {edit("Press Pause", `Press \u0050ause`), ""},
		"word after the flag": {edit(`"passes": false`, `"passes": trueish`), ""},
	}
	for name, c := range cases {
		ids, err := Flipped([]byte(sample), []byte(c.new))
		var bad *IllegalChangeError
		if ids != nil || !errors.As(err, &bad) || bad.Line < 1 || bad.Col < 1 {
			t.Errorf("%s: %v, %v", name, ids, err)
			continue
		}
		found := c.kind == ""
		for _, d := range bad.Differences {
			found = found || d.Kind == c.kind
		}
		if !found {
			t.Errorf("%s: no %q in %v", name, c.kind, bad)
		}
	}
}

func TestCompareSeesOrder(t *testing.T) {
	a, b := mustParse(t, sample), mustParse(t, sample)
	b.Features[1], b.Features[2] = b.Features[2], b.Features[1]
	b.reindex()
	got := Compare(a, b)
	if len(got) != 1 || got[0].Kind != KindOrder || got[0].ID != "F003" {
		t.Errorf("got %v", got)
	}
	if d := Compare(a, a); d != nil {
		t.Errorf("a list differs from itself: %v", d)
	}
}

// The invariants of the splice, on random lists and random single mutations.
func TestSpliceInvariants(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 40 {
		data := randomList(t, r)
		l := mustParse(t, string(data))
		for _, f := range l.Features {
			now, err := l.Flip(f.ID)
			if f.Passes != errors.Is(err, ErrPasses) {
				t.Fatalf("Flip(%s) of %v: %v", f.ID, f.Passes, err)
			}
			if f.Passes {
				continue
			}
			checkFlip(t, data, now, f.ID)
		}
		for range 100 {
			checkMutation(t, r, l)
		}
	}
}

// checkFlip says whether now is data with exactly one literal replaced.
func checkFlip(t *testing.T, data, now []byte, id string) {
	t.Helper()
	if len(now) != len(data)-1 {
		t.Fatalf("%d bytes became %d", len(data), len(now))
	}
	i := common(data, now)
	if !bytes.Equal(data[:i], now[:i]) || !bytes.Equal(data[i:i+5], []byte("false")) || !bytes.Equal(now[i:i+4], []byte("true")) || !bytes.Equal(data[i+5:], now[i+4:]) {
		t.Fatalf("not one literal at %d", i)
	}
	ids, err := Flipped(data, now)
	if err != nil || len(ids) != 1 || ids[0] != id {
		t.Fatalf("Flipped = %v, %v; want %s", ids, err, id)
	}
	if _, err := Flipped(now, data); err == nil {
		t.Fatal("a flag went back")
	}
	after := mustParse(t, string(now))
	if d := Compare(mustParse(t, string(data)), after); len(d) != 1 || d[0].Kind != KindFlipped || d[0].ID != id {
		t.Fatalf("Compare = %v", d)
	}
}

// checkMutation changes one thing at random. It must be refused, unless it is a
// flip by chance.
func checkMutation(t *testing.T, r *rand.Rand, l *List) {
	t.Helper()
	old := l.Bytes()
	i, n := r.IntN(len(old)), 1+r.IntN(8)
	j := min(len(old), i+n)
	var now []byte
	switch r.IntN(5) {
	case 0: // take out
		now = append(append(now, old[:i]...), old[j:]...)
	case 1: // put in
		now = append(append(append(now, old[:i]...), randomBytes(r, n)...), old[i:]...)
	case 2: // replace
		now = append(append(append(now, old[:i]...), randomBytes(r, j-i)...), old[j:]...)
	case 3: // repeat
		now = append(append(now, old[:j]...), old[i:]...)
	case 4: // a word
		words := []string{"true", "false", "null", `"passes"`, `"passes": true,`, "{", "}", ",", " "}
		now = append(append(append(now, old[:i]...), words[r.IntN(len(words))]...), old[i:]...)
	}
	ids, err := Flipped(old, now)
	switch {
	case bytes.Equal(old, now):
		if err != nil || ids != nil {
			t.Fatalf("nothing changed: %v, %v", ids, err)
		}
	case err == nil && len(ids) == 1 && bytes.Equal(now, mustFlip(t, l, ids[0])):
	case err == nil:
		t.Fatalf("accepted as %v at %d:\n%s", ids, i, now)
	}
}

func mustFlip(t *testing.T, l *List, id string) []byte {
	t.Helper()
	out, err := l.Flip(id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomBytes(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = "truefalsn \"{}[],:\n\\u0aF1\x00\xff"[r.IntN(26)]
	}
	return out
}

// randomList makes lists that speak of flags in their texts, in several layouts.
func randomList(t *testing.T, r *rand.Rand) []byte {
	t.Helper()
	words := []string{`"passes": false`, "false", `\"passes\"`, "true", "é", "😀", "{", "}", "a", `\`, "Press", `"8"`}
	text := func() string {
		var out []string
		for range 1 + r.IntN(6) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	fs := make([]Feature, 1+r.IntN(9))
	for i := range fs {
		fs[i] = Feature{Category: text(), Description: text() + strings.Repeat("x", i+1), Priority: r.IntN(5), Passes: r.IntN(3) == 0}
		for range 1 + r.IntN(4) {
			fs[i].Steps = append(fs[i].Steps, text())
		}
	}
	l, err := New(text(), text(), fs)
	if err != nil {
		t.Fatal(err)
	}
	switch r.IntN(3) {
	case 0:
		return bytes.ReplaceAll(l.Bytes(), []byte("\n"), []byte("\r\n"))
	case 1:
		var b bytes.Buffer
		if err := json.Compact(&b, l.Bytes()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return l.Bytes()
}
