package contract

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gitagent/internal/pattern"
)

// Metric judges a number that a command prints: coverage, a size, a time, an
// accuracy. At least one of its limits is set.
type Metric struct {
	// After is the text that the number follows on standard output, where it
	// comes last; "" takes the last number of all.
	After   string   `json:"after,omitempty"`
	AtLeast *float64 `json:"at_least,omitempty"`
	AtMost  *float64 `json:"at_most,omitempty"`
	// WorseBy is by how much the number may be worse than on the tree before
	// the work; Better says which way is better, "higher" or "lower".
	WorseBy *float64 `json:"worse_by,omitempty"`
	Better  string   `json:"better,omitempty"`
}

// The ways in which a number is better.
const (
	Higher = "higher"
	Lower  = "lower"
)

// check refuses a metric that judges nothing, or in two ways.
func (m *Metric) check() error {
	for _, v := range []*float64{m.AtLeast, m.AtMost, m.WorseBy} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			return errors.New("a metric has a limit that is no number")
		}
	}
	switch {
	case m.AtLeast == nil && m.AtMost == nil && m.WorseBy == nil:
		return errors.New("a metric has no limit: at_least, at_most or worse_by")
	case m.AtLeast != nil && m.AtMost != nil && *m.AtLeast > *m.AtMost:
		return fmt.Errorf("no number is at least %s and at most %s", number(*m.AtLeast), number(*m.AtMost))
	case m.WorseBy != nil && *m.WorseBy < 0:
		return errors.New("worse_by is how much worse the number may be: zero or more")
	case m.WorseBy != nil && m.Better != Higher && m.Better != Lower:
		return errors.New(`worse_by needs better: "higher" or "lower"`)
	}
	return nil
}

// number as people write it.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// limits are the numbers of a metric as the steps of a feature would quote them.
func (m *Metric) limits() (out []string) {
	for _, v := range []*float64{m.AtLeast, m.AtMost, m.WorseBy} {
		if v != nil {
			out = append(out, number(*v), number(*v)+"%")
		}
	}
	return out
}

// aNumber is a decimal number, with a sign or an exponent if need be.
var aNumber = pattern.Lazy(`[-+]?(?:\d[\d,]*\d|\d)(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// Read finds the number in what a command printed.
func (m *Metric) Read(stdout string) (value float64, ok bool) {
	text := ""
	if m.After != "" {
		i := strings.LastIndex(stdout, m.After)
		if i < 0 {
			return 0, false
		}
		text = aNumber.FindString(stdout[i+len(m.After):])
	} else if all := aNumber.FindAllString(stdout, -1); len(all) > 0 {
		text = all[len(all)-1]
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return value, err == nil
}

// Judge says what is wrong with a number, "" for nothing. base is the number on
// the tree before the work, nil when it is not known: that limit is left out
// then.
func (m *Metric) Judge(value float64, base *float64) (wrong string) {
	switch {
	case m.AtLeast != nil && value < *m.AtLeast:
		return fmt.Sprintf("the number is %s, expected at least %s", number(value), number(*m.AtLeast))
	case m.AtMost != nil && value > *m.AtMost:
		return fmt.Sprintf("the number is %s, expected at most %s", number(value), number(*m.AtMost))
	}
	if m.WorseBy == nil || base == nil {
		return ""
	}
	worse := value - *base
	if m.Better == Higher {
		worse = -worse
	}
	if worse > *m.WorseBy {
		return fmt.Sprintf("the number is %s, and was %s before the work: worse by more than %s", number(value), number(*base), number(*m.WorseBy))
	}
	return ""
}

// String is the metric in words.
func (m *Metric) String() string {
	out := "the last number printed"
	if m.After != "" {
		out = fmt.Sprintf("the number after %q", m.After)
	}
	var limits []string
	if m.AtLeast != nil {
		limits = append(limits, "at least "+number(*m.AtLeast))
	}
	if m.AtMost != nil {
		limits = append(limits, "at most "+number(*m.AtMost))
	}
	if m.WorseBy != nil {
		limits = append(limits, fmt.Sprintf("not worse than before the work by more than %s (%s is better)", number(*m.WorseBy), m.Better))
	}
	return out + " is " + strings.Join(limits, " and ")
}

// Relative says whether the number is compared with the one before the work.
func (m *Metric) Relative() bool { return m.WorseBy != nil }
