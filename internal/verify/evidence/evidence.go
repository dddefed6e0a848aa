package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Version is the only record version that is read and written.
const Version = 1

// MaxBytes is the size above which a record is refused unread.
const MaxBytes = 1 << 20

// The verdicts. There is no other: an empty verdict is no pass.
const (
	Pass       = "pass"
	Fail       = "fail"
	Unverified = "unverified"
)

// How something was proved.
const (
	HowPage    = "page"    // real input on a rendered page
	HowCommand = "command" // exit code and output of a command
	HowTests   = "tests"   // results of a test runner
	HowMetric  = "metric"  // a number that a command printed
	HowHTTP    = "http"    // answers of the project's server
)

// How tests were counted.
const (
	ByID       = "id"        // each test has its own result
	ByExitCode = "exit code" // only the exit code is sure
)

// Record is the proof that comes with a flip.
type Record struct {
	Version int    `json:"version"`
	Feature string `json:"feature"`
	Session string `json:"session"`
	Model   string `json:"model"`
	// Tree is the id of the product tree that was tried.
	Tree string `json:"tree"`
	// Contract is the digest of the contract that was run.
	Contract string    `json:"contract"`
	Time     time.Time `json:"time"`
	Verdict  string    `json:"verdict"`
	// AlreadyMet says that the contract passed before the session's work.
	AlreadyMet bool    `json:"already_met,omitempty"`
	Checks     []Check `json:"checks"`
	// Bite is how the same checks came out on a tree where they had to fail:
	// the one before the work or, when already met, an earlier one.
	Bite  []Check `json:"bite,omitempty"`
	Tests []Tests `json:"tests,omitempty"`
}

// Check is the result of one check of the contract.
type Check struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// How says what carried the verdict: page, command, tests or http.
	How string `json:"how"`
	// Counted is set for tests: by id, or by exit code alone.
	Counted  string   `json:"counted,omitempty"`
	Covers   []int    `json:"covers"`
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`
	Observed []string `json:"observed,omitempty"`
	Shots    []string `json:"shots,omitempty"`
	// Metric is the number that was measured.
	Metric *Metric `json:"metric,omitempty"`
	// Draws are the runs of a check with variables, each with its values.
	Draws []Draw `json:"draws,omitempty"`
	Ms    int64  `json:"ms"`
}

// Metric is a number that a command printed, and what it was before the work,
// where that is compared.
type Metric struct {
	Value float64  `json:"value"`
	Base  *float64 `json:"base,omitempty"`
}

// Draw is one run of a check with variables.
type Draw struct {
	// Seed is what the values were drawn from; "" are the examples of the
	// contract. The values say it all: they can be tried again by themselves.
	Seed    string            `json:"seed,omitempty"`
	Values  map[string]string `json:"values"`
	Verdict string            `json:"verdict"`
}

// Tests is how one test command of the project came out against its baseline.
type Tests struct {
	Command string `json:"command"`
	Runner  string `json:"runner"`
	Counted string `json:"counted"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
	// Proving are new tests that fail on the tree before the work and pass now;
	// Characterization are new tests that pass on both and so show nothing.
	Proving          []string `json:"proving,omitempty"`
	Characterization []string `json:"characterization,omitempty"`
}

// Path is where the evidence of a feature lies in the repository.
func Path(id string) string { return ".agent/evidence/" + id + ".json" }

// Parse reads a record strictly: exact keys, no duplicates, no second
// document, the known version, known verdicts.
func Parse(data []byte) (*Record, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("evidence has %d bytes, more than %d", len(data), MaxBytes)
	}
	var r Record
	if err := json.Unmarshal(data, &r, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("evidence is not valid: %w", err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("evidence has version %d, this program reads %d", r.Version, Version)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("evidence is not valid: %w", err)
	}
	return &r, nil
}

// check refuses what no honest run can have written.
func (r *Record) check() error {
	if r.Feature == "" {
		return errors.New("no feature")
	}
	if y := r.Time.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("year %d", y)
	}
	if !verdict(r.Verdict) {
		return fmt.Errorf("verdict %q", r.Verdict)
	}
	for _, c := range r.Checks {
		if !verdict(c.Verdict) {
			return fmt.Errorf("check %q has verdict %q", c.ID, c.Verdict)
		}
		for _, d := range c.Draws {
			if !verdict(d.Verdict) || d.Verdict != Pass && c.Verdict == Pass {
				return fmt.Errorf("check %q is %s, a draw of it %q", c.ID, c.Verdict, d.Verdict)
			}
		}
	}
	for _, b := range r.Bite {
		if !verdict(b.Verdict) {
			return fmt.Errorf("bite check %q has verdict %q", b.ID, b.Verdict)
		}
	}
	for _, t := range r.Tests {
		if !verdict(t.Verdict) {
			return fmt.Errorf("tests %q have verdict %q", t.Command, t.Verdict)
		}
	}
	return nil
}

