package verify

import (
	"strings"
	"testing"
)

// report makes a finished run from ids with a mark: "a b- c~" is a passes, b
// fails, c is skipped.
func report(ids string) Report {
	r := Report{Runner: RunnerGo, Structured: true, Finished: true, Results: map[string]string{}}
	for _, id := range strings.Fields(ids) {
		switch {
		case strings.HasSuffix(id, "-"):
			r.Results[id[:len(id)-1]], r.Exit = Fail, 1
		case strings.HasSuffix(id, "~"):
			r.Results[id[:len(id)-1]] = skip
		default:
			r.Results[id] = Pass
		}
	}
	return r
}

func TestJudge(t *testing.T) {
	cut := report("a b")
	cut.Finished, cut.Reason = false, "ended early"
	slow := cut
	slow.TimedOut = true
	red := report("a b")
	red.Exit = 1
	missing := Report{Missing: "go", Reason: "go is not installed"}
	cases := map[string]struct {
		first, second string
		later         Report
		verdict, want string
	}{
		"same":                    {"a b", "a b", report("a b"), Pass, "2 tests"},
		"one more":                {"a b", "a b", report("a b c"), Pass, ""},
		"one gone":                {"a b", "a b", report("a c"), Fail, "did not run: b"},
		"one fails":               {"a b", "a b", report("a b-"), Fail, "failed: b"},
		"one skipped":             {"a b", "a b", report("a b~ c"), Fail, "are skipped now: b"},
		"new one fails":           {"a b", "a b", report("a b c-"), Fail, "new tests fail: c"},
		"failing stays":           {"a b-", "a b-", report("a b-"), Pass, ""},
		"failing mended":          {"a b-", "a b-", report("a b"), Pass, ""},
		"failing removed":         {"a b-", "a b-", report("a"), Fail, "1 tests ran, 2 ran before"},
		"flaky fails":             {"a b", "a b-", report("a b-"), Pass, ""},
		"skipped stays":           {"a b~", "a b~", report("a b~"), Pass, ""},
		"none ran":                {"a", "a", report(""), Fail, "did not run: a"},
		"ended early":             {"a b", "a b", cut, Fail, "ended early"},
		"too slow":                {"a b", "a b", slow, Unverified, "ended early"},
		"exit code":               {"a b", "a b", red, Fail, "the exit code is 1"},
		"no runner":               {"a", "a", missing, Unverified, "not installed"},
		"no tests before":         {"", "", report(""), Pass, "no tests before"},
		"first tests":             {"", "", report("a"), Pass, "no tests before"},
		"first tests, failing":    {"", "", report("a-"), Fail, "new tests fail: a"},
		"nothing passed":          {"a-", "a-", report("a-"), Pass, "nothing to hold"},
		"nothing passed, new bad": {"a-", "a-", report("a- b-"), Fail, "new tests fail: b"},
	}
	for name, c := range cases {
		s := Baseline(report(c.first), report(c.second))
		verdict, reason := s.Judge(c.later)
		if verdict != c.verdict || !strings.Contains(reason, c.want) {
			t.Errorf("%s: %s (%s), want %s (%s)", name, verdict, reason, c.verdict, c.want)
		}
	}
}

func TestJudgeByExitCode(t *testing.T) {
	ok := Report{Runner: RunnerExit, Finished: true}
	bad := Report{Runner: RunnerExit, Finished: true, Exit: 1}
	hung := Report{Runner: RunnerExit, TimedOut: true, Reason: "did not end"}
	says := func(text string) Report { return Report{Runner: RunnerExit, Finished: true, Output: text} }
	green, red, flaky := Baseline(ok, ok), Baseline(bad, bad), Baseline(ok, bad)
	five := Baseline(says("..\nRan 5 tests in 0.1s\n\nOK\n"), says("..\nRan 5 tests in 0.2s\n\nOK\n"))
	for name, c := range map[string]struct {
		base    BaselineSet
		later   Report
		verdict string
	}{
		"stays 0": {green, ok, Pass}, "was 0": {green, bad, Fail}, "hangs": {green, hung, Unverified},
		"was 1": {red, bad, Pass}, "flaky": {flaky, bad, Pass},
		"tells as much": {five, says("Ran 5 tests in 3s\nOK"), Pass}, "tells more": {five, says("Ran 6 tests in 3s\nOK"), Pass},
		"tells less": {five, says("Ran 4 tests in 3s\nOK"), Fail}, "exits early": {five, says(""), Fail},
	} {
		if verdict, reason := c.base.Judge(c.later); verdict != c.verdict || reason == "" {
			t.Errorf("%s: %s (%s)", name, verdict, reason)
		}
	}
	if green.Empty() || !red.Empty() || !flaky.Empty() {
		t.Error("only two runs with exit code 0 hold anything")
	}
}

