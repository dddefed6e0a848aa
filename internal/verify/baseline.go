package verify

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/verify/runner"
)

// BaselineSet is what the tests of a project did before the work, twice.
type BaselineSet struct {
	Runner     string
	Structured bool
	Passing    []string // passed both times: must go on passing
	Failing    []string // failed both times: block nothing
	Flaky      []string // differed: block nothing
	Skipped    []string
	Ran        int  // tests that ran, the smaller of the two numbers
	Green      bool // both runs finished with exit code 0
	Cut        bool // a run did not come to its end: single tests are all that is known
	Told       int  // tests that the output of both says have passed, where that is all that is known
	// Reason says why nothing can be held against a later run, "" when
	// something can.
	Reason string

	// Deciders are the files that decided what was counted.
	Deciders map[string]string
	// Elapsed is what the slower of the two runs took.
	Elapsed time.Duration

	known map[string]bool
}

// Baseline joins two runs on the tree before the work.
func Baseline(a, b Report) BaselineSet {
	s := BaselineSet{Runner: a.Runner, Structured: a.Structured && b.Structured, Deciders: a.Deciders, Elapsed: max(a.Elapsed, b.Elapsed), known: map[string]bool{}}
	s.Green = a.Finished && b.Finished && a.Exit == 0 && b.Exit == 0
	s.Cut = !a.Finished || !b.Finished
	for _, r := range []Report{a, b} {
		for id := range r.Results {
			s.known[id] = true
		}
	}
	for id := range s.known {
		switch x, y := a.Results[id], b.Results[id]; {
		case x == Pass && y == Pass:
			s.Passing = append(s.Passing, id)
		case x == Fail && y == Fail:
			s.Failing = append(s.Failing, id)
		case x == skip && y == skip:
			s.Skipped = append(s.Skipped, id)
		default:
			s.Flaky = append(s.Flaky, id)
		}
	}
	for _, list := range [][]string{s.Passing, s.Failing, s.Flaky, s.Skipped} {
		slices.Sort(list)
	}
	s.Ran = min(a.Ran(), b.Ran())
	if !s.Structured {
		s.Told = min(told(a), told(b))
	}
	s.Reason = s.whyNothing(a, b)
	return s
}

// Recalled is a baseline that was kept and read again.
func (s BaselineSet) Recalled() BaselineSet {
	s.known = map[string]bool{}
	for _, list := range [][]string{s.Passing, s.Failing, s.Flaky, s.Skipped} {
		for _, id := range list {
			s.known[id] = true
		}
	}
	return s
}

// Again is the baseline after one more run on the same tree, on the machine as
// it is now: what passed before and does not pass here is flaky and blocks
// nothing. A run that took too long says nothing.
func (s BaselineSet) Again(r Report) BaselineSet {
	s = s.Recalled()
	if r.TimedOut {
		return s
	}
	s.Deciders, s.Elapsed = r.Deciders, max(s.Elapsed, r.Elapsed)
	s.Green, s.Cut = s.Green && r.Finished && r.Exit == 0, s.Cut || !r.Finished
	s.Ran, s.Told = min(s.Ran, r.Ran()), min(s.Told, told(r))
	for id := range r.Results {
		s.known[id] = true
	}
	var passing []string
	s.Flaky = slices.Clone(s.Flaky)
	for _, id := range s.Passing {
		if r.Results[id] == Pass {
			passing = append(passing, id)
		} else {
			s.Flaky = append(s.Flaky, id)
		}
	}
	s.Passing = passing
	if s.Reason == "" {
		s.Reason = s.whyNothing(r, r)
	}
	return s
}

// Unsure are the tests that pass in r and did not before, in order: one run may
// have been luck.
func (s BaselineSet) Unsure(r Report) []string {
	return slices.DeleteFunc(r.With(Pass, 0), func(id string) bool { return slices.Contains(s.Passing, id) || slices.Contains(s.Flaky, id) })
}

// After is the baseline for what comes next, from a run that passed and from a
// second one of what was unsure in it: that has to pass both times, and what was
// flaky stays so. ok is false where two runs do not say enough.
func (s BaselineSet) After(r, second Report) (next BaselineSet, ok bool) {
	next = Baseline(r, r)
	next.Elapsed = max(next.Elapsed, s.Elapsed)
	if !r.Structured { // the output of one run says no more than that of the two before
		return next, s.Green && next.Green && next.Told == s.Told
	}
	ok = r.Finished
	unsure := s.Unsure(r)
	next.Passing = slices.DeleteFunc(next.Passing, func(id string) bool {
		flaky := slices.Contains(s.Flaky, id)
		if slices.Contains(unsure, id) {
			ok = ok && second.Results[id] != ""
			flaky = second.Results[id] != Pass
		}
		if flaky {
			next.Flaky = append(next.Flaky, id)
		}
		return flaky
	})
	next.Green = next.Green && len(next.Flaky) == 0 // one that fails next time changes the exit code
	return next, ok
}

// Fresh are the tests that pass in r and that nobody knew before, in order.
func (s BaselineSet) Fresh(r Report) []string {
	return slices.DeleteFunc(r.With(Pass, 0), func(id string) bool { return s.known[id] })
}

// Affected picks the tests that changed files may concern, by the names of both:
// a guess that decides about the order and about nothing else.
func Affected(ids, changed []string) (some []string) {
	for _, id := range ids {
		low := strings.ToLower(id)
		for _, file := range changed {
			dir, base := path.Split(strings.ToLower(file))
			stem, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(base, "test_"), "_test.go"), ".")
			if len(stem) > 2 && strings.Contains(low, stem) || dir != "" && strings.Contains(low, "/"+strings.TrimSuffix(dir, "/")+".") {
				some = append(some, id)
				break
			}
		}
	}
	return some
}

