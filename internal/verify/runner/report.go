package runner

import (
	"fmt"
	"slices"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/sandbox"
)

// The results of one test.
const (
	Pass = "pass"
	Fail = "fail"
	Skip = "skip"
)

// keptOutput is how many bytes of a runner's text stay in a Report.
const keptOutput = 64 << 10

// Report is one run of a test command.
type Report struct {
	Runner string
	// Structured says that each test has its own result; else only Exit says
	// anything.
	Structured bool
	Results    map[string]string // id → pass, fail or skip
	// OwnWord says that the process that is tested wrote the results and can be
	// told where: what fails there failed, what passes counts for no more than the
	// exit code.
	OwnWord bool
	Exit    int
	// Finished says that the harness saw the run's own end: an early exit
	// inside the product is not one.
	Finished bool
	TimedOut bool
	Reason   string // why it is not finished, "" when it is
	// Missing is a program that this machine lacks, "" when it lacks none.
	Missing string
	Output  string // what was printed, capped
	Elapsed time.Duration
	// Deciders are the files that decide which tests count and how, with a
	// digest of what in them does so.
	Deciders map[string]string
	// Only is set when some tests were asked for, not all.
	Only bool
}

// Absent is the report of a runner that this machine lacks.
func Absent(name string) Report {
	return Report{Exit: -1, Missing: name, Reason: name + " is not installed on this machine"}
}

// Refused is the report of a run that was not begun.
func Refused(format string, args ...any) Report {
	return Report{Exit: -1, Reason: plain.Line(fmt.Sprintf(format, args...), 400)}
}

// With gives at most max ids with this result, in order; 0 means all.
func (rep Report) With(result string, max int) []string {
	var ids []string
	for id, r := range rep.Results {
		if r == result {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if max > 0 && len(ids) > max {
		ids = ids[:max]
	}
	return ids
}

// Count says how many tests have this result.
func (rep Report) Count(result string) (n int) {
	for _, r := range rep.Results {
		if r == result {
			n++
		}
	}
	return n
}

// Ran says how many tests ran, whatever came of it.
func (rep Report) Ran() int { return rep.Count(Pass) + rep.Count(Fail) }

// Interrupted fills a report that cannot be finished, whatever was printed.
// readsOutput says that the report is in the output.
func (rep *Report) Interrupted(res sandbox.Result, limit time.Duration, readsOutput bool) bool {
	rep.Exit, rep.TimedOut = res.ExitCode, res.TimedOut
	switch {
	case res.TimedOut:
		rep.Reason = fmt.Sprintf("the tests did not end within %s", limit)
	case res.Exceeded != "":
		rep.Reason = "the tests were ended because they used too much " + res.Exceeded
	case res.Flooded:
		rep.Reason = "the tests were ended because their output did not stop"
	case res.Signal != "":
		rep.Reason = "the test runner was ended by " + res.Signal
	case res.Dropped > 0 && readsOutput:
		rep.Reason = "the report of the tests is too long to be read"
	default:
		return false
	}
	return true
}

// unfinished notes why the run's end was not seen, "" when it was.
func (rep *Report) unfinished(reason string) {
	if rep.Reason == "" {
		rep.Reason = reason
	}
	rep.Finished = rep.Reason == ""
}
