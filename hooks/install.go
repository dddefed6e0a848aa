package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

// Installed is what Install or Uninstall did.
type Installed struct {
	Dir   string         `json:"dir"`
	Hooks []Installation `json:"hooks"`
}

// Installation is what happened to one hook: Done is "created", "added",
// "renewed", "unchanged", "kept" (the former hook was renamed to Kept and runs
// first), "removed", "restored", "none" or "by hand".
type Installation struct {
	Hook string `json:"hook"`
	Path string `json:"path"`
	Done string `json:"done"`
	Kept string `json:"kept,omitempty"`
	Why  string `json:"why,omitempty"`
}

// Install puts git agent's part into the hooks that git really runs, and sets
// up the merge drivers of this clone. A hook that is there stays, runs first and its exit code
// counts. binary is the path tried where PATH has no git-agent ("" for none).
// more names hooks that are not set otherwise: "pre-push". In a bare repository
// it is pre-receive that is set. Run again it changes nothing. It fails with ErrElsewhere, and the line to add
// as a hint, where the folder is not this repository's own.
func Install(ctx context.Context, repo *gitops.Repo, binary string, more ...string) (Installed, error) {
	t, err := find(ctx, repo)
	if err != nil {
		return Installed{}, err
	}
	done := Installed{Dir: t.dir}
	if err := installMerge(ctx, repo, binary); err != nil {
		return done, err
	}
	refusal := t.refusal(repo)
	for _, name := range more {
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	for _, name := range t.names {
		f, err := t.file(name)
		if err != nil && refusal == nil {
			return done, err
		}
		if err == nil && manual(f.content, name) && takeApart(f.content).form == formNone {
			done.Hooks = append(done.Hooks, Installation{Hook: name, Path: f.path, Done: "by hand"})
			continue
		}
		if refusal != nil {
			return done, refusal
		}
		one, err := install(t, f, binary)
		if err != nil {
			return done, err
		}
		done.Hooks = append(done.Hooks, one)
	}
	return done, nil
}

func install(t target, f hookFile, binary string) (Installation, error) {
	s := shim{hook: f.name, binary: binary}
	if t.husky {
		s.binary = "" // the file is shared: nobody else has this path
	}
	one := Installation{Hook: f.name, Path: f.path}
	if !f.exists {
		s.form, one.Done = formCreated, "created"
		if err := os.MkdirAll(t.dir, 0o755); err != nil {
			return one, fmt.Errorf("make the hooks folder: %w", err)
		}
		return one, replaceFile(f.path, []byte(shebang+s.section()), newMode(t))
	}
	if f.regular && takeApart(f.content).form != formNone {
		return renew(t, f, s, one)
	}
	why := unfit(t, f)
	if why == "" {
		one.Done = "added"
		return one, replaceFile(f.path, compose(s, f.content), f.mode.Perm())
	}
	one.Done, one.Kept, one.Why = "kept", f.kept, why
	return one, keep(t, f, s)
}

// renew brings our section up to date; a file that is right is not touched.
func renew(t target, f hookFile, s shim, one Installation) (Installation, error) {
	one.Done = "unchanged"
	if f.hasKept {
		one.Kept = f.kept
	}
	content, mode := compose(s, f.content), f.mode.Perm()
	if own := takeApart(f.content).form; own == formCreated || own == formKept {
		mode |= newMode(t)
	}
	if bytes.Equal(content, f.content) && mode == f.mode.Perm() {
		return one, nil
	}
	one.Done = "renewed"
	return one, replaceFile(f.path, content, mode)
}

// unfit says why our section cannot stand in the user's own file.
func unfit(t target, f hookFile) string {
	switch {
	case !f.regular:
		return "it is a symbolic link"
	case !f.runs(t.husky):
		return "it has no run bit, so git does not run it"
	}
	_, why := appendable(f.content)
	return why
}

// keep renames the user's hook and puts a file that calls it first in its place.
func keep(t target, f hookFile, s shim) error {
	if f.hasKept {
		return hint.Errorf("look at both files and keep one of them", "%s cannot be taken along: %s is in the way", f.path, f.kept)
	}
	interpreter := ""
	if t.husky {
		interpreter = "sh -e"
	}
	s.form = formKept
	if err := os.Rename(f.path, f.kept); err != nil {
		return fmt.Errorf("keep the hook %s: %w", f.name, err)
	}
	err := replaceFile(f.path, []byte(keeper(f.name, interpreter)+s.section()), newMode(t))
	if err != nil {
		if back := os.Rename(f.kept, f.path); back != nil {
			return fmt.Errorf("%w (the hook is now %s)", err, f.kept)
		}
	}
	return err
}

// newMode is that of files of ours.
func newMode(t target) os.FileMode {
	if t.husky {
		return 0o644
	}
	return 0o755
}

// Uninstall takes out what Install put in and nothing else: the user's hooks
// are byte for byte what they were.
func Uninstall(ctx context.Context, repo *gitops.Repo) (Installed, error) {
	t, err := find(ctx, repo)
	if err != nil {
		return Installed{}, err
	}
	done := Installed{Dir: t.dir}
	if err := uninstallMerge(ctx, repo); err != nil {
		return done, err
	}
	if t.path.Disabled {
		return done, nil
	}
	for _, name := range t.names {
		f, err := t.file(name)
		if err != nil {
			return done, err
		}
		one, err := uninstall(f)
		if err != nil {
			return done, err
		}
		done.Hooks = append(done.Hooks, one)
	}
	return done, nil
}

func uninstall(f hookFile) (Installation, error) {
	one := Installation{Hook: f.name, Path: f.path, Done: "none"}
	p := takeApart(f.content)
	switch {
	case !f.exists && f.hasKept:
		one.Done = "restored"
		return one, rename(f.kept, f.path)
	case p.form == formNone && manual(f.content, f.name):
		one.Done, one.Why = "by hand", "the line was not written by git agent; a person takes it out"
		return one, nil
	case p.form == formNone:
		if f.hasKept {
			one.Kept, one.Why = f.kept, "another tool replaced the hook; the former one is still kept"
		}
		return one, nil
	case p.form == formKept && isKeeper(p.user, f.name):
		one.Done = "restored"
		if f.hasKept {
			return one, rename(f.kept, f.path)
		}
		return one, remove(f.path)
	case p.form == formKept:
		return one, hint.Errorf("move them to "+f.kept+" first", "%s has lines that were added after git agent came; nothing was changed", f.path)
	case p.form == formCreated && string(p.user) == shebang:
		one.Done = "removed"
		return one, remove(f.path)
	}
	one.Done = "restored"
	return one, replaceFile(f.path, p.user, f.mode.Perm())
}

// isKeeper says whether user is what keeper wrote and nothing else.
func isKeeper(user []byte, hook string) bool {
	return string(user) == keeper(hook, "") || string(user) == keeper(hook, "sh -e")
}

func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("restore the hook: %w", err)
	}
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the hook: %w", err)
	}
	return nil
}