// passedTests is how runners count in their last words what has passed.
var passedTests = regexp.MustCompile(`(?m)(?:^Ran (\d+) tests?\b|^# pass (\d+)$|\b(\d+) (?:tests? )?(?:passed|passing)\b|^OK \((\d+) tests?\b|\b(\d+) examples?, 0 failures)`)

// told sums up what the output says of passed tests. It is the program's word,
// but a run that stops early, or leaves tests out, says less than before.
func told(rep Report) (n int) {
	for _, m := range passedTests.FindAllStringSubmatch(rep.Output, -1) {
		for _, digits := range m[1:] {
			if d, err := strconv.Atoi(digits); err == nil && d < 1e6 {
				n += d
			}
		}
	}
	return n
}

func (s *BaselineSet) whyNothing(a, b Report) string {
	switch {
	case s.Structured && len(s.Passing) > 0, !s.Structured && s.Green:
		return ""
	case a.Reason != "":
		return a.Reason
	case b.Reason != "":
		return b.Reason
	case !a.Finished || !b.Finished:
		return "the test run did not come to its end"
	case !s.Structured:
		return fmt.Sprintf("the exit code was %d before the work", max(a.Exit, b.Exit))
	case len(s.known) == 0:
		return "there were no tests before the work"
	}
	return "no test passed twice before the work"
}

// Empty says that nothing has to go on passing.
func (s BaselineSet) Empty() bool { return s.Reason != "" }

// String is the baseline in one line.
func (s BaselineSet) String() string {
	if !s.Structured {
		if s.Green {
			return "exit code 0 twice; results of single tests are not known"
		}
		return s.Reason + "; " + nothingToHold
	}
	out := fmt.Sprintf("%d pass, %d fail, %d flaky, %d skipped", len(s.Passing), len(s.Failing), len(s.Flaky), len(s.Skipped))
	if s.Empty() {
		out += "; " + s.Reason
	}
	return out
}

// Judge compares a later run with the baseline: each id that passed twice has
// its own pass again, at least as many ran, the run's own end was seen, and no
// new test fails. Where only the exit code is known it stays 0.
func (s BaselineSet) Judge(r Report) (verdict, reason string) {
	decider := runner.ChangedDecider(s.Deciders, r.Deciders)
	switch {
	case r.Missing != "":
		return Unverified, r.Reason
	case decider != "":
		return Fail, decider + " decides what the tests count, and it was changed"
	case s.Empty():
		return s.judgeNothing(r)
	case r.TimedOut:
		return Unverified, r.Reason
	case !r.Finished && !s.Cut:
		return Fail, orElse(r.Reason, "the test run did not come to its end")
	case !s.Structured:
		if r.Exit != 0 {
			return Fail, fmt.Sprintf("the exit code is %d, it was 0 before", r.Exit)
		}
		if n := told(r); n < s.Told {
			return Fail, fmt.Sprintf("the exit code is 0, but the output tells of %d passed tests, and of %d before", n, s.Told)
		}
		return Pass, "exit code 0; results of single tests are not known"
	}
	return s.judgeIDs(r)
}

// judgeNothing is for a project whose tests held nothing before the work: it
// blocks nothing either, but new tests that run must not fail.
func (s BaselineSet) judgeNothing(r Report) (verdict, reason string) {
	if bad := s.newFailures(r); len(bad) > 0 {
		return Fail, "new tests fail: " + list(bad)
	}
	return Pass, s.Reason + ": " + nothingToHold
}

func (s BaselineSet) newFailures(r Report) (bad []string) {
	for _, id := range r.With(Fail, 0) {
		if !s.known[id] {
			bad = append(bad, id)
		}
	}
	return bad
}

func (s BaselineSet) judgeIDs(r Report) (verdict, reason string) {
	var failed, skipped, gone []string
	for _, id := range s.Passing {
		switch r.Results[id] {
		case Pass:
		case Fail:
			failed = append(failed, id)
		case skip:
			skipped = append(skipped, id)
		default:
			gone = append(gone, id)
		}
	}
	var bad []string
	for what, ids := range map[string][]string{
		"failed: ": failed, "are skipped now: ": skipped, "did not run: ": gone,
	} {
		if len(ids) > 0 {
			bad = append(bad, what+list(ids))
		}
	}
	slices.Sort(bad)
	if fresh := s.newFailures(r); len(fresh) > 0 {
		bad = append(bad, "new tests fail: "+list(fresh))
	}
	switch {
	case len(bad) > 0:
		return Fail, strings.Join(bad, "; ")
	case r.Ran() < s.Ran:
		return Fail, fmt.Sprintf("%d tests ran, %d ran before", r.Ran(), s.Ran)
	case s.Green && r.Exit != 0:
		return Fail, fmt.Sprintf("the exit code is %d, it was 0 before", r.Exit)
	}
	reason = plain.Count(len(s.Passing), "test") + " that passed before passed again"
	if r.OwnWord {
		reason += ", by their own report"
	}
	if !r.Finished {
		reason += ", " + cutBefore
	}
	return Pass, reason
}

func list(ids []string) string {
	if len(ids) > 5 {
		return strings.Join(ids[:5], ", ") + fmt.Sprintf(" and %d more", len(ids)-5)
	}
	return strings.Join(ids, ", ")
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
