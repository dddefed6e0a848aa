package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"gitagent/internal/plain"
)

const (
	maxDialogs = 20 // in one scenario; more is a storm
	maxListed  = 40 // errors, failures and blocked addresses that are kept
)

var errCrashed = errors.New("the tab crashed")

// recorder keeps what the tab reports. listen runs on the goroutine that reads
// the browser's messages, so it only takes notes.
type recorder struct {
	main   cdp.FrameID
	crash  context.CancelCauseFunc
	answer func(accept bool, text string) // runs on a goroutine of its own

	mu        sync.Mutex
	base      string // origin of the page under test
	step      int
	doc       int // counts documents of the main frame
	url       string
	status    int64
	loading   bool
	inflight  map[network.RequestID]request
	errors    []PageError
	ids       []int64 // exception ids beside errors, 0 for none
	failures  []Failure
	blocked   []string
	policy    dialogPolicy
	dialogs   []dialog
	abandoned string // why nothing later is evidence
}

type request struct {
	url   string
	since time.Time
	typ   network.ResourceType
	frame cdp.FrameID
}

// dialogPolicy says what to answer; it belongs to one step.
type dialogPolicy struct {
	dialog, answer string
}

type dialog struct {
	kind, message string
	accepted      bool
	unanswered    bool // a confirm or prompt that the step said nothing about
	step          int
}

func (d dialog) String() string {
	what := "dismissed"
	switch {
	case d.accepted:
		what = "accepted"
	case d.unanswered:
		what = "dismissed, since the step does not say what to answer"
	}
	return fmt.Sprintf("%s %q (%s)", d.kind, plain.Line(d.message, 200), what)
}

// listen takes note of one event.
func (r *recorder) listen(ev any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := ev.(type) {
	case *inspector.EventTargetCrashed:
		r.crash(errCrashed)
	case *page.EventJavascriptDialogOpening:
		r.dialog(ev)
	case *page.EventFrameNavigated:
		if ev.Frame.ID == r.main {
			r.doc++
			r.visit(ev.Frame.URL, ev.Frame.UnreachableURL)
		}
	case *page.EventNavigatedWithinDocument:
		if ev.FrameID == r.main {
			r.url = ev.URL
		}
	case *page.EventFrameStartedLoading:
		r.loading = r.loading || ev.FrameID == r.main
	case *page.EventFrameStoppedLoading:
		r.loading = r.loading && ev.FrameID != r.main
	case *runtime.EventExceptionThrown, *runtime.EventExceptionRevoked, *runtime.EventConsoleAPICalled, *cdplog.EventEntryAdded:
		r.fault(ev)
	case *network.EventRequestWillBeSent, *network.EventResponseReceived, *network.EventLoadingFailed, *network.EventLoadingFinished:
		r.traffic(ev)
	}
}

// visit notes a new document. Only pages of the project's own origin count.
func (r *recorder) visit(addr, unreachable string) {
	r.url = addr
	if r.base == "" || addr == "about:blank" {
		return
	}
	if unreachable != "" {
		addr = unreachable
	}
	if !sameOrigin(r.base, addr) && r.abandoned == "" {
		r.abandoned = "the page left its origin for " + plain.Line(addr, 120) + ", and what is shown there is no evidence"
	}
}

func (r *recorder) dialog(ev *page.EventJavascriptDialogOpening) {
	d := dialog{kind: string(ev.Type), message: ev.Message, step: r.step}
	text := ""
	switch {
	case ev.Type == page.DialogTypeBeforeunload:
		d.accepted = true
	case r.policy.dialog == "accept":
		d.accepted, text = true, r.policy.answer
		if ev.Type == page.DialogTypePrompt && text == "" {
			text = ev.DefaultPrompt
		}
	case r.policy.dialog == "dismiss":
	case ev.Type == page.DialogTypeAlert:
		d.accepted = true
	default:
		d.unanswered = true
	}
	r.dialogs = append(r.dialogs, d)
	if len(r.dialogs) > maxDialogs {
		r.crash(fmt.Errorf("the page opened more than %d dialogs", maxDialogs))
		return
	}
	go r.answer(d.accepted, text)
}

