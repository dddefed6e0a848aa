package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// tries bounds the search for one check in another: each value that is tried and
// each way to a state costs one. mostOutcomes bounds what comes of it. It ends
// long before that for what anybody writes.
const (
	tries        = 20000
	mostOutcomes = 100
)

// longestRun is how many clicks or words one placeholder may stand for,
// longestInput how many bytes.
const (
	longestRun   = 12
	longestInput = 300
)

// embedder looks for the deeds of an old check among those of a new one: in
// their order, with others between them, and with values for the old check's
// variables that make the two the same.
type embedder struct {
	old    *narrator
	kinds  map[string]kind
	new    []event
	values []string // what an input may have been computed from
	left   int
	states map[string]*state
	ends   map[string][]*state // those from which nothing goes on, by outcome
}

// state is how far a search has come: what follows from it depends on nothing
// else, so it is gone through once, however many ways lead to it.
type state struct {
	p, q  int // the next old event that is not a look, and the next new one
	bound Values
	from  []edge
}

// edge says where the old event lies among the new ones that led from one state
// to the next.
type edge struct {
	from  *state
	event int
	at    span
}

// span is where an old event lies among the new ones.
type span struct{ from, to int }

func (m *embedder) search() {
	m.left = tries
	m.states, m.ends = map[string]*state{}, map[string][]*state{}
	m.reach(0, 0, Values{}, nil)
}

// reach notes a way to a state and goes on from there, where that is new.
func (m *embedder) reach(p, q int, bound Values, way *edge) {
	old := m.old.events
	for p < len(old) && old[p].kind == looking {
		p++
	}
	key := fmt.Sprint(p, q, bound)
	s := m.states[key]
	known := s != nil
	if !known {
		s = &state{p: p, q: q, bound: bound}
		m.states[key] = s
	}
	if way != nil {
		s.from = append(s.from, *way)
	}
	if m.left--; !known && m.left > 0 {
		m.walk(s)
	}
}

// walk goes on from a state. What cannot go on is an end: the deeds so far are
// those of a check that was cut off.
func (m *embedder) walk(s *state) {
	further := false
	if s.p < len(m.old.events) {
		for r := s.q; r < len(m.new) && m.left > 0; r++ {
			for _, f := range m.fits(m.old.events[s.p], r, s.bound) {
				further = true
				m.reach(s.p+1, f.to, f.bound, &edge{s, s.p, span{r, f.to}})
			}
			if s.p > 0 && m.new[r].kind == arriving {
				break // what was done before is gone
			}
		}
	}
	if !further {
		key := fmt.Sprint(m.whole(s.p), s.bound)
		if m.ends[key] = append(m.ends[key], s); len(m.ends) > mostOutcomes {
			m.left = 0
		}
	}
}

// outcome is what all ways come to that end with the same values.
type outcome struct {
	cut   int // only the old events before it lie among the new ones
	bound Values
	deeds []span        // of old deeds
	looks map[int][]int // an old look → the new events from which on it may be
}

// outcomes gives what was found, and says whether that is all.
func (m *embedder) outcomes() (found []outcome, all bool) {
	for _, key := range slices.Sorted(maps.Keys(m.ends)) {
		found = append(found, m.outcome(m.ends[key]))
	}
	return found, m.left > 0
}

