package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Change is one path that differs: Status is A, D, M or T (another type, as a
// file that became a symlink). Modes and ids are "" on the side that has none.
type Change struct {
	Status           byte
	OldMode, NewMode string
	OldOID, NewOID   OID
	Path             string
}

// DiffTrees compares two trees by mode and blob, sorted by path, renames shown
// as D and A. "" is the empty tree.
func (r *Repo) DiffTrees(ctx context.Context, old, new OID) ([]Change, error) {
	var changes []Change
	if err := r.diffLevel(ctx, old, new, "", &changes); err != nil {
		return nil, fmt.Errorf("compare trees %s and %s: %w", old.Short(), new.Short(), err)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// diffLevel compares one folder; what is equal is never read.
func (r *Repo) diffLevel(ctx context.Context, old, new OID, prefix string, changes *[]Change) error {
	if old == new {
		return nil
	}
	olds, err := r.level(ctx, old)
	if err != nil {
		return err
	}
	news, err := r.level(ctx, new)
	if err != nil {
		return err
	}
	left := make(map[string]Entry, len(olds))
	for _, e := range olds {
		left[e.Path] = e
	}
	for _, n := range news {
		o, had := left[n.Path]
		delete(left, n.Path)
		if had && o == n {
			continue
		}
		if err := r.diffEntry(ctx, o, n, prefix+n.Path, changes); err != nil {
			return err
		}
	}
	for name, o := range left {
		if err := r.diffEntry(ctx, o, Entry{}, prefix+name, changes); err != nil {
			return err
		}
	}
	return nil
}

// diffEntry compares what two trees hold under one name; a zero Entry is
// nothing.
func (r *Repo) diffEntry(ctx context.Context, o, n Entry, path string, changes *[]Change) error {
	if o.Mode == modeDir || n.Mode == modeDir {
		var oldTree, newTree OID
		if o.Mode == modeDir {
			oldTree, o = o.OID, Entry{}
		}
		if n.Mode == modeDir {
			newTree, n = n.OID, Entry{}
		}
		if err := r.diffLevel(ctx, oldTree, newTree, path+"/", changes); err != nil {
			return err
		}
	}
	c := Change{OldMode: o.Mode, NewMode: n.Mode, OldOID: o.OID, NewOID: n.OID, Path: path}
	switch {
	case o.Mode == "" && n.Mode == "":
		return nil
	case o.Mode == "":
		c.Status = 'A'
	case n.Mode == "":
		c.Status = 'D'
	case o.Mode[:2] != n.Mode[:2]:
		c.Status = 'T'
	default:
		c.Status = 'M'
	}
	*changes = append(*changes, c)
	return nil
}

// DiffIndex compares HEAD (or nothing, before the first commit) with the index
// that counts: in a hook the one that is being committed.
func (r *Repo) DiffIndex(ctx context.Context) ([]Change, error) {
	env, err := r.indexEnv()
	if err != nil {
		return nil, err
	}
	out, err := r.diffIndex(ctx, env, "HEAD")
	if err != nil && exitCode(err) == 128 {
		if _, gone := r.TreeOf(ctx, "HEAD"); errors.Is(gone, ErrNotFound) { // before the first commit
			empty, _ := r.EmptyTree(ctx)
			out, err = r.diffIndex(ctx, env, string(empty))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("compare HEAD with the index: %w", err)
	}
	return ParseRaw(out)
}

func (r *Repo) diffIndex(ctx context.Context, env []string, base string) ([]byte, error) {
	return r.run(ctx, call{env: env, args: []string{"diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames",
		"--ita-invisible-in-index", "--ignore-submodules=none", base, "--"}})
}

// ParseRaw reads `--raw -z` output: ":mode mode id id status NUL path NUL".
func ParseRaw(out []byte) ([]Change, error) {
	recs := records(out)
	if len(recs)%2 != 0 {
		return nil, fmt.Errorf("git gave a diff that is not understood")
	}
	changes := make([]Change, 0, len(recs)/2)
	for i := 0; i < len(recs); i += 2 {
		f := strings.Fields(strings.TrimPrefix(recs[i], ":"))
		if len(f) != 5 || f[4] == "" {
			return nil, fmt.Errorf("git gave a diff line that is not understood: %q", recs[i])
		}
		changes = append(changes, Change{Status: f[4][0], OldMode: none(f[0]), NewMode: none(f[1]),
			OldOID: OID(none(f[2])), NewOID: OID(none(f[3])), Path: recs[i+1]})
	}
	return changes, nil
}

// none turns git's zeros into "".
func none(s string) string {
	if strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

// indexEnv selects the index that counts.
func (r *Repo) indexEnv() ([]string, error) {
	if r.indexErr != nil {
		return nil, r.indexErr
	}
	if r.index == "" {
		return nil, nil
	}
	return []string{"GIT_INDEX_FILE=" + r.index}, nil
}

// IndexTree writes the index that counts as a tree. It works on a copy, since
// git would write its cache back into the index. It fails while paths are
// unmerged.
func (r *Repo) IndexTree(ctx context.Context) (OID, error) {
	if _, err := r.indexEnv(); err != nil {
		return "", err
	}
	path := r.index
	if path == "" {
		path = filepath.Join(r.gitDir, "index")
	}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return r.EmptyTree(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("read the index: %w", err)
	}
	dir, err := os.MkdirTemp("", "git-agent-index-")
	if err != nil {
		return "", fmt.Errorf("copy the index: %w", err)
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "index")
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return "", fmt.Errorf("copy the index: %w", err)
	}
	out, err := r.run(ctx, call{args: []string{"write-tree"}, env: []string{"GIT_INDEX_FILE=" + temp}})
	if err != nil {
		return "", fmt.Errorf("write the index as a tree: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

// DiffText shows the difference of two trees to people and models: unified, no
// colour, no external program. "" is the empty tree; paths limit it.
func (r *Repo) DiffText(ctx context.Context, old, new OID, paths ...string) (string, error) {
	empty, err := r.EmptyTree(ctx)
	if err != nil {
		return "", err
	}
	if old == "" {
		old = empty
	}
	if new == "" {
		new = empty
	}
	args := []string{"diff-tree", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", string(old), string(new), "--"}
	out, err := r.run(ctx, call{args: append(args, paths...)})
	if err != nil {
		return "", fmt.Errorf("show the difference: %w", err)
	}
	return string(out), nil
}

// HiddenFiles lists the files whose changes git does not see, because the index
// says so: assume-unchanged, or skip-worktree outside of a sparse checkout.
func (r *Repo) HiddenFiles(ctx context.Context) ([]string, error) {
	out, err := r.run(ctx, call{args: []string{"ls-files", "-v", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	conf, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	sparse, _ := conf.Bool("core.sparseCheckout", false)
	var hidden []string
	for _, rec := range records(out) {
		if len(rec) < 3 {
			continue
		}
		flag, name := rec[0], rec[2:]
		if flag >= 'a' && flag <= 'z' || flag == 'S' && !sparse {
			hidden = append(hidden, name)
		}
	}
	return hidden, nil
}
