package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gitagent/gitops"
)

// HookResult is what the user's own hooks made of a commit.
type HookResult struct {
	Tree    gitops.OID // reformatted, perhaps; harness files never are
	Message string
	Refused string // what the hooks printed when they refused, "" = accepted
}

const maxHooksDir = 16 << 20 // bytes of hook files that are copied

// hookNames are the hooks of `git commit` that may refuse or change it.
func hookNames() []string { return []string{"pre-commit", "prepare-commit-msg", "commit-msg"} }

// hookSet is what is to run: where the user's hooks lie and how git in the
// throwaway repository finds them.
type hookSet struct {
	dir     string            // the user's hooks folder
	inTree  string            // its path below the top when it lies in the work tree
	content map[string][]byte // by name: the user's part of what lies in dir
	config  map[string]string // hook.* settings (git 2.54)
}

// effectiveHooks finds the user's hooks without ours. None is nil.
func effectiveHooks(ctx context.Context, repo *gitops.Repo, ours func([]byte) ([]byte, bool)) (*hookSet, error) {
	path, err := repo.HooksPath(ctx)
	if err != nil {
		return nil, err
	}
	h := &hookSet{dir: path.Dir, content: map[string][]byte{}, config: map[string]string{}}
	if path.InWorktree {
		if h.inTree, err = filepath.Rel(repo.Top(), path.Dir); err != nil {
			return nil, fmt.Errorf("find the hooks: %w", err)
		}
	}
	wanted := false
	if !path.Disabled {
		for _, name := range hookNames() {
			data, ok, err := userPart(filepath.Join(h.dir, name), ours)
			if err != nil {
				return nil, err
			}
			if ok {
				h.content[name] = data
				wanted = true
			}
		}
	}
	conf, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	configured := h.addConfigured(conf)
	if !wanted && !configured {
		return nil, nil
	}
	return h, nil
}

// userPart reads one hook; ok is false where git would run nothing or only us.
func userPart(path string, ours func([]byte) ([]byte, bool)) (data []byte, ok bool, err error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && (!st.Mode().IsRegular() || st.Mode()&0o111 == 0)) {
		return nil, false, nil
	}
	if err == nil && st.Size() > maxHooksDir {
		return nil, false, fmt.Errorf("the hook %s is too large", path)
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the hook: %w", err)
	}
	part, found := ours(data)
	if found && len(strings.TrimSpace(string(part))) == 0 {
		return nil, false, nil
	}
	return part, true, nil
}

// addConfigured takes over the hooks that config names (git 2.54), ours left
// out, and says whether one of them belongs to a commit.
func (h *hookSet) addConfigured(conf gitops.Config) bool {
	found := false
	settings := conf.Section("hook.")
	for key, command := range settings {
		name, isCommand := strings.CutSuffix(key, ".command")
		if !isCommand || strings.Contains(command, "git-agent hook") || strings.Contains(command, "git agent hook") {
			continue
		}
		for _, event := range conf.All(name + ".event") {
			for _, wanted := range hookNames() {
				if event == wanted {
					h.config[key], h.config[name+".event"] = command, event
					found = true
				}
			}
		}
		if enabled, ok := settings[name+".enabled"]; ok {
			h.config[name+".enabled"] = enabled
		}
	}
	return found
}

// place puts the hooks into the throwaway repository at work. A folder that
// lies in the work tree keeps its place, as hook managers find their parts
// relative to it; any other is copied into .git/hooks.
func (h *hookSet) place(work string) error {
	if h.inTree != "" {
		return h.copyInto(filepath.Join(work, h.inTree), false)
	}
	return h.copyInto(filepath.Join(work, ".git", "hooks"), true)
}

// copyInto copies the hooks folder. Files that are there already come from the
// commit's own tree and stay. all says whether everything is copied or only
// what git ignores.
func (h *hookSet) copyInto(to string, all bool) error {
	var total int64
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(h.dir, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if strings.HasSuffix(path, ".sample") || strings.HasPrefix(filepath.Base(path), "post-") {
			return nil
		}
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			return nil
		}
		if total += st.Size(); total > maxHooksDir {
			return fmt.Errorf("the hooks folder %s is too large", h.dir)
		}
		if all && filepath.Dir(rel) == "." && h.left(rel) {
			return nil
		}
		data, ok := h.content[rel]
		if !ok {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		return os.WriteFile(target, data, st.Mode().Perm())
	})
	if err != nil {
		return fmt.Errorf("copy the hooks: %w", err)
	}
	return nil
}

// left says whether name is a commit hook with nothing of the user's in it.
func (h *hookSet) left(name string) bool {
	for _, n := range hookNames() {
		if n == name {
			_, has := h.content[name]
			return !has
		}
	}
	return false
}
