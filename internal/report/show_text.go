package report

import (
	"fmt"
	"io"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

const maxHistory = 20 // rows of a history that are shown

// Text writes the feature for people.
func (v *FeatureView) Text(w io.Writer, style Style) error {
	p := &page{w: w, style: style}
	p.line("%s  %s", style.paint(bold, v.ID), plain.Line(v.Description, 400))
	var about []string
	if v.Category != "" {
		about = append(about, plain.Line(v.Category, 60))
	}
	about = append(about, fmt.Sprintf("priority %d", v.Priority))
	if len(v.DependsOn) > 0 {
		about = append(about, "depends on "+list(v.DependsOn, 8))
	}
	p.line("%s", style.paint(dim, strings.Join(about, ", ")))
	state := style.outcome(v.State)
	if v.AlreadyMet {
		state += " (already met before its session)"
	}
	if v.Reason != "" {
		state += ": " + plain.Line(v.Reason, 400)
	}
	p.line("%s", state)
	v.steps(p)
	v.evidence(p)
	v.history(p)
	v.kept(p)
	return p.err
}

func (v *FeatureView) steps(p *page) {
	p.head("steps")
	shown := map[string]bool{} // a check that covers several steps is told once
	for _, s := range v.Steps {
		p.line("%3d. %s", s.N, plain.Line(s.Text, 400))
		for _, seen := range s.Seen {
			if shown[seen.Check] {
				p.line("     %s %s, as above", p.style.outcome(seen.Verdict), plain.Line(seen.Check, 40))
				continue
			}
			shown[seen.Check] = true
			text := seen.Check + " " + seen.Kind
			if seen.Reason != "" {
				text += ": " + seen.Reason
			}
			p.line("     %s %s", p.style.outcome(seen.Verdict), plain.Line(text, 300))
			for _, o := range seen.Observed {
				p.line("       %s", plain.Line(o, 300))
			}
			for _, shot := range seen.Shots {
				p.line("       picture: %s", plain.Line(shot, 200))
			}
		}
	}
}

func (v *FeatureView) evidence(p *page) {
	if v.Evidence == nil && v.Damaged == "" && v.Contract == nil {
		return
	}
	p.head("evidence")
	if v.Damaged != "" {
		p.line("  %s %s", p.style.paint(red, "cannot be read:"), v.Damaged)
	}
	if c := v.Contract; c != nil {
		state := ""
		if c.Pending {
			state = " (not landed)"
		}
		p.line("  contract %s%s %s", c.Path, state, p.style.paint(dim, plain.Line(c.Digest, 16)))
	}
	r := v.Evidence
	if r == nil {
		return
	}
	p.line("  %s on tree %s, %s, session %s, model %s", p.style.outcome(r.Verdict), gitops.OID(plain.Line(r.Tree, 64)).Short(),
		p.style.when(r.Time, toMinute), plain.Line(r.Session, 60), plain.Line(r.Model, 60))
	for _, t := range r.Tests {
		p.line("  %s %s: %d passed, %d failed, %d skipped, counted by %s", p.style.outcome(t.Verdict), plain.Line(t.Command, 80), t.Passed, t.Failed, t.Skipped, plain.Line(t.Counted, 20))
	}
	if n := len(r.Bite); n > 0 {
		p.line("  the same checks failed before the work, as they must: %s", plain.Count(n, "check"))
	}
}

func (v *FeatureView) history(p *page) {
	if len(v.History) == 0 {
		return
	}
	p.head(fmt.Sprintf("history (N %d, r %d, n %d)", v.Cycle, v.Revision, v.Attempt))
	rows := v.History
	if n := len(rows) - maxHistory; n > 0 {
		p.line("  %d older left out", n)
		rows = rows[n:]
	}
	for _, e := range rows {
		p.line("  %s  %s", p.style.when(e.Time, toMinute), p.fit(e.text(), 20))
	}
	var open []DefectInfo
	for _, d := range v.Defects {
		if !d.Fixed {
			open = append(open, d)
		}
	}
	if len(open) == 0 {
		return
	}
	p.head("open defects")
	for _, d := range open {
		again := ""
		if d.Returned > 0 {
			again = ", came back"
		}
		p.line("  seen %s%s: %s", plain.Count(d.Count, "time"), again, plain.Line(d.Text, 300))
	}
}

// text is one row in words.
func (e HistoryEvent) text() string {
	var words []string
	if e.Phase != "" {
		words = append(words, e.Phase)
	}
	if e.Revision > 0 {
		words = append(words, fmt.Sprintf("r%d", e.Revision))
	}
	if e.Attempt > 0 {
		words = append(words, fmt.Sprintf("n%d", e.Attempt))
	}
	text := strings.Join(append(words, e.Kind), " ")
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (v *FeatureView) kept(p *page) {
	if len(v.Attempts) == 0 {
		return
	}
	p.head("attempts kept")
	for _, a := range v.Attempts {
		p.line("  %s  %s %s", p.style.when(a.Time, toMinute), p.style.outcome(fmt.Sprintf("%-12s", plain.Line(a.Outcome, 12))), plain.Line(a.Session, 60))
	}
	p.line("  git agent take SESSION puts one on a branch")
}
