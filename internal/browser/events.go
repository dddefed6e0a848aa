package browser

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"gitagent/internal/plain"
)

var errCrashed = errors.New("the tab crashed")

// recorder keeps what one tab reports. listen runs on the goroutine that reads
// the browser's messages, so it only takes notes.
type recorder struct {
	main   cdp.FrameID
	crash  context.CancelCauseFunc
	answer func(accept bool, text string) // runs on a goroutine of its own

	mu        sync.Mutex
	log       *journal
	doc       int         // counts documents of the main frame
	frames    []frameInfo // of the current document, beside the main frame
	url       string
	status    int64
	loading   bool
	inflight  map[network.RequestID]request
	abandoned string // why nothing later is evidence
	drag      *input.DragData
	chooser   cdp.BackendNodeID // the file field whose chooser was opened
	animated  int               // CSS animations that were started
}

// frameInfo is one inner frame; doc counts its documents.
type frameInfo struct {
	id, parent cdp.FrameID
	doc        int
}

type request struct {
	url   string
	since time.Time
	typ   network.ResourceType
	frame cdp.FrameID
}

// listen takes note of one event.
func (r *recorder) listen(ev any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := ev.(type) {
	case *inspector.EventTargetCrashed:
		r.crash(errCrashed)
	case *page.EventJavascriptDialogOpening:
		accept, text, storm := r.log.dialogOpened(ev)
		if storm != nil {
			r.crash(storm)
			return
		}
		go r.answer(accept, text)
	case *page.EventFrameNavigated, *page.EventNavigatedWithinDocument, *page.EventFrameAttached, *page.EventFrameDetached,
		*page.EventFrameStartedLoading, *page.EventFrameStoppedLoading:
		r.moved(ev)
	case *page.EventFileChooserOpened:
		r.chooser = ev.BackendNodeID
	case *input.EventDragIntercepted:
		r.drag = ev.Data
	case *runtime.EventExceptionThrown, *runtime.EventExceptionRevoked, *runtime.EventConsoleAPICalled, *cdplog.EventEntryAdded:
		r.log.fault(r, ev)
	case *network.EventRequestWillBeSent, *network.EventResponseReceived, *network.EventLoadingFailed, *network.EventLoadingFinished:
		r.traffic(ev)
	}
}

// moved follows the frames and their documents.
func (r *recorder) moved(ev any) {
	switch ev := ev.(type) {
	case *page.EventFrameNavigated:
		if ev.Frame.ID == r.main {
			r.doc++
			r.frames = nil
			r.visit(ev.Frame.URL, ev.Frame.UnreachableURL)
			return
		}
		for i := range r.frames {
			if r.frames[i].id == ev.Frame.ID {
				r.frames[i].doc++
			}
		}
	case *page.EventNavigatedWithinDocument:
		if ev.FrameID == r.main {
			r.url = ev.URL
		}
	case *page.EventFrameAttached:
		r.frames = append(r.frames, frameInfo{id: ev.FrameID, parent: ev.ParentFrameID})
	case *page.EventFrameDetached:
		r.frames = slices.DeleteFunc(r.frames, func(f frameInfo) bool { return f.id == ev.FrameID })
	case *page.EventFrameStartedLoading:
		r.loading = r.loading || ev.FrameID == r.main
	case *page.EventFrameStoppedLoading:
		r.loading = r.loading && ev.FrameID != r.main
	}
}

// visit notes a new document. Only pages of the project's own origin count.
func (r *recorder) visit(addr, unreachable string) {
	r.url = addr
	base := r.log.origin()
	if base == "" || addr == "about:blank" {
		return
	}
	if unreachable != "" {
		addr = unreachable
	}
	if !sameOrigin(base, addr) && r.abandoned == "" {
		r.abandoned = "the page left its origin for " + plain.Line(addr, 120) + ", and what is shown there is no evidence"
	}
}

// traffic follows requests: what is under way, what failed, what was blocked.
func (r *recorder) traffic(ev any) {
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		r.inflight[ev.RequestID] = request{ev.Request.URL, time.Now(), ev.Type, ev.FrameID}
	case *network.EventResponseReceived:
		if ev.Type == network.ResourceTypeDocument && ev.FrameID == r.main {
			r.status = ev.Response.Status
		}
		if ev.Response.Status >= 400 {
			r.log.addFailure(ev.Response.URL, ev.Response.Status, "")
		}
		if ev.Type == network.ResourceTypeEventSource {
			delete(r.inflight, ev.RequestID)
		}
	case *network.EventLoadingFailed:
		q, ok := r.inflight[ev.RequestID]
		delete(r.inflight, ev.RequestID)
		if ok && !ev.Canceled && ev.ErrorText != "net::ERR_ABORTED" {
			r.log.addFailure(q.url, 0, ev.ErrorText)
		}
	case *network.EventLoadingFinished:
		delete(r.inflight, ev.RequestID)
	}
}

// sameOrigin compares scheme, host and port; the names of the loopback are one.
func sameOrigin(a, b string) bool {
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	if err1 != nil || err2 != nil || x.Scheme != y.Scheme || x.Port() != y.Port() {
		return false
	}
	return x.Hostname() == y.Hostname() || (isLoopback(x.Hostname()) && isLoopback(y.Hostname()))
}

// busy counts requests of the page that are under way and young: a stream or a
// long poll never ends and must not hold up the scenario.
func (r *recorder) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := r.log.origin()
	for _, q := range r.inflight {
		if time.Since(q.since) < time.Second && q.typ != network.ResourceTypeWebSocket && q.typ != network.ResourceTypePing && sameOrigin(base, q.url) {
			return true
		}
	}
	return false
}

// state reads the counters that navigation changes.
func (r *recorder) state() (doc int, loading bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doc, r.loading
}

// children are the inner frames of the current document, outer before inner.
func (r *recorder) children() []frameInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.frames)
}

// leftOrigin is an error once the page has gone elsewhere.
func (r *recorder) leftOrigin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abandoned != "" {
		return unverifiedf("%s", r.abandoned)
	}
	return nil
}
