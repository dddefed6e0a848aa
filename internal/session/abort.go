package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

// Aborted is what was told to end.
type Aborted struct {
	PID   int    `json:"pid"`
	What  string `json:"what"`  // "session ID", or another command that changes things
	Ended bool   `json:"ended"` // within the time that was given
}

// ErrNothingRuns says that there is nothing to end.
var ErrNothingRuns = errors.New("no session works in this repository")

// Abort tells whoever holds the session lock to end, as Ctrl-C in its terminal
// would, and waits for that. Told twice, it ends at once.
func Abort(ctx context.Context, repo *gitops.Repo, wait time.Duration) (Aborted, error) {
	f, err := os.Open(lockPath(repo.AgentDir()))
	if errors.Is(err, fs.ErrNotExist) {
		return Aborted{}, ErrNothingRuns
	}
	if err != nil {
		return Aborted{}, fmt.Errorf("session lock: %w", err)
	}
	defer f.Close()
	if free, err := isFree(f); err != nil || free {
		return Aborted{}, errors.Join(err, nothingRuns(repo))
	}
	h := readHolder(f)
	if !h.alive() { // or the process has a number that was another's before
		return Aborted{PID: h.pid, What: h.what}, hint.Errorf("the next command waits for it", "%s has ended; a git that it started finishes its work", cmp.Or(h.what, "what held the session lock"))
	}
	p, err := os.FindProcess(h.pid)
	if err != nil {
		return Aborted{}, err
	}
	// Found first and looked at then, it is the right one: what FindProcess
	// holds does not pass to a later process.
	if !h.alive() {
		return Aborted{}, nothingRuns(repo)
	}
	a := Aborted{PID: h.pid, What: h.what}
	if err := p.Signal(os.Interrupt); err != nil {
		return a, fmt.Errorf("tell process %d to end: %w", h.pid, err)
	}
	for until := time.Now().Add(wait); time.Now().Before(until); {
		if !h.alive() || readHolder(f) != h {
			a.Ended = true
			return a, nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return a, err
		}
	}
	return a, nil
}

// isFree says whether nobody holds the lock.
func isFree(f *os.File) (bool, error) {
	release, ok, err := tryLock(f)
	if err != nil || !ok {
		return false, err
	}
	return true, release()
}

// nothingRuns says what there is instead.
func nothingRuns(repo *gitops.Repo) error {
	if _, err := os.Lstat(crashPath(repo.AgentDir())); err == nil {
		return hint.New(ErrNothingRuns, "one was killed; go on with what it had: git agent resume")
	}
	return ErrNothingRuns
}
