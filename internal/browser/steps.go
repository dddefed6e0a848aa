package browser

import (
	"errors"
	"fmt"
	"time"

	"gitagent/internal/plain"
)

// slowSettle is how long the page may take to be at rest after an action, so that
// what it shows then is surely due to it.
const slowSettle = 250 * time.Millisecond

// step does one step and notes what was seen after it.
func (r *runner) step(i int) error {
	s, begun := r.s.Steps[i], time.Now()
	n := i + 1
	it := Interaction{N: n, Step: s.String()}
	r.log.enter(n, stepPolicy{s.Dialog, s.Answer, int64(s.Status)})
	r.saw, r.same = "", false
	pictures := len(r.res.Shots)
	err := r.do(i, s)
	if err == nil {
		err = r.dialogsMet(n, s)
	}
	if err == nil {
		err = r.statusMet(s)
	}
	if err == nil {
		err = r.tab.rec.leftOrigin()
	}
	it.OK = err == nil
	r.res.StepsRun++
	if !r.same && r.tab.ctx.Err() == nil && !errors.Is(err, errHung) {
		if now, lookErr := r.tab.look(); lookErr == nil {
			it.Changed, it.DisplayAfter = changes(r.last, now)
			r.last = now
		}
	}
	if s.Action() && err == nil && len(it.Changed) == 0 && it.DisplayAfter == "" {
		it.DisplayAfter = "(nothing changed)"
	}
	if r.saw != "" {
		it.DisplayAfter = plain.Line(r.saw, 300)
	}
	for _, d := range r.log.dialogsOf(n) {
		it.Dialogs = append(it.Dialogs, d.String())
	}
	if err != nil {
		it.Errors = append(it.Errors, plain.Line(err.Error(), 400))
	}
	it.Errors = append(it.Errors, r.log.errorsOf(n)...)
	it.Ms = time.Since(begun).Milliseconds()
	if r.stage.Each && s.Verb != VerbShot && err == nil {
		err = r.shot(fmt.Sprintf("step-%d", n))
	}
	if n := len(r.res.Shots); n > pictures {
		it.Shot = r.res.Shots[n-1]
	}
	r.res.Interactions = append(r.res.Interactions, it)
	return err
}

// do runs the step itself.
func (r *runner) do(i int, s Step) error {
	switch {
	case s.Assertion():
		return r.assert(i, s)
	case s.Action():
		r.foresee(i)
		err := r.act(s)
		r.acted++
		r.sinceNav++
		r.before.acted(s)
		if err != nil {
			return err
		}
		begun := time.Now()
		err = r.tab.settle()
		r.slow = time.Since(begun) > slowSettle
		return err
	}
	switch s.Verb {
	case VerbOpen:
		r.before.forget()
		r.sinceNav = 0
		return r.open(s.Text)
	case VerbReload:
		r.sinceNav = 0
		begun := time.Now()
		if err := r.tab.reload(); err != nil {
			return err
		}
		return r.arrived(begun)
	case VerbBack:
		r.before.forget()
		r.sinceNav = 0
		begun := time.Now()
		if err := r.tab.back(); err != nil {
			return err
		}
		return r.arrived(begun)
	case VerbWait:
		return sleep(r.tab.ctx, s.Pause)
	case VerbShot:
		return r.shot(s.Text)
	}
	return r.doOther(s)
}

// foresee looks, before an action, at what later steps will assert, and whether
// the page has changed while nothing was done to it.
func (r *runner) foresee(i int) {
	r.tab.memo = &glance{patience: &r.patience, motions: map[string]Motion{}}
	defer func() { r.tab.memo = nil }()
	r.before.observe(r.tab, i)
	if now, err := r.tab.look(); err == nil {
		r.restless = r.restless || now.Seen != r.last.Seen
		r.last = now // the action did none of it
	}
}

