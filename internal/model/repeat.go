package model

import "unicode"

// repetition notices a stream of text that has fallen into a loop: a unit that
// follows itself many times, exactly or but for its numbers. The limits are wide
// because source code repeats itself honestly (tables, grids, lists of numbers).
type repetition struct {
	exact    []byte // the tail of the text
	shape    []byte // the tail with digits and space collapsed
	unseen   int
	lastKind byte
}

const (
	loopTurns    = 8    // a unit has to follow itself so often
	loopBytes    = 2400 // and the loop has to be so long
	longestUnit  = 600
	shortestLike = 24 // units that are equal but for numbers are at least so long
	lookEvery    = 256
)

// add takes the next piece and reports whether the text loops.
func (r *repetition) add(s string) bool {
	if s == "" {
		return false
	}
	r.exact = keepTail(append(r.exact, s...))
	for _, c := range s {
		r.addShape(c)
	}
	r.shape = keepTail(r.shape)
	r.unseen += len(s)
	if r.unseen < lookEvery {
		return false
	}
	r.unseen = 0
	return loops(r.exact, 1) || loops(r.shape, shortestLike)
}

func (r *repetition) addShape(c rune) {
	kind := byte(0)
	switch {
	case unicode.IsDigit(c):
		kind = '#'
	case unicode.IsSpace(c):
		kind = ' '
	}
	if kind == 0 {
		r.shape = append(r.shape, string(c)...)
	} else if kind != r.lastKind {
		r.shape = append(r.shape, kind)
	}
	r.lastKind = kind
}

func keepTail(b []byte) []byte {
	const most = loopTurns * longestUnit
	if len(b) <= 2*most {
		return b
	}
	return append(b[:0], b[len(b)-most:]...)
}

// loops says whether b ends in a unit of at least shortest bytes repeated.
func loops(b []byte, shortest int) bool {
	for unit := shortest; unit <= longestUnit; unit++ {
		need := max(loopBytes, unit*loopTurns)
		if need > len(b) {
			return false
		}
		same := 0
		for i := len(b) - 1; same < need-unit && b[i] == b[i-unit]; i-- {
			same++
		}
		if same >= need-unit {
			return true
		}
	}
	return false
}