// outcome follows all ways back from ends.
func (m *embedder) outcome(ends []*state) outcome {
	old := m.old.events
	o := outcome{cut: m.whole(ends[0].p), bound: ends[0].bound, looks: map[int][]int{}}
	back, seen := slices.Clone(ends), map[*state]bool{}
	for len(back) > 0 {
		s := back[len(back)-1]
		back = back[:len(back)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		for i := s.p - 1; i >= 0 && old[i].kind == looking; i-- {
			if i < o.cut {
				o.looks[i] = append(o.looks[i], s.q)
			}
		}
		for _, e := range s.from {
			if e.event < o.cut && old[e.event].kind == doing {
				o.deeds = append(o.deeds, e.at)
			}
			back = append(back, e.from)
		}
	}
	return o
}

// whole is where the last deed ends that is done to its end before event p.
func (m *embedder) whole(p int) int {
	old := m.old.events
	if p == len(old) || !old[p].part {
		return p
	}
	for p--; old[p].part; p-- {
	}
	return p
}

// fit is a way in which an old event is some of the new ones, up to to.
type fit struct {
	to    int
	bound Values
}

// fits gives the ways in which the old event is the new one at r, or a run of
// new ones from there.
func (m *embedder) fits(e event, r int, bound Values) (out []fit) {
	n := m.new[r]
	if e.kind == arriving && n.kind == arriving {
		if e.verb != n.verb && e.verb != "open" || len(e.on) != len(n.on) {
			return nil
		}
		return m.textsFit(e.on, arrivals(n.on), r+1, bound)
	}
	if e.kind != doing || !e.alike(n) {
		return nil
	}
	out = m.textsFit(e.on, [][]string{n.on}, r+1, bound)
	if !e.many {
		return out
	}
	for i, text := range e.on {
		if _, ok := m.old.alone(text); ok {
			out = append(out, m.runs(e, i, r, bound)...)
		}
	}
	return out
}

// arrivals are the paths as which one counts: what is asked behind a path is
// more than the path alone.
func arrivals(on []string) [][]string {
	out := [][]string{on}
	if len(on) == 1 {
		if path, _, more := strings.Cut(on[0], "?"); more {
			out = append(out, []string{path})
		}
	}
	return out
}

// runs takes new events from r on for one old event whose text i is a
// placeholder alone.
func (m *embedder) runs(e event, i, r int, bound Values) (out []fit) {
	glue := ""
	if e.verb == "with" {
		glue = " "
	}
	whole := slices.Clone(m.new[r].on)
	for to := r + 1; to < len(m.new) && to-r < longestRun && e.alike(m.new[to]); to++ {
		whole[i] += glue + m.new[to].on[i]
		out = append(out, m.textsFit(e.on, [][]string{slices.Clone(whole)}, to+1, bound)...)
	}
	return out
}

// textsFit binds variables so that each text of an old event is that of a new
// one, in one of the ways to read it. A place that one of them does not name
// agrees with every place.
func (m *embedder) textsFit(old []string, ways [][]string, to int, bound Values) (out []fit) {
	for _, new := range ways {
		all := []Values{bound}
		for i := range old {
			if i > 0 && (old[i] == "" || new[i] == "") {
				continue
			}
			var next []Values
			for _, b := range all {
				next = append(next, m.textFits(old[i], new[i], b)...)
			}
			all = next
		}
		for _, b := range all {
			out = append(out, fit{to, b})
		}
	}
	return out
}

// textFits binds variables so that the pattern is the text.
func (m *embedder) textFits(pattern, text string, bound Values) (out []Values) {
	at := strings.IndexFunc(pattern, func(r rune) bool { _, ok := m.old.asMark(r); return ok })
	if at < 0 {
		if strings.EqualFold(pattern, text) {
			out = append(out, bound)
		}
		return out
	}
	if len(text) < at || !strings.EqualFold(pattern[:at], text[:at]) {
		return nil
	}
	r, size := utf8.DecodeRuneInString(pattern[at:])
	h, _ := m.old.asMark(r)
	text, pattern = text[at:], pattern[at+size:]
	for end := range text[:min(len(text), longestInput)] {
		if end > 0 && pattern != "" {
			out = append(out, m.holds(h, text[:end], pattern, text[end:], bound)...)
		}
	}
	return append(out, m.holds(h, text, pattern, "", bound)...)
}

// holds binds variables so that the placeholder is the text and the pattern the
// rest.
func (m *embedder) holds(h hole, text, pattern, rest string, bound Values) (out []Values) {
	if m.left--; m.left < 0 || len(text) > longestInput {
		return nil
	}
	for _, b := range m.bindings(h, text, bound) {
		out = append(out, m.textFits(pattern, rest, b)...)
	}
	return out
}

// bindings are values with which the placeholder comes to the text.
func (m *embedder) bindings(h hole, text string, bound Values) (out []Values) {
	var free []string
	for _, name := range h.expr.names {
		if _, ok := bound[name]; !ok {
			free = append(free, name)
		}
	}
	if h.bare() && len(free) == 1 {
		if _, err := m.kinds[free[0]].value(text); err != nil {
			return nil
		}
		b := maps.Clone(bound)
		b[free[0]] = text
		return []Values{b}
	}
	if len(free) > 2 {
		return nil
	}
	// A computed input cannot be turned round: the values are tried.
	all := []Values{bound}
	for _, name := range free {
		var next []Values
		for _, b := range all {
			for _, v := range m.values {
				if m.left--; m.left < 0 {
					return nil
				}
				b := maps.Clone(b)
				b[name] = v
				next = append(next, b)
			}
		}
		all = next
	}
	return slices.DeleteFunc(all, func(b Values) bool { return !m.comesTo(h, text, b) })
}

func (m *embedder) comesTo(h hole, text string, b Values) bool {
	env := map[string]starlark.Value{}
	for _, name := range h.expr.names {
		v, err := m.kinds[name].value(b[name])
		if err != nil {
			return false
		}
		env[name] = v
	}
	v, err := h.expr.value(env)
	if err != nil {
		return false
	}
	got, err := textOf(v)
	return err == nil && strings.EqualFold(got, text)
}
