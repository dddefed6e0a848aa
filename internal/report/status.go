package report

import (
	"context"
	"encoding/json"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/kept"
	"gitagent/internal/plain"
	"gitagent/progress"
)

const (
	lastSessions = 5
	maxLag       = 200 // commits looked at
)

// Overview is how the project stands at HEAD.
type Overview struct {
	Schema  int        `json:"schema"`
	Project string     `json:"project"`
	Goal    string     `json:"goal"`
	Branch  string     `json:"branch,omitempty"` // "" when HEAD is detached
	Head    gitops.OID `json:"head"`
	Counts  Counts     `json:"counts"`
	// Next is the feature that a session would take, nil when there is none.
	Next       *Named  `json:"next"`
	Claimed    []Named `json:"claimed,omitempty"`     // flag without evidence
	Regressed  []Held  `json:"regressed,omitempty"`   // proved once, broken since
	AlreadyMet []Named `json:"already_met,omitempty"` // passed before the session's work
	// Suites are the project's tests as the last session found them: what fails or
	// is flaky blocks nothing.
	Suites   []kept.Suite `json:"tests,omitempty"`
	Parked   []Held       `json:"parked,omitempty"`
	Blocked  []Held       `json:"blocked,omitempty"`
	Waiting  []Held       `json:"waiting,omitempty"`  // for another feature
	Sessions []Session    `json:"sessions,omitempty"` // the last ones, newest first
	Attempts []Attempt    `json:"attempts,omitempty"` // kept, newest first
	Aside    []Attempt    `json:"aside,omitempty"`    // verified, but not on the branch
	Lag      Lag          `json:"lag"`
	// Running is what works in the repository right now; the caller sets it.
	Running *Running `json:"running,omitempty"`
}

// Running is a session, or another command that changes things, under way.
type Running struct {
	PID     int       `json:"pid"`
	What    string    `json:"what"` // "session ID", or the command
	Feature string    `json:"feature,omitempty"`
	Phase   string    `json:"phase,omitempty"`
	Since   time.Time `json:"since"`
}

// Counts: Total is Passing + Claimed + Failing. Parked, Blocked and Waiting
// are failing; Regressed and AlreadyMet have their flag.
type Counts struct {
	Total      int `json:"total"`
	Passing    int `json:"passing"`
	Claimed    int `json:"claimed"`
	Failing    int `json:"failing"`
	Parked     int `json:"parked"`
	Blocked    int `json:"blocked"`
	Waiting    int `json:"waiting"`
	AlreadyMet int `json:"already_met"`
	Regressed  int `json:"regressed"`
}

// Named is a feature by id.
type Named struct {
	ID          string `json:"id"`
	Description string `json:"description"`
}

// Held is a feature with the reason why it stands still, or broke.
type Held struct {
	Named
	Reason string    `json:"reason"`
	Since  time.Time `json:"since,omitzero"`
}

// Session is one run of git agent step. Pending sessions have not landed; their
// entries wait in the journal.
type Session struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Feature string    `json:"feature,omitempty"`
	Outcome string    `json:"outcome"`
	Model   string    `json:"model,omitempty"`
	Pending bool      `json:"pending,omitempty"`
}

// Lag is what has happened that no session has looked at, and what waits.
type Lag struct {
	// Commits since Since, the last commit that a session made. More says that
	// there are more than were counted.
	Commits int        `json:"commits"`
	More    bool       `json:"more,omitempty"`
	Since   gitops.OID `json:"since,omitempty"`
	// Entries of the log that land with the next verified commit.
	Entries int `json:"entries"`
}

// Gather reads how the project stands. It fails with a hint when HEAD has no
// list.
func Gather(ctx context.Context, repo *gitops.Repo) (*Overview, error) {
	s, err := read(ctx, repo)
	if err != nil {
		return nil, err
	}
	o := &Overview{Schema: Schema, Project: s.list.Project, Goal: s.list.Goal, Branch: branchName(s.head.Branch), Head: s.head.Commit}
	o.Attempts, o.Aside = s.attempts(ctx), s.aside(ctx)
	kept.Open(repo.AgentDir()).Get(kept.Suites, kept.Last, &o.Suites)
	if err := o.count(ctx, s); err != nil {
		return nil, err
	}
	o.Sessions = s.sessions(lastSessions)
	o.Lag, err = s.lag(ctx)
	return o, err
}

