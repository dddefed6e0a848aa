package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// draws is how often a contract with variables is tried with new values, beside
// the values of the steps themselves.
const draws = 2

// Contract runs the checks of c, each in fresh cells: once, and those with
// variables with the examples and then with draws new values each. The first run
// that does not pass ends it. Any fail is a fail, else any unverified is
// unverified, and so is a contract without checks. The error is about the context
// and the folder alone: what cannot run is unverified.
func (v *Verifier) Contract(ctx context.Context, c *contract.Contract, t Target, shots string) (Outcome, error) {
	var runs []contract.Run
	var err error
	if len(v.Given) > 0 && len(c.Vars) > 0 {
		runs = []contract.Run{{N: 1, Values: v.Given}}
		runs[0].Contract, err = c.With(v.Given)
	} else {
		runs, err = c.Runs(v.seed(), draws)
	}
	if err == nil && t.First {
		err = c.AddFoils(runs)
	}
	if err != nil {
		return v.undrawn(c, err), nil
	}
	out, err := v.runAll(ctx, runs, t, shots)
	if err != nil || out.Verdict != Pass || !t.First {
		return out, err
	}
	return v.doubted(ctx, c, runs, out, t, shots)
}

// moreDraws is how often a check is tried again that showed what other values
// would lead to: luck with a part of all answers does not last.
const moreDraws = 6

// doubted tries those checks again that showed foils beside what was looked for.
func (v *Verifier) doubted(ctx context.Context, c *contract.Contract, runs []contract.Run, out Outcome, t Target, shots string) (Outcome, error) {
	if len(out.beside) == 0 {
		return out, nil
	}
	again := c
	for _, r := range runs {
		again = again.Avoiding(r.Values)
	}
	again.Examples = nil // they were tried
	again.Checks = slices.DeleteFunc(slices.Clone(again.Checks), func(k contract.Check) bool { return out.beside[k.ID] == 0 })
	more, err := again.Runs(contract.NewSeed(), moreDraws)
	if err == nil {
		err = again.AddFoils(more)
	}
	if err != nil {
		return v.undrawn(c, err), nil
	}
	for i := range more {
		more[i].N += len(runs)
	}
	if t.Reset != nil {
		if err := t.Reset(ctx); err != nil {
			return out, err
		}
	}
	if err := v.into(ctx, &out, more, t, shots); err != nil || out.Verdict != Pass {
		return out, err
	}
	out.refuseCrowds()
	return out, nil
}

// refuseCrowds fails the checks that showed a crowd of other answers with every
// draw. A list of what there is shows one with some draws, and not with others.
func (o *Outcome) refuseCrowds() {
	for i := range o.Checks {
		k := &o.Checks[i]
		if o.crowd[k.ID] != "" && !o.alone[k.ID] {
			k.Verdict, k.Reason, o.Verdict = Fail, plain.Line(o.crowd[k.ID], 600), Fail
		}
	}
}

// once runs the checks of c with one draw alone, for what only has to fail.
func (v *Verifier) once(ctx context.Context, c *contract.Contract, t Target) (Outcome, error) {
	run, err := v.oneRun(c)
	if err != nil {
		return v.undrawn(c, err), nil
	}
	return v.runAll(ctx, []contract.Run{run}, t, "")
}

// oneRun is c with one draw in place of its variables.
func (v *Verifier) oneRun(c *contract.Contract) (contract.Run, error) {
	run := contract.Run{N: 1}
	if len(c.Vars) > 0 {
		seed := v.seed()
		drawn, err := c.Draw(seed, 1)
		if err != nil {
			return run, err
		}
		run.Seed, run.Values = seed, drawn[0]
	}
	var err error
	run.Contract, err = c.With(run.Values)
	return run, err
}

func (v *Verifier) seed() string {
	if v.Seed != "" {
		return v.Seed
	}
	return contract.NewSeed()
}

// undrawn is the outcome of a contract whose values cannot be had.
func (v *Verifier) undrawn(c *contract.Contract, why error) Outcome {
	out := Outcome{Verdict: Unverified}
	for _, k := range c.Checks {
		out.Checks = append(out.Checks, evidence.Check{ID: k.ID, Kind: k.Kind, Covers: k.Covers, Verdict: Unverified, Reason: plain.Line(why.Error(), 600)})
	}
	return out
}

func (v *Verifier) runAll(ctx context.Context, runs []contract.Run, t Target, shots string) (Outcome, error) {
	out := Outcome{Verdict: Unverified, took: map[string]time.Duration{}, started: map[string]bool{}, beside: map[string]int{}, alone: map[string]bool{}, crowd: map[string]string{}}
	err := v.into(ctx, &out, runs, t, shots) // on its own: which of two results is read first is not said
	return out, err
}

// into adds what runs come to.
func (v *Verifier) into(ctx context.Context, out *Outcome, runs []contract.Run, t Target, shots string) error {
	first := true
	for _, run := range runs {
		for _, k := range run.Contract.Checks {
			if !first && t.Reset != nil {
				if err := t.Reset(ctx); err != nil {
					return err
				}
			}
			first = false
			id := k.ID
			if run.N > 1 {
				k.ID = fmt.Sprintf("%s-%d", id, run.N) // its screenshots lie apart
			}
			tr, err := v.check(ctx, k, run.Foils[id], t, shots)
			if err != nil {
				return err
			}
			tr.ID = id
			out.take(tr, run)
		}
		var verdicts []string
		for _, k := range out.Checks {
			verdicts = append(verdicts, k.Verdict)
		}
		if out.Verdict = evidence.Worst(verdicts...); out.Verdict != Pass {
			break
		}
	}
	return nil
}

// take joins the result of a check in one run with those of earlier runs.
func (o *Outcome) take(tr *trial, run contract.Run) {
	var known *evidence.Check
	for i := range o.Checks {
		if o.Checks[i].ID == tr.ID {
			known = &o.Checks[i]
		}
	}
	if run.Values != nil {
		tr.Draws = []evidence.Draw{{Seed: run.Seed, Values: run.Values, Verdict: tr.Verdict}}
		if tr.Reason != "" && tr.noMeans == "" {
			tr.Reason = plain.Line(fmt.Sprintf("with %s: %s", run.Values, tr.Reason), 600)
		}
	}
	if known == nil {
		o.Checks = append(o.Checks, tr.Check)
	} else {
		tr.Draws = append(known.Draws, tr.Draws...)
		tr.Shots = append(known.Shots, tr.Shots...)
		tr.Ms += known.Ms
		*known = tr.Check
	}
	o.took[tr.ID] = max(o.took[tr.ID], tr.took)
	o.started[tr.ID] = tr.started
	if tr.beside > 0 {
		o.beside[tr.ID] += tr.beside
	}
	if tr.crowd != "" {
		o.crowd[tr.ID] = tr.crowd
	} else if run.Seed != "" { // what the examples lead to may be known by heart
		o.alone[tr.ID] = true
	}
	if o.NoMeans == "" {
		o.NoMeans = tr.noMeans
	}
}
