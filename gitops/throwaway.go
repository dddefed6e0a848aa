package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ThrowawaySpec is a repository to make for something that is not trusted.
type ThrowawaySpec struct {
	Branch   string // "refs/heads/x", "" = a name of its own
	Base     OID    // the commit HEAD names, "" = none yet
	Tree     OID    // what index and work tree hold
	Settings map[string]string
	Excludes []string // lines of info/exclude
}

// Throwaway makes a repository in dir, which must be empty, with a .git of its
// own that borrows this repository's objects for reading. It carries the user's
// name and none of their other config. Nothing of ours should read it once
// something else has written in it.
func (r *Repo) Throwaway(ctx context.Context, dir string, spec ThrowawaySpec) error {
	gitDir := filepath.Join(dir, ".git")
	branch := strings.TrimPrefix(spec.Branch, "refs/heads/")
	if branch == "" {
		branch = "agent"
	}
	git := func(args ...string) error {
		c := call{args: args, dir: dir, env: []string{"GIT_DIR=" + gitDir, "GIT_COMMON_DIR=" + gitDir, "GIT_WORK_TREE=" + dir,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_COUNT=0", "GIT_CONFIG_PARAMETERS="}}
		_, err := r.run(ctx, c)
		return err
	}
	if err := git("init", "-q", "--template=", "--object-format="+r.format, "-b", branch); err != nil {
		return fmt.Errorf("make a throwaway repository: %w", err)
	}
	files := map[string]string{
		"objects/info/alternates": filepath.Join(r.commonDir, "objects") + "\n",
		"info/exclude":            strings.Join(spec.Excludes, "\n") + "\n",
	}
	for name, content := range files {
		path := filepath.Join(gitDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make a throwaway repository: %w", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("make a throwaway repository: %w", err)
		}
	}
	name, mail, err := r.identity(ctx)
	if err != nil {
		return err
	}
	settings := map[string]string{"user.name": name, "user.email": mail, "commit.gpgSign": "false", "gc.auto": "0", "maintenance.auto": "false"}
	for k, v := range spec.Settings {
		settings[k] = v
	}
	if err := appendConfig(filepath.Join(gitDir, "config"), settings); err != nil {
		return fmt.Errorf("make a throwaway repository: %w", err)
	}
	if spec.Base != "" {
		if err := git("update-ref", "--no-deref", "refs/heads/"+branch, string(spec.Base)); err != nil {
			return fmt.Errorf("make a throwaway repository: %w", err)
		}
	}
	if err := git("read-tree", "-u", "--reset", string(spec.Tree)); err != nil {
		return fmt.Errorf("make a throwaway repository: %w", err)
	}
	return nil
}

// appendConfig adds settings to a config file, in one write instead of a git
// call for each.
func appendConfig(path string, settings map[string]string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	quote := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t", "\\t")
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		if first < 0 {
			continue
		}
		section := "[" + key[:first] + "]"
		if first < last {
			section = "[" + key[:first] + " \"" + quote.Replace(key[first+1:last]) + "\"]"
		}
		if _, err := fmt.Fprintf(f, "%s\n\t%s = \"%s\"\n", section, key[last+1:], quote.Replace(settings[key])); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// identity is the user's name and address as git would put them in a commit.
func (r *Repo) identity(ctx context.Context) (name, mail string, err error) {
	out, err := r.run(ctx, call{mode: checkout, args: []string{"var", "GIT_AUTHOR_IDENT"}})
	if err != nil {
		return "", "", fmt.Errorf("who commits: %w", err)
	}
	ident, _ := parseIdent(strings.TrimSpace(string(out)))
	name, mail, _ = strings.Cut(strings.TrimSuffix(ident, ">"), " <")
	return name, mail, nil
}

// ObjectDirs lists the folders that hold this repository's objects: its own
// and those it borrows from.
func (r *Repo) ObjectDirs() []string {
	dirs := []string{filepath.Join(r.commonDir, "objects")}
	for i := 0; i < len(dirs) && i < 16; i++ {
		f, err := os.Open(filepath.Join(dirs[i], "info", "alternates"))
		if err != nil {
			continue
		}
		scan := bufio.NewScanner(f)
		for scan.Scan() {
			dir := scan.Text()
			if dir == "" || strings.HasPrefix(dir, "#") {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(dirs[i], dir)
			}
			dirs = append(dirs, dir)
		}
		f.Close()
	}
	return dirs
}