func verdict(s string) bool { return s == Pass || s == Fail || s == Unverified }

// Bytes is the canonical form: indented, keys in order, a newline at the end,
// the time in UTC and whole seconds.
func (r *Record) Bytes() []byte {
	c := *r
	c.Version = Version
	c.Time = c.Time.UTC().Truncate(time.Second)
	if c.Checks == nil {
		c.Checks = []Check{}
	}
	var buf bytes.Buffer
	err := json.MarshalWrite(&buf, &c, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "))
	if err != nil { // the types above always marshal
		panic(fmt.Sprintf("evidence of %s: %v", r.Feature, err))
	}
	buf.WriteByte('\n')
	return buf.Bytes()
}

// Proves says whether the record is a proof of feature on exactly this product
// tree under exactly this contract; the error names what is missing.
func (r *Record) Proves(feature, productTree, contractDigest string) error {
	switch {
	case r.Feature != feature:
		return fmt.Errorf("the evidence is for %s, not for %s", r.Feature, feature)
	case productTree == "" || r.Tree != productTree:
		return fmt.Errorf("the evidence is for tree %s, not for %s", short(r.Tree), short(productTree))
	case contractDigest == "" || r.Contract != contractDigest:
		return fmt.Errorf("the evidence is for contract %s, not for %s", short(r.Contract), short(contractDigest))
	case r.Verdict != Pass:
		return fmt.Errorf("the verdict is %s", orNone(r.Verdict))
	case len(r.Checks) == 0:
		return errors.New("no check was run")
	}
	for _, c := range r.Checks {
		if c.Verdict != Pass {
			return fmt.Errorf("check %s is %s", c.ID, orNone(c.Verdict))
		}
	}
	if !r.bit() {
		return errors.New("no check is recorded as failing where it had to, before the work")
	}
	for _, t := range r.Tests {
		if t.Verdict != Pass {
			return fmt.Errorf("the tests %q are %s", t.Command, orNone(t.Verdict))
		}
	}
	return r.Covered(r.lastStep())
}

// bit says whether a check of the contract did not pass on the tree where the
// contract had to fail. Every session records that; a record without it, or with
// checks of something else, was not made by one.
func (r *Record) bit() bool {
	for _, b := range r.Bite {
		if b.Verdict != Pass && slices.ContainsFunc(r.Checks, func(c Check) bool { return c.ID == b.ID }) {
			return true
		}
	}
	return false
}

// lastStep is the highest step that a check names. Who knows the list asks
// Covered with the number of its steps as well.
func (r *Record) lastStep() int {
	last := 0
	for _, c := range r.Checks {
		for _, n := range c.Covers {
			last = max(last, n)
		}
	}
	return last
}

// Drawn says whether each of these checks, which have variables, passed with
// two different draws besides any examples.
func (r *Record) Drawn(ids []string) error {
	for _, id := range ids {
		i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.ID == id })
		if i < 0 {
			return fmt.Errorf("check %s was not run", id)
		}
		var drawn []map[string]string
		for _, d := range r.Checks[i].Draws {
			if d.Seed != "" && d.Verdict == Pass && !slices.ContainsFunc(drawn, func(v map[string]string) bool { return maps.Equal(v, d.Values) }) {
				drawn = append(drawn, d.Values)
			}
		}
		if len(drawn) < 2 {
			return fmt.Errorf("check %s has variables, but was not tried with two draws of them", id)
		}
	}
	return nil
}

// AddTests adds how a test command of the project came out.
func (r *Record) AddTests(command string, t Tests) {
	t.Command = command
	r.Tests = append(r.Tests, t)
}

// Covered says whether passing checks cover each of the steps 1…steps.
func (r *Record) Covered(steps int) error {
	if steps < 1 {
		return errors.New("the evidence names no step")
	}
	seen := make(map[int]bool)
	for _, c := range r.Checks {
		if c.Verdict != Pass {
			continue
		}
		for _, n := range c.Covers {
			seen[n] = true
		}
	}
	var missing []string
	for n := 1; n <= steps; n++ {
		if !seen[n] {
			missing = append(missing, fmt.Sprint(n))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no passing check covers step %s", strings.Join(missing, ", "))
	}
	return nil
}

// Worst joins verdicts: any fail is a fail, else any that is not a pass is
// unverified; no verdict at all is unverified.
func Worst(verdicts ...string) string {
	worst := Pass
	if len(verdicts) == 0 {
		return Unverified
	}
	for _, v := range verdicts {
		switch {
		case v == Fail:
			return Fail
		case v != Pass:
			worst = Unverified
		}
	}
	return worst
}

func short(s string) string {
	if s == "" {
		return "none"
	}
	if len(s) > 12 {
		return s[:12]
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return s
}
