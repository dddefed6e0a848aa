package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(strings.ReplaceAll(sample, "false", "true")))
	f.Add([]byte(strings.Join(strings.Fields(sample), "")))
	f.Add([]byte(`{"version":1,"project":"","goal":"","features":[]}`))
	f.Add([]byte(`{"version":1,"project":"","goal":"","features":[{"id":"A","description":"\ud83d\ude00","steps":["\\\""],"passes":false}]} `))
	f.Add([]byte(`{"Version":1,"passes":null,"features":[{"\u0069d":1e5}]}`))
	f.Add([]byte("\xef\xbb\xbf{\"a\":-0.5E+7,\"b\":[[[[[[[[[[]]]]]]]]]]}"))
}

// What Parse accepts, the standard library reads the same way, and every flag
// is where Parse says it is.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse(data)
		if err != nil {
			var bad *SyntaxError
			if !errors.As(err, &bad) || bad.Line < 1 || bad.Col < 1 {
				t.Fatalf("no place in %v", err)
			}
			return
		}
		if !utf8.Valid(data) || !bytes.Equal(l.Bytes(), data) {
			t.Fatal("not the same bytes")
		}
		var std struct {
			Project, Goal string
			Features      []struct {
				ID, Category, Description string
				Steps                     []string
				DependsOn                 []string `json:"depends_on"`
				Priority                  int
				Passes                    bool
			}
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		if err := dec.Decode(&std); err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		if std.Project != l.Project || std.Goal != l.Goal || len(std.Features) != len(l.Features) {
			t.Fatalf("read differently: %+v, %+v", std, l)
		}
		for i, a := range std.Features {
			b := l.Features[i]
			same := a.ID == b.ID && a.Category == b.Category && a.Description == b.Description && a.Priority == b.Priority &&
				a.Passes == b.Passes && strings.Join(a.Steps, "\x00") == strings.Join(b.Steps, "\x00") && strings.Join(a.DependsOn, "\x00") == strings.Join(b.DependsOn, "\x00")
			literal := string(l.spots[i].values["passes"].text(data))
			if !same || literal != map[bool]string{true: "true", false: "false"}[b.Passes] {
				t.Fatalf("read differently: %+v, %+v, flag %q", a, b, literal)
			}
		}
	})
}

// A mutated list is the old one with flags set, or it is refused.
func FuzzFlipped(f *testing.F) {
	f.Add([]byte(sample), []byte(strings.Replace(sample, "false", "true", 1)))
	f.Add([]byte(sample), []byte(strings.Replace(sample, "true", "false", 1)))
	f.Add([]byte(sample), []byte(sample+" "))
	f.Fuzz(func(t *testing.T, old, now []byte) {
		ids, err := Flipped(old, now)
		if err != nil {
			return
		}
		data := old
		for _, id := range ids {
			l, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			if data, err = l.Flip(id); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(data, now) {
			t.Fatalf("accepted as %v:\n%s", ids, now)
		}
	})
}

// Whatever is imported can be read again, and flips alone.
func FuzzImport(f *testing.F) {
	seeds(f)
	f.Add([]byte(`[{"category":"functional","description":"a","steps":["Step 1: b"],"passes":true}]`))
	f.Add([]byte(`{"project":"p","userStories":[{"id":"US-001","title":"t","acceptanceCriteria":["c"],"priority":2,"passes":false,"notes":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Import(data, "p", "g")
		if err != nil {
			return
		}
		again, err := Parse(l.Bytes())
		if err != nil || len(again.Features) != len(l.Features) {
			t.Fatalf("cannot be read again: %v\n%s", err, l.Bytes())
		}
		for _, x := range l.Features {
			if x.Passes {
				continue
			}
			now, err := l.Flip(x.ID)
			if err != nil {
				t.Fatal(err)
			}
			if ids, err := Flipped(l.Bytes(), now); err != nil || len(ids) != 1 || ids[0] != x.ID {
				t.Fatalf("Flipped = %v, %v", ids, err)
			}
		}
	})
}
