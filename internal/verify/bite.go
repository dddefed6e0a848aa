package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitagent/internal/plain"
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
// out: when that passes, the pages show what is asked whatever a person does. A
// check of exchanges that passes without what it sends is named whatever the
// others do.
// acted is how c came out there with its actions. Pages that are only looked at
// are exempt, and so are commands, whose arguments and input are their action;
// BiteHollow is for those. The reason names the checks.
func (v *Verifier) BiteWithoutActions(ctx context.Context, c *contract.Contract, finished Target, acted Outcome) (passed bool, reason string, err error) {
	run, err := v.oneRun(c)
	if err != nil {
		return false, "", nil // the run with the actions has said so
	}
	run.Contract = run.Contract.WithoutActions(acted.took)
	if len(run.Contract.Checks) == 0 {
		return false, "", nil
	}
	out, err := v.runAll(ctx, []contract.Run{run}, finished, "")
	if err != nil {
		return false, "", err
	}
	var ids, asked []string
	for _, k := range out.Checks {
		if ids = append(ids, k.ID); k.Kind == contract.KindHTTP && k.Verdict == Pass {
			asked = append(asked, k.ID+" ("+leftOf(run.Contract.Get(k.ID))+")")
		}
	}
	switch {
	case len(asked) > 0:
		return true, fmt.Sprintf("check %s passes although nothing is sent before: put what is so without the other requests, such as a 404 for what was never there, into a check of its own", strings.Join(asked, ", ")), nil
	case out.Verdict == Pass:
		return true, fmt.Sprintf("check %s passes on the page as it opens", strings.Join(ids, ", ")), nil
	}
	return false, "", nil
}

// leftOf names the requests of a check, as far as they fit a line.
func leftOf(k *contract.Check) string {
	if k == nil {
		return ""
	}
	var out []string
	for i := range k.HTTP {
		out = append(out, k.HTTP[i].String())
	}
	return plain.Line(strings.Join(out, ", "), 120)
}

// BiteHollow runs the commands of c, test runs aside, on a target whose files
// are there but empty, and names those that pass: they do not need the program
// to do anything. only, where it is not nil, says which checks are asked.
func (v *Verifier) BiteHollow(ctx context.Context, c *contract.Contract, hollow Target, only []string) (passing []string, err error) {
	sub := c.Next(c.Revision)
	sub.Checks = slices.DeleteFunc(sub.Checks, func(k contract.Check) bool {
		if k.Command == nil || only != nil && !slices.Contains(only, k.ID) {
			return true
		}
		_, tests := k.Command.Tests()
		return tests
	})
	if len(sub.Checks) == 0 {
		return nil, nil
	}
	out, err := v.once(ctx, sub, hollow)
	for _, k := range out.Checks {
		if k.Verdict == Pass {
			passing = append(passing, k.ID)
		}
	}
	return passing, err
}

func firstReason(checks []evidence.Check) string {
	for _, k := range checks {
		if k.Verdict != Pass {
			return k.ID + ": " + k.Reason
		}
	}
	return "there is no check"
}
