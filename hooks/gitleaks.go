package hooks

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"gitagent/hooks/rule"
)

const (
	// leaksFound is the exit code that gitleaks is told to give for a find.
	leaksFound = 42
	// leaksLimit bounds what asking it may cost a commit.
	leaksLimit = 5 * time.Second
	// maxLeaks bounds what it is given.
	maxLeaks = 1 << 20
)

// gitleaks asks the program of that name, where it is installed, about the text
// that is new: it knows hundreds of forms of secrets, and is too dear to be a
// part of this program. It reads no configuration of the repository, and when
// it fails, only what it might have found is missed.
func gitleaks(ctx context.Context, text []byte) []Violation {
	bin, err := exec.LookPath("gitleaks")
	if err != nil || len(text) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "git-agent-leaks-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, leaksLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "stdin", "--no-banner", "--redact", "--log-level", "error", "--exit-code", "42")
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, bytes.NewReader(text), time.Second
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	var exit *exec.ExitError
	if !errors.As(cmd.Run(), &exit) || exit.ExitCode() != leaksFound {
		return nil
	}
	return violations("what is staged", []rule.Finding{{Code: "hygiene.secret", What: "has what gitleaks takes for a secret; gitleaks git --pre-commit --staged shows it"}})
}
