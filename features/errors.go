package features

import (
	"fmt"
	"strings"

	"gitagent/internal/plain"
)

// SyntaxError says where a list cannot be read, why, and how to mend it. Line
// and Col count from 1, Col in characters.
type SyntaxError struct {
	Line, Col int
	Msg, Mend string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

// IllegalChangeError says that a new list is not the old one with flags turned
// from false to true. Line and Col are the place in the new list where the two
// part. Differences is empty when the new list cannot be read, or differs in
// its layout alone.
type IllegalChangeError struct {
	Line, Col   int
	Differences []Difference
	Err         error // why the new list cannot be read, if so
}

func (e *IllegalChangeError) Error() string {
	head := fmt.Sprintf("%s was changed beyond a flag (line %d, column %d)", Path, e.Line, e.Col)
	switch {
	case e.Err != nil:
		return head + ": " + e.Err.Error()
	case len(e.Differences) == 0:
		return head + ": other layout or spelling, same content"
	}
	var parts []string
	for i, d := range e.Differences {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(e.Differences)-i))
			break
		}
		parts = append(parts, d.String())
	}
	return head + ": " + strings.Join(parts, "; ")
}

func (e *IllegalChangeError) Unwrap() error { return e.Err }

// quote shows foreign text inside a message.
func quote(s string) string { return "\"" + plain.Line(s, 60) + "\"" }
