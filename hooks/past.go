package hooks

import (
	"context"
	"fmt"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/project"
)

// CheckRange judges each commit of a range ("A..B", or "B" for all that leads to
// it) against its parents, whoever made it and however, in one pass over the
// history. Commits before there is a list are passed over.
func CheckRange(ctx context.Context, repo *gitops.Repo, rng string) (Report, error) {
	if rng == "" {
		head, err := repo.Head(ctx)
		if err != nil || head.Commit == "" {
			return Report{}, err
		}
		rng = string(head.Commit)
	}
	return checkRevs(ctx, repo, strings.Fields(rng))
}

func checkRevs(ctx context.Context, repo *gitops.Repo, revs []string) (Report, error) {
	h := &history{repo: repo, states: map[gitops.OID]state{}, blobs: newContents(repo)}
	var err error
	if h.edge, err = repo.Shallow(); err != nil {
		return Report{}, err
	}
	err = repo.History(ctx, revs, func(id gitops.OID) bool { return h.edge[id] }, func(p *gitops.Past) error {
		if err := h.commit(ctx, p); err != nil {
			return fmt.Errorf("check commit %s: %w", p.ID.Short(), err)
		}
		return nil
	})
	return h.report, err
}

// history is one pass over a range. What it remembers is bounded: its memory
// does not grow with the range.
type history struct {
	repo   *gitops.Repo
	states map[gitops.OID]state // of commits that may be parents soon
	blobs  *contents
	edge   map[gitops.OID]bool // commits whose parents a shallow clone lacks
	report Report
}

// state is what the judgement of a commit's children needs of it.
type state struct {
	tree     gitops.OID
	bound    bool     // it has a list
	patterns []string // its own test patterns
}

// keptStates bounds how many states are remembered.
const keptStates = 8192

// state looks at a commit that is not remembered.
func (h *history) state(ctx context.Context, t *tree) (s state, err error) {
	if s, ok := h.states[t.commit]; ok {
		return s, nil
	}
	if s, err = stateOf(ctx, t); err == nil {
		h.remember(t.commit, s)
	}
	return s, err
}

// stateOf reads the state of a commit.
func stateOf(ctx context.Context, t *tree) (s state, err error) {
	if s.bound, err = t.hasList(ctx); err == nil && s.bound {
		s.patterns, err = t.testPatterns(ctx)
	}
	s.tree = t.id
	return s, err
}

func (h *history) remember(id gitops.OID, s state) {
	if len(h.states) >= keptStates {
		clear(h.states)
	}
	h.states[id] = s
}

// commit judges one commit against all of its parents.
func (h *history) commit(ctx context.Context, p *gitops.Past) error {
	h.report.Commits++
	if h.edge[p.ID] {
		h.report.Edge = append(h.report.Edge, p.ID)
		return nil
	}
	c := &commit{repo: h.repo, new: &tree{repo: h.repo, id: p.Tree, commit: p.ID}, blobs: h.blobs, known: true}
	bound, first := false, state{}
	for i := range p.Diffs {
		parent := &tree{repo: h.repo}
		if i < len(p.Parents) {
			parent.commit = p.Parents[i]
			s, err := h.state(ctx, parent)
			if err != nil {
				return err
			}
			parent.id, parent.looked, parent.listed = s.tree, true, s.bound
			bound = bound || s.bound
			if i == 0 {
				first = s
			}
			c.patterns = append(c.patterns, s.patterns...)
		}
		c.parents = append(c.parents, parent)
		c.diffs = append(c.diffs, byPath(p.Diffs[i]))
	}
	own, err := after(ctx, p, c, first)
	if err != nil {
		return err
	}
	h.remember(p.ID, own)
	if !bound && !own.bound {
		return nil
	}
	found, err := c.judge(ctx)
	if err != nil {
		return err
	}
	h.add(&p.CommitInfo, c, found)
	return nil
}

// after is the state of a commit itself: that of its first parent, where it
// changes nothing of it.
func after(ctx context.Context, p *gitops.Past, c *commit, first state) (state, error) {
	_, list := c.diffs[0][features.Path]
	_, config := c.diffs[0][project.ConfigPath]
	if len(p.Parents) > 0 && !list && !config {
		first.tree = p.Tree
		return first, nil
	}
	return stateOf(ctx, c.new)
}
