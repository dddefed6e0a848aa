package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// permit lifts one guard for the next commit of one work tree: it holds as long
// as HEAD is where it was given, and so ends with the commit that used it.
type permit struct {
	Guard  string     `json:"guard"`
	Reason string     `json:"reason"`
	Head   gitops.OID `json:"head"` // "" before the first commit
	Made   time.Time  `json:"made"`
}

// Permit lifts guard for the next commit in this work tree, for a reason that
// the commit will carry as a trailer.
func Permit(ctx context.Context, repo *gitops.Repo, guard, reason string) error {
	if !slices.Contains(Guards(), guard) {
		return hint.Errorf("the guards are "+strings.Join(Guards(), ", "), "there is no guard %q", plain.Line(guard, 40))
	}
	reason = plain.Line(reason, 300)
	if reason == "" {
		return hint.Errorf(`add --reason "why this is right"`, "a permit for %s needs a reason", guard)
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(permit{Guard: guard, Reason: reason, Head: head.Commit, Made: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("write the permit: %w", err)
	}
	dir := permitDir(repo)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the permit: %w", err)
	}
	return replaceFile(filepath.Join(dir, guard), append(data, '\n'), 0o644)
}

// permitDir is this work tree's own: a permit given in one does not hold in
// another.
func permitDir(repo *gitops.Repo) string {
	sum := sha256.Sum256([]byte(repo.GitDir()))
	return filepath.Join(repo.AgentDir(), "permits", hex.EncodeToString(sum[:6]))
}

// permits are those that hold at head, by guard; used-up ones are removed.
func permits(repo *gitops.Repo, head gitops.OID) map[string]string {
	held := map[string]string{}
	for _, guard := range Guards() {
		file := filepath.Join(permitDir(repo), guard)
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var p permit
		if err := json.Unmarshal(data, &p); err != nil || p.Guard != guard || p.Head != head {
			_ = os.Remove(file) // it can never hold again
			continue
		}
		held[guard] = p.Reason
	}
	return held
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, data []byte, mode os.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".git-agent-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if closing := tmp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
