package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gitagent/internal/plain"
)

// Style is how a text looks. The zero value is plain text of 80 columns.
type Style struct {
	Color bool
	Width int            // columns, 0 = 80
	Zone  *time.Location // where the reader is, nil = UTC
}

// when is a time as the reader's clock shows it, in one of the forms below.
func (y Style) when(t time.Time, form string) string {
	if y.Zone == nil {
		return t.UTC().Format(form)
	}
	return t.In(y.Zone).Format(form)
}

const (
	toMinute = "2006-01-02 15:04"
	toSecond = "2006-01-02 15:04:05"
)

func (y Style) width() int {
	if y.Width <= 0 {
		return 80
	}
	return max(y.Width, 40)
}

// The colours carry no meaning of their own: every word is there without them.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (y Style) paint(code, s string) string {
	if !y.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// outcome paints the word that a session or a check ended with; it may be
// padded.
func (y Style) outcome(word string) string {
	switch strings.TrimSpace(word) {
	case "verified", "pass", "passes":
		return y.paint(green, word)
	case "regression", "fail", "regressed":
		return y.paint(red, word)
	}
	return y.paint(yellow, word)
}

// page collects lines and the first error of writing them.
type page struct {
	w     io.Writer
	style Style
	err   error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *page) head(title string) {
	p.line("")
	p.line("%s", p.style.paint(bold, title))
}

// fit makes foreign text fit beside what takes up used columns.
func (p *page) fit(s string, used int) string { return plain.Line(s, max(20, p.style.width()-used)) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// list joins names, the first few of them.
func list(names []string, max int) string {
	if len(names) <= max {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:max], ", "), len(names)-max)
}
