package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks/infra"
	"gitagent/hooks/rule"
	"gitagent/internal/project"
)

// dropped finds what a merge undoes: a test, or what decides whether tests
// count, that one side brought and the merge left as the other side had it,
// though that one had not touched it. Such a merge differs from one of its
// parents alone, like every honest one.
func (f *files) dropped(ctx context.Context) ([]Violation, error) {
	var found []Violation
	told := map[string]bool{}
	for j, d := range f.diffs {
		for _, ch := range f.judged(d) {
			i := slices.IndexFunc(f.diffs, func(other changes) bool { _, differs := other[ch.Path]; return !differs })
			if i < 0 || told[ch.Path] {
				continue
			}
			left, err := f.weaker(ctx, ch)
			if err != nil {
				return nil, err
			}
			if len(left) == 0 {
				continue
			}
			undone, err := f.untouched(ctx, f.parents[i], f.parents[j], ch)
			if err != nil {
				return nil, err
			}
			if undone {
				told[ch.Path] = true
				for k := range left {
					left[k].What += "; the merge drops what one side brought"
				}
				found = append(found, violations(ch.Path, left)...)
			}
		}
	}
	return found, nil
}

// judged lists the changes of what tests are, or of what decides about them,
// that take something away or change it.
func (f *files) judged(d changes) []gitops.Change {
	var out []gitops.Change
	for path, ch := range d {
		if ch.Status != 'A' && !harness(path) && (project.IsTestPath(path, f.patterns) || infra.Guarded(path)) {
			out = append(out, ch)
		}
	}
	sortChanges(out)
	return out
}

// weaker is what the guards of tests would say of a change by itself.
func (f *files) weaker(ctx context.Context, ch gitops.Change) ([]rule.Finding, error) {
	old, _, err := f.blobs.file(ctx, ch.OldMode, ch.OldOID, maxGuarded)
	if err != nil {
		return nil, err
	}
	new, size, err := f.blobs.file(ctx, ch.NewMode, ch.NewOID, maxGuarded)
	if err != nil {
		return nil, err
	}
	found := f.judgeOne(ctx, ch, rule.Change{Path: ch.Path, Old: old, New: new}, project.IsTestPath(ch.Path, f.patterns), size)
	return slices.DeleteFunc(found, func(x rule.Finding) bool {
		return !strings.HasPrefix(x.Code, GuardTests+".") && !strings.HasPrefix(x.Code, GuardInfra+".")
	}), f.err
}

// untouched says whether the side that the merge agrees with has a file as it
// was when the two sides parted.
func (f *files) untouched(ctx context.Context, kept, lost *tree, ch gitops.Change) (bool, error) {
	if kept.commit == "" || lost.commit == "" {
		return false, nil
	}
	bases, err := f.repo.MergeBases(ctx, kept.commit, lost.commit)
	if err != nil {
		return false, err
	}
	for _, base := range bases {
		t := &tree{repo: f.repo, commit: base}
		if err := t.find(ctx); err != nil {
			return false, err
		}
		e, err := f.repo.EntryAt(ctx, t.id, ch.Path)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return false, err
		}
		if e.Mode != ch.NewMode || e.OID != ch.NewOID {
			return false, nil
		}
	}
	return len(bases) > 0 || ch.NewMode == "", nil
}
