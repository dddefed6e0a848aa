package hooks

import (
	"context"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

// trailerFeatures is what the commands that change the list put into their
// commit; it lifts the guard of the list as Allow-Features does.
const trailerFeatures = "Agent-Features"

// trailerContract is what the command that replaces a contract puts into its
// commit. It lets pass that replacement alone.
const trailerContract = "Agent-Contract"

// trailerSession marks the commit of a session, which every rule binds.
const trailerSession = "Agent-Session"

// Report is what CheckRange found, oldest commit first.
type Report struct {
	Commits int `json:"commits"`
	// Edge are commits that could not be judged: a shallow clone lacks what was
	// before them.
	Edge       []gitops.OID      `json:"edge,omitempty"`
	Violations []CommitViolation `json:"violations"`
	Flips      []Flip            `json:"flips"`
	Overrides  []Override        `json:"overrides"`
	// Local is what is set up in this clone alone, and misleads git in it.
	Local []Violation `json:"local,omitempty"`
	// Moved are the refs that moved since the last look, where that was asked.
	Moved []RefMove `json:"moved,omitempty"`
}

// CommitViolation is a violation and the commit that has it.
type CommitViolation struct {
	Commit  gitops.OID `json:"commit"`
	Subject string     `json:"subject"`
	Violation
}

// Flip is a flag that a commit set. State is Proved, Carried or Missing; Why is
// what keeps it from being proved.
type Flip struct {
	Commit  gitops.OID `json:"commit"`
	Feature string     `json:"feature"`
	State   string     `json:"state"`
	Why     string     `json:"why,omitempty"`
}

// Override is a rule that a person lifted for one commit, and what it let pass.
type Override struct {
	Commit  gitops.OID `json:"commit"`
	Subject string     `json:"subject"`
	Guard   string     `json:"guard"`
	Reason  string     `json:"reason"`
	What    []string   `json:"what"`
}

func (h *history) add(info *gitops.CommitInfo, c *commit, found []Violation) {
	for _, f := range c.flips {
		f.Commit = info.ID
		h.report.Flips = append(h.report.Flips, f)
	}
	policy := Policy{Allow: allowances(info.Trailers)}
	lifted := map[string]*Override{}
	for _, v := range found {
		reason := policy.reason(v)
		if reason == "" {
			v.Warn = v.warns(len(info.Trailer(trailerSession)) > 0)
			h.report.Violations = append(h.report.Violations, CommitViolation{Commit: info.ID, Subject: plain.Line(info.Subject, 100), Violation: v})
			continue
		}
		if lifted[v.Guard] == nil {
			lifted[v.Guard] = &Override{Commit: info.ID, Subject: plain.Line(info.Subject, 100), Guard: v.Guard, Reason: reason}
		}
		lifted[v.Guard].What = append(lifted[v.Guard].What, v.String())
	}
	for _, guard := range Guards() {
		if o := lifted[guard]; o != nil {
			h.report.Overrides = append(h.report.Overrides, *o)
		}
	}
}

// anyHasList says whether any of the snapshots has a list.
func anyHasList(ctx context.Context, trees []*tree) (bool, error) {
	for _, t := range trees {
		if has, err := t.hasList(ctx); err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// allowances are the guards that a message lifts, with the reasons it gives.
func allowances(trailers map[string][]string) map[string]string {
	allow := map[string]string{}
	for key, values := range trailers {
		guard := guardOf(key)
		if guard == "" {
			continue
		}
		reasons := slices.DeleteFunc(slices.Clone(values), func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(reasons) == 0 {
			continue
		}
		reason := plain.Line(strings.Join(reasons, "; "), 300)
		if had := allow[guard]; had != "" && !strings.EqualFold(key, trailerFeatures) {
			reason += "; " + had
		} else if had != "" {
			reason = had + "; " + reason
		}
		allow[guard] = reason
	}
	return allow
}

// guardOf is the guard that a trailer lifts, or trailerContract, which lifts a
// part of one; "" for none. Git ignores the case
// of trailer keys.
func guardOf(key string) string {
	if strings.EqualFold(key, trailerFeatures) {
		return GuardFeatures
	}
	if strings.EqualFold(key, trailerContract) {
		return trailerContract
	}
	for _, guard := range Guards() {
		if strings.EqualFold(key, trailerOf(guard)) {
			return guard
		}
	}
	return ""
}
