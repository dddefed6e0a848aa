package gitops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// FastForward moves the checked-out branch, the index and the work tree to
// commit. Nothing of the user's is overwritten: *LocalChangesError names what
// was in the way, *LocalFilterError what would have run the repository's own
// filters. Once begun it is not cut short by ctx.
func (r *Repo) FastForward(ctx context.Context, commit OID) error {
	flags, err := r.localFiltersOff(ctx, commit)
	if err != nil {
		return err
	}
	if err := r.firstCheckout(ctx, commit); err != nil {
		return err
	}
	_, err = r.run(context.WithoutCancel(ctx), call{
		mode: checkout, flags: flags,
		args: []string{"merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--no-verify-signatures",
			"--no-stat", "--no-progress", "-q", "--no-edit", string(commit)},
		env: []string{"GIT_REFLOG_ACTION=git agent"},
	})
	return inTheWay(err)
}

// firstCheckout protects files before the first commit: there git merge does
// not look at --no-overwrite-ignore.
func (r *Repo) firstCheckout(ctx context.Context, commit OID) error {
	if _, err := r.Resolve(ctx, "HEAD"); !errors.Is(err, ErrNotFound) {
		return err
	}
	tree, err := r.TreeOf(ctx, string(commit))
	if err != nil {
		return err
	}
	entries, err := r.ListTree(ctx, tree)
	if err != nil {
		return err
	}
	out, err := r.run(ctx, call{args: []string{"ls-files", "-z"}})
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	tracked := map[string]bool{}
	for _, p := range records(out) {
		tracked[p] = true
	}
	found := map[string]bool{}
	for _, e := range entries {
		for p := e.Path; p != "."; p = path.Dir(p) {
			st, err := os.Lstat(filepath.Join(r.top, filepath.FromSlash(p)))
			if err == nil && !tracked[p] && (p == e.Path || !st.IsDir()) {
				found[p] = true
			}
		}
	}
	if len(found) > 0 {
		return &LocalChangesError{Paths: slices.Sorted(maps.Keys(found)), Untracked: true}
	}
	return nil
}

// inTheWay reads which files made git refuse.
func inTheWay(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	local := &LocalChangesError{}
	listing := false
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "error: ") && strings.Contains(line, "would be overwritten by merge"),
			strings.HasPrefix(line, "error: Updating the following directories would lose"),
			strings.HasPrefix(line, "error: The following untracked working tree files would be removed"):
			listing = true
			local.Untracked = strings.Contains(line, "untracked")
		case listing && strings.HasPrefix(line, "\t"):
			local.Paths = append(local.Paths, strings.TrimPrefix(line, "\t"))
		default:
			listing = false
		}
	}
	if len(local.Paths) > 0 {
		return local
	}
	return fmt.Errorf("fast-forward: %w", err)
}

