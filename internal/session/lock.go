package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"gitagent/internal/hint"
)

// lock takes the repository's session lock without waiting. The kernel drops
// it with the process, so that no stale lock can block the next session.
func lock(agentDir string) (unlock func(), err error) {
	if err := os.MkdirAll(agentDir, 0o700); err != nil {
		return nil, fmt.Errorf("private state folder: %w", err)
	}
	path := filepath.Join(agentDir, "lock")
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("session lock: %w", err)
	}
	if !ok {
		return nil, hint.Errorf("wait for it to end, or stop it with Ctrl-C where it runs; one that was killed does not lock", "another session works in this repository")
	}
	return func() { _ = l.Unlock() }, nil
}
