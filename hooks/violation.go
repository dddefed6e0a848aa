package hooks

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gitagent/internal/plain"
)

// The guards, by the names that a person types.
const (
	GuardFlags     = "flags"
	GuardFeatures  = "features"
	GuardLog       = "log"
	GuardTests     = "tests"
	GuardContracts = "contracts"
	GuardInfra     = "infra"
	GuardProduct   = "product"
	GuardHygiene   = "hygiene"
)

// Guards lists the names of all guards, in the order in which they report.
func Guards() []string {
	return []string{GuardFeatures, GuardFlags, GuardLog, GuardContracts, GuardTests, GuardInfra, GuardProduct, GuardHygiene}
}

// Violation is one broken rule. Code names the rule for good ("tests.changed");
// What says what happened and where, Why why it matters, Override how a person
// goes on all the same ("" where nobody should).
type Violation struct {
	Guard    string `json:"guard"`
	Code     string `json:"code"`
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"` // from 1; 0 where none can be named
	What     string `json:"what"`
	Why      string `json:"why"`
	Override string `json:"override,omitempty"`
	Warn     bool   `json:"warn,omitempty"`
}

// String is the violation on one line, safe for a terminal.
func (v Violation) String() string {
	return plain.Line(fmt.Sprintf("%s: %s", v.Code, v.What), 400)
}

// Policy says who is bound and what a person has allowed.
type Policy struct {
	// Session binds without exception: nothing can be allowed to a session.
	Session bool
	// Feature is the one feature that a session may flip.
	Feature string
	// Allow maps a guard to the reason for which a person lifted it.
	Allow map[string]string
	// WarnOnly turns violations of people into warnings.
	WarnOnly bool
}

// settle applies the policy: what a person allowed is left out, what only warns
// is marked.
func (p Policy) settle(found []Violation) []Violation {
	var left []Violation
	for _, v := range found {
		if p.allows(v) {
			continue
		}
		v.Warn = v.warns(p.Session) || p.WarnOnly && !p.Session
		left = append(left, v)
	}
	return left
}

// warns says whether the rule warns only: most bind sessions where they warn
// people. What is out of its time warns both, since a clock may be set anew.
func (v Violation) warns(session bool) bool {
	switch {
	case v.Code == codeOrder:
		return true
	case session:
		return false
	}
	return v.Guard == GuardProduct || v.Code == "log.orders" || v.Code == codeSettings || v.Guard == GuardHygiene && v.Code != "hygiene.secret"
}

func (p Policy) allows(v Violation) bool {
	return p.reason(v) != ""
}

// reason is why a person lifted the rule for this commit, "" when nobody did or
// nobody can.
func (p Policy) reason(v Violation) string {
	return strings.TrimSpace(p.Allow[p.liftedBy(v)])
}

// liftedBy is the guard whose permission covers v, "" for none. Who may change
// the list may bring claims into it, which are shown as such until they are
// proved.
func (p Policy) liftedBy(v Violation) string {
	switch {
	case p.Session || v.Override == "":
		return ""
	case strings.TrimSpace(p.Allow[v.Guard]) != "":
		return v.Guard
	case v.Code == "flags.claimed" && strings.TrimSpace(p.Allow[GuardFeatures]) != "":
		return GuardFeatures
	case v.Code == codeReplaced && namesContract(p.Allow[trailerContract], v.Path):
		return trailerContract
	}
	return ""
}

// namesContract says whether a trailer speaks of the contract at path.
func namesContract(trailer, path string) bool {
	id, ok := idOf(path, contractDir)
	return ok && slices.ContainsFunc(strings.FieldsFunc(trailer, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }), func(word string) bool { return word == id })
}

// blocking counts the violations that are more than warnings.
func blocking(vs []Violation) int {
	n := 0
	for _, v := range vs {
		if !v.Warn {
			n++
		}
	}
	return n
}

// linesPerGuard bounds what one guard prints; the rest is counted.
const linesPerGuard = 8

// Print writes violations for a person: what and where, then for each guard
// once why it matters and how to go on.
func Print(w io.Writer, vs []Violation) {
	for _, guard := range Guards() {
		var mine []Violation
		for _, v := range vs {
			if v.Guard == guard {
				mine = append(mine, v)
			}
		}
		printGuard(w, mine)
	}
}

func printGuard(w io.Writer, vs []Violation) {
	whys := map[string]bool{}
	for i, v := range vs {
		if i == linesPerGuard {
			fmt.Fprintf(w, "  … and %d more of guard %s\n", len(vs)-i, v.Guard)
			break
		}
		kind := "refused"
		if v.Warn {
			kind = "warning"
		}
		fmt.Fprintf(w, "git agent: %s: %s\n", kind, v)
		if !whys[v.Why] {
			whys[v.Why] = true
			fmt.Fprintf(w, "  why: %s\n", plain.Line(v.Why, 400))
		}
	}
	for _, v := range vs {
		if v.Override != "" {
			fmt.Fprintf(w, "  to go on: %s\n", v.Override)
			break
		}
	}
}

// override is the one line that tells a person how to go on.
func override(guard string) string {
	return fmt.Sprintf(`git agent allow %s --reason "…", or a line "%s: reason" at the end of the message`, guard, trailerOf(guard))
}

// trailerOf is the trailer that lifts a guard for one commit.
func trailerOf(guard string) string {
	return "Allow-" + strings.ToUpper(guard[:1]) + guard[1:]
}
