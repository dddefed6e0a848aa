package verify

import (
	"context"
	"fmt"
	"strings"

	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// Bite runs c on the tree before the work, where it has to fail. Not to pass
// is not enough: what could not be verified shows nothing. The reason is for
// whoever wrote the contract.
func (v *Verifier) Bite(ctx context.Context, c *contract.Contract, base Target) (bites bool, reason string, out Outcome, err error) {
	out, err = v.Contract(ctx, c, base, "")
	if err != nil {
		return false, "", out, err
	}
	switch out.Verdict {
	case Fail:
		return true, "", out, nil
	case Pass:
		return false, "every check passes before any work was done, so the checks prove nothing; check what only the finished feature can show", out, nil
	}
	return false, "whether the checks fail before the work could not be seen: " + firstReason(out.Checks), out, nil
}

// BiteWithoutActions runs c on the finished tree with each page's actions left
// out: when that passes, the pages show what is asked whatever a person does.
// Pages that are only looked at are exempt, and so are commands, whose
// arguments and input are their action. The reason names the checks.
func (v *Verifier) BiteWithoutActions(ctx context.Context, c *contract.Contract, finished Target) (passed bool, reason string, err error) {
	idle := c.WithoutActions()
	if len(idle.Checks) == 0 {
		return false, "", nil
	}
	out, err := v.Contract(ctx, idle, finished, "")
	if err != nil || out.Verdict != Pass {
		return false, "", err
	}
	ids := make([]string, len(out.Checks))
	for i, k := range out.Checks {
		ids[i] = k.ID
	}
	return true, fmt.Sprintf("check %s passes on the page as it opens", strings.Join(ids, ", ")), nil
}

func firstReason(checks []evidence.Check) string {
	for _, k := range checks {
		if k.Verdict != Pass {
			return k.ID + ": " + k.Reason
		}
	}
	return "there is no check"
}
