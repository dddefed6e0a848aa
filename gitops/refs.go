package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// OID is a full object id in hex; "" means none.
type OID string

// Short is the id as people write it, for messages only.
func (o OID) Short() string {
	if len(o) > 10 {
		return string(o[:10])
	}
	return string(o)
}

// Head is what HEAD names.
type Head struct {
	Branch string // "refs/heads/x", "" when detached
	Commit OID    // "" when the branch has no commit yet
}

// Ref is a ref and the object it holds.
type Ref struct {
	Name string
	OID  OID
}

// zero is the id that stands for "no object" in ref updates.
func (r *Repo) zero() OID {
	if r.format == "sha256" {
		return OID(strings.Repeat("0", 64))
	}
	return OID(strings.Repeat("0", 40))
}

// isOID says whether s is a full object id of this repository.
func (r *Repo) isOID(s string) bool {
	if len(s) != len(r.zero()) {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Head reads HEAD of this work tree.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	// One question answers both, except before the first commit and where the
	// answer is not plain.
	if both, err := r.line(ctx, "rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"); err == nil {
		commit, branch, ok := strings.Cut(both, "\n")
		switch {
		case !ok || !r.isOID(commit):
		case branch == "HEAD":
			return Head{Commit: OID(commit)}, nil
		case strings.HasPrefix(branch, "refs/") && !strings.Contains(branch, "\n"):
			return Head{Branch: branch, Commit: OID(commit)}, nil
		}
	}
	var h Head
	branch, err := r.line(ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case err == nil:
		h.Branch = branch
	case exitCode(err) != 1: // 1 = detached
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	h.Commit, err = r.Resolve(ctx, "HEAD")
	if errors.Is(err, ErrNotFound) && h.Branch != "" {
		return h, nil
	}
	return h, err
}

// Resolve finds the commit that rev names, or ErrNotFound.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	return r.resolve(ctx, rev, "commit")
}

// TreeOf finds the tree of a commit-ish or of a tree, or ErrNotFound.
func (r *Repo) TreeOf(ctx context.Context, rev string) (OID, error) {
	if empty, _ := r.EmptyTree(ctx); OID(rev) == empty {
		return empty, nil
	}
	return r.resolve(ctx, rev, "tree")
}

func (r *Repo) resolve(ctx context.Context, rev, kind string) (OID, error) {
	out, err := r.line(ctx, "rev-parse", "--verify", "-q", "--end-of-options", rev+"^{"+kind+"}")
	if err == nil && r.isOID(out) {
		return OID(out), nil
	}
	if err == nil || exitCode(err) == 1 || exitCode(err) == 128 {
		return "", fmt.Errorf("no %s %q: %w", kind, rev, ErrNotFound)
	}
	return "", fmt.Errorf("resolve %s: %w", rev, err)
}

// EmptyTree is the id of the tree without entries; git knows it in every
// repository.
func (r *Repo) EmptyTree(context.Context) (OID, error) {
	if r.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321", nil
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904", nil
}

// Refs lists the refs below prefix (or of that very name), sorted by name.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	if prefix != "" {
		args = append(args, "--", prefix)
	}
	out, err := r.run(ctx, call{args: args})
	if err != nil {
		return nil, fmt.Errorf("list refs %s: %w", prefix, err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok {
			refs = append(refs, Ref{Name: name, OID: OID(id)})
		}
	}
	return refs, nil
}

