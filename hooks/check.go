package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
	"gitagent/progress"
)

// Check judges the step from tree old ("" for none) to tree new: it compares
// blob ids and modes, and reads only what is guarded. A flip must come with
// evidence for exactly this product tree. Violations that the policy allows are
// left out; an error means that the step could not be judged.
func Check(ctx context.Context, repo *gitops.Repo, old, new gitops.OID, p Policy) ([]Violation, error) {
	diff, err := repo.DiffTrees(ctx, old, new)
	if err != nil {
		return nil, err
	}
	c := &commit{repo: repo, parents: []*tree{{repo: repo, id: old}}, diffs: []changes{byPath(diff)}, session: p.Session, feature: p.Feature, exact: true}
	c.new = &tree{repo: repo, id: new}
	found, err := c.judge(ctx)
	return p.settle(found), err
}

// changes is how a commit's tree differs from one parent's, by path.
type changes map[string]gitops.Change

func byPath(list []gitops.Change) changes {
	d := make(changes, len(list))
	for _, c := range list {
		d[c.Path] = c
	}
	return d
}

// commit is one commit, made or to be made, as the guards see it.
type commit struct {
	repo    *gitops.Repo
	parents []*tree   // at least one; a root commit has one that is empty
	diffs   []changes // one for each parent
	makeNew func(context.Context) (gitops.OID, error)
	session bool
	feature string
	// exact asks that evidence is for this very product tree; history is
	// content with evidence for another one (rebased, squashed).
	exact bool

	// known says that there is a list and that patterns are those of the
	// parents.
	known    bool
	patterns []string

	// gather keeps the text that is new, for a detector outside of this program.
	gather bool
	text   []byte

	blobs   *contents
	new     *tree
	product gitops.OID
	flips   []Flip
}

// judge runs every guard. It reads nothing when nothing changed, and little
// when nothing guarded did.
func (c *commit) judge(ctx context.Context) ([]Violation, error) {
	if c.empty() {
		return nil, nil
	}
	patterns := c.patterns
	if !c.known {
		bound, err := c.bound(ctx)
		if err != nil || !bound {
			return nil, err
		}
		if patterns, err = c.testPatterns(ctx); err != nil {
			return nil, err
		}
	}
	if c.blobs == nil {
		c.blobs = newContents(c.repo)
	}
	var found []Violation
	guards := []func(context.Context) ([]Violation, error){func(ctx context.Context) ([]Violation, error) { return c.fileGuards(ctx, patterns) }}
	if c.touchesHarness() {
		if err := c.makeTree(ctx); err != nil {
			return nil, err
		}
		guards = append([]func(context.Context) ([]Violation, error){c.featuresGuard, c.flagsGuard, c.logGuard, c.contractsGuard}, guards...)
	}
	for _, guard := range guards {
		vs, err := guard(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, vs...)
	}
	return found, nil
}

// makeTree writes what is to be committed as a tree, where a rule needs one.
func (c *commit) makeTree(ctx context.Context) error {
	if c.new != nil {
		return nil
	}
	id, err := c.makeNew(ctx)
	if err == nil {
		c.new = &tree{repo: c.repo, id: id}
	}
	return err
}

func (c *commit) empty() bool {
	for _, d := range c.diffs {
		if len(d) > 0 {
			return false
		}
	}
	return true
}

// bound says whether there is a list, before or after: without one the
// repository has not asked for the rules.
func (c *commit) bound(ctx context.Context) (bool, error) {
	for _, d := range c.diffs {
		if _, ok := d[features.Path]; ok {
			return true, nil
		}
	}
	return anyHasList(ctx, c.parents)
}

// testPatterns are those that the parents agreed on: a commit cannot move its
// own tests out of sight.
func (c *commit) testPatterns(ctx context.Context) ([]string, error) {
	var patterns []string
	for _, p := range c.parents {
		own, err := p.testPatterns(ctx)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, own...)
	}
	return patterns, nil
}

