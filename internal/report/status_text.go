package report

import (
	"fmt"
	"io"

	"gitagent/internal/plain"
)

const shown = 8 // features of one kind that are named

// Text writes the overview for people: what holds, what comes next, what needs
// a person.
func (o *Overview) Text(w io.Writer, style Style) error {
	p := &page{w: w, style: style}
	o.summary(p)
	o.running(p)
	o.next(p)
	p.held("regressed", red, "pass by their flag, but broke since", o.Regressed)
	p.names("claimed", yellow, "have their flag but no evidence", o.Claimed)
	p.held("blocked", yellow, "need a word from a person", o.Blocked)
	p.held("parked", yellow, "wait until a person acts: edit, split or retire them, or name them to git agent step", o.Parked)
	o.suites(p)
	p.names("already met", dim, "passed before their session did anything", o.AlreadyMet)
	o.recent(p)
	o.foot(p)
	return p.err
}

// suites names the tests that fail or are flaky; those that pass need no word.
func (o *Overview) suites(p *page) {
	for _, s := range o.Suites {
		for _, part := range []struct {
			what string
			ids  []string
		}{{"failed before any work", s.Failing}, {"pass and fail by turns", s.Flaky}} {
			if len(part.ids) == 0 {
				continue
			}
			p.line("")
			p.line("%s", p.style.paint(yellow, fmt.Sprintf("tests (%s): %d %s and block nothing", plain.Line(s.Command, 60), len(part.ids), part.what)))
			for i, id := range part.ids {
				if i == shown {
					p.line("  … and %d more", len(part.ids)-shown)
					break
				}
				p.line("  %s", plain.Line(id, 120))
			}
		}
	}
}

func (o *Overview) summary(p *page) {
	c := o.Counts
	name := o.Project
	if name == "" {
		name = "features"
	}
	where := o.Branch
	if where == "" {
		where = "no branch"
	}
	verdict := fmt.Sprintf("%d of %d pass", c.Passing, c.Total)
	color := yellow
	if c.Passing == c.Total && c.Total > 0 {
		color = green
	}
	p.line("%s  %s  %s", p.style.paint(bold, plain.Line(name, 40)), p.style.paint(color, verdict),
		p.style.paint(dim, "("+plain.Line(where, 40)+" at "+o.Head.Short()+")"))
	for _, row := range []struct {
		n    int
		text string
	}{{c.Claimed, "claimed, without evidence"}, {c.Regressed, "regressed"}, {c.Parked, "parked"}, {c.Blocked, "blocked"}, {c.Waiting, "waiting for another feature"}} {
		if row.n > 0 {
			p.line("%6d %s", row.n, row.text)
		}
	}
}

func (o *Overview) running(p *page) {
	r := o.Running
	if r == nil {
		return
	}
	on := ""
	if r.Feature != "" {
		on = " on " + r.Feature
	}
	if r.Phase != "" {
		on += ", " + r.Phase
	}
	p.line("")
	p.line("running: %s, since %s (process %d); git agent abort ends it", plain.Line(r.What+on, 120), p.style.when(r.Since, toMinute), r.PID)
}

func (o *Overview) next(p *page) {
	switch c := o.Counts; {
	case o.Next != nil:
		p.line("")
		p.line("next: %s %s", p.style.paint(bold, o.Next.ID), p.fit(o.Next.Description, 8+len(o.Next.ID)))
		p.line("      git agent step")
	case c.Total == 0:
		p.line("")
		p.line("the list is empty: git agent features add")
	case c.Failing > 0:
		p.line("")
		p.line("next: nothing can be worked on until a person acts")
	case c.Claimed > 0:
		p.line("")
		p.line("every flag is set, not every one is proved: git agent verify")
	}
}

// held lists features with the reason why each stands still.
func (p *page) held(title, color, about string, all []Held) {
	if len(all) == 0 {
		return
	}
	p.section(title, color, about)
	for i, h := range all {
		if i == shown {
			p.line("  and %d more", len(all)-i)
			return
		}
		since := ""
		if !h.Since.IsZero() {
			since = "since " + p.style.when(h.Since, toMinute) + ": "
		}
		p.line("  %s %s", h.ID, p.fit(h.Description, 3+len(h.ID)))
		p.line("      %s", plain.Line(since+h.Reason, 200))
	}
}

func (p *page) names(title, color, about string, all []Named) {
	if len(all) == 0 {
		return
	}
	p.section(title, color, about)
	for i, n := range all {
		if i == shown {
			p.line("  and %d more", len(all)-i)
			return
		}
		p.line("  %s %s", n.ID, p.fit(n.Description, 3+len(n.ID)))
	}
}

func (p *page) section(title, color, about string) {
	p.line("")
	p.line("%s: %s", p.style.paint(color, title), about)
}

func (o *Overview) recent(p *page) {
	if len(o.Sessions) == 0 {
		return
	}
	p.head("last sessions")
	for _, s := range o.Sessions {
		id := s.Feature
		if id == "" {
			id = "-"
		}
		p.line("  %s  %-6s %s %s", p.style.when(s.Time, toMinute), id, p.style.outcome(fmt.Sprintf("%-12s", s.Outcome)), plain.Line(s.Session, 40))
	}
}

func (o *Overview) foot(p *page) {
	var lines []string
	for _, a := range o.Aside {
		lines = append(lines, fmt.Sprintf("%s is verified, but its commit is not on the branch: git agent take %s", plain.Line(a.Feature, 40), plain.Line(a.Session, 60)))
	}
	if n := len(o.Attempts); n > 0 {
		lines = append(lines, plain.Count(n, "attempt")+" kept; git agent show ID lists them, git agent take SESSION puts one on a branch")
	}
	if l := o.Lag; l.Commits > 0 {
		n := plain.Count(l.Commits, "commit")
		if l.More {
			n = "more than " + n
		}
		since := ""
		if l.Since != "" {
			since = " (" + l.Since.Short() + ")"
		}
		lines = append(lines, n+" since the last session's"+since)
	}
	if n := o.Lag.Entries; n == 1 {
		lines = append(lines, "1 log entry waits for the next verified commit")
	} else if n > 1 {
		lines = append(lines, fmt.Sprintf("%d log entries wait for the next verified commit", n))
	}
	if len(lines) > 0 {
		p.line("")
	}
	for _, line := range lines {
		p.line("%s", line)
	}
}
