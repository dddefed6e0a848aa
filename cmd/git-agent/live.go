package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

// liveView shows a session briefly: a line a turn, and on a terminal a line
// that is redrawn while the model writes. With verbose it shows everything.
type liveView struct {
	t       *terminal
	verbose bool
	mu      sync.Mutex
	tokens  int
	drawn   bool
	last    time.Time
}

func (v *liveView) On(e session.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case e.Kind == "stream":
		v.stream(e)
		return
	case e.Kind == "detail" && !v.verbose:
		return
	}
	v.erase()
	v.tokens = 0
	switch e.Kind {
	case "phase":
		v.line(e, "── %s", e.Phase)
	case "turn":
		v.line(e, "turn %d.%d: %s in, %s out%s%s", e.Attempt, e.Turn, count(e.In), count(e.Out), rate(e.Rate), after("; ", e.Text))
	case "tool":
		v.line(e, "%s %s%s%s%s", sign(e.OK), e.Tool, after(" ", e.Text), touched(e), after(": ", e.Note))
	case "check":
		v.line(e, "%s %s", sign(e.OK), e.Text)
	case "warning":
		v.line(e, "warning: %s", e.Text)
	default:
		v.line(e, "%s", e.Text)
	}
	if v.verbose && e.Detail != "" {
		for _, l := range strings.Split(strings.TrimRight(plain.Text(e.Detail), "\n"), "\n") {
			v.t.notef("        | %s\n", l)
		}
	}
}

// line writes one line; what belongs to a turn is set in below it.
func (v *liveView) line(e session.Event, format string, args ...any) {
	indent := ""
	if e.Kind == "tool" || e.Kind == "check" {
		indent = "  "
	}
	v.t.notef("%s %s%s\n", clock(e.Elapsed), indent, plain.Line(fmt.Sprintf(format, args...), 400))
}

// stream redraws one line while the model writes, ten times a second at most.
func (v *liveView) stream(e session.Event) {
	v.tokens++
	if !v.t.live || time.Since(v.last) < 100*time.Millisecond {
		return
	}
	v.last, v.drawn = time.Now(), true
	where := ""
	if e.Turn > 0 {
		where = fmt.Sprintf("turn %d.%d: ", e.Attempt, e.Turn)
	}
	v.t.notef("\r\x1b[K%s %swriting, %s", clock(e.Elapsed), where, plain.Count(v.tokens, "piece"))
}

func (v *liveView) erase() {
	if v.drawn {
		v.t.notef("\r\x1b[K")
		v.drawn = false
	}
}

// touched names the files of a call that its arguments do not name.
func touched(e session.Event) string {
	if len(e.Files) == 0 || (len(e.Files) == 1 && e.Files[0] == e.Text) {
		return ""
	}
	return " → " + strings.Join(e.Files, ", ")
}

// rate is left out where the server does not say how long it took.
func rate(perSecond float64) string {
	if perSecond <= 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f tokens/s", perSecond)
}

func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

func sign(ok bool) string {
	if ok {
		return "+"
	}
	return "-"
}

func after(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

// count writes a number of tokens shortly.
func count(n int) string {
	if n < 10000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}
