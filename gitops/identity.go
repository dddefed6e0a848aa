package gitops

import (
	"context"

	"gitagent/internal/hint"
)

// Identity fails where git does not know who the person is. A commit needs it
// at the very end of the work; what is missing should be said before it.
func (r *Repo) Identity(ctx context.Context) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := r.run(ctx, call{mode: settings, args: []string{"var", who}}); err != nil {
			return hint.New(hint.Errorf("git config --global user.email you@example.org", "git does not know who you are, and a commit needs a name and an address"),
				`git config --global user.name "Your Name"`)
		}
	}
	return nil
}
