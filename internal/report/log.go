package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

// LogQuery selects entries; the zero value is all of them.
type LogQuery struct {
	Feature string // "" = all
	Session string // "" = all
	Max     int    // 0 = no limit
}

// LogView is what has happened, newest first: the log at HEAD and what waits in
// the journal.
type LogView struct {
	Schema  int        `json:"schema"`
	Head    gitops.OID `json:"head"`
	Entries []LogEntry `json:"entries"`
	Left    int        `json:"left"` // entries beyond the limit
}

// LogEntry is one entry. Facts are what git agent saw; Note quotes a model or a
// person. Pending entries have not landed on the branch.
type LogEntry struct {
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Session string    `json:"session,omitempty"`
	Feature string    `json:"feature,omitempty"`
	Outcome string    `json:"outcome,omitempty"`
	Model   string    `json:"model,omitempty"`
	Tree    string    `json:"tree,omitempty"`
	Facts   []string  `json:"facts,omitempty"`
	Note    string    `json:"note,omitempty"`
	Pending bool      `json:"pending,omitempty"`
}

// GatherLog reads what has happened. A feature that was retired has its entries
// all the same, so an unknown id gives none and no error.
func GatherLog(ctx context.Context, repo *gitops.Repo, q LogQuery) (*LogView, error) {
	s, err := read(ctx, repo)
	if err != nil {
		return nil, err
	}
	v := &LogView{Schema: Schema, Head: s.head.Commit, Entries: []LogEntry{}}
	for i, e := range s.entries {
		if q.Feature != "" && e.Feature != q.Feature || q.Session != "" && e.Session != q.Session {
			continue
		}
		v.Entries = append(v.Entries, LogEntry{
			Time: e.Time, Kind: e.Kind, Session: e.Session, Feature: e.Feature, Outcome: e.Outcome, Model: e.Model, Tree: e.Tree,
			Facts: e.Facts, Note: e.Note, Pending: i >= len(s.entries)-s.pending,
		})
	}
	// The order of the file breaks ties: an entry is never older than those above it.
	slices.Reverse(v.Entries)
	slices.SortStableFunc(v.Entries, func(a, b LogEntry) int { return b.Time.Compare(a.Time) })
	if q.Max > 0 && len(v.Entries) > q.Max {
		v.Left = len(v.Entries) - q.Max
		v.Entries = v.Entries[:q.Max]
	}
	return v, nil
}

// JSON is the log for scripts.
func (v *LogView) JSON() ([]byte, error) { return jsonOf(v) }

// Text writes the log for people.
func (v *LogView) Text(w io.Writer, style Style) error {
	p := &page{w: w, style: style}
	for i, e := range v.Entries {
		if i > 0 {
			p.line("")
		}
		p.entry(e)
	}
	if len(v.Entries) == 0 {
		p.line("nothing has happened yet")
	}
	if v.Left > 0 {
		p.line("")
		p.line("%d older left out", v.Left)
	}
	return p.err
}

func (p *page) entry(e LogEntry) {
	words := []string{p.style.when(e.Time, toSecond)}
	for _, word := range []string{e.Kind, e.Feature} {
		if word != "" {
			words = append(words, p.style.paint(bold, word))
		}
	}
	if e.Outcome != "" && e.Outcome != e.Kind {
		words = append(words, p.style.outcome(e.Outcome))
	}
	if e.Pending {
		words = append(words, p.style.paint(dim, "(not landed)"))
	}
	p.line("%s", strings.Join(words, "  "))
	var about []string
	for _, part := range []struct{ name, value string }{{"session", e.Session}, {"model", e.Model}, {"tree", gitops.OID(e.Tree).Short()}} {
		if part.value != "" {
			about = append(about, part.name+" "+part.value)
		}
	}
	if len(about) > 0 {
		p.line("    %s", p.style.paint(dim, strings.Join(about, ", ")))
	}
	for _, f := range e.Facts {
		p.line("    %s", plain.Line(f, 400))
	}
	if e.Note == "" {
		return
	}
	for line := range strings.SplitSeq(plain.Text(e.Note), "\n") {
		p.line("%s", strings.TrimRight(fmt.Sprintf("    > %s", line), " "))
	}
}
