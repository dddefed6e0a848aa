package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
)

// Untrusted is something that this clone would have to run and has not been
// told to trust.
type Untrusted struct {
	Kind   string   `json:"kind"` // commands or contract
	Name   string   `json:"name"`
	Digest string   `json:"digest"`
	Shows  []string `json:"shows"` // what it would run, a line each
}

// Distrusted lists what of HEAD is not trusted here: the commands, and the
// contracts that came from elsewhere.
func Distrusted(ctx context.Context, repo *gitops.Repo) ([]Untrusted, error) {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return nil, needList(err)
	}
	trust := project.OpenTrust(repo.AgentDir())
	digest, err := CommandsDigest(ctx, repo, tree)
	if err != nil {
		return nil, err
	}
	var out []Untrusted
	if !trust.Has(project.TrustCommands, digest) {
		u := Untrusted{Kind: "commands", Name: project.ConfigPath + " and " + project.InitScript, Digest: digest}
		for _, path := range []string{project.ConfigPath, project.InitScript} {
			data, err := repo.ReadFile(ctx, tree, path)
			if errors.Is(err, gitops.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			u.Shows = append(u.Shows, "# "+path)
			u.Shows = append(u.Shows, strings.Split(strings.TrimRight(plain.Text(string(data)), "\n"), "\n")...)
		}
		out = append(out, u)
	}
	contracts, err := foreignContracts(ctx, repo, tree, trust)
	return append(out, contracts...), err
}

func foreignContracts(ctx context.Context, repo *gitops.Repo, tree gitops.OID, trust *project.Trust) ([]Untrusted, error) {
	entries, err := repo.ListTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	var out []Untrusted
	for _, e := range entries {
		if !strings.HasPrefix(e.Path, ".agent/contracts/") {
			continue
		}
		data, err := repo.ReadBlob(ctx, e.OID)
		if err != nil {
			return nil, err
		}
		c, err := contract.Parse(data)
		if err != nil || trust.Has(project.TrustContract, c.Digest()) {
			continue // one that cannot be read is never run
		}
		out = append(out, Untrusted{Kind: "contract", Name: e.Path, Digest: c.Digest(), Shows: strings.Split(plain.Text(string(c.Bytes())), "\n")})
	}
	return out, nil
}

// brokenContract says what a person can do about a contract that cannot be read.
func brokenContract(path string, err error) error {
	return hint.New(hint.New(fmt.Errorf("%s: %w", path, err), "see who changed it with: git log -p -- "+path),
		"take its last good version back, or commit its removal while the feature does not pass: the next session makes another")
}

// GrantTrust lets this clone run what was shown.
func GrantTrust(repo *gitops.Repo, what []Untrusted) error {
	trust := project.OpenTrust(repo.AgentDir())
	for _, u := range what {
		if err := trust.Grant(u.Kind, u.Digest); err != nil {
			return err
		}
	}
	return nil
}
