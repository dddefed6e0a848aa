package browser

import (
	"context"
	"fmt"
	"time"
)

// lateSight is an assertion that held only some time after the action before it,
// or on a page that changes by itself.
type lateSight struct {
	step  int
	after time.Duration // since the page was there
	late  bool
	first bool // it held on the page as it was opened, and did not in between
}

// idle plays the scenario again with nobody acting, and takes a pass back when
// the page shows by itself what the actions were said to cause: a clock that runs
// anyway, say. It is only asked where no state is left outside the browser.
func (r *runner) idle(ctx context.Context) {
	q := newRunner(r.b, r.s, Stage{URL: r.stage.URL, Alone: true})
	var shown []int
	err := q.idleRun(ctx, r, &shown)
	if err != nil || len(shown) == 0 {
		return // a page that cannot be seen so shows nothing by itself
	}
	i := shown[0]
	r.res.Verdict = Unverified
	r.res.Reason = fmt.Sprintf("step %d, %s: the page shows this by itself after a while, without the action, so it proves nothing; assert what only the action changes", i+1, r.s.Steps[i])
}

func (q *runner) idleRun(ctx context.Context, r *runner, shown *[]int) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.res.Ms)*time.Millisecond+defaultTimeout)
	defer cancel()
	q.base, q.p, q.ctx, q.log.base = r.base, r.p, ctx, r.log.base
	if q.tab, err = q.p.newTab(ctx, q.log); err != nil {
		return err
	}
	q.opened = []*tab{q.tab}
	defer q.leave()
	if err := q.openFirst(); err != nil {
		return err
	}
	for i, s := range q.s.Steps {
		if s.Action() {
			continue
		}
		switch s.Verb {
		case VerbOpen, VerbReload, VerbResize:
			if err := q.do(i, s); err != nil {
				return err
			}
		case VerbPopup, VerbFresh, VerbRestart, VerbBack:
			return nil
		}
		for _, l := range r.proofs {
			if l.step != i || (!l.late && !r.restless) {
				continue
			}
			ok, err := q.holdsBefore(s, l)
			if err != nil {
				return err
			}
			if ok {
				*shown = append(*shown, i)
				return nil
			}
		}
	}
	return nil
}

// holdsBefore watches until the assertion held in the run with actions, and a
// moment longer. What held from the start, as everything is still that nobody has
// started, has to have changed in between.
func (q *runner) holdsBefore(s Step, l lateSight) (bool, error) {
	fresh := l.first
	for end := q.started.Add(l.after + 300*time.Millisecond); ; {
		ok, _, err := q.tab.holds(s)
		if _, gone := err.(*missing); err != nil && !gone && !passing(err) {
			return false, err
		}
		if ok && !fresh {
			return true, nil
		}
		fresh = fresh && ok
		if time.Now().After(end) {
			return false, nil
		}
		if err := sleep(q.tab.ctx, 40*time.Millisecond); err != nil {
			return false, err
		}
	}
}
