package gitops

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Version is the git command's own answer, such as "2.39.5".
func (r *Repo) Version(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, r.bin, "version")
	cmd.Env = cleanEnv()
	out, err := output(cmd, []string{"version"})
	if err != nil {
		return "", fmt.Errorf("git version: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), nil
}

// VersionAtLeast says whether a version, as Version gives it, is this or later.
func VersionAtLeast(version string, major, minor int) bool {
	return atLeast("git version "+version, major, minor)
}
