package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// Schema is the version of every JSON form of this package. It grows when a
// field changes its meaning or goes; new fields may come without.
const Schema = 1

const (
	attemptRefs = "refs/agent/attempts/"
	landingRefs = "refs/agent/landing/"
	defaultPark = 3 // sessions in a row without a flip, see agent.park
)

// source is what the reports are made of: the last commit and the private refs,
// each read once.
type source struct {
	repo    *gitops.Repo
	head    gitops.Head
	commit  gitops.CommitInfo
	list    *features.List
	entries []progress.Entry // landed and pending, oldest first
	pending int              // how many of them are pending
	journal *progress.Journal
	files   map[string]gitops.OID // below .agent, by path
	refs    []gitops.Ref
	park    int
}

// read reads HEAD. The questions to git that do not depend on one another run
// side by side.
func read(ctx context.Context, repo *gitops.Repo) (*source, error) {
	s := &source{repo: repo, files: map[string]gitops.OID{}}
	var err error
	if s.head, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	if s.head.Commit == "" {
		return nil, noList()
	}
	if s.commit, err = repo.Commit(ctx, string(s.head.Commit)); err != nil {
		return nil, err
	}
	err = together(
		func() error { return s.readList(ctx) },
		func() error { return s.readFiles(ctx) },
		func() (err error) { s.journal, err = progress.LoadJournal(ctx, repo); return err },
		func() (err error) { s.refs, err = repo.Refs(ctx, "refs/agent"); return err },
		func() error { return s.readConfig(ctx) },
	)
	if err != nil {
		return nil, err
	}
	return s, s.readLog(ctx)
}

// together runs all of them and returns the first error in their order.
func together(calls ...func() error) error {
	errs := make(chan error, len(calls))
	results := make([]error, len(calls))
	for i, call := range calls {
		go func() {
			results[i] = call()
			errs <- nil
		}()
	}
	for range calls {
		<-errs
	}
	for _, err := range results {
		if err != nil {
			return err
		}
	}
	return nil
}

func noList() error {
	return hint.Errorf(`start with: git agent init "what you wish for"`, "this repository has no %s in its last commit", features.Path)
}

func (s *source) readList(ctx context.Context) error {
	data, err := s.repo.ReadFile(ctx, s.commit.Tree, features.Path)
	if errors.Is(err, gitops.ErrNotFound) {
		return noList()
	}
	if err != nil {
		return err
	}
	if s.list, err = features.Parse(data); err != nil {
		return fmt.Errorf("at HEAD: %w", err)
	}
	return nil
}

// readFiles lists what is below .agent: one question, however many features
// there are.
func (s *source) readFiles(ctx context.Context) error {
	dir, err := s.repo.EntryAt(ctx, s.commit.Tree, ".agent")
	if errors.Is(err, gitops.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := s.repo.ListTree(ctx, dir.OID)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode == gitops.ModeFile {
			s.files[".agent/"+e.Path] = e.OID
		}
	}
	return nil
}

func (s *source) readConfig(ctx context.Context) error {
	c, err := s.repo.Config(ctx)
	if err != nil {
		return err
	}
	s.park, err = c.Int("agent.park", defaultPark)
	return err
}

func (s *source) readLog(ctx context.Context) error {
	data, err := s.repo.ReadFile(ctx, s.commit.Tree, progress.Path)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return err
	}
	if s.entries, err = progress.Parse(data); err != nil {
		return fmt.Errorf("%s at HEAD: %w", progress.Path, err)
	}
	s.journal = s.journal.Unlanded(data, func(path string) []byte {
		if s.files[path] == "" {
			return nil
		}
		have, err := s.repo.ReadBlob(ctx, s.files[path])
		if err != nil {
			return nil // then it counts as pending
		}
		return have
	})
	waiting := s.journal.Entries()
	s.pending = len(waiting)
	s.entries = append(s.entries, waiting...)
	return nil
}

// proved says whether there is evidence for a feature at HEAD.
func (s *source) proved(id string) bool { return s.files[evidence.Path(id)] != "" }

