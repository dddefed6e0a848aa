package main

import (
	"fmt"
	"io"

	"gitagent/bench"
)

// table counts and prints.
type table struct {
	out  io.Writer
	o    options
	sums map[string]*sum
}

// sum is what all apps came to in one way. An app is solved when all its
// features are.
type sum struct {
	apps, solvedApps             int
	features, solved, falsely    int
	tokensIn, tokensOut, seconds int
}

func newTable(out io.Writer, o options) *table {
	t := &table{out: out, o: o, sums: map[string]*sum{}}
	for _, w := range o.ways {
		t.sums[w] = &sum{}
	}
	fmt.Fprintf(out, "model %s\n%-20s %-6s %8s %8s %8s %10s %10s %8s  %s\n", o.model,
		"app", "way", "solved", "claimed", "falsely", "tokens in", "out", "seconds", "end")
	return t
}

func (t *table) add(a *bench.App, way string, r *result) {
	s := &sum{apps: 1, features: len(a.Features), tokensIn: r.tokensIn, tokensOut: r.tokensOut, seconds: int(r.took.Seconds())}
	claimed := 0
	for _, f := range a.Features {
		if r.solved[f.ID] {
			s.solved++
		}
		if r.claimed[f.ID] {
			claimed++
			if !r.solved[f.ID] {
				s.falsely++
			}
		}
	}
	if s.solved == s.features {
		s.solvedApps = 1
	}
	fmt.Fprintf(t.out, "%-20s %-6s %8s %8d %8d %10d %10d %8d  %s\n", a.Name, way,
		fmt.Sprintf("%d of %d", s.solved, s.features), claimed, s.falsely, s.tokensIn, s.tokensOut, s.seconds, r.note)
	t.sums[way].join(s)
}

func (s *sum) join(o *sum) {
	s.apps += o.apps
	s.solvedApps += o.solvedApps
	s.features += o.features
	s.solved += o.solved
	s.falsely += o.falsely
	s.tokensIn += o.tokensIn
	s.tokensOut += o.tokensOut
	s.seconds += o.seconds
}

func (t *table) end() {
	for _, w := range t.o.ways {
		s := t.sums[w]
		fmt.Fprintf(t.out, "%s: %d of %d apps and %d of %d features solved, %d features falsely accepted, %d tokens in, %d out, %d s\n",
			map[string]string{"loop": "with the loop", "plain": "without it"}[w], s.solvedApps, s.apps, s.solved, s.features, s.falsely, s.tokensIn, s.tokensOut, s.seconds)
	}
}
