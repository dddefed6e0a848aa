package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/workspace"
)

// crashLog is session.wal: one line for each state reached and each tree made,
// so that the next command can finish, take back or keep what a killed one had
// begun. Only who holds the session lock reads or writes it.
type crashLog struct {
	f    *os.File
	path string
	stay bool // the next command has something to do
}

// crashLine is one line. A session's names its feature; those of undo and of
// changes of the list say what they are about to do.
type crashLine struct {
	Time    time.Time         `json:"time"`
	Session string            `json:"session"`
	Feature string            `json:"feature,omitempty"`
	Phase   string            `json:"phase"`
	Branch  string            `json:"branch,omitempty"`
	Base    gitops.OID        `json:"base"`
	Tree    gitops.OID        `json:"tree,omitempty"`
	To      gitops.OID        `json:"to,omitempty"`    // of phaseUndo: where the branch goes
	Wrote   map[string]string `json:"wrote,omitempty"` // of phaseEdit: digests of the new files, by path
}

// Phases that are not states of a session.
const (
	phaseLand   = "land"   // the commit is made, the branch is about to move
	phaseUndo   = "undo"   // the branch is about to move back
	phaseRevert = "revert" // a commit that takes one back is about to be made
	phaseEdit   = "edit"   // list and log are about to be written in the checkout
)

func crashPath(agentDir string) string { return filepath.Join(agentDir, "session.wal") }

func openCrashLog(agentDir string) (*crashLog, error) {
	path := crashPath(agentDir)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, hint.New(fmt.Errorf("crash log: %w", err), "see that you may write to "+agentDir+" and that its disk has room")
	}
	return &crashLog{f: f, path: path}, nil
}

// note writes one line and syncs it. A full disk must not end the session, so
// the error is the caller's to show.
func (c *crashLog) note(l crashLine) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	// A line that was torn by a full disk must not tear the next one.
	if _, err := c.f.Write(append(append([]byte("\n"), data...), '\n')); err != nil {
		return fmt.Errorf("crash log: %w", err)
	}
	return c.f.Sync()
}

// leave keeps the log for the next command.
func (c *crashLog) leave() {
	if c != nil {
		c.stay = true
	}
}

// close removes the log: what it tells of came to an end of its own.
func (c *crashLog) close() {
	_ = c.f.Close()
	if !c.stay {
		_ = os.Remove(c.path)
	}
}

// maxCrashLog is how much of a crash log is read, in bytes: a hundred times
// what the longest session writes.
const maxCrashLog = 16 << 20

// crashed is what a crash log says: its lines merged into the newest value of
// each field, and when the first was written. A line that cannot be read is
// left out, as the last one is when it was torn.
type crashed struct {
	there bool // there is a log
	first time.Time
	last  crashLine
}

// readCrashLog reads the log of a command that was killed. One that says
// nothing that can be read has no session.
func readCrashLog(agentDir string) (crashed, error) {
	f, err := os.Open(crashPath(agentDir))
	if errors.Is(err, fs.ErrNotExist) {
		return crashed{}, nil
	}
	if err != nil {
		return crashed{there: true}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCrashLog))
	if err != nil {
		return crashed{there: true}, err
	}
	c := crashed{there: true}
	c.merge(data)
	return c, nil
}

func (c *crashed) merge(data []byte) {
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, maxCrashLog+1)
	for sc.Scan() {
		var l crashLine
		if json.Unmarshal(sc.Bytes(), &l) != nil || !workspace.IsSession(l.Session) {
			continue
		}
		if c.first.IsZero() {
			c.first = l.Time
		}
		if l.Tree == "" {
			l.Tree = c.last.Tree
		}
		if l.Feature == "" {
			l.Feature = c.last.Feature
		}
		c.last = l
	}
}
