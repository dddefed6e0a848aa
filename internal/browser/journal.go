package browser

import (
	"fmt"
	"net/url"
	"strings"
	"sync"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"gitagent/internal/plain"
)

const (
	maxDialogs = 20 // in one scenario; more is a storm
	maxListed  = 40 // errors, failures and blocked addresses that are kept
)

// journal keeps what all tabs of one run report: errors, failed requests,
// blocked addresses, dialogs and how they are answered.
type journal struct {
	mu       sync.Mutex
	base     string // origin of the page under test
	step     int
	policy   stepPolicy
	errors   []PageError
	ids      []exceptionID // beside errors
	failures []Failure
	expected []int64 // statuses that were expected and came, in this step
	blocked  []string
	notes    []string
	dialogs  []dialog
	away     bool // the server is being restarted: nobody answers meanwhile
}

type exceptionID struct {
	from *recorder
	id   int64 // 0 for what is no exception
}

// stepPolicy is what a step says about what happens during it.
type stepPolicy struct {
	dialog, answer string
	status         int64 // of the server, expected
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

func (r *journal) origin() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}

func (r *journal) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.notes) < maxListed {
		r.notes = append(r.notes, text)
	}
}

// dialogOpened decides the answer to a dialog; storm is set when there are too
// many of them to go on.
func (r *journal) dialogOpened(ev *page.EventJavascriptDialogOpening) (accept bool, text string, storm error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := dialog{kind: string(ev.Type), message: ev.Message, step: r.step}
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
		return false, "", fmt.Errorf("the page opened more than %d dialogs", maxDialogs)
	}
	return d.accepted, text, nil
}

// fault notes what a page reports as wrong.
func (r *journal) fault(from *recorder, ev any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		d := ev.ExceptionDetails
		text := d.Text
		if d.Exception != nil && d.Exception.Description != "" {
			text += " " + firstLine(d.Exception.Description)
		} else if d.Exception != nil && len(d.Exception.Value) > 0 {
			text += " " + string(d.Exception.Value)
		}
		r.addError("exception", text, place(d.URL, d.LineNumber, d.StackTrace), exceptionID{from, d.ExceptionID})
	case *runtime.EventExceptionRevoked:
		for i, id := range r.ids {
			if id == (exceptionID{from, ev.ExceptionID}) {
				r.errors = append(r.errors[:i:i], r.errors[i+1:]...)
				r.ids = append(r.ids[:i:i], r.ids[i+1:]...)
				break
			}
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError && r.policy.status != 0 {
			// A page may report the failure that the step asks for.
			if len(r.notes) < maxListed {
				r.notes = append(r.notes, plain.Line(fmt.Sprintf("step %d, with its expected status: console.error %s", r.step, consoleText(ev.Args)), 300))
			}
			return
		}
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeAssert {
			r.addError("console."+string(ev.Type), consoleText(ev.Args), place("", 0, ev.StackTrace), exceptionID{})
		}
	case *cdplog.EventEntryAdded:
		// Failed requests come as network events, exceptions as their own.
		e := ev.Entry
		if e.Level == cdplog.EntryLevelError && (!knownElsewhere(e.Source) || strings.HasPrefix(e.Text, "Failed to load module script")) {
			r.addError("log", e.Text, place(e.URL, e.LineNumber, nil), exceptionID{})
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

func (r *journal) addError(kind, text, at string, id exceptionID) {
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

func (r *journal) addFailure(addr string, status int64, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, err := url.Parse(addr)
	if err != nil || u.Path == "/favicon.ico" || r.base == "" || u.Scheme == "blob" || u.Scheme == "data" {
		return
	}
	switch {
	case sameOrigin(r.base, addr):
		if status != 0 && status == r.policy.status {
			r.expected = append(r.expected, status)
			return
		}
		if status == 0 && r.away {
			return
		}
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

// enter begins a step: its number and its answer to dialogs. A step that says
// nothing keeps no earlier answer.
func (r *journal) enter(step int, p stepPolicy) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step, r.policy, r.expected = step, p, nil
}

// dialogsOf returns the dialogs that opened during a step.
func (r *journal) dialogsOf(step int) []dialog {
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

// expects says whether the step asks for this status.
func (r *journal) expects(status int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.policy.status != 0 && r.policy.status == status
}

// sawExpected says whether the status that the step asks for has come.
func (r *journal) sawExpected() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.expected) > 0
}

func (r *journal) setAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}
