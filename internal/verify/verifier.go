package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gitagent/internal/browser"
	"gitagent/internal/foil"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// The verdicts, as in evidence.
const (
	Pass       = evidence.Pass
	Fail       = evidence.Fail
	Unverified = evidence.Unverified
)

// Verifier runs checks. Its fields are set once.
type Verifier struct {
	Sandbox *sandbox.Sandbox
	Browser string   // executable; "" when there is none
	Hidden  []string // folders that nothing started may see
	Cache   string   // caches of compilers and package managers, kept
	Temp    string   // folder for what is needed while a check runs

	// ServerReady is how long a server may take until it listens, Command how
	// long a command check may take, Exchanges how long all requests of one check,
	// Suite how long a test command may take. Zero means 30 s, 60 s, 3 min and
	// 10 min.
	ServerReady, Command, Exchanges, Suite time.Duration

	warm *warmPage // see Keep

	// Seed draws the values of variables; "" means a new one for every run.
	Seed string
	// Given are values to try a contract with instead of any drawn ones, such as
	// those that its evidence names. They prove nothing by themselves.
	Given contract.Values
}

// Target is a folder that holds exactly one product tree, with what the
// harness installed.
type Target struct {
	Dir    string
	Tree   string // object id, for the record
	Config project.Config
	// Reset makes Dir hold exactly the tree again: what one check leaves is not
	// for the next to find. nil where nobody can.
	Reset func(context.Context) error
	// Measured are the numbers of metrics on the tree before the work, by the
	// check's id; nil where nothing is compared with it.
	Measured map[string]float64
	// First is for work that nobody has proved yet: what shows the answers to
	// other values as well does not pass.
	First bool
}

// Outcome is how the checks of a contract came out.
type Outcome struct {
	Verdict string
	Checks  []evidence.Check
	// NoMeans is set when something on this machine, not in the product, kept
	// a check from running: a missing browser, say. It says what.
	NoMeans string

	took map[string]time.Duration // a page, from its opening, by the check's id
	// started names the failed checks whose program ran and whose assertion
	// failed, as against those for which there was no program.
	started map[string]bool
	// beside counts the foils that were shown as well, by the check's id; alone
	// names the checks that showed no crowd of them with some draw.
	beside map[string]int
	alone  map[string]bool
	crowd  map[string]string // the newest of what a crowd said
}

// Started says whether the check failed although its program ran or its page
// opened: the assertion itself failed.
func (o Outcome) Started(id string) bool { return o.started[id] }

// trial is the result of one check while it is made.
type trial struct {
	evidence.Check
	noMeans  string
	took     time.Duration
	measured map[string]float64
	started  bool                // the program ran and something that was looked for was not there
	foils    map[string][]string // what other values would lead to, by what is looked for
	beside   int                 // of them were shown as well
	crowd    string              // says so where nearly all were
}

// met notes what is shown beside a text that was looked for and is there.
func (t *trial) met(want string, shown func(string) bool) {
	found, crowd := foil.Beside(want, t.foils[want], shown, contract.Holds)
	t.beside += len(found)
	if crowd {
		t.crowd = oneOfAll(want, found)
	}
}

// oneOfAll says that what was looked for is only one of many answers.
func oneOfAll(want string, found []string) string {
	return fmt.Sprintf("%q is there, and so is, with all values, what would be right for others (here %s): give the one answer, not all", want, plain.Line(strings.Join(found, ", "), 120))
}

func (t *trial) end(verdict, format string, args ...any) {
	t.Verdict, t.Reason = verdict, plain.Line(fmt.Sprintf(format, args...), 600)
}

// without ends a check that could not run for want of something.
func (t *trial) without(format string, args ...any) {
	t.end(Unverified, format, args...)
	t.noMeans = t.Reason
}

func (t *trial) see(format string, args ...any) {
	if text := plain.Line(fmt.Sprintf(format, args...), 300); text != "" {
		t.Observed = append(t.Observed, text)
	}
}

func (v *Verifier) check(ctx context.Context, k contract.Check, foils map[string][]string, t Target, shots string) (*trial, error) {
	start := time.Now()
	tr := &trial{Check: evidence.Check{ID: k.ID, Kind: k.Kind, Covers: append([]int(nil), k.Covers...), Verdict: Unverified}, foils: foils}
	switch {
	case k.Kind == contract.KindPage:
		tr.How = evidence.HowPage
		if shots != "" {
			shots = filepath.Join(shots, fileName(k.ID))
		}
		v.pageCheck(ctx, k, t, shots, tr)
	case k.Kind == contract.KindCommand && k.Command != nil:
		tr.How = evidence.HowCommand
		v.commandCheck(ctx, k.Command, t, tr)
	case k.Kind == contract.KindHTTP && len(k.HTTP) > 0:
		tr.How = evidence.HowHTTP
		v.httpCheck(ctx, k.HTTP, t, tr)
	default:
		tr.end(Unverified, "checks of kind %q cannot be run by this version", k.Kind)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tr.Ms = time.Since(start).Milliseconds()
	return tr, nil
}

// fileName makes a check's id safe as the name of a folder.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

// Page runs one scenario on the target, for the executor's own trials and for
// `git agent page`. The error is about the scenario or the context.
func (v *Verifier) Page(ctx context.Context, scenario []byte, t Target) (browser.Result, error) {
	s, err := browser.ParseScenario(scenario)
	if err != nil {
		return browser.Result{}, err
	}
	tr := &trial{}
	res := v.trialPage(ctx, s, t, tr)
	if err := ctx.Err(); err != nil {
		return browser.Result{}, err
	}
	if res == nil {
		r := browser.UnverifiedResult(s, tr.Reason)
		r.Verdict = tr.Verdict
		r.Notes = tr.Observed
		return r, nil
	}
	return *res, nil
}