// localFiltersOff switches off the filters that only the repository's own
// config defines: whoever made the repository chose those programs, not the
// user. Paths that would need one are refused.
func (r *Repo) localFiltersOff(ctx context.Context, commit OID) ([]string, error) {
	conf, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	names := conf.localFilters()
	if len(names) == 0 {
		return nil, nil
	}
	var flags []string
	for _, name := range names {
		if strings.Contains(name, "=") {
			return nil, fmt.Errorf("the filter name %q in this repository's config cannot be switched off", name)
		}
		for _, what := range []string{"clean=", "smudge=", "process=", "required=false"} {
			flags = append(flags, "-c", "filter."+name+"."+what)
		}
	}
	head, err := r.TreeOf(ctx, "HEAD")
	if err != nil {
		head = ""
	}
	tree, err := r.TreeOf(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	changes, err := r.DiffTrees(ctx, head, tree)
	if err != nil {
		return nil, err
	}
	filtered, err := r.filtered(ctx, changes, names)
	if err != nil {
		return nil, err
	}
	if len(filtered) > 0 {
		return nil, &LocalFilterError{Paths: filtered}
	}
	return flags, nil
}

// localFilters names the filter drivers whose program comes from the
// repository's own config.
func (c Config) localFilters() []string {
	var names []string
	for _, s := range c.settings {
		rest, ok := strings.CutPrefix(s.key, "filter.")
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 0 || (s.scope != "local" && s.scope != "worktree") {
			continue
		}
		what := rest[dot+1:]
		if what == "clean" || what == "smudge" || what == "process" {
			names = append(names, rest[:dot])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// filtered finds the changed paths whose filter attribute is one of names.
func (r *Repo) filtered(ctx context.Context, changes []Change, names []string) ([]string, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, c := range changes {
		in.WriteString(c.Path + "\x00")
	}
	out, err := r.run(ctx, call{mode: checkout, args: []string{"check-attr", "-z", "--stdin", "filter"}, stdin: []byte(in.String())})
	if err != nil {
		return nil, fmt.Errorf("look for filters: %w", err)
	}
	var paths []string
	recs := records(out)
	for i := 0; i+2 < len(recs); i += 3 {
		if slices.Contains(names, recs[i+2]) {
			paths = append(paths, recs[i])
		}
	}
	return paths, nil
}

// CommitPaths commits exactly these paths as they are in the work tree, as the
// user would: their hooks run, their signature is made, what else is staged
// stays staged. Paths are relative to the top. When it fails, nothing it staged
// remains staged.
func (r *Repo) CommitPaths(ctx context.Context, message string, paths []string) (OID, error) {
	fresh, err := r.untrackedOf(ctx, paths)
	if err != nil {
		return "", err
	}
	if len(fresh) > 0 {
		args := append([]string{"add", "--intent-to-add", "--force", "--"}, fresh...)
		if _, err := r.run(ctx, call{mode: asUser, args: args}); err != nil {
			return "", errors.Join(fmt.Errorf("stage: %w", err), r.unstage(ctx, fresh))
		}
	}
	args := append([]string{"commit", "-q", "-F", "-", "--only", "--"}, paths...)
	if _, err := r.run(ctx, call{mode: asUser, args: args, stdin: []byte(message)}); err != nil {
		return "", errors.Join(fmt.Errorf("commit: %w", err), r.unstage(ctx, fresh))
	}
	return r.Resolve(context.WithoutCancel(ctx), "HEAD") // it is committed, whatever happens now
}

// LocalChanges are those of the paths whose content in the work tree or in the
// index is not that of HEAD, as git sees it: line ends that the user's settings
// turn are no difference.
func (r *Repo) LocalChanges(ctx context.Context, paths ...string) ([]string, error) {
	args := append([]string{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules", "HEAD", "--"}, paths...)
	out, err := r.run(ctx, call{mode: checkout, args: args})
	if err != nil {
		return nil, fmt.Errorf("look for local changes: %w", err)
	}
	return records(out), nil
}

// untrackedOf picks the paths that exist and that the index does not know.
func (r *Repo) untrackedOf(ctx context.Context, paths []string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--full-name", "--"}, paths...)
	out, err := r.run(ctx, call{mode: asUser, args: args})
	if err != nil {
		return nil, fmt.Errorf("look at the index: %w", err)
	}
	known := records(out)
	var fresh []string
	for _, p := range paths {
		if err := checkPath(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if _, err := os.Lstat(filepath.Join(r.top, filepath.FromSlash(p))); err == nil && !slices.Contains(known, p) {
			fresh = append(fresh, p)
		}
	}
	return fresh, nil
}

// Unstage takes paths out of the index that no commit has.
func (r *Repo) Unstage(ctx context.Context, paths []string) error { return r.unstage(ctx, paths) }

// RestoreFiles makes files of the work tree what the index says.
func (r *Repo) RestoreFiles(ctx context.Context, paths []string) error {
	flags, err := r.localFiltersOff(ctx, "HEAD")
	if err != nil {
		return err
	}
	return r.restore(ctx, flags, paths)
}

func (r *Repo) restore(ctx context.Context, flags, paths []string) error {
	_, err := r.run(ctx, call{mode: checkout, flags: flags, args: []string{"checkout-index", "-f", "-q", "-z", "--stdin"}, stdin: []byte(strings.Join(paths, "\x00") + "\x00")})
	return err
}

// unstage takes paths that were untracked before out of the index again.
func (r *Repo) unstage(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	in := strings.Join(paths, "\x00") + "\x00"
	_, err := r.run(context.WithoutCancel(ctx), call{mode: asUser, args: []string{"update-index", "--force-remove", "-z", "--stdin"}, stdin: []byte(in)})
	if err != nil {
		return fmt.Errorf("unstage: %w", err)
	}
	return nil
}

// IsIgnored says whether the user's ignore rules, all of them, cover name. A
// tracked file is not ignored.
func (r *Repo) IsIgnored(ctx context.Context, name string) (bool, error) {
	// check-ignore refuses literal pathspecs; "./" takes magic from the path.
	out, err := r.run(ctx, call{mode: checkout, flags: []string{"--no-literal-pathspecs"},
		args: []string{"check-ignore", "-z", "--stdin"}, stdin: []byte("./" + name + "\x00")})
	if exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("is %s ignored: %w", name, err)
	}
	return len(out) > 0, nil
}
