package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

// trailerFeatures is what the commands that change the list put into their
// commit; it lifts the guard of the list as Allow-Features does.
const trailerFeatures = "Agent-Features"

// trailerContract is what the command that replaces a contract puts into its
// commit. It lets pass that replacement alone.
const trailerContract = "Agent-Contract"

// Report is what CheckRange found, oldest commit first.
type Report struct {
	Commits int `json:"commits"`
	// Edge are commits that could not be judged: a shallow clone lacks what was
	// before them.
	Edge       []gitops.OID      `json:"edge,omitempty"`
	Violations []CommitViolation `json:"violations"`
	Flips      []Flip            `json:"flips"`
	Overrides  []Override        `json:"overrides"`
}

// CommitViolation is a violation and the commit that has it.
type CommitViolation struct {
	Commit  gitops.OID `json:"commit"`
	Subject string     `json:"subject"`
	Violation
}

// Flip is a flag that a commit set. State is Proved, Carried or Missing; Why is
// what keeps it from being proved.
type Flip struct {
	Commit  gitops.OID `json:"commit"`
	Feature string     `json:"feature"`
	State   string     `json:"state"`
	Why     string     `json:"why,omitempty"`
}

// Override is a rule that a person lifted for one commit, and what it let pass.
type Override struct {
	Commit  gitops.OID `json:"commit"`
	Subject string     `json:"subject"`
	Guard   string     `json:"guard"`
	Reason  string     `json:"reason"`
	What    []string   `json:"what"`
}

// CheckRange judges each commit of a range ("A..B", or "B" for all that leads to
// it) against its parents, whoever made it and however. Commits before there is
// a list are passed over.
func CheckRange(ctx context.Context, repo *gitops.Repo, rng string) (Report, error) {
	commits, err := repo.Log(ctx, gitops.LogOptions{Range: rng, Reverse: true})
	if err != nil {
		return Report{}, err
	}
	h := &history{repo: repo, trees: map[gitops.OID]gitops.OID{}, recent: map[gitops.OID]*tree{}}
	if h.edge, err = repo.Shallow(); err != nil {
		return Report{}, err
	}
	for i := range commits {
		h.trees[commits[i].ID] = commits[i].Tree
	}
	for i := range commits {
		if err := h.commit(ctx, &commits[i]); err != nil {
			return h.report, fmt.Errorf("check commit %s: %w", commits[i].ID.Short(), err)
		}
	}
	return h.report, nil
}

// history is one pass over a range.
type history struct {
	repo   *gitops.Repo
	trees  map[gitops.OID]gitops.OID // commit → tree, for the commits of the range
	recent map[gitops.OID]*tree      // what was read lately: a tree is a parent next
	edge   map[gitops.OID]bool       // commits whose parents a shallow clone lacks
	report Report
}

// recentMax bounds how many snapshots are remembered.
const recentMax = 64

func (h *history) tree(id gitops.OID) *tree {
	if t := h.recent[id]; t != nil {
		return t
	}
	if len(h.recent) >= recentMax {
		clear(h.recent)
	}
	t := &tree{repo: h.repo, id: id}
	h.recent[id] = t
	return t
}

func (h *history) treeOf(ctx context.Context, commit gitops.OID) (gitops.OID, error) {
	if id, ok := h.trees[commit]; ok {
		return id, nil
	}
	info, err := h.repo.Commit(ctx, string(commit))
	if err == nil {
		h.trees[commit] = info.Tree
	}
	return info.Tree, err
}

// commit judges one commit against all of its parents.
func (h *history) commit(ctx context.Context, info *gitops.CommitInfo) error {
	h.report.Commits++
	if h.edge[info.ID] {
		h.report.Edge = append(h.report.Edge, info.ID)
		return nil
	}
	new := h.tree(info.Tree)
	parents := []*tree{}
	for _, p := range info.Parents {
		id, err := h.treeOf(ctx, p)
		if err != nil {
			return err
		}
		parents = append(parents, h.tree(id))
	}
	if len(parents) == 0 {
		parents = append(parents, h.tree(""))
	}
	bound, err := anyHasList(ctx, append([]*tree{new}, parents...))
	if err != nil || !bound {
		return err
	}
	c := &commit{repo: h.repo, parents: parents, new: new}
	for _, p := range parents {
		list, err := h.repo.DiffTrees(ctx, p.id, new.id)
		if err != nil {
			return err
		}
		c.diffs = append(c.diffs, byPath(list))
	}
	found, err := c.judge(ctx)
	if err != nil {
		return err
	}
	h.add(info, c, found)
	return nil
}

func (h *history) add(info *gitops.CommitInfo, c *commit, found []Violation) {
	for _, f := range c.flips {
		f.Commit = info.ID
		h.report.Flips = append(h.report.Flips, f)
	}
	policy := Policy{Allow: allowances(info.Trailers)}
	lifted := map[string]*Override{}
	for _, v := range found {
		reason := policy.reason(v)
		if reason == "" {
			h.report.Violations = append(h.report.Violations, CommitViolation{Commit: info.ID, Subject: plain.Line(info.Subject, 100), Violation: v})
			continue
		}
		if lifted[v.Guard] == nil {
			lifted[v.Guard] = &Override{Commit: info.ID, Subject: plain.Line(info.Subject, 100), Guard: v.Guard, Reason: reason}
		}
		lifted[v.Guard].What = append(lifted[v.Guard].What, v.String())
	}
	for _, guard := range Guards() {
		if o := lifted[guard]; o != nil {
			h.report.Overrides = append(h.report.Overrides, *o)
		}
	}
}

// anyHasList says whether any of the snapshots has a list.
func anyHasList(ctx context.Context, trees []*tree) (bool, error) {
	for _, t := range trees {
		if has, err := t.hasList(ctx); err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// allowances are the guards that a message lifts, with the reasons it gives.
func allowances(trailers map[string][]string) map[string]string {
	allow := map[string]string{}
	for key, values := range trailers {
		guard := guardOf(key)
		if guard == "" {
			continue
		}
		reasons := slices.DeleteFunc(slices.Clone(values), func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(reasons) == 0 {
			continue
		}
		reason := plain.Line(strings.Join(reasons, "; "), 300)
		if had := allow[guard]; had != "" && !strings.EqualFold(key, trailerFeatures) {
			reason += "; " + had
		} else if had != "" {
			reason = had + "; " + reason
		}
		allow[guard] = reason
	}
	return allow
}

// guardOf is the guard that a trailer lifts, or trailerContract, which lifts a
// part of one; "" for none. Git ignores the case
// of trailer keys.
func guardOf(key string) string {
	if strings.EqualFold(key, trailerFeatures) {
		return GuardFeatures
	}
	if strings.EqualFold(key, trailerContract) {
		return trailerContract
	}
	for _, guard := range Guards() {
		if strings.EqualFold(key, trailerOf(guard)) {
			return guard
		}
	}
	return ""
}
