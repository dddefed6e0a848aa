package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Stage is where a scenario is played.
type Stage struct {
	URL   string // of the page under test, http or https
	Shots string // folder for screenshots and result.json; "" = none are kept
	// Each asks for a picture after every step.
	Each bool
	// Restart ends the project's server and starts it again at the same
	// address; nil where there is none, and a restart is then unverified.
	Restart func(context.Context) error
	// Alone says that all state is in the browser, so that a second run, in
	// which nobody does anything, tells what the page shows by itself.
	Alone bool
}

// runner is one run of a scenario.
type runner struct {
	s     *Scenario
	b     *Browser
	p     *process
	ctx   context.Context
	stage Stage
	log   *journal
	base  *url.URL
	res   Result

	tab      *tab   // where the next step happens
	opened   []*tab // by us: the first, and those of other profiles
	firstTab *tab   // while a second profile is at work
	second   *tab   // while the first is at work again

	acted    int // actions done so far
	sinceNav int // of these, since the page was last opened or loaded
	before   *foresight
	held     []string      // assertions that already held before the actions
	last     sight         // the page after the previous step
	saw      string        // what the current assertion saw in its place
	same     bool          // it saw so at its first look, before anything could change
	started  time.Time     // when the page was there
	proofs   []lateSight   // assertions that are evidence
	restless bool          // the page changed while nothing was done to it
	slow     bool          // the page took its time to be at rest after the last action
	patience time.Duration // that is left for watching, before actions, what may move
}

// Run plays the scenario on the page at baseURL and says what it showed. It
// always returns a result, in bounded time, whatever the page does; what went
// wrong with the browser or the tool is Unverified, never a pass.
//
// Screenshots go to the folder shots ("" = none are taken) and are named in the
// result by their file names.
func (b *Browser) Run(ctx context.Context, s *Scenario, baseURL string, shots string) Result {
	return b.Play(ctx, s, Stage{URL: baseURL, Shots: shots})
}

// Play is Run with all that can be said of where the page is.
func (b *Browser) Play(ctx context.Context, s *Scenario, st Stage) Result {
	begun := time.Now()
	r := newRunner(b, s, st)
	err := r.play(ctx)
	r.conclude(err)
	if r.res.Verdict == Pass && st.Alone && r.doubtful() {
		r.idle(ctx)
	}
	r.res.Ms = time.Since(begun).Milliseconds()
	r.res.keep(st.Shots)
	return r.res
}

// doubtful says whether the page may show by itself what it was asked for.
func (r *runner) doubtful() bool {
	for _, p := range r.proofs {
		if p.late || r.restless {
			return true
		}
	}
	return false
}

func newRunner(b *Browser, s *Scenario, st Stage) *runner {
	r := &runner{s: s, b: b, stage: st, log: &journal{}, patience: motionPatience, res: Result{StepsTotal: len(s.Steps)}}
	r.before = newForesight(s.Steps)
	return r
}

func (r *runner) play(ctx context.Context) (err error) {
	if r.base, err = url.Parse(r.stage.URL); err != nil || r.base.Host == "" || (r.base.Scheme != "http" && r.base.Scheme != "https") {
		return unverifiedf("%q is no address of a page: only http and https are evidence", r.stage.URL)
	}
	limit := r.s.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, unverifiedf("the scenario took longer than %s", limit))
	defer cancel()
	if r.p, err = r.b.process(ctx); err != nil {
		return unverifiedf("%v", err)
	}
	r.ctx, r.log.base = ctx, r.base.String()
	if r.tab, err = r.p.newTab(ctx, r.log); err != nil {
		return unverifiedf("the browser gave no page: %v", err)
	}
	r.opened = []*tab{r.tab}
	defer r.leave()
	return r.onTab()
}

// leave closes what the run opened. A warm browser does so behind the next
// step, and makes the next tab.
func (r *runner) leave() {
	p, opened := r.p, r.opened
	closing := func() {
		for _, t := range opened {
			for _, q := range p.popupsOf(t) {
				q.close(p)
			}
			t.close(p)
		}
	}
	if !r.b.opts.Warm {
		closing()
		return
	}
	go func() {
		closing()
		p.refill()
	}()
}

// onTab plays the steps on the tab and takes from it what it has to report.
func (r *runner) onTab() error {
	err := r.steps()
	if err == nil {
		err = r.afterwards()
	}
	r.outline(err)
	if err != nil {
		err = r.explain(r.p, err)
	}
	r.lastShot(err)
	r.collect()
	return err
}

// outline describes the page as the steps left it; where it cannot be asked any
// more, what it was at first stays.
func (r *runner) outline(err error) {
	if r.res.Opened.URL == "" || r.tab.ctx.Err() != nil || errors.Is(err, errHung) {
		return
	}
	if views, terr := r.tab.views(); terr == nil {
		r.res.Snapshot, r.res.Clickable = outline(allNodes(views))
	}
}

// steps opens the page and does one step after the other, up to the first that
// cannot be done or is not met.
func (r *runner) steps() error {
	if r.s.Prefers != "" {
		if err := r.tab.prefer(r.s.Prefers); err != nil {
			return err
		}
	}
	if err := r.openFirst(); err != nil {
		return err
	}
	for i := range r.s.Steps {
		if err := r.step(i); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, r.s.Steps[i], err)
		}
	}
	return nil
}

// openFirst opens the page that the scenario begins with, unless its first step
// does.
func (r *runner) openFirst() error {
	if r.s.opensItself() {
		return nil
	}
	path := r.s.Open
	if path == "" {
		path = "/"
	}
	r.log.enter(0, stepPolicy{status: int64(r.s.Status)})
	if err := r.open(path); err != nil {
		return err
	}
	r.tab.rec.mu.Lock()
	status := r.tab.rec.status
	r.tab.rec.mu.Unlock()
	if want := int64(r.s.Status); want != 0 && status != want && !r.s.StatusMay {
		return failf("the page was expected with status %d, but the server answered with %d", want, status)
	}
	return nil
}

func (s *Scenario) opensItself() bool {
	return s.Open == "" && len(s.Steps) > 0 && s.Steps[0].Verb == VerbOpen
}