func TestToldByTheOutput(t *testing.T) {
	for output, want := range map[string]int{
		"": 0, "12 files read": 0, "Ran 1 test in 0.0s\n\nOK": 1, "===== 3 passed, 1 skipped in 0.1s =====": 3, "Tests:       1 failed, 7 passed, 8 total": 7,
		"  4 passing (3ms)": 4, "# tests 3\n# pass 2\n# fail 1": 2, "test result: ok. 6 passed; 0 failed\n\ntest result: ok. 2 passed; 0 failed": 8,
		"OK (5 tests, 9 assertions)": 5, "9 examples, 0 failures": 9, "      Tests  11 passed (11)": 11,
	} {
		if got := told(Report{Output: output}); got != want {
			t.Errorf("%q: %d, want %d", output, got, want)
		}
	}
}

func TestBaselineLists(t *testing.T) {
	s := Baseline(report("a b- c d~ e"), report("a b- c- d~"))
	if got := s.String(); got != "1 pass, 1 fail, 2 flaky, 1 skipped" {
		t.Errorf("%s", got)
	}
}

func TestBaselineGoesOn(t *testing.T) {
	s := Baseline(report("a b c-"), report("a b- c-"))
	if fresh := s.Fresh(report("a b d e-")); len(fresh) != 1 || fresh[0] != "d" {
		t.Errorf("fresh: %v", fresh)
	}
	next, ok := s.After(report("a b c- d"), report("d"))
	if got := next.String(); got != "2 pass, 1 fail, 1 flaky, 0 skipped" || !ok {
		t.Errorf("after: %s", got)
	}
	again := BaselineSet{Runner: next.Runner, Structured: true, Passing: next.Passing, Failing: next.Failing, Flaky: next.Flaky}.Recalled()
	if verdict, why := again.Judge(report("a b- c- d")); verdict != Pass {
		t.Errorf("recalled: %s", why)
	}
	if verdict, _ := again.Judge(report("a b c- d x-")); verdict != Fail {
		t.Error("recalled: a new failure passes")
	}
	changed := report("a b c- d")
	changed.Deciders = map[string]string{"pytest.ini": "1"}
	if verdict, why := next.Judge(changed); verdict != Fail || !strings.Contains(why, "pytest.ini decides") {
		t.Errorf("a file that decides: %s (%s)", verdict, why)
	}
}

// What passes for the first time has to pass a second time to be held.
func TestAfterTwoRuns(t *testing.T) {
	s := Baseline(report("a f- k~"), report("a f- k~"))
	later := report("a f k n m")
	if got := strings.Join(s.Unsure(later), " "); got != "f k m n" {
		t.Errorf("unsure: %s", got)
	}
	for second, want := range map[string]string{
		"f k n m": "5 pass, 0 fail, 0 flaky, 0 skipped", "f k n- m": "4 pass, 0 fail, 1 flaky, 0 skipped", "f- k~ n m": "3 pass, 0 fail, 2 flaky, 0 skipped",
	} {
		next, ok := s.After(later, report(second))
		if next.String() != want || !ok {
			t.Errorf("%s: %s, %v", second, next, ok)
		}
		if verdict, why := next.Recalled().Judge(report("a f k n- m")); strings.Contains(second, "n-") != (verdict == Pass) {
			t.Errorf("%s: judged later: %s (%s)", second, verdict, why)
		}
	}
	if _, ok := s.After(later, report("f k n")); ok {
		t.Error("a test that did not run a second time is kept")
	}
	cut := later
	cut.Finished = false
	if _, ok := s.After(cut, report("f k n m")); ok {
		t.Error("a run that was cut is kept")
	}
	says := func(n string) Report { return Report{Runner: RunnerExit, Finished: true, Output: n + " passed"} }
	if _, ok := Baseline(says("2"), says("2")).After(says("2"), Report{}); !ok {
		t.Error("by exit code: the same again is not kept")
	}
	if _, ok := Baseline(says("2"), says("2")).After(says("3"), Report{}); ok {
		t.Error("by exit code: more tests, told of once, are kept")
	}
	red := Report{Runner: RunnerExit, Finished: true, Exit: 1}
	if _, ok := Baseline(red, red).After(says("2"), Report{}); ok {
		t.Error("by exit code: green once is kept")
	}
}