func branchName(ref string) string {
	const heads = "refs/heads/"
	if len(ref) > len(heads) && ref[:len(heads)] == heads {
		return ref[len(heads):]
	}
	return ref
}

func named(f features.Feature) Named { return Named{ID: f.ID, Description: f.Description} }

// count sorts every feature into its state.
func (o *Overview) count(ctx context.Context, s *source) error {
	broken, met := s.regressions(), s.alreadyMet()
	held := map[string]bool{}
	for _, a := range o.Aside {
		held[a.Feature] = true // a session would not build it again
	}
	for _, f := range s.list.Features {
		switch {
		case f.Passes && !s.proved(f.ID):
			o.Claimed = append(o.Claimed, named(f))
		case f.Passes:
			o.Counts.Passing++
		default:
			o.Counts.Failing++
			if err := o.hold(ctx, s, f, held); err != nil {
				return err
			}
		}
		if !f.Passes {
			continue
		}
		if e, ok := broken[f.ID]; ok {
			o.Regressed = append(o.Regressed, Held{named(f), reasonOf(e), e.Time})
		}
		if met[f.ID] {
			o.AlreadyMet = append(o.AlreadyMet, named(f))
		}
	}
	if next, _ := s.list.Next(func(id string) string { return map[bool]string{true: "held"}[held[id]] }); next != nil {
		n := named(*next)
		o.Next = &n
	}
	c := &o.Counts
	c.Total, c.Claimed, c.Regressed, c.AlreadyMet = len(s.list.Features), len(o.Claimed), len(o.Regressed), len(o.AlreadyMet)
	c.Parked, c.Blocked, c.Waiting = len(o.Parked), len(o.Blocked), len(o.Waiting)
	return nil
}

// hold says why a failing feature stands still, if it does.
func (o *Overview) hold(ctx context.Context, s *source, f features.Feature, held map[string]bool) error {
	st, err := s.status(ctx, f.ID)
	if err != nil {
		return err
	}
	var last time.Time
	if n := len(st.Events); n > 0 {
		last = st.Events[n-1].Time
	}
	switch waits := s.list.Waits(f.ID); {
	case st.Parked(s.park):
		held[f.ID] = true
		o.Parked = append(o.Parked, Held{named(f), parkedReason(st), last})
	case st.Blocked != "":
		o.Blocked = append(o.Blocked, Held{named(f), st.Blocked, last})
	case len(waits) > 0:
		o.Waiting = append(o.Waiting, Held{Named: named(f), Reason: "waits for " + list(waits, 5)})
	}
	return nil
}

func parkedReason(st *progress.Status) string {
	reason := plain.Count(st.Incomplete, "session") + " in a row without a proof"
	if st.Blocked != "" {
		return reason + "; the last was blocked: " + st.Blocked
	}
	if open := st.Open(); len(open) > 0 {
		return reason + "; last seen: " + plain.Line(open[len(open)-1].Text, 160)
	}
	return reason
}

func reasonOf(e progress.Entry) string {
	if len(e.Facts) > 0 {
		return e.Facts[0]
	}
	return "no longer holds"
}

// sessions are the last n, newest first.
func (s *source) sessions(n int) []Session {
	var out []Session
	for i := len(s.entries) - 1; i >= 0 && len(out) < n; i-- {
		if e := s.entries[i]; e.Kind == progress.KindSession {
			out = append(out, Session{Time: e.Time, Session: e.Session, Feature: e.Feature, Outcome: e.Outcome, Model: e.Model, Pending: i >= len(s.entries)-s.pending})
		}
	}
	return out
}

// lag counts the commits on top of the last one that a session made.
func (s *source) lag(ctx context.Context) (Lag, error) {
	lag := Lag{Entries: s.pending}
	commits, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(s.head.Commit), Max: maxLag, FirstParent: true})
	if err != nil {
		return lag, err
	}
	for _, c := range commits {
		if len(c.Trailer("Agent-Session")) > 0 {
			lag.Since = c.ID
			return lag, nil
		}
		lag.Commits++
	}
	if lag.More = len(commits) == maxLag; !lag.More {
		lag.Commits = 0 // no session has ever landed here
	}
	return lag, nil
}

// JSON is the overview for scripts.
func (o *Overview) JSON() ([]byte, error) { return jsonOf(o) }

func jsonOf(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}
