package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"

	"gitagent/internal/plain"
)

// runner is one run of a scenario.
type runner struct {
	s     *Scenario
	tab   *tab
	base  *url.URL
	shots string
	res   Result

	acted    int // actions done so far
	sinceNav int // of these, since the page was last opened or loaded
	before   *foresight
	held     []string // assertions that already held before the actions
	last     sight    // the page after the previous step
	saw      string   // what the current assertion saw in its place
}

// Run plays the scenario on the page at baseURL and says what it showed. It
// always returns a result, in bounded time, whatever the page does; what went
// wrong with the browser or the tool is Unverified, never a pass.
//
// Screenshots go to the folder shots ("" = none are taken) and are named in the
// result by their file names.
func (b *Browser) Run(ctx context.Context, s *Scenario, baseURL string, shots string) Result {
	begun := time.Now()
	r := &runner{s: s, shots: shots, res: Result{StepsTotal: len(s.Steps)}}
	r.before = newForesight(s.Steps)
	err := r.play(ctx, b, baseURL)
	r.conclude(err)
	r.res.Ms = time.Since(begun).Milliseconds()
	return r.res
}

func (r *runner) play(ctx context.Context, b *Browser, baseURL string) (err error) {
	if r.base, err = url.Parse(baseURL); err != nil || r.base.Host == "" || (r.base.Scheme != "http" && r.base.Scheme != "https") {
		return unverifiedf("%q is no address of a page: only http and https are evidence", baseURL)
	}
	limit := r.s.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, unverifiedf("the scenario took longer than %s", limit))
	defer cancel()
	p, err := b.process(ctx)
	if err != nil {
		return unverifiedf("%v", err)
	}
	if r.tab, err = p.newTab(ctx, r.base.String()); err != nil {
		return unverifiedf("the browser gave no page: %v", err)
	}
	defer r.tab.close(p)
	return r.onTab(p)
}

// onTab plays the steps on the tab and takes from it what it has to report.
func (r *runner) onTab(p *process) error {
	err := r.steps()
	r.outline(err)
	if err != nil {
		err = r.explain(p, err)
	}
	r.lastShot(err)
	r.collect()
	return err
}

// outline describes the page as the steps left it; where it cannot be asked any
// more, what it was at first stays.
func (r *runner) outline(err error) {
	if r.acted == 0 || r.tab.ctx.Err() != nil || errors.Is(err, errHung) {
		return
	}
	if nodes, terr := r.tab.tree(); terr == nil {
		r.res.Snapshot, r.res.Clickable = outline(nodes)
	}
}

// steps opens the page and does one step after the other, up to the first that
// cannot be done or is not met.
func (r *runner) steps() error {
	if !r.opensItself() {
		path := r.s.Open
		if path == "" {
			path = "/"
		}
		if err := r.open(path); err != nil {
			return err
		}
	}
	for i := range r.s.Steps {
		if err := r.step(i); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, r.s.Steps[i], err)
		}
	}
	return nil
}

func (r *runner) opensItself() bool {
	return r.s.Open == "" && len(r.s.Steps) > 0 && r.s.Steps[0].Verb == VerbOpen
}

// open loads a path of the page under test.
func (r *runner) open(path string) error {
	begun := time.Now()
	ref, err := url.Parse(path)
	if err != nil {
		return unverifiedf("%q is no path", path)
	}
	base := *r.base
	if base.Path == "" {
		base.Path = "/"
	}
	addr := base.ResolveReference(ref).String()
	if path == "/" && r.base.Path != "" {
		addr = r.base.String() // the page that was asked for
	}
	if err := r.tab.open(addr); err != nil {
		return err
	}
	return r.arrived(begun)
}

// arrived checks a page that was just loaded, and describes the first one.
func (r *runner) arrived(begun time.Time) error {
	rec := r.tab.rec
	rec.mu.Lock()
	status, abandoned, addr := rec.status, rec.abandoned, rec.url
	rec.mu.Unlock()
	if abandoned != "" {
		return unverifiedf("%s", abandoned)
	}
	if status >= 400 {
		return failf("the server answered with status %d", status)
	}
	if err := r.notBlank(); err != nil {
		return err
	}
	now, err := r.tab.look()
	if err != nil {
		return err
	}
	r.last = now
	if r.res.Opened.URL != "" {
		return nil
	}
	r.res.Opened = Opened{URL: plain.Line(addr, 300), Title: plain.Line(now.Title, 200), Status: status, Ms: time.Since(begun).Milliseconds()}
	nodes, err := r.tab.tree()
	if err != nil {
		return err
	}
	r.res.Snapshot, r.res.Clickable = outline(nodes)
	return nil
}

