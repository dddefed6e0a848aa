package session

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gitagent/gitops"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// crashLog is session.wal: one line for each state reached and each tree made,
// so that the next session can keep what a killed one had done.
type crashLog struct {
	f    *os.File
	path string
	stay bool // the next session has something to do
}

type crashLine struct {
	Time    time.Time  `json:"time"`
	Session string     `json:"session"`
	Feature string     `json:"feature,omitempty"`
	Phase   string     `json:"phase"`
	Branch  string     `json:"branch,omitempty"`
	Base    gitops.OID `json:"base"`
	Tree    gitops.OID `json:"tree,omitempty"`
}

func crashPath(agentDir string) string { return filepath.Join(agentDir, "session.wal") }

func openCrashLog(agentDir string) (*crashLog, error) {
	path := crashPath(agentDir)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("crash log: %w", err)
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
	if _, err := c.f.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("crash log: %w", err)
	}
	return c.f.Sync()
}

// leave keeps the log for the next session.
func (c *crashLog) leave() {
	if c != nil {
		c.stay = true
	}
}

// close removes the log: the session came to an end of its own.
func (c *crashLog) close() {
	_ = c.f.Close()
	if !c.stay {
		_ = os.Remove(c.path)
	}
}

// recoverCrashed keeps what a killed session left and tells the log. It
// returns the dead session's name and its feature, or "" when there was none or
// none whose work had not landed.
func recoverCrashed(ctx context.Context, repo *gitops.Repo) (session, feature string, err error) {
	path := crashPath(repo.AgentDir())
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("crash log: %w", err)
	}
	last := lastLine(data)
	if last.Session == "" || landed(ctx, repo, last) {
		return "", "", os.Remove(path)
	}
	facts := []string{"the session was killed in state " + last.Phase}
	if last.Tree != "" && last.Base != "" {
		ref, _, err := workspace.Keep(ctx, repo, last.Session, last.Base, last.Tree, nil, "interrupted attempt at "+last.Feature)
		if err != nil {
			facts = append(facts, "its last tree could not be kept: "+err.Error())
		} else {
			facts = append(facts, "its last tree is kept at "+ref)
		}
	}
	entry := progress.Entry{Time: last.Time, Kind: "session", Session: last.Session, Feature: last.Feature, Outcome: string(Interrupted), Facts: facts}
	var events map[string][]progress.Event
	if last.Feature != "" {
		events = map[string][]progress.Event{last.Feature: {{Time: last.Time, Phase: last.Phase, Session: last.Session, Kind: "interrupted"}}}
	}
	if err := progress.RecordJournal(ctx, repo, []progress.Entry{entry}, events, nil); err != nil {
		return "", "", err
	}
	return last.Session, last.Feature, os.Remove(path)
}

// landed says whether the session was killed after the branch had its commit:
// the evidence there names the session.
func landed(ctx context.Context, repo *gitops.Repo, last crashLine) bool {
	tree, err := repo.TreeOf(ctx, cmp.Or(last.Branch, "HEAD"))
	if err != nil {
		return false
	}
	data, err := repo.ReadFile(ctx, tree, evidence.Path(last.Feature))
	if err != nil {
		return false
	}
	rec, err := evidence.Parse(data)
	return err == nil && rec.Session == last.Session
}

// lastLine merges the lines: the newest value of each field wins. A torn last
// line is left out.
func lastLine(data []byte) crashLine {
	var last crashLine
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		var l crashLine
		if json.Unmarshal(sc.Bytes(), &l) != nil {
			continue
		}
		if l.Tree == "" {
			l.Tree = last.Tree
		}
		if l.Feature == "" {
			l.Feature = last.Feature
		}
		last = l
	}
	return last
}
