package browser

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the step as one reads it aloud.
func (s Step) String() string {
	var b strings.Builder
	b.WriteString(string(s.Verb))
	add := func(word, text string) {
		if text == "" {
			return
		}
		if word != "" {
			b.WriteString(" " + word)
		}
		b.WriteString(" " + strconv.Quote(text))
	}
	switch s.Verb {
	case VerbClick, VerbDblclick, VerbHover, VerbClear, VerbCheck, VerbUncheck, VerbAnimates, VerbStill, VerbEnabled, VerbDisabled:
		add("", s.Target)
	case VerbType:
		b.WriteString(" " + strconv.Quote(s.Text))
		add("into", s.Target)
	case VerbUpload:
		add("", s.Text)
		add("into", s.Target)
	case VerbSelect:
		add("", s.Text)
		add("from", s.Target)
	case VerbDrag:
		add("", s.Target)
		add("to", s.To)
	case VerbScroll:
		add("", s.Text)
		add("to", s.Target)
	case VerbValue:
		add("of", s.Target)
		b.WriteString(" is " + strconv.Quote(s.Text))
	case VerbCount:
		b.WriteString(" " + s.Text)
		add("of", s.Target)
	case VerbWait:
		if s.Text == "" {
			fmt.Fprintf(&b, " %gs", s.Pause.Seconds())
		}
		add("for", s.Text)
		add("in", s.Target)
	case VerbReload, VerbBack, VerbRestart:
	default:
		add("", s.Text)
		add("in", s.Target)
	}
	add("within", s.In)
	if s.Nth > 0 {
		fmt.Fprintf(&b, " (number %d)", s.Nth)
	}
	if s.Status > 0 {
		fmt.Fprintf(&b, " (status %d expected)", s.Status)
	}
	return b.String()
}
