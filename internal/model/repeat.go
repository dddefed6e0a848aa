package model

import (
	"bytes"
	"unicode"
)

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
	loopTurns   = 8    // a unit has to follow itself so often
	loopBytes   = 2400 // and the loop has to be so long
	likeBytes   = 6000 // and so long, when the units differ in their numbers
	likeWords   = 4    // which have to be sentences then: lists of data are no loops
	longestUnit = 600
	lookEvery   = 256
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
	if loops(r.exact, loopBytes) > 0 {
		return true
	}
	unit := loops(r.shape, likeBytes)
	return unit > 0 && words(r.shape[len(r.shape)-unit:]) >= likeWords
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
	const most = max(likeBytes, loopTurns*longestUnit)
	if len(b) <= 2*most {
		return b
	}
	return append(b[:0], b[len(b)-most:]...)
}

// loops gives the length of the unit that b ends in repetitions of, at least so
// many bytes of them, or 0.
func loops(b []byte, atLeast int) int {
	for unit := 1; unit <= longestUnit; unit++ {
		need := max(atLeast, unit*loopTurns)
		if need > len(b) {
			return 0
		}
		same := 0
		for i := len(b) - 1; same < need-unit && b[i] == b[i-unit]; i-- {
			same++
		}
		if same >= need-unit {
			return unit
		}
	}
	return 0
}

// words counts the words of a language in b.
func words(b []byte) int {
	n := 0
	for _, w := range bytes.Fields(b) {
		w = bytes.TrimRight(w, ".,:;!?")
		if len(w) > 0 && bytes.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			n++
		}
	}
	return n
}
