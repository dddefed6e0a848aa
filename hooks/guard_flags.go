package hooks

import (
	"context"
	"errors"
	"fmt"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
)

const (
	whyFlag     = "a flag is set by a run that proved the feature on exactly these files, and by nothing else"
	whyBack     = "flags never go back: a feature that broke keeps its flag and gets a regression entry in the log"
	whyEvidence = "evidence is what lets anyone check a flag again"
)

// The states of a flip.
const (
	Proved  = "proved"  // evidence for exactly this product tree
	Carried = "carried" // evidence for another tree, as after a rebase or a squash
	Missing = "missing" // no evidence, or evidence that proves nothing
)

// flagsGuard: a flag is set with evidence and stays.
func (c *commit) flagsGuard(ctx context.Context) ([]Violation, error) {
	list, bad, err := c.new.features(ctx)
	if err != nil || bad != nil || list == nil {
		return nil, err
	}
	parents, before, err := c.parentLists(ctx)
	if err != nil {
		return nil, err
	}
	var found []Violation
	if c.changedAnywhere(features.Path) {
		for i := range list.Features {
			v, err := c.flag(ctx, list.Features[i], parents, before != nil)
			if err != nil {
				return nil, err
			}
			found = append(found, v...)
		}
	}
	kept, err := c.keptEvidence(ctx, list, parents)
	return append(found, kept...), err
}

// flag judges one feature of the new list against the parents' lists.
func (c *commit) flag(ctx context.Context, f features.Feature, parents []*features.List, lost bool) ([]Violation, error) {
	known, was := false, false
	for _, p := range parents {
		if old := p.Get(f.ID); old != nil {
			known, was = true, was || old.Passes
		}
	}
	if !f.Passes {
		if !was {
			return nil, nil
		}
		v := flagViolation("flags.back", features.Path, f.ID+": passes goes from true to false", whyBack)
		v.Override = "git agent undo takes a session back as a whole; or " + v.Override
		return []Violation{v}, nil
	}
	if was {
		return nil, nil
	}
	state, why, err := c.proof(ctx, f)
	if err != nil {
		return nil, err
	}
	claimed := !known // a flag that arrives with its feature: imported, or a list that was lost
	if !claimed || state != Missing {
		c.flips = append(c.flips, Flip{Feature: f.ID, State: state, Why: why})
	}
	switch {
	case c.session && (claimed || f.ID != c.feature):
		return []Violation{flagViolation("flags.other", features.Path, f.ID+" is flipped by a session for "+orNone(c.feature), whyFlag)}, nil
	case state == Proved:
		return nil, nil
	case state == Carried && (!c.exact || claimed || lost):
		return nil, nil
	case state == Carried:
		return []Violation{flagViolation("flags.carried", features.Path, f.ID+" is flipped with evidence for other files: "+why, whyFlag)}, nil
	case claimed:
		return []Violation{flagViolation("flags.claimed", features.Path, f.ID+" arrives as passing without evidence: "+why, whyFlag)}, nil
	}
	return []Violation{flagViolation("flags.unproved", features.Path, f.ID+" is flipped without evidence: "+why, whyFlag)}, nil
}

// keptEvidence: evidence of a feature that passed before and after is neither
// taken away nor replaced by what proves nothing.
func (c *commit) keptEvidence(ctx context.Context, list *features.List, parents []*features.List) ([]Violation, error) {
	var found []Violation
	changed := c.changed(func(p string) bool { _, ok := idOf(p, evidenceDir); return ok })
	for _, ch := range changed {
		id, _ := idOf(ch.Path, evidenceDir)
		f := list.Get(id)
		if f == nil || !f.Passes || !passedIn(parents, id) {
			continue
		}
		if ch.Status == 'D' {
			found = append(found, flagViolation("flags.evidence-deleted", ch.Path, ch.Path+" is deleted although "+id+" passes", whyEvidence))
			continue
		}
		state, why, err := c.proof(ctx, *f)
		if err != nil {
			return nil, err
		}
		if state == Missing || (state == Carried && c.exact) {
			found = append(found, flagViolation("flags.evidence-changed", ch.Path, ch.Path+" is changed to what proves nothing here: "+why, whyEvidence))
		}
	}
	return found, nil
}

func passedIn(lists []*features.List, id string) bool {
	for _, l := range lists {
		if f := l.Get(id); f != nil && f.Passes {
			return true
		}
	}
	return false
}

// proof says what the new tree's evidence is worth for a feature, and why it is
// not worth more.
func (c *commit) proof(ctx context.Context, f features.Feature) (state, why string, err error) {
	record, why, err := c.record(ctx, f.ID)
	if err != nil || record == nil {
		return Missing, why, err
	}
	agreed, why, err := c.agreed(ctx, f.ID)
	if err != nil || agreed == nil {
		return Missing, why, err
	}
	digest := agreed.Digest()
	if bad := record.Proves(f.ID, record.Tree, digest); bad != nil {
		return Missing, bad.Error(), nil
	}
	if bad := record.Covered(len(f.Steps)); bad != nil {
		return Missing, bad.Error(), nil
	}
	if bad := record.Drawn(agreed.Varying()); bad != nil {
		return Missing, bad.Error(), nil
	}
	product, err := c.productTree(ctx)
	if err != nil {
		return "", "", err
	}
	if bad := record.Proves(f.ID, string(product), digest); bad != nil {
		return Carried, bad.Error(), nil
	}
	return Proved, "", nil
}

func (c *commit) record(ctx context.Context, id string) (*evidence.Record, string, error) {
	data, err := c.new.read(ctx, evidence.Path(id))
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, "there is no " + evidence.Path(id), nil
	}
	if err != nil {
		return nil, "", err
	}
	record, bad := evidence.Parse(data)
	if bad != nil {
		return nil, plain.Line(bad.Error(), 200), nil
	}
	return record, "", nil
}

func (c *commit) agreed(ctx context.Context, id string) (agreed *contract.Contract, why string, err error) {
	data, err := c.new.read(ctx, contract.Path(id))
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, "there is no " + contract.Path(id), nil
	}
	if err != nil {
		return nil, "", err
	}
	agreed, bad := contract.Parse(data)
	switch {
	case bad != nil:
		return nil, plain.Line(bad.Error(), 200), nil
	case agreed.Feature != id:
		return nil, fmt.Sprintf("%s is a contract for %s", contract.Path(id), orNone(agreed.Feature)), nil
	}
	return agreed, "", nil
}

func (c *commit) productTree(ctx context.Context) (gitops.OID, error) {
	if c.product == "" {
		product, err := workspace.ProductTree(ctx, c.repo, c.new.id)
		if err != nil {
			return "", err
		}
		c.product = product
	}
	return c.product, nil
}

func flagViolation(code, path, what, why string) Violation {
	return Violation{Guard: GuardFlags, Code: code, Path: path, What: what, Why: why, Override: override(GuardFlags)}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return plain.Line(s, 60)
}
