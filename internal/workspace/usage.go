package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitagent/gitops"
)

// Usage is what sessions take of the disk.
type Usage struct {
	Live, Dead           int   // sessions that have trees: running, and killed ones
	LiveBytes, DeadBytes int64 // with their caches and temporary files
	Attempts, Records    int   // kept in this repository
	KeptBytes            int64 // that only what is kept takes there
}

// Used sums what lies below root and, where repo is not nil, what is kept in it.
func Used(ctx context.Context, repo *gitops.Repo, root string) (Usage, error) {
	var u Usage
	names, err := claimed(root)
	if err != nil {
		return u, err
	}
	for _, name := range names {
		dir := filepath.Join(treesDir(root), name)
		n := size(dir)
		if heldByAnother(dir) {
			u.Live, u.LiveBytes = u.Live+1, u.LiveBytes+n
		} else {
			u.Dead, u.DeadBytes = u.Dead+1, u.DeadBytes+n
		}
	}
	if repo == nil {
		return u, nil
	}
	attempts, err := repo.Refs(ctx, attemptsRefs)
	if err != nil {
		return u, err
	}
	records, err := repo.Refs(ctx, recordsRefs)
	if err != nil {
		return u, err
	}
	u.Attempts, u.Records = len(attempts), len(records)
	u.KeptBytes, err = repo.DiskUsage(ctx, "refs/agent/")
	return u, err
}

// heldByAnother says whether a living process has the trees at dir.
func heldByAnother(dir string) bool {
	c := &claim{dir: dir}
	if _, err := os.Stat(pidFile(dir)); err != nil {
		return false
	}
	ok, err := c.acquire()
	if ok {
		_ = c.lock.Close()
	}
	return err == nil && !ok
}

// size sums the files below dir; what vanishes meanwhile uses nothing.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// keptRecords is of how many sessions transcript, receipt and screenshots stay.
const keptRecords = 200

// TrimRecords drops the oldest records beyond the last 200. Those of attempts
// that are kept stay with them.
func TrimRecords(ctx context.Context, repo *gitops.Repo) error {
	refs, err := repo.Refs(ctx, recordsRefs)
	if err != nil || len(refs) <= keptRecords {
		return err
	}
	attempts, err := repo.Refs(ctx, attemptsRefs)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, a := range attempts {
		kept[strings.TrimPrefix(a.Name, attemptsRefs)] = true
	}
	slices.SortFunc(refs, func(a, b gitops.Ref) int { return strings.Compare(b.Name, a.Name) }) // names begin with the time
	for _, ref := range refs[keptRecords:] {
		if kept[strings.TrimPrefix(ref.Name, recordsRefs)] {
			continue
		}
		if err := repo.DeleteRef(ctx, ref.Name, ref.OID); err != nil && !errors.Is(err, gitops.ErrRefMoved) {
			return err
		}
	}
	return nil
}

// Forget lets go of a session's attempt and record, and with undone also of what
// an undo of it kept, which may be the only copy of work that had landed. A
// commit that waits aside stays. It tells what the refs held.
func Forget(ctx context.Context, repo *gitops.Repo, session string, undone bool) (gone []gitops.Ref, err error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	prefixes := []string{attemptsRefs, recordsRefs}
	if undone {
		prefixes = append(prefixes, undoneRefs)
	}
	for _, prefix := range prefixes {
		refs, err := repo.Refs(ctx, prefix)
		if err != nil {
			return gone, err
		}
		for _, ref := range refs {
			name := strings.TrimPrefix(ref.Name, prefix)
			if name != session && !(prefix == undoneRefs && undoneSession(ref.Name) == session) {
				continue
			}
			if err := repo.DeleteRef(ctx, ref.Name, ref.OID); err != nil {
				return gone, err
			}
			gone = append(gone, ref)
		}
	}
	return gone, nil
}
