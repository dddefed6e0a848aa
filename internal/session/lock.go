package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

// holder is who holds the session lock: a process, and when it was started, so
// that a later process with the same number is not taken for it.
type holder struct {
	pid     int
	started string
	what    string // the session, or what else is done
}

// alive says whether that very process still runs.
func (h holder) alive() bool {
	started, err := startOf(h.pid)
	return h.pid > 0 && err == nil && started == h.started
}

func lockPath(agentDir string) string { return filepath.Join(agentDir, "lock") }

// orphansWait is how long a change that a killed process had begun is waited
// for: git finishes it and holds the lock meanwhile.
const orphansWait = 20 * time.Second

// errBusy says that somebody else holds the lock.
var errBusy = errors.New("another session works in this repository")

// lock takes the repository's session lock; what names who takes it. The
// kernel drops it with the last process that holds it: this one and the git
// processes it has started. So no stale lock can block the next session, and
// no change can still be under way when it begins.
func lock(ctx context.Context, repo *gitops.Repo, what string) (unlock func(), err error) {
	if err := os.MkdirAll(repo.AgentDir(), 0o700); err != nil {
		return nil, hint.New(fmt.Errorf("private state folder: %w", err), "see that you may write to "+repo.CommonDir())
	}
	f, err := os.OpenFile(lockPath(repo.AgentDir()), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, hint.New(fmt.Errorf("session lock: %w", err), "see that you may write to "+repo.AgentDir())
	}
	release, err := takeLock(ctx, f)
	if err != nil {
		f.Close()
		if errors.Is(err, errBusy) {
			return nil, hint.New(err, "wait for it to end, or end it with: git agent abort; one that was killed does not lock")
		}
		return nil, fmt.Errorf("session lock: %w", err)
	}
	started, err := startOf(os.Getpid())
	if err != nil {
		started = "" // such a holder can be waited for, but not told to end
	}
	// The lock is what counts: on a full disk nobody learns who holds it.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n%s\n%s\n", os.Getpid(), started, what), 0)
	}
	repo.Outlast(f)
	return func() {
		repo.Outlast(nil)
		_ = f.Truncate(0)
		_ = release() // also for those that inherited it
		f.Close()
	}, nil
}

// takeLock tries, and waits while it is held by nobody but what a dead process
// had begun, or by somebody who has not said yet who that is.
func takeLock(ctx context.Context, f *os.File) (release func() error, err error) {
	for begun := time.Now(); ; {
		release, ok, err := tryLock(f)
		if err != nil || ok {
			return release, err
		}
		h, waited := readHolder(f), time.Since(begun)
		if h.alive() || h.pid == 0 && waited > time.Second || waited > orphansWait {
			return nil, errBusy
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// readHolder reads who holds the lock; what cannot be read is nobody.
func readHolder(f io.ReaderAt) holder {
	data := make([]byte, 512)
	n, _ := f.ReadAt(data, 0)
	lines := strings.Split(string(data[:n]), "\n")
	if len(lines) != 4 { // the last one ends with a newline
		return holder{}
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid < 1 {
		return holder{}
	}
	return holder{pid: pid, started: lines[1], what: lines[2]}
}
