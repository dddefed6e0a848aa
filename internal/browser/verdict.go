package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gitagent/internal/plain"
)

// explain turns an error into a verdict with a reason.
func (r *runner) explain(p *process, err error) error {
	var v *verdictError
	if errors.As(err, &v) {
		return err
	}
	cause := context.Cause(r.tab.ctx)
	if cause == nil {
		cause = err
	}
	switch {
	case errors.As(cause, &v):
		return fmt.Errorf("%s%w", stepOf(err), v)
	case errors.Is(cause, errCrashed), strings.Contains(cause.Error(), "dialogs"):
		return fmt.Errorf("%s%w", stepOf(err), failf("%v", cause))
	case errors.Is(err, errHung):
		return fmt.Errorf("%s%w", stepOf(err), failf("%v", errHung))
	case p.ctx.Err() != nil:
		return unverifiedf("%sthe browser ended: %v", stepOf(err), exitOf(err))
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return unverifiedf("%sinterrupted", stepOf(err))
	}
	return unverifiedf("%v", err)
}

// stepOf keeps the words "step 3, click "7": " of a wrapped error.
func stepOf(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		if prefix, ok := strings.CutSuffix(err.Error(), inner.Error()); ok {
			return prefix
		}
	}
	return ""
}

func exitOf(err error) string {
	if msg := err.Error(); strings.Contains(msg, "signal") || strings.Contains(msg, "exit") {
		return plain.Line(msg, 200)
	}
	return "its process is gone"
}

// collect takes what the tab has reported into the result.
func (r *runner) collect() {
	log := r.log
	log.mu.Lock()
	defer log.mu.Unlock()
	r.res.ConsoleErrors = slices.Clone(log.errors)
	r.res.Network = slices.Clone(log.failures)
	r.res.Blocked = slices.Clone(log.blocked)
	r.res.Notes = append(r.res.Notes, log.notes...)
}

// conclude decides the verdict. What failed outweighs what is unverified, and
// that outweighs everything that was seen.
func (r *runner) conclude(err error) {
	verdict, reason := r.judge(err)
	r.res.Verdict, r.res.Reason = verdict, plain.Line(reason, 700)
	if len(r.res.Blocked) > 0 {
		r.res.Notes = append(r.res.Notes, "the page asks for addresses outside this machine, which are blocked: "+plain.Line(strings.Join(head(r.res.Blocked, 3), ", "), 200))
	}
}

func (r *runner) judge(err error) (verdict, reason string) {
	var v *verdictError
	switch {
	case errors.As(err, &v) && v.verdict == Fail:
		return Fail, join2(err.Error(), r.pageFault())
	case err != nil && r.res.Opened.URL == "":
		return Unverified, err.Error() // there was no page to be at fault
	case r.pageFault() != "":
		reason = r.pageFault()
		if err != nil {
			reason = join2(reason, err.Error())
		}
		return Fail, reason
	case err != nil:
		return Unverified, err.Error()
	}
	if d := r.unanswered(); d != nil {
		return Unverified, fmt.Sprintf("step %d: %s; add \"dialog\":\"accept\" or \"dismiss\" to the step", d.step, d)
	}
	if len(r.held) > 0 {
		return Unverified, r.held[0] + ": this already held before the action, so it proves nothing; assert what the action changes (with \"in\" name the place), or put it before the first action"
	}
	a := r.res.Asserts
	if a.Evidence == 0 {
		switch {
		case a.Pass == 0:
			return Unverified, "nothing was asserted; end with what the page should show then, as in {\"see\":\"TEXT\"}"
		case r.s.hasActions():
			return Unverified, "nothing was asserted that the actions could have changed"
		}
		return Unverified, "nothing was asserted about what the page shows"
	}
	return Pass, fmt.Sprintf("%d of %d steps, %s held", r.res.StepsRun, r.res.StepsTotal, plain.Count(a.Pass, "assertion"))
}

func (r *runner) unanswered() *dialog {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	for _, d := range r.log.dialogs {
		if d.unanswered {
			return &d
		}
	}
	return nil
}

// pageFault is the first error that the page itself is to blame for.
func (r *runner) pageFault() string {
	if len(r.res.ConsoleErrors) > 0 {
		e := r.res.ConsoleErrors[0]
		return "the page reports an error (" + e.Kind + "): " + plain.Line(e.Text, 250) + at(e.At)
	}
	if len(r.res.Network) > 0 {
		f := r.res.Network[0]
		return "the page's own " + f.URL + " failed: " + outcome(f)
	}
	return ""
}

func join2(a, b string) string {
	if b == "" {
		return a
	}
	return plain.Line(a, 400) + "; " + b
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

func outcome(f Failure) string {
	if f.Status > 0 {
		return fmt.Sprintf("status %d", f.Status)
	}
	return f.Error
}

// errorsOf are the errors of one step, for its line in the result.
func (r *journal) errorsOf(step int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.errors {
		if e.Step == step {
			out = append(out, plain.Line(e.Kind+": "+e.Text, 300))
		}
	}
	for _, f := range r.failures {
		if f.Step == step {
			out = append(out, plain.Line(f.URL+": "+outcome(f), 200))
		}
	}
	return head(out, 5)
}

// close ends the tab, in bounded time also when its page loops for ever.
func (t *tab) close(p *process) {
	p.tabsMu.Lock()
	delete(p.tabs, t.id)
	p.tabsMu.Unlock()
	if t.stays && t.ctx.Err() != nil && p.ctx.Err() == nil {
		// The browser's first tab cannot be closed without the browser, and
		// what broke it may still be under way.
		p.end()
		return
	}
	done := make(chan struct{})
	go func() {
		t.leavePage()
		t.cancel()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * closeTimeout):
		// A tab that does not close would hold up later runs: end the browser,
		// the next run starts a new one.
		p.end()
	case <-p.ctx.Done():
	}
}

// leavePage empties the tab that the browser started with, which stays: a
// browser without a window ends.
func (t *tab) leavePage() {
	if !t.stays {
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, time.Second)
	defer cancel()
	_, _ = chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: "about:blank"})
}
