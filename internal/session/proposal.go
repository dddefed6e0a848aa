package session

import (
	"context"
	"errors"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
)

// A contract that a session could not take is kept on a private ref, with what
// speaks against it, until a person takes it or another is agreed.

const proposalRefs = "refs/agent/proposals/"

const (
	proposalFile = "contract.json"
	objections   = "why.txt"
)

// keepProposal keeps c, which may be nil when no answer was a contract.
func keepProposal(ctx context.Context, repo *gitops.Repo, id string, c *contract.Contract, why []string) error {
	var text strings.Builder
	for _, w := range why {
		text.WriteString(plain.Line(w, 600) + "\n")
	}
	edits := []gitops.Edit{{Path: objections, Mode: gitops.ModeFile, Data: []byte(text.String())}}
	if c != nil {
		edits = append(edits, gitops.Edit{Path: proposalFile, Mode: gitops.ModeFile, Data: c.Bytes()})
	}
	tree, err := repo.EditTree(ctx, "", edits)
	if err != nil {
		return err
	}
	commit, err := repo.CommitTree(ctx, gitops.CommitSpec{Tree: tree, Message: "proposal of a contract for " + id + "\n", Internal: true})
	if err != nil {
		return err
	}
	old, err := repo.Resolve(ctx, proposalRefs+id)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return err
	}
	return repo.UpdateRef(ctx, proposalRefs+id, commit, old, "git agent: proposal")
}

// proposal reads what was kept; nil and no reasons where nothing was.
func proposal(ctx context.Context, repo *gitops.Repo, id string) (c *contract.Contract, why []string, err error) {
	tree, err := repo.TreeOf(ctx, proposalRefs+id)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := repo.ReadFile(ctx, tree, objections)
	if err != nil {
		return nil, nil, err
	}
	why = strings.Split(strings.TrimSpace(string(data)), "\n")
	data, err = repo.ReadFile(ctx, tree, proposalFile)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, why, nil
	}
	if err != nil {
		return nil, why, err
	}
	c, err = contract.Parse(data)
	return c, why, err
}

// dropProposal forgets it.
func dropProposal(ctx context.Context, repo *gitops.Repo, id string) error {
	old, err := repo.Resolve(ctx, proposalRefs+id)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return repo.DeleteRef(ctx, proposalRefs+id, old)
}