// status reads a feature's history, committed and pending.
func (s *source) status(ctx context.Context, id string) (*progress.Status, error) {
	var data []byte
	if oid := s.files[progress.StatusPath(id)]; oid != "" {
		var err error
		if data, err = s.repo.ReadBlob(ctx, oid); err != nil {
			return nil, err
		}
	}
	st, err := progress.ParseStatus(id, data)
	if err != nil {
		return nil, err
	}
	for _, e := range s.journal.Events(id) {
		st.Apply(e)
	}
	st.Heed(s.entries)
	return st, nil
}

// Attempt is the work of a session that did not land, kept on a private ref.
type Attempt struct {
	Session string     `json:"session"`
	Feature string     `json:"feature,omitempty"`
	Outcome string     `json:"outcome,omitempty"`
	Time    time.Time  `json:"time,omitzero"`
	Ref     string     `json:"ref"`
	Commit  gitops.OID `json:"commit"`
}

// attempts lists what is kept, newest first.
func (s *source) attempts(ctx context.Context) []Attempt {
	by := map[string]progress.Entry{}
	for _, e := range s.entries {
		if e.Kind == progress.KindSession {
			by[e.Session] = e
		}
	}
	var out []Attempt
	for _, r := range s.refs {
		session, ok := strings.CutPrefix(r.Name, attemptRefs)
		if !ok {
			continue
		}
		a := Attempt{Session: session, Ref: r.Name, Commit: r.OID}
		if e, ok := by[a.Session]; ok {
			a.Feature, a.Outcome, a.Time = e.Feature, e.Outcome, e.Time
		} else if c, err := s.repo.Commit(ctx, string(r.OID)); err == nil {
			a.Feature, a.Outcome = fromSubject(c.Subject)
			a.Time = c.Time
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b Attempt) int { return strings.Compare(b.Session, a.Session) })
	return out
}

// aside lists verified commits that wait on a private ref because something of
// the user's was in the way, and whose feature has no flag at HEAD yet.
func (s *source) aside(ctx context.Context) []Attempt {
	var out []Attempt
	for _, r := range s.refs {
		session, ok := strings.CutPrefix(r.Name, landingRefs)
		if !ok {
			continue
		}
		a := Attempt{Session: session, Outcome: progress.EventVerified, Ref: r.Name, Commit: r.OID}
		if c, err := s.repo.Commit(ctx, string(r.OID)); err == nil {
			a.Time = c.Time
			if ids := c.Trailer("Agent-Feature"); len(ids) > 0 {
				a.Feature = ids[0]
			}
		}
		if f := s.list.Get(a.Feature); f == nil || !f.Passes {
			out = append(out, a)
		}
	}
	return out
}

// fromSubject reads "attempt at F001: incomplete", the subject of a kept
// attempt.
func fromSubject(subject string) (feature, outcome string) {
	rest, ok := strings.CutPrefix(subject, "attempt at ")
	if !ok {
		return "", ""
	}
	feature, outcome, _ = strings.Cut(rest, ": ")
	return feature, outcome
}

// regressions are the passing features that broke later and were not repaired
// since, by id.
func (s *source) regressions() map[string]progress.Entry {
	out := map[string]progress.Entry{}
	for _, e := range s.entries {
		switch {
		case e.Kind == progress.KindRegression:
			if _, ok := out[e.Feature]; !ok { // since the first
				out[e.Feature] = e
			}
		case e.Kind == progress.KindRepair, e.Kind == progress.KindSession && e.Outcome == progress.EventVerified:
			delete(out, e.Feature)
		}
	}
	return out
}

// alreadyMet are the features that passed before the session's work.
func (s *source) alreadyMet() map[string]bool {
	out := map[string]bool{}
	for _, e := range s.entries {
		if e.Kind != progress.KindSession || e.Outcome != progress.EventVerified {
			continue
		}
		if slices.ContainsFunc(e.Facts, func(f string) bool { return strings.HasPrefix(f, "already-met") }) {
			out[e.Feature] = true
		}
	}
	return out
}
