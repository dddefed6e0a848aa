package hooks

import (
	"context"
	"errors"

	"gitagent/gitops"
	"gitagent/internal/verify/contract"
)

const whyContract = "a passing feature was proved by exactly this contract; a weaker one would keep the flag and lose its meaning"

// contractsGuard: the contracts of features that pass stay as they are.
func (c *commit) contractsGuard(ctx context.Context) ([]Violation, error) {
	var found []Violation
	for _, ch := range c.changed(func(p string) bool { _, ok := idOf(p, contractDir); return ok }) {
		if ch.Status == 'A' {
			continue
		}
		id, _ := idOf(ch.Path, contractDir)
		passed, err := c.passedBefore(ctx, id)
		if err != nil {
			return nil, err
		}
		list, _, err := c.new.features(ctx)
		if err != nil {
			return nil, err
		}
		retired := list != nil && list.Get(id) == nil // judged by the features guard
		if !passed || (ch.Status == 'D' && retired) {
			continue
		}
		v := Violation{Guard: GuardContracts, Path: ch.Path, Why: whyContract, Override: override(GuardContracts)}
		switch {
		case ch.Status == 'D':
			v.Code, v.What = "contracts.deleted", ch.Path+" is deleted although "+id+" passes"
		case ch.NewMode != modeFile && ch.NewMode != ch.OldMode:
			v.Code, v.What = "contracts.mode", ch.Path+" becomes "+kindOf(ch.NewMode)
		case c.personReplaces(ctx, ch):
			v.Code, v.What = codeReplaced, ch.Path+" is replaced although "+id+" passes"
			v.Override = "use git agent contract " + id + " --edit; or " + v.Override
		default:
			v.Code, v.What = "contracts.changed", ch.Path+" is changed although "+id+" passes"
		}
		found = append(found, v)
	}
	return found, nil
}

// codeReplaced is a contract that says of itself that a person gave it; the
// trailer of git agent contract lets it pass.
const codeReplaced = "contracts.replaced"

// personReplaces says whether a contract becomes a later revision for the same
// feature that names a person.
func (c *commit) personReplaces(ctx context.Context, ch gitops.Change) bool {
	new, err := c.contractIn(ctx, c.new, ch.Path)
	if err != nil || new.By != contract.ByPerson || contract.Path(new.Feature) != ch.Path {
		return false
	}
	for _, p := range c.parents {
		old, err := c.contractIn(ctx, p, ch.Path)
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err == nil && old.Revision >= new.Revision {
			return false
		}
	}
	return true
}

func (c *commit) contractIn(ctx context.Context, t *tree, path string) (*contract.Contract, error) {
	data, err := t.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return contract.Parse(data)
}

func (c *commit) passedBefore(ctx context.Context, id string) (bool, error) {
	for _, p := range c.parents {
		if passes, err := p.passing(ctx, id); err != nil || passes {
			return passes, err
		}
	}
	return false, nil
}
