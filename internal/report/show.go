package report

import (
	"context"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// The states of a feature.
const (
	StatePasses    = "passes"    // flag and evidence
	StateClaimed   = "claimed"   // flag alone
	StateRegressed = "regressed" // proved once, broken since
	StateParked    = "parked"
	StateBlocked   = "blocked"
	StateWaiting   = "waiting" // for another feature
	StateFailing   = "failing" // to do
)

// FeatureView is one feature with its proof and its history.
type FeatureView struct {
	Schema      int      `json:"schema"`
	ID          string   `json:"id"`
	Category    string   `json:"category,omitempty"`
	Description string   `json:"description"`
	Priority    int      `json:"priority"`
	DependsOn   []string `json:"depends_on,omitempty"`
	State       string   `json:"state"`
	Reason      string   `json:"reason,omitempty"`
	AlreadyMet  bool     `json:"already_met,omitempty"`
	Steps       []Step   `json:"steps"`
	// Evidence is the record at HEAD; Damaged says why it cannot be read.
	Evidence *evidence.Record `json:"evidence,omitempty"`
	Damaged  string           `json:"damaged,omitempty"`
	Contract *ContractInfo    `json:"contract,omitempty"`
	Cycle    int              `json:"cycle"`    // N
	Revision int              `json:"revision"` // r
	Attempt  int              `json:"attempt"`  // n
	Defects  []DefectInfo     `json:"defects,omitempty"`
	History  []HistoryEvent   `json:"history,omitempty"` // oldest first
	Attempts []Attempt        `json:"attempts,omitempty"`
}

// Step is one step with what was seen when it was checked last.
type Step struct {
	N    int        `json:"n"`
	Text string     `json:"text"`
	Seen []Observed `json:"seen,omitempty"`
}

// Observed is what a check saw that covers a step.
type Observed struct {
	Check    string   `json:"check"`
	Kind     string   `json:"kind"`
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`
	Observed []string `json:"observed,omitempty"`
	Shots    []string `json:"shots,omitempty"`
}

// ContractInfo says which contract there is. Pending ones have not landed.
type ContractInfo struct {
	Path    string `json:"path"`
	Digest  string `json:"digest"`
	Pending bool   `json:"pending,omitempty"`
}

// DefectInfo is something that was seen to be wrong.
type DefectInfo struct {
	Key      string `json:"key"`
	Text     string `json:"text"`
	Count    int    `json:"count"`
	Returned int    `json:"returned,omitempty"`
	Fixed    bool   `json:"fixed"`
}

// HistoryEvent is one row of the feature's status file.
type HistoryEvent struct {
	Time     time.Time `json:"time"`
	Session  string    `json:"session,omitempty"`
	Phase    string    `json:"phase,omitempty"`
	Revision int       `json:"revision,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Kind     string    `json:"kind"`
	Detail   string    `json:"detail,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
}

// GatherFeature reads one feature. An unknown id is features.ErrUnknown, with
// the nearest one as a hint.
func GatherFeature(ctx context.Context, repo *gitops.Repo, id string) (*FeatureView, error) {
	s, err := read(ctx, repo)
	if err != nil {
		return nil, err
	}
	f, err := s.list.Lookup(id)
	if err != nil {
		return nil, err
	}
	st, err := s.status(ctx, id)
	if err != nil {
		return nil, err
	}
	v := &FeatureView{
		Schema: Schema, ID: f.ID, Category: f.Category, Description: f.Description, Priority: f.Priority, DependsOn: f.DependsOn,
		Cycle: st.Cycle, Revision: st.Revision, Attempt: st.Attempt, AlreadyMet: f.Passes && s.alreadyMet()[id],
	}
	for i, text := range f.Steps {
		v.Steps = append(v.Steps, Step{N: i + 1, Text: text})
	}
	if err := v.proof(ctx, s); err != nil {
		return nil, err
	}
	if err := v.agreed(ctx, s); err != nil {
		return nil, err
	}
	v.State, v.Reason = v.state(s, st, f.Passes)
	for _, d := range st.Defects {
		v.Defects = append(v.Defects, DefectInfo(d))
	}
	for _, e := range st.Events {
		v.History = append(v.History, HistoryEvent{e.Time, e.Session, e.Phase, e.Revision, e.Attempt, e.Kind, plain.Text(e.Detail), e.Evidence})
	}
	for _, a := range s.attempts(ctx) {
		if a.Feature == id {
			v.Attempts = append(v.Attempts, a)
		}
	}
	return v, nil
}

// proof reads the evidence and lays what was seen beside the steps.
func (v *FeatureView) proof(ctx context.Context, s *source) error {
	oid := s.files[evidence.Path(v.ID)]
	if oid == "" {
		return nil
	}
	data, err := s.repo.ReadBlob(ctx, oid)
	if err != nil {
		return err
	}
	rec, err := evidence.Parse(data)
	if err != nil {
		v.Damaged = plain.Line(err.Error(), 300)
		return nil
	}
	v.Evidence = rec
	v.AlreadyMet = v.AlreadyMet || rec.AlreadyMet
	for _, c := range rec.Checks {
		seen := Observed{Check: c.ID, Kind: c.Kind, Verdict: c.Verdict, Reason: c.Reason, Observed: c.Observed, Shots: c.Shots}
		for _, n := range c.Covers {
			if n >= 1 && n <= len(v.Steps) {
				v.Steps[n-1].Seen = append(v.Steps[n-1].Seen, seen)
			}
		}
	}
	return nil
}

// agreed finds the contract: the pending one is the newer.
func (v *FeatureView) agreed(ctx context.Context, s *source) error {
	path := contract.Path(v.ID)
	data, pending := s.journal.File(path)
	if !pending {
		oid := s.files[path]
		if oid == "" {
			return nil
		}
		var err error
		if data, err = s.repo.ReadBlob(ctx, oid); err != nil {
			return err
		}
	}
	v.Contract = &ContractInfo{Path: path, Pending: pending}
	c, err := contract.Parse(data)
	if err != nil {
		v.Damaged = plain.Line(path+": "+err.Error(), 300)
		return nil
	}
	v.Contract.Digest = c.Digest()
	return nil
}

func (v *FeatureView) state(s *source, st *progress.Status, passes bool) (state, reason string) {
	broken, isBroken := s.regressions()[v.ID]
	waits := s.list.Waits(v.ID)
	switch {
	case passes && isBroken:
		return StateRegressed, reasonOf(broken)
	case passes && v.Evidence == nil:
		return StateClaimed, "the flag is set, but there is no evidence at HEAD"
	case passes:
		return StatePasses, ""
	case st.Parked(s.park):
		return StateParked, parkedReason(st)
	case st.Blocked != "":
		return StateBlocked, st.Blocked
	case len(waits) > 0:
		return StateWaiting, "waits for " + list(waits, 5)
	}
	return StateFailing, ""
}

// JSON is the feature for scripts.
func (v *FeatureView) JSON() ([]byte, error) { return jsonOf(v) }
