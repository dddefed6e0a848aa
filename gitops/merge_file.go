package gitops

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// MergeFile merges three files as git does for text: the result, with marks
// where both sides differ, is left in ours.
func MergeFile(ctx context.Context, ours, base, theirs string) error {
	cmd := exec.CommandContext(ctx, "git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", ours, base, theirs)
	cmd.Env = cleanEnv()
	var exit *exec.ExitError
	out, err := cmd.CombinedOutput()
	if errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128 {
		return nil // that many conflicts
	}
	if err != nil {
		return fmt.Errorf("git merge-file: %w: %s", err, out)
	}
	return nil
}

// RemoveConfig removes a section, as "merge.name", from the repository's own
// config.
func (r *Repo) RemoveConfig(ctx context.Context, section string) error {
	_, err := r.run(ctx, call{mode: settings, args: []string{"config", "--local", "--remove-section", section}})
	if err != nil {
		return fmt.Errorf("remove config %s: %w", section, err)
	}
	return nil
}
