package rule

import (
	"fmt"
	"testing"
)

func TestAdded(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", "[]"},
		{"a\nb\n", "a\nb\n", "[]"},
		{"a\n", "a\na\n", "[{2 a}]"},
		{"a\nb\n", "b\n c\na\n\n", "[{2  c}]"},
	} {
		if got := fmt.Sprint(Added([]byte(c.old), []byte(c.new))); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}
