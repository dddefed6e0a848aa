package session

import (
	"bytes"
	"context"
	"errors"
	"path"

	"gitagent/gitops"
	"gitagent/internal/project"
)

// runsAtInstall names a file that the work changed so that an installation runs
// other code of the project's own than before. A person who allows the network
// for an installation has allowed it for packages, not for that code.
func (s *step) runsAtInstall(ctx context.Context, tree gitops.OID) (string, error) {
	changes, err := s.repo.DiffTrees(ctx, s.baseID, tree)
	if err != nil {
		return "", err
	}
	for _, c := range changes {
		if c.Status == 'D' {
			continue
		}
		switch path.Base(c.Path) {
		case "setup.py":
			return c.Path, nil
		case "package.json", "pyproject.toml":
		default:
			continue
		}
		old, err := s.repo.ReadFile(ctx, s.baseID, c.Path)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return "", err
		}
		now, err := s.repo.ReadFile(ctx, tree, c.Path)
		if err != nil {
			return "", err
		}
		if path.Base(c.Path) == "pyproject.toml" && bytes.Contains(now, []byte("backend-path")) && !bytes.Contains(old, []byte("backend-path")) ||
			path.Base(c.Path) == "package.json" && project.ChangedInstallScript(project.NpmScripts(old), project.NpmScripts(now)) != "" {
			return c.Path, nil
		}
	}
	return "", nil
}