// notBlank waits for something to be rendered.
func (r *runner) notBlank() error {
	deadline := time.Now().Add(2 * time.Second)
	for {
		var blank bool
		err := r.tab.ask(&blank, "blank")
		if err == nil && blank {
			blank, err = r.tab.treeEmpty()
		}
		if err == nil && !blank {
			return nil
		}
		if err != nil && !passing(err) {
			return err
		}
		if time.Now().After(deadline) {
			return failf("the page is blank")
		}
		if err := sleep(r.tab.ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// step does one step and notes what was seen after it.
func (r *runner) step(i int) error {
	s, begun := r.s.Steps[i], time.Now()
	n := i + 1
	it := Interaction{N: n, Step: s.String()}
	r.tab.rec.enter(n, dialogPolicy{s.Dialog, s.Answer})
	r.saw = ""
	err := r.do(i, s)
	if err == nil {
		err = r.dialogsMet(n, s)
	}
	if err == nil {
		err = r.tab.rec.leftOrigin()
	}
	it.OK = err == nil
	r.res.StepsRun++
	if r.tab.ctx.Err() == nil && !errors.Is(err, errHung) {
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
	for _, d := range r.tab.rec.dialogsOf(n) {
		it.Dialogs = append(it.Dialogs, d.String())
	}
	if err != nil {
		it.Errors = append(it.Errors, plain.Line(err.Error(), 400))
	}
	it.Errors = append(it.Errors, r.tab.rec.errorsOf(n)...)
	it.Ms = time.Since(begun).Milliseconds()
	r.res.Interactions = append(r.res.Interactions, it)
	return err
}

// do runs the step itself.
func (r *runner) do(i int, s Step) error {
	switch {
	case s.Assertion():
		return r.assert(i, s)
	case s.Action():
		r.before.observe(r.tab, i)
		err := r.tab.act(s)
		r.acted++
		r.sinceNav++
		r.before.acted(s)
		if err != nil {
			return err
		}
		return r.tab.settle()
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
	return fmt.Errorf("unknown verb %q", s.Verb)
}

// assert checks one assertion and decides whether it is evidence.
func (r *runner) assert(i int, s Step) error {
	saw, err := r.tab.await(s)
	if s.Target != "" {
		r.saw = saw
	}
	if err != nil {
		var v *verdictError
		if errors.As(err, &v) && v.verdict == Fail {
			r.res.Asserts.Fail++
		}
		return err
	}
	r.res.Asserts.Pass++
	switch r.before.judge(i, s, r.s.hasActions(), r.acted, r.sinceNav) {
	case isEvidence:
		r.res.Asserts.Evidence++
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
		all := r.tab.rec.dialogsOf(n)
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

// shot writes a picture of the page.
func (r *runner) shot(name string) error {
	if r.shots == "" {
		return nil
	}
	res, err := call(r.tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)})
	if err != nil {
		return unverifiedf("no picture could be taken: %v", err)
	}
	name = strings.TrimSuffix(strings.ReplaceAll(name, " ", "-"), ".png")
	file := fmt.Sprintf("%02d-%s.png", len(r.res.Shots)+1, name)
	if err := os.MkdirAll(r.shots, 0o755); err != nil {
		return unverifiedf("no picture could be kept: %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.shots, file), res.Data, 0o644); err != nil {
		return unverifiedf("no picture could be kept: %v", err)
	}
	r.res.Shots = append(r.res.Shots, file)
	return nil
}

// lastShot shows the end of the run; where it cannot be taken, the run says
// enough without it.
func (r *runner) lastShot(err error) {
	if r.tab.ctx.Err() != nil || errors.Is(err, errHung) {
		return
	}
	name := "end"
	if err != nil {
		name = "failed"
	}
	_ = r.shot(name)
}
