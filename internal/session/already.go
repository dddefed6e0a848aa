package session

import (
	"context"
	"slices"

	"gitagent/gitops"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/workspace"
)

// A contract that passes before any work says either that an earlier session
// has built the feature already, or that the contract shows too little. This
// file tells the two apart as far as a machine can.

// tooWeak is what the first contract that passes before the work is told.
const tooWeak = "every check passes already, before any work was done. If the checks show too little, check what only the finished feature can show. " +
	"If an earlier session has built this feature already, give the same contract again"

// repeats names a passing feature whose contract has every check of c, "" for
// none.
func (s *step) repeats(ctx context.Context, c *contract.Contract) string {
	for _, f := range s.list.Features {
		if !f.Passes {
			continue
		}
		old, _ := s.provedHere(ctx, f.ID)
		if old == nil {
			continue
		}
		new := slices.ContainsFunc(c.Checks, func(k contract.Check) bool {
			return !slices.ContainsFunc(old.Checks, k.Same)
		})
		if !new {
			return f.ID
		}
	}
	return ""
}

// failsEarlier tries c on the product tree of the first commit that has the
// list, where that differs from the base.
func (s *step) failsEarlier(ctx context.Context, c *contract.Contract) (bool, error) {
	first, err := s.firstTree(ctx)
	if err != nil || first == "" || first == s.baseID {
		return false, err
	}
	if err := s.ws.SyncCheck(ctx, first); err != nil {
		return false, err
	}
	out, err := s.ver.Contract(ctx, c, s.target(s.ws.CheckDir(), first), "")
	if err != nil {
		return false, err
	}
	s.bite, s.biteTree = out.Checks, first
	return out.Verdict == verify.Fail, s.ws.SyncCheck(ctx, s.baseID)
}

func (s *step) firstTree(ctx context.Context) (gitops.OID, error) {
	commits, err := s.repo.Log(ctx, gitops.LogOptions{Range: string(s.base.ID), FirstParent: true, Reverse: true, Paths: []string{"features.json"}})
	if err != nil || len(commits) == 0 {
		return "", err
	}
	return workspace.ProductTree(ctx, s.repo, commits[0].Tree)
}
