package foil

import (
	"strings"
	"testing"
)

func TestBeside(t *testing.T) {
	has := func(text, part string) bool { return strings.Contains(" "+text+" ", " "+part+" ") }
	for _, c := range []struct {
		name, want, foils, shown string
		found                    int
		crowd                    bool
	}{
		{"every answer", "7", "1 2 3 4 5 6", "0 1 2 3 4 5 6 7 8", 6, true},
		{"one answer", "7", "1 2 3 4 5 6", "7", 0, false},
		{"half of the answers", "7", "1 2 3 4 5 6 8 9", "1 2 3 4 7", 4, false},
		{"most of the answers", "7", "1 2 3 4 5 6 8 9", "1 2 3 4 5 6 7 8", 7, true},
		{"few foils", "7", "1 2 3", "1 2 3 7", 3, false},
		{"one foil many times", "7", "1 1 1 1 1", "1 7", 1, false},
		{"foils within what is wanted", "1 2 3 4 of 9", "1 2 3 4", "1 2 3 4 of 9", 0, false},
		{"no foils", "7", "", "7", 0, false},
	} {
		found, crowd := Beside(c.want, strings.Fields(c.foils), func(f string) bool { return has(c.shown, f) }, has)
		if crowd != c.crowd || len(found) != c.found {
			t.Errorf("%s: %v, %v", c.name, found, crowd)
		}
	}
}