// fault notes what a page reports as wrong.
func (r *recorder) fault(ev any) {
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		d := ev.ExceptionDetails
		text := d.Text
		if d.Exception != nil && d.Exception.Description != "" {
			text += " " + firstLine(d.Exception.Description)
		} else if d.Exception != nil && len(d.Exception.Value) > 0 {
			text += " " + string(d.Exception.Value)
		}
		r.addError("exception", text, place(d.URL, d.LineNumber, d.StackTrace), d.ExceptionID)
	case *runtime.EventExceptionRevoked:
		for i, id := range r.ids {
			if id == ev.ExceptionID {
				r.errors = append(r.errors[:i:i], r.errors[i+1:]...)
				r.ids = append(r.ids[:i:i], r.ids[i+1:]...)
				break
			}
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeAssert {
			r.addError("console."+string(ev.Type), consoleText(ev.Args), place("", 0, ev.StackTrace), 0)
		}
	case *cdplog.EventEntryAdded:
		// Failed requests come as network events, exceptions as their own.
		e := ev.Entry
		if e.Level == cdplog.EntryLevelError && !knownElsewhere(e.Source) {
			r.addError("log", e.Text, place(e.URL, e.LineNumber, nil), 0)
		}
	}
}

// knownElsewhere are sources whose entries come as other events, or are the
// browser's own advice.
func knownElsewhere(src cdplog.EntrySource) bool {
	switch src {
	case cdplog.EntrySourceNetwork, cdplog.EntrySourceJavascript, cdplog.EntrySourceIntervention,
		cdplog.EntrySourceViolation, cdplog.EntrySourceDeprecation, cdplog.EntrySourceRecommendation:
		return true
	}
	return false
}

func (r *recorder) addError(kind, text, at string, id int64) {
	if len(r.errors) < maxListed {
		r.errors = append(r.errors, PageError{Kind: kind, Text: plain.Line(text, 500), At: plain.Line(at, 160), Step: r.step})
		r.ids = append(r.ids, id)
	}
}

func consoleText(args []*runtime.RemoteObject) string {
	var parts []string
	for _, a := range args {
		var s string
		switch {
		case a.Type == runtime.RemoteObjectTypeString && len(a.Value) > 1:
			s = jsonString(a.Value)
		case a.Description != "":
			s = firstLine(a.Description)
		case a.UnserializableValue != "":
			s = string(a.UnserializableValue)
		default:
			s = string(a.Value)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// place is file:line of an error, without the address of the server.
func place(addr string, line int64, st *runtime.StackTrace) string {
	if st != nil && len(st.CallFrames) > 0 {
		addr, line = st.CallFrames[0].URL, st.CallFrames[0].LineNumber
	}
	if addr == "" {
		return ""
	}
	if u, err := url.Parse(addr); err == nil && u.Host != "" {
		addr = strings.TrimPrefix(u.Path, "/")
		if addr == "" {
			addr = "/"
		}
	}
	return fmt.Sprintf("%s:%d", addr, line+1)
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
			r.addFailure(ev.Response.URL, ev.Response.Status, "")
		}
		if ev.Type == network.ResourceTypeEventSource {
			delete(r.inflight, ev.RequestID)
		}
	case *network.EventLoadingFailed:
		q, ok := r.inflight[ev.RequestID]
		delete(r.inflight, ev.RequestID)
		if ok && !ev.Canceled && ev.ErrorText != "net::ERR_ABORTED" {
			r.addFailure(q.url, 0, ev.ErrorText)
		}
	case *network.EventLoadingFinished:
		delete(r.inflight, ev.RequestID)
	}
}

func (r *recorder) addFailure(addr string, status int64, text string) {
	u, err := url.Parse(addr)
	if err != nil || u.Path == "/favicon.ico" || r.base == "" {
		return
	}
	switch {
	case sameOrigin(r.base, addr):
		if u.RawQuery != "" {
			u.RawQuery = clip(u.RawQuery, 80)
		}
		shown := u.Path
		if u.RawQuery != "" {
			shown += "?" + u.RawQuery
		}
		if len(r.failures) < maxListed {
			r.failures = append(r.failures, Failure{URL: plain.Line(shown, 200), Status: status, Error: text, Step: r.step})
		}
	case status == 0 && len(r.blocked) < maxListed:
		r.blocked = append(r.blocked, plain.Line(addr, 200))
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
	for _, q := range r.inflight {
		if time.Since(q.since) < time.Second && q.typ != network.ResourceTypeWebSocket && q.typ != network.ResourceTypePing && sameOrigin(r.base, q.url) {
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

// enter begins a step: its number and its answer to dialogs. A step that says
// nothing keeps no earlier answer.
func (r *recorder) enter(step int, p dialogPolicy) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step, r.policy = step, p
}

// dialogsOf returns the dialogs that opened during a step.
func (r *recorder) dialogsOf(step int) []dialog {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []dialog
	for _, d := range r.dialogs {
		if d.step == step {
			out = append(out, d)
		}
	}
	return out
}
