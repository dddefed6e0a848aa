package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
)

// A contract that passes before any work says either that an earlier session
// has built the feature already, or that the contract shows too little. This
// file tells the two apart as far as a machine can: a check counts when its
// values are drawn anew each time and no feature that passes was tried by the
// same, or when on an earlier tree its program ran and its assertion failed by
// something of its own. What is left a person has to say.

// tooWeak is what the first contract that passes before the work and shows
// nothing is told.
const tooWeak = "it passes already, before any work was done, and nothing shows that it can fail. Use variables for what a person enters (a choice of a few is none), and check what only the finished feature can show. " +
	"If an earlier session has built this feature already, the same checks with variables will show it"

// novelty compares the checks of c with those of all features that pass.
func (s *step) novelty(ctx context.Context, c *contract.Contract) map[string]contract.Novelty {
	var passing []*contract.Contract
	for _, f := range s.list.Features {
		if !f.Passes || f.ID == s.feature.ID { // one that is mended has its own contract
			continue
		}
		if old, _ := s.provedHere(ctx, f.ID); old != nil {
			passing = append(passing, old)
		}
	}
	return c.Novelty(passing)
}

// onlyRepeats says that c only tries what features that pass were tried by, and
// names them; "" for no. What a person accepted is theirs to say.
func onlyRepeats(c *contract.Contract, seen map[string]contract.Novelty) string {
	var ids []string
	for _, k := range c.Checks {
		if !seen[k.ID].Repeats {
			return ""
		}
		ids = append(ids, seen[k.ID].Features()...)
	}
	if c.By == contract.ByPerson {
		return ""
	}
	slices.Sort(ids)
	return "every check only tries what the checks of " + plain.Line(strings.Join(slices.Compact(ids), ", "), 100) + " try, which pass already, if by other names or in other pieces: " +
		"that shows nothing about this feature; check what only this feature can show"
}

// meets says whether c, which passes on the base, shows that the feature is
// there; why names the checks that show nothing. Beside a check that shows
// something others may repeat what is known. bite becomes how c fails where
// there is no such program.
func (s *step) meets(ctx context.Context, c *contract.Contract, seen map[string]contract.Novelty) (met bool, why string, err error) {
	if err := s.biteWithout(ctx, c); err != nil {
		return false, "", err
	}
	if c.By == contract.ByPerson {
		return true, "", nil
	}
	var idle []string
	for _, k := range c.Checks {
		if n := seen[k.ID]; !n.New && !n.Repeats {
			idle = append(idle, k.ID)
		}
	}
	if len(idle) > 0 {
		if idle, err = s.neverFailed(ctx, c, idle, seen); err != nil {
			return false, "", err
		}
	}
	if len(idle) == 0 {
		return true, "", s.ws.SyncCheck(ctx, s.baseID)
	}
	return false, fmt.Sprintf("check %s: %s", plain.Line(strings.Join(idle, ", "), 100), tooWeak), s.ws.SyncCheck(ctx, s.baseID)
}

// biteWithout records how c fails on the project's first tree or, where it
// passes there too, on an empty one.
func (s *step) biteWithout(ctx context.Context, c *contract.Contract) error {
	trees, err := s.earlierTrees(ctx)
	if err != nil {
		return err
	}
	empty, err := s.repo.EmptyTree(ctx)
	if err != nil {
		return err
	}
	candidates := []gitops.OID{empty}
	if len(trees) > 0 {
		candidates = []gitops.OID{trees[len(trees)-1].product, empty}
	}
	for _, tree := range candidates {
		out, err := s.tryOn(ctx, c, tree)
		if err != nil {
			return err
		}
		s.bite, s.biteTree = out.Checks, tree
		if slices.ContainsFunc(out.Checks, func(k evidence.Check) bool { return k.Verdict != verify.Pass }) {
			return nil
		}
	}
	return nil
}

// maxEarlier is how many earlier trees are tried.
const maxEarlier = 6