// doOther runs the steps that change where the scenario plays.
func (r *runner) doOther(s Step) error {
	switch s.Verb {
	case VerbResize:
		size, err := parseSize(s.Text)
		if err != nil {
			return err
		}
		if err := r.tab.setSize(r.tab.ctx, size); err != nil {
			return err
		}
		return r.tab.settle()
	case VerbPopup:
		return r.popup(s)
	case VerbFresh:
		r.sinceNav = 0
		return r.fresh(s)
	case VerbRestart:
		r.sinceNav = 0
		return r.restart()
	}
	return fmt.Errorf("unknown verb %q", s.Verb)
}

// assert checks one assertion and decides whether it is evidence.
func (r *runner) assert(i int, s Step) error {
	saw, looks, err := r.tab.await(s)
	if s.Target != "" {
		r.saw = saw
		r.same = saw != "" && looks == 1 && s.Verb != VerbAnimates && s.Verb != VerbStill // which watch
	}
	if n := len(r.tab.motions); n > 0 {
		r.res.Animation = append(r.res.Animation, r.tab.motions[n-1])
		r.tab.motions = nil
	}
	if err != nil {
		var v *verdictError
		if errors.As(err, &v) && v.verdict == Fail {
			r.res.Asserts.Fail++
		}
		return err
	}
	if err := r.foiled(s); err != nil {
		return err
	}
	r.res.Asserts.Pass++
	switch r.before.judge(i, s, r.s.hasActions(), r.acted, r.sinceNav) {
	case isEvidence:
		r.res.Asserts.Evidence++
		if r.acted > 0 {
			r.proofs = append(r.proofs, lateSight{i, time.Since(r.started), looks > 1 || r.slow, r.before.first[i]})
		}
	case alreadyHeld:
		r.held = append(r.held, fmt.Sprintf("step %d, %s", i+1, s))
	}
	return nil
}

// dialogsMet checks what the step says about dialogs.
func (r *runner) dialogsMet(n int, s Step) error {
	if s.Dialog == "" && s.DialogSays == "" {
		return nil
	}
	deadline := time.Now().Add(s.waitFor())
	for {
		all := r.log.dialogsOf(n)
		for _, d := range all {
			if s.DialogSays == "" || Shows(d.message, s.DialogSays) {
				if s.DialogSays != "" {
					r.res.Asserts.Pass++
					r.res.Asserts.Evidence++
				}
				return nil
			}
		}
		if time.Now().After(deadline) {
			switch {
			case len(all) == 0:
				return failf("no dialog opened")
			default:
				r.res.Asserts.Fail++
				return failf("expected a dialog that says %s, saw %s", quote(s.DialogSays), quote(all[len(all)-1].message))
			}
		}
		if err := sleep(r.tab.ctx, 40*time.Millisecond); err != nil {
			return err
		}
	}
}

// statusMet checks that the server gave the failing answer the step asks for.
func (r *runner) statusMet(s Step) error {
	if s.Status == 0 || s.StatusMay {
		return nil
	}
	deadline := time.Now().Add(s.waitFor())
	for !r.log.sawExpected() {
		if time.Now().After(deadline) {
			return failf("the server did not answer with status %d", s.Status)
		}
		if err := sleep(r.tab.ctx, 40*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// restart has the server started anew and opens the page again, as a person
// would the next morning. Where there is no server of ours, that would be a mere
// reload and prove nothing of what a server keeps.
func (r *runner) restart() error {
	if r.stage.Restart == nil {
		return unverifiedf("there is no server here that could be started anew, so a restart proves nothing: use reload, or set the command that starts the project's server (agent.start)")
	}
	begun := time.Now()
	r.log.setAway(true)
	err := r.stage.Restart(r.ctx)
	r.log.setAway(false)
	if err != nil {
		return failf("the server did not come back: %v", err)
	}
	if err := r.tab.reload(); err != nil {
		return err
	}
	return r.arrived(begun)
}