// testPatterns are those of one snapshot's settings.
func (t *tree) testPatterns(ctx context.Context) ([]string, error) {
	data, err := t.read(ctx, project.ConfigPath)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	conf, err := project.Parse(data)
	if err != nil {
		return nil, nil // a broken config takes no default pattern away
	}
	return conf.Protected(), nil
}

// touchesHarness says whether anything of the harness differs from any parent.
func (c *commit) touchesHarness() bool {
	for _, d := range c.diffs {
		for path := range d {
			if harness(path) || lookalike(path) != "" {
				return true
			}
		}
	}
	return false
}

// harness says whether a guard reads the path.
func harness(path string) bool {
	switch {
	case path == features.Path, path == progress.Path:
		return true
	case strings.HasPrefix(path, progress.StatusDir+"/"), strings.HasPrefix(path, contractDir), strings.HasPrefix(path, evidenceDir):
		return true
	}
	return false
}

const (
	modeFile    = "100644"
	modeExec    = "100755"
	modeLink    = "120000"
	modeGitlink = "160000"

	contractDir = ".agent/contracts/"
	evidenceDir = ".agent/evidence/"
)

// idOf is the feature that a file of the harness belongs to.
func idOf(path, dir string) (string, bool) {
	name, ok := strings.CutPrefix(path, dir)
	id, isJSON := strings.CutSuffix(name, ".json")
	return id, ok && isJSON && !strings.Contains(id, "/")
}

// changedFromAll returns the change of a path against the first parent when the
// commit took it from no parent as it was. Where parents held different files,
// a third content is a merge of them, and that is no change either.
func (c *commit) changedFromAll(path string) (gitops.Change, bool) {
	first, ok := gitops.Change{}, false
	for _, d := range c.diffs {
		ch, differs := d[path]
		if !differs {
			return gitops.Change{}, false
		}
		if ch.Status == 'A' {
			continue
		}
		if ok && (ch.OldOID != first.OldOID || ch.OldMode != first.OldMode) && ch.NewMode == first.OldMode {
			return gitops.Change{}, false
		}
		if !ok {
			first, ok = ch, true
		}
	}
	if !ok && len(c.diffs) > 0 {
		first, ok = c.diffs[0][path], true
	}
	return first, ok
}

// changed lists the paths that differ from every parent and that keep, sorted.
func (c *commit) changed(keep func(path string) bool) []gitops.Change {
	var out []gitops.Change
	for path := range c.diffs[0] {
		if !keep(path) {
			continue
		}
		if ch, ok := c.changedFromAll(path); ok {
			out = append(out, ch)
		}
	}
	sortChanges(out)
	return out
}

// changedFromEvery lists the paths that differ from every parent, sorted, as
// they differ from the first that has them.
func (c *commit) changedFromEvery() []gitops.Change {
	var out []gitops.Change
	for path, ch := range c.diffs[0] {
		everywhere := true
		for _, d := range c.diffs[1:] {
			other, differs := d[path]
			everywhere = everywhere && differs
			if ch.OldMode == "" && other.OldMode != "" {
				ch = other
			}
		}
		if everywhere {
			out = append(out, ch)
		}
	}
	sortChanges(out)
	return out
}

// literals are the values that contracts at hand give to the product: that of a
// session's feature, and of those that the commit flips.
func (c *commit) literals(ctx context.Context) ([]string, error) {
	ids := []string{}
	if c.session && c.feature != "" {
		ids = append(ids, c.feature)
	}
	for _, f := range c.flips {
		ids = append(ids, f.Feature)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	if err := c.makeTree(ctx); err != nil {
		return nil, err
	}
	var out []string
	for _, id := range ids {
		data, err := c.new.read(ctx, contract.Path(id))
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if agreed, err := contract.Parse(data); err == nil {
			out = append(out, agreed.Inputs()...)
		}
	}
	return out, nil
}

// kindOf puts a mode into words.
func kindOf(mode string) string {
	switch mode {
	case modeLink:
		return "a symbolic link"
	case modeGitlink:
		return "a nested repository"
	case modeExec:
		return "an executable file"
	case modeFile:
		return "an ordinary file"
	}
	return fmt.Sprintf("something of mode %s", mode)
}
