package session

import (
	"time"

	"gitagent/gitops"
	"gitagent/internal/model"
)

// End is how a session ended.
type End string

// The ends of a session. Only Verified flips a flag.
const (
	Verified    End = "verified"
	Incomplete  End = "incomplete"
	Unverified  End = "unverified"
	Blocked     End = "blocked"
	Environment End = "environment"
	Interrupted End = "interrupted"
)

// ExitCode is the process exit code that tells e to a script.
func (e End) ExitCode() int {
	switch e {
	case Verified:
		return 0
	case Incomplete:
		return 3
	case Unverified:
		return 4
	case Blocked:
		return 5
	case Interrupted:
		return 130
	default:
		return 6
	}
}

// Outcome is what one session came to.
type Outcome struct {
	End     End        `json:"end"`
	Session string     `json:"session"`
	Feature string     `json:"feature,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Commit  gitops.OID `json:"commit,omitempty"`
	Branch  string     `json:"branch,omitempty"`
	Aside   string     `json:"aside,omitempty"` // ref that holds the commit when it did not land
	Next    string     `json:"next,omitempty"`  // what to type next
	Kept    string     `json:"kept,omitempty"`  // ref of the kept attempt
	Tree    gitops.OID `json:"tree,omitempty"`  // product tree that was judged last
	Already bool       `json:"already_met,omitempty"`
	// Repaired says that the feature had its flag and was broken.
	Repaired bool `json:"repaired,omitempty"`
	// Regressed have their flag and hold no longer; it is told when every flag
	// is set.
	Regressed []string `json:"regressed,omitempty"`
	Passing   int      `json:"passing"`
	Total     int      `json:"total"`
	Receipt   Receipt  `json:"receipt"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Receipt is what a session cost.
type Receipt struct {
	Turns   int            `json:"turns"`
	Seconds float64        `json:"seconds"`
	Roles   map[string]Use `json:"roles"` // by "role/tier"
}

// Use is the consumption of one role at one tier: calls, tokens, seconds of
// the model's time.
type Use struct {
	Calls     int     `json:"calls"`
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Seconds   float64 `json:"seconds"`
}

func (r *Receipt) add(role string, tier model.Tier, u model.Usage) {
	if r.Roles == nil {
		r.Roles = map[string]Use{}
	}
	key := role + "/" + string(tier)
	use := r.Roles[key]
	use.Calls += u.Calls
	use.TokensIn += u.TokensIn
	use.TokensOut += u.TokensOut
	use.Seconds += u.Duration.Seconds()
	r.Roles[key] = use
}

// Totals sums the receipt over its roles.
func (r Receipt) Totals() Use {
	var sum Use
	for _, u := range r.Roles {
		sum.Calls += u.Calls
		sum.TokensIn += u.TokensIn
		sum.TokensOut += u.TokensOut
		sum.Seconds += u.Seconds
	}
	return sum
}

// Event is something that happened in a session, for whoever watches it.
type Event struct {
	Kind    string // phase, turn, tool, check, note, detail (for -v), warning
	Phase   string
	Attempt int
	Turn    int
	Tool    string
	OK      bool
	Text    string   // one line
	Note    string   // of a tool: its answer in a few words
	Detail  string   // everything, for -v
	Files   []string // touched
	In, Out int      // tokens so far in this turn
	Rate    float64  // tokens a second of the last reply
	Elapsed time.Duration
}

// Watcher is told what happens. It must not block.
type Watcher interface{ On(Event) }