// neverFailed takes from ids those checks that fail on an earlier tree although
// their program ran there, and although all that they share with checks of
// other features passed there.
func (s *step) neverFailed(ctx context.Context, c *contract.Contract, ids []string, seen map[string]contract.Novelty) ([]string, error) {
	trees, err := s.earlierTrees(ctx)
	if err != nil {
		return nil, err
	}
	for i, tree := range trees {
		if i == maxEarlier || len(ids) == 0 {
			break
		}
		passed, err := s.passedAt(ctx, tree)
		if err != nil {
			return nil, err
		}
		sub := c.Next(c.Revision)
		sub.Checks = slices.DeleteFunc(sub.Checks, func(k contract.Check) bool {
			return !slices.Contains(ids, k.ID) || !seen[k.ID].Within(passed)
		})
		if len(sub.Checks) == 0 {
			continue
		}
		out, err := s.tryOn(ctx, sub, tree.product)
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return out.Started(id) })
	}
	return ids, nil
}

// passedAt says which features had their flags on an earlier tree.
func (s *step) passedAt(ctx context.Context, tree earlier) (func(id string) bool, error) {
	list := &features.List{}
	data, err := s.repo.ReadFile(ctx, tree.whole, features.Path)
	if err == nil {
		if read, err := features.Parse(data); err == nil { // a list that cannot be read has no flags
			list = read
		}
	} else if !errors.Is(err, gitops.ErrNotFound) {
		return nil, err
	}
	return func(id string) bool {
		f := list.Get(id)
		return f != nil && f.Passes
	}, nil
}

// tryOn runs c on an earlier tree, in the check tree.
func (s *step) tryOn(ctx context.Context, c *contract.Contract, tree gitops.OID) (verify.Outcome, error) {
	if err := s.ws.SyncCheck(ctx, tree); err != nil {
		return verify.Outcome{}, err
	}
	return s.ver.Contract(ctx, c, s.target(s.ws.CheckDir(), tree), "")
}

// earlier is a tree of an earlier commit, and the product in it.
type earlier struct{ product, whole gitops.OID }

// earlierTrees are the trees of the branch since it has the list, each product
// once and other than the base's, newest first.
func (s *step) earlierTrees(ctx context.Context) ([]earlier, error) {
	since, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(s.base.ID), FirstParent: true, Reverse: true, Paths: []string{"features.json"}})
	if err != nil || len(since) == 0 {
		return nil, err
	}
	commits, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(s.base.ID), FirstParent: true, Max: 200})
	if err != nil {
		return nil, err
	}
	var trees []earlier
	for _, c := range commits {
		tree, err := workspace.ProductTree(ctx, s.repo, c.Tree)
		if err != nil {
			return nil, err
		}
		if tree != s.baseID && !slices.ContainsFunc(trees, func(t earlier) bool { return t.product == tree }) {
			trees = append(trees, earlier{tree, c.Tree})
		}
		if c.ID == since[0].ID {
			break
		}
	}
	return trees, nil
}

// askPerson ends the session with a contract that only a person can take.
func (s *step) askPerson(ctx context.Context, c *contract.Contract, why string) error {
	if err := s.propose(ctx, c, []string{why}); err != nil {
		return err
	}
	return ended(Incomplete, "the checks of %s pass before any work, and nothing shows that they can fail; if the feature is there already, say so: git agent contract %s --accept", s.feature.ID, s.feature.ID)
}

// propose keeps a contract that was not taken, and says how to look at it.
func (s *step) propose(ctx context.Context, c *contract.Contract, why []string) error {
	s.contract, s.compiled = nil, false
	s.out.Next = "git agent contract " + s.feature.ID + " shows what was proposed; --accept takes it, --edit changes it"
	if c == nil { // the model gave nothing that is a contract
		s.out.Next = "git agent contract " + s.feature.ID + " --edit to write it yourself, or git agent step " + s.feature.ID + " with another model"
	}
	err := keepProposal(ctx, s.repo, s.feature.ID, c, why)
	if err != nil && errors.Is(err, gitops.ErrRefMoved) {
		return nil // another command has just kept one
	}
	return err
}
