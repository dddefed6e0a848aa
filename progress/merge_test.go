package progress

import (
	"errors"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"both go on", "a\n", "a\nb\n", "a\nc\n", "a\nb\nc\n"},
		{"one goes on", "a\n", "a\n", "a\nc\n", "a\nc\n"},
		{"the same", "a\n", "a\nb\n", "a\nb\n", "a\nb\n"},
		{"one is ahead", "a\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\n"},
		{"no common start", "", "a\n", "b\n", "a\nb\n"},
		{"no newline at the end", "a\n", "a\nb", "a\nc", "a\nb\nc"},
	} {
		got, err := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for _, ours := range []string{"", "x\n", "x\na\n"} {
		if _, err := Merge([]byte("a\n"), []byte(ours), []byte("a\n")); !errors.Is(err, ErrRewritten) {
			t.Errorf("%q: %v", ours, err)
		}
	}
}
