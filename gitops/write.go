package gitops

import (
	"context"
	"fmt"
	"strings"
)

// Sign says whether a commit is signed.
type Sign int

const (
	SignNever        Sign = iota
	SignAsConfigured      // if commit.gpgSign says so; never asks
)

// CommitSpec is a commit to make.
type CommitSpec struct {
	Tree     OID
	Parents  []OID
	Message  string
	Sign     Sign
	Internal bool // by "git agent", not by the user: for private refs
}

// WriteBlob stores data as it is.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (OID, error) {
	out, err := r.run(ctx, call{args: []string{"hash-object", "-w", "--stdin", "--no-filters"}, stdin: data})
	if err != nil {
		return "", fmt.Errorf("write blob: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

// CommitTree makes a commit object; no ref moves, no hook runs, nothing asks.
// It fails with ErrSigning where a configured signature cannot be made so.
func (r *Repo) CommitTree(ctx context.Context, spec CommitSpec) (OID, error) {
	c := call{mode: checkout, args: []string{"commit-tree", "--no-gpg-sign"}, stdin: []byte(spec.Message)}
	if spec.Internal {
		c.env = []string{
			"GIT_AUTHOR_NAME=git agent", "GIT_AUTHOR_EMAIL=git-agent@localhost", "GIT_AUTHOR_DATE=",
			"GIT_COMMITTER_NAME=git agent", "GIT_COMMITTER_EMAIL=git-agent@localhost", "GIT_COMMITTER_DATE=",
		}
	}
	signed := false
	if spec.Sign == SignAsConfigured {
		done, err := r.prepareSigning(ctx, &c)
		if err != nil {
			return "", err
		}
		defer done()
		signed = c.noTTY
	}
	for _, p := range spec.Parents {
		c.args = append(c.args, "-p", string(p))
	}
	c.args = append(c.args, "-F", "-", string(spec.Tree))
	if signed {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, signingTimeout)
		defer cancel()
	}
	out, err := r.run(ctx, c)
	if err != nil && signed {
		return "", fmt.Errorf("%w: %w", ErrSigning, err)
	}
	if err != nil {
		return "", fmt.Errorf("make a commit: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}
