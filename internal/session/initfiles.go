package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks"
)

// What init writes into the checkout is there as a whole or not at all: names and
// digests are in a journal before the first file, and the next call removes what
// an init that was stopped has left.

type newFile struct {
	path   string
	data   []byte
	exec   bool
	theirs bool // was there before: never changed, never removed
}

// unhook takes the hooks out again that a failed init put in; hooks that were
// in place before stay.
func (in *initializer) unhook(ctx context.Context) {
	for _, h := range in.out.Hooks.Hooks {
		if h.Done != "created" && h.Done != "added" && h.Done != "kept" {
			return
		}
	}
	if len(in.out.Hooks.Hooks) > 0 {
		_, _ = hooks.Uninstall(context.WithoutCancel(ctx), in.repo)
	}
}

func (in *initializer) journalPath() string {
	return filepath.Join(in.repo.AgentDir(), "init.wal")
}

// place writes the files one by one, each by rename, after their names and what
// they will hold are in the journal: whatever stops init, the next call finds what to remove.
func (in *initializer) place(files []newFile) error {
	var lines string
	for _, f := range files {
		if !f.theirs {
			lines += digestOf(f.data) + " " + f.path + "\n"
		}
	}
	if err := os.WriteFile(in.journalPath(), []byte(lines), 0o600); err != nil {
		return fmt.Errorf("private state: %w", err)
	}
	for _, f := range files {
		if f.theirs {
			continue
		}
		if err := writeFile(filepath.Join(in.repo.Top(), f.path), f.data, f.exec); err != nil {
			_ = in.sweep()
			return err
		}
	}
	return nil
}

// sweep removes what an interrupted init wrote and did not commit; what a
// person has changed since is theirs.
func (in *initializer) sweep() error {
	data, err := os.ReadFile(in.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("private state: %w", err)
	}
	head, err := in.repo.Head(context.Background())
	if err != nil {
		return err
	}
	var tree gitops.OID
	if head.Commit != "" {
		if tree, err = in.repo.TreeOf(context.Background(), string(head.Commit)); err != nil {
			return err
		}
	}
	if st, err := os.Stat(in.journalPath()); err == nil {
		if _, err := in.repo.DropStaleLocks(st.ModTime(), head.Branch); err != nil {
			return err
		}
	}
	var removed []string
	for line := range strings.Lines(string(data)) {
		digest, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" {
			continue
		}
		if err := os.RemoveAll(unfinished(filepath.Join(in.repo.Top(), name))); err != nil {
			return fmt.Errorf("remove what an interrupted init left: %w", err)
		}
		if _, err := in.repo.EntryAt(context.Background(), tree, name); err == nil {
			continue // it was committed after all
		}
		if have, err := os.ReadFile(filepath.Join(in.repo.Top(), name)); err != nil || digestOf(have) != digest {
			continue
		}
		if err := os.Remove(filepath.Join(in.repo.Top(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what an interrupted init left: %w", err)
		}
		removed = append(removed, name)
	}
	if err := in.repo.Unstage(context.Background(), removed); err != nil {
		return fmt.Errorf("remove what an interrupted init left: %w", err)
	}
	_ = os.Remove(filepath.Join(in.repo.Top(), ".agent")) // only when empty
	return os.Remove(in.journalPath())
}