// Commits lists the refs below prefixes (or of those very names) that name a
// commit, tags by the commit that they are on, sorted by name; one question to
// git for all of them.
func (r *Repo) Commits(ctx context.Context, prefixes ...string) ([]Ref, error) {
	const format = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)"
	out, err := r.run(ctx, call{args: append([]string{"for-each-ref", format, "--"}, prefixes...)})
	if err != nil {
		return nil, fmt.Errorf("list commits of refs: %w", err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
		if len(f) != 5 {
			continue
		}
		ref := Ref{Name: f[4], OID: OID(f[1])}
		switch {
		case f[0] == "commit":
		case f[0] == "tag" && f[2] == "commit":
			ref.OID = OID(f[3])
		case f[0] == "tag" && f[2] == "tag": // a tag of a tag: older gits take off one alone
			if ref.OID, err = r.Resolve(ctx, ref.Name); errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		default:
			continue
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// UpdateRef moves ref from old to new; old "" means that it must not exist.
// It fails with ErrRefMoved when the ref holds something else.
func (r *Repo) UpdateRef(ctx context.Context, ref string, new, old OID, reason string) error {
	if old == "" {
		old = r.zero()
	}
	_, err := r.run(ctx, call{args: []string{"update-ref", "--no-deref", "-m", reason, "--", ref, string(new), string(old)}})
	return r.moved(ctx, err, ref, old)
}

// DeleteRef removes ref if it holds old, else ErrRefMoved.
func (r *Repo) DeleteRef(ctx context.Context, ref string, old OID) error {
	_, err := r.run(ctx, call{args: []string{"update-ref", "--no-deref", "-d", "--", ref, string(old)}})
	return r.moved(ctx, err, ref, old)
}

// moved tells a lost race from other failures by looking at the ref.
func (r *Repo) moved(ctx context.Context, err error, ref string, old OID) error {
	if err == nil {
		return nil
	}
	now, rerr := r.line(ctx, "rev-parse", "--verify", "-q", "--end-of-options", ref)
	if rerr != nil {
		now = string(r.zero())
	}
	if OID(now) != old {
		return fmt.Errorf("update %s: %w", ref, ErrRefMoved)
	}
	return fmt.Errorf("update %s: %w", ref, err)
}

// CheckedOutAt finds a work tree in which branch ("refs/heads/x") is checked
// out, or being rebased.
func (r *Repo) CheckedOutAt(ctx context.Context, branch string) (dir string, ok bool, err error) {
	out, err := r.run(ctx, call{args: []string{"worktree", "list", "--porcelain", "-z"}})
	if err != nil {
		return "", false, fmt.Errorf("list work trees: %w", err)
	}
	var at string
	for _, rec := range records(out) {
		if path, is := strings.CutPrefix(rec, "worktree "); is {
			at = path
		}
		if rec == "branch "+branch {
			return at, true, nil
		}
	}
	return r.rebasedAt(branch)
}

// rebasedAt looks for a rebase of branch: HEAD is detached meanwhile, yet the
// branch will be moved when it ends.
func (r *Repo) rebasedAt(branch string) (string, bool, error) {
	dirs := []string{r.commonDir}
	linked, err := filepath.Glob(filepath.Join(r.commonDir, "worktrees", "*"))
	if err != nil {
		return "", false, fmt.Errorf("list work trees: %w", err)
	}
	for _, dir := range append(dirs, linked...) {
		for _, state := range []string{"rebase-merge", "rebase-apply"} {
			name, err := os.ReadFile(filepath.Join(dir, state, "head-name"))
			if err == nil && strings.TrimSpace(string(name)) == branch {
				return workTreeOf(dir), true, nil
			}
		}
	}
	return "", false, nil
}

// workTreeOf finds the work tree of a git folder; a folder without one stands
// for itself.
func workTreeOf(gitDir string) string {
	if link, err := os.ReadFile(filepath.Join(gitDir, "gitdir")); err == nil { // a linked work tree's .git file
		return filepath.Dir(strings.TrimSpace(string(link)))
	}
	if filepath.Base(gitDir) == ".git" {
		return filepath.Dir(gitDir)
	}
	return gitDir
}

// Operation names what is under way in this work tree: merge, rebase,
// cherry-pick, revert, am or bisect; "" when nothing is.
func (r *Repo) Operation(context.Context) (string, error) {
	for _, s := range []struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
		{"sequencer/todo", ""}, {"BISECT_LOG", "bisect"},
	} {
		path := filepath.Join(r.gitDir, s.file)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return "", fmt.Errorf("look for an operation under way: %w", err)
		}
		if s.name == "" {
			return sequence(path), nil
		}
		return s.name, nil
	}
	return "", nil
}

// sequence tells a series of reverts from one of cherry-picks.
func sequence(todo string) string {
	f, err := os.Open(todo)
	if err != nil {
		return "cherry-pick"
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	if scan.Scan() && strings.HasPrefix(scan.Text(), "revert") {
		return "revert"
	}
	return "cherry-pick"
}
