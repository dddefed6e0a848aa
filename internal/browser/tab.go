package browser

import (
	"context"
	_ "embed" // the scripts that read a page
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	viewportWidth  = 1280
	viewportHeight = 800

	answerTimeout = 10 * time.Second // a page that does not answer for so long hangs
	loadTimeout   = 15 * time.Second
)

var (
	//go:embed see.js
	seeScript string
	//go:embed cover.js
	coverScript string
	//go:embed act.js
	actScript string
)

// errHung means that the page's own scripts leave it no time to answer.
var errHung = fmt.Errorf("the page stopped answering for %s, as in an endless loop", answerTimeout)

// tab is one page. Its process-wide state, cookies and storage, belongs to the
// browser context it was opened in.
type tab struct {
	ctx    context.Context // ends with the scenario, the tab or the browser
	cancel context.CancelFunc
	fail   context.CancelCauseFunc
	rec    *recorder
	id     target.ID
	own    cdp.BrowserContextID // the context it is in
	opener *tab                 // nil unless another page opened it
	since  time.Time            // when it was opened
	stays  bool                 // the browser's first tab, left open

	calls   atomic.Int64 // made to the browser for this page, each a round trip
	mu      sync.Mutex
	worlds  map[cdp.FrameID]*world
	motions []Motion // that were looked at, for the result
	memo    *glance  // what was read at this moment, nil while things may change
}

// blankTab opens an empty tab in a browser context of its own.
func (p *process) blankTab() (*tab, error) {
	p.firstMu.Lock()
	first := p.first
	p.first = ""
	p.firstMu.Unlock()
	if first != "" {
		// The profile is new, and so is the page it starts with: as good as
		// another context, and there already.
		if t, err := p.openTab(nil, chromedp.WithTargetID(first), chromedp.WithDetachOnCancel()); err == nil {
			t.stays = true
			return t, nil
		}
	}
	return p.openTab(nil, chromedp.WithNewBrowserContext())
}

// openTab attaches to a tab; during says what is done before it may run.
func (p *process) openTab(log *journal, opts ...chromedp.ContextOption) (*tab, error) {
	rec := &recorder{log: log, inflight: map[network.RequestID]request{}}
	if log == nil {
		rec.log = &journal{}
	}
	tctx, cancelTab := chromedp.NewContext(p.ctx, append(opts, chromedp.WithListener(rec.listen))...)
	cctx, fail := context.WithCancelCause(tctx)
	t := &tab{ctx: cctx, fail: fail, rec: rec, worlds: map[cdp.FrameID]*world{}}
	t.cancel = func() {
		fail(errOver)
		cancelTab()
	}
	rec.crash = fail
	rec.answer = t.answerDialog
	// The tab's life is bound to the context of its first call.
	if err := chromedp.Do(tctx); err != nil {
		t.cancel()
		return nil, err
	}
	c := chromedp.FromContext(tctx)
	t.id, t.own = c.Target.TargetID, c.BrowserContextID
	rec.mu.Lock()
	rec.main = cdp.FrameID(t.id)
	rec.mu.Unlock()
	if err := t.prepare(p.userAgent); err != nil {
		t.cancel()
		return nil, err
	}
	if log == nil { // a popup waits until its run is known
		if err := t.goOn(); err != nil {
			t.cancel()
			return nil, err
		}
	}
	return t, nil
}

// goOn lets a page run that the browser keeps waiting for us, see watchPopups.
func (t *tab) goOn() error {
	ctx, cancel := context.WithTimeout(t.ctx, answerTimeout)
	defer cancel()
	_, err := chromedp.Call(ctx, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	return err
}

var errOver = errors.New("the scenario is over")

// newTab gives an empty tab for one run: the spare one, where there is one.
func (p *process) newTab(ctx context.Context, log *journal) (*tab, error) {
	t := p.takeSpare()
	if t == nil {
		var err error
		if t, err = p.blankTab(); err != nil {
			return nil, err
		}
	}
	t.rec.mu.Lock()
	t.rec.log = log
	t.rec.mu.Unlock()
	t.bind(ctx)
	p.know(t)
	return t, nil
}

// bind makes the tab's calls end with ctx.
func (t *tab) bind(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { t.fail(context.Cause(ctx)) })
	inner := t.cancel
	t.cancel = func() { stop(); inner() }
}

// prepare makes the tab look and behave like a person's.
func (t *tab) prepare(userAgent string) error {
	ctx, cancel := context.WithTimeout(t.ctx, answerTimeout)
	defer cancel()
	if err := t.setSize(ctx, size{width: viewportWidth, height: viewportHeight}); err != nil {
		return err
	}
	// Without it a page behind another gets no animation frames.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return err
	}
	if _, err := chromedp.CallBrowser(ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.own, EventsEnabled: new(true),
	}); err != nil {
		return err
	}
	if userAgent == "" {
		return nil
	}
	_, err := chromedp.Call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: userAgent, AcceptLanguage: "en-US,en"})
	return err
}

// prefer makes the system ask for what the scenario says, "" for nothing.
func (t *tab) prefer(what string) error {
	p := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{}}
	switch what {
	case "reduced-motion":
		p.Features = append(p.Features, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	case "dark":
		p.Features = append(p.Features, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	}
	_, err := call(t, emulation.SetEmulatedMedia, p)
	return err
}

func (t *tab) setSize(ctx context.Context, s size) error {
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.mobile,
	})
	return err
}

func (t *tab) answerDialog(accept bool, text string) {
	ctx, cancel := context.WithTimeout(t.ctx, answerTimeout)
	defer cancel()
	// An error means that the dialog or the tab has gone, which is seen there.
	_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
}

// call runs one protocol command within answerTimeout.
func call[P, R any](t *tab, cmd cdp.Command[P, R], params P) (R, error) {
	return callWithin(t, answerTimeout, cmd, params)
}

func callWithin[P, R any](t *tab, limit time.Duration, cmd cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeoutCause(t.ctx, limit, errHung)
	defer cancel()
	t.calls.Add(1)
	res, err := chromedp.Call(ctx, cmd, params)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// passing says whether err can come from a document that is being replaced, so
// that the same question is worth asking again.
func passing(err error) bool {
	var ce *cdproto.Error
	return errors.As(err, &ce) || errors.Is(err, errFrameGone)
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d == nil {
		return "no result"
	}
	if d.Exception != nil && d.Exception.Description != "" {
		return firstLine(d.Exception.Description)
	}
	return d.Text
}

func jsonString(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}