// Where the runs do not come to their end before the work, each test stands for
// itself; work must not be refused for what it found.
func TestJudgeCut(t *testing.T) {
	cut := func(ids string) Report {
		r := report(ids)
		r.Finished, r.Reason, r.Exit = false, "ended early", 1
		return r
	}
	for later, want := range map[string]string{"a b": Pass, "a b c": Pass, "a": Fail, "a b-": Fail, "a b c-": Fail} {
		for _, r := range []Report{cut(later), report(later)} {
			if verdict, why := Baseline(cut("a b"), cut("a b")).Judge(r); verdict != want {
				t.Errorf("%s, finished %v: %s (%s), want %s", later, r.Finished, verdict, why, want)
			}
		}
	}
	s := Baseline(cut("a b"), report("a b"))
	_, why := s.Judge(cut("a b"))
	if rec := TestsEvidence(cut("a b"), Pass, why); !WasCut(rec) {
		t.Errorf("evidence does not tell of it: %s", why)
	}
	if s := Baseline(cut(""), cut("")); !s.Empty() || s.Reason != "ended early" {
		t.Errorf("%+v", s)
	}
}

// A baseline that was kept is no charge against the work where the base does it
// no more.
func TestBaselineAgain(t *testing.T) {
	kept := Baseline(report("a b c"), report("a b c")).Recalled()
	cut, other := report("a b"), report("a b c")
	cut.Finished, cut.Reason = false, "ended early"
	other.Deciders = map[string]string{"pytest.ini": "1"}
	slow := cut
	slow.TimedOut = true
	decided := report("a b c")
	decided.Deciders = other.Deciders
	for name, c := range map[string]struct {
		base    Report
		later   Report
		verdict string
	}{
		"the same":                    {report("a b c"), report("a b- c"), Fail},
		"fails here too":              {report("a b- c"), report("a b- c"), Pass},
		"another fails here":          {report("a b- c"), report("a b c-"), Fail},
		"fails here, and one more":    {report("a b- c"), report("a b- c-"), Fail},
		"gone here too":               {report("a c"), report("a c"), Pass},
		"skipped here too":            {report("a b~ c"), report("a b~ c"), Pass},
		"does not end here":           {cut, report("a b c-"), Pass},
		"does not end, and it broke":  {cut, report("a b- c-"), Fail},
		"does not end here nor later": {cut, cut, Pass},
		"takes too long here":         {slow, report("a b- c"), Fail},
		"nothing passes here":         {report("a- b- c-"), report("a- b- c-"), Pass},
		"what decides is read anew":   {other, decided, Pass},
		"a new failure, as always":    {report("a b- c"), report("a b- c d-"), Fail},
		"it fails here and not there": {report("a b- c"), report("a b c"), Pass},
	} {
		if verdict, why := kept.Again(c.base).Judge(c.later); verdict != c.verdict {
			t.Errorf("%s: %s (%s)", name, verdict, why)
		}
	}
	ok, bad := Report{Runner: RunnerExit, Finished: true}, Report{Runner: RunnerExit, Finished: true, Exit: 1}
	if verdict, _ := Baseline(ok, ok).Recalled().Again(bad).Judge(bad); verdict != Pass {
		t.Error("by exit code: what fails on the base is held against the work")
	}
	if verdict, _ := Baseline(ok, ok).Recalled().Again(ok).Judge(bad); verdict != Fail {
		t.Error("by exit code: what the work broke passes")
	}
}

func TestAffected(t *testing.T) {
	ids := []string{"tests/test_calc.py::test_a", "tests/test_other.py::test_b", "example.com/p/sub.TestOne", "src/add.test.js > adds"}
	for file, want := range map[string]int{"calc.py": 1, "sub/x1.go": 1, "src/add.js": 1, "README": 0} {
		if got := Affected(ids, []string{file}); len(got) != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}
