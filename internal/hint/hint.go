package hint

import (
	"errors"
	"fmt"
)

// Error is an error with advice. Its text is that of Err alone; whoever shows
// it prints the hints on lines of their own.
type Error struct {
	Err   error
	Hints []string
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error that the advice is about.
func (e *Error) Unwrap() error { return e.Err }

// New attaches hints to err. It returns nil when err is nil.
func New(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err, Hints: hints}
}

// Errorf makes an error from a format, with one hint.
func Errorf(advice, format string, args ...any) error {
	return New(fmt.Errorf(format, args...), advice)
}

// Of returns every hint in err's chain, outermost first.
func Of(err error) []string {
	var hints []string
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			break
		}
		hints = append(hints, e.Hints...)
		err = e.Err
	}
	return hints
}
