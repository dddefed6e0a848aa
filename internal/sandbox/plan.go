package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"gitagent/internal/hint"
)

// plan is a policy made concrete: paths without symlinks, folders that exist,
// the environment, and what is mounted where.
type plan struct {
	policy Policy
	env    []string
	mounts []mount
	made   string // a folder of ours to remove with the cell
}

const madePrefix = "gitagent-"

// mountKind says how a path looks inside a cell.
type mountKind string

const (
	hide     mountKind = "hide"    // empty, not writable
	private  mountKind = "private" // empty, writable, gone with the cell
	readOnly mountKind = "ro"
	writable mountKind = "rw"
)

// mount is one path of a cell that differs from the read-only system.
type mount struct {
	Path string
	Kind mountKind
}

// secretNames are never shown again once a home is hidden.
var secretNames = [...]string{".ssh", ".aws", ".gnupg", ".config", ".docker", ".kube", ".netrc", ".azure", ".password-store", ".mozilla", ".git-credentials"}

func (s *Sandbox) plan(p Policy) (pl plan, err error) {
	defer func() {
		if err != nil {
			pl.discard()
		}
	}()
	if p, err = pl.ownFolders(p, s.level); err != nil {
		return pl, err
	}
	if p.Dir == "" {
		return pl, errors.New("the policy names no folder to work in")
	}
	for _, list := range []*[]string{&p.Writable, &p.ReadOnly} {
		if *list, err = resolveAll(*list); err != nil {
			return pl, err
		}
	}
	if dir, err := resolveAll([]string{p.Dir}); err != nil {
		return pl, err
	} else {
		p.Dir = dir[0]
	}
	p.Hidden = s.hidden(p.Hidden)
	tools := s.host.toolchains(p)
	p.MaxProcs = cmp.Or(max(p.MaxProcs, 0), defaultProcs)
	p.MaxTemp = atMost(p.MaxTemp, defaultTemp, s.host.memory/8)
	p.MaxDisk = atMost(p.MaxDisk, defaultDisk, 0)
	p.MaxMemory = atMost(p.MaxMemory, defaultMemory, s.host.memory/4*3)
	pl.policy = p
	pl.env = s.host.environ(p, tools)
	pl.mounts = mounts(p, tools.show)
	if s.level >= Landlock && !visible(pl.mounts, p.Dir) {
		return pl, hint.Errorf("add the folder to Writable or ReadOnly", "the folder %s is hidden in the cell", p.Dir)
	}
	return pl, nil
}

// ownFolders makes the folders of the policy that are missing. Those left
// empty lie in the cell's own /tmp, or without one in a folder of ours.
func (pl *plan) ownFolders(p Policy, level Level) (Policy, error) {
	base := "/tmp"
	if level < Namespaces && (p.Home == "" || p.Temp == "" || p.Cache == "") {
		dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", madePrefix, os.Getpid()))
		if err != nil {
			return p, fmt.Errorf("make a folder for the cell: %w", err)
		}
		pl.made, base = dir, dir
	}
	own := []*string{&p.Home, &p.Temp, &p.Cache}
	for i, fallback := range []string{"home", "tmp", "cache"} {
		if *own[i] == "" {
			*own[i] = filepath.Join(base, fallback)
			if pl.made == "" {
				continue // the holder makes it
			}
		}
		if err := os.MkdirAll(*own[i], 0o700); err != nil {
			return p, fmt.Errorf("make a folder for the cell: %w", err)
		}
		dir, err := resolveAll([]string{*own[i]})
		if err != nil {
			return p, err
		}
		*own[i] = dir[0]
		p.Writable = append(slices.Clone(p.Writable), dir[0])
	}
	return p, nil
}

// sweep removes the folders that killed processes made for their cells. It is
// best effort: what is left is tried again.
func sweep(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), madePrefix)
		id, random, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(id)
		if !ours || err != nil || pid < 2 || random == "" || strings.Trim(random, "0123456789") != "" || !e.IsDir() {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			os.RemoveAll(filepath.Join(temp, e.Name()))
		}
	}
}

// atMost gives what was asked for, or without that the smaller of a usual
// limit and what this machine has, if that is known.
func atMost(asked, usual, share int64) int64 {
	switch {
	case asked > 0:
		return asked
	case share > 0:
		return min(usual, share)
	}
	return usual
}

// inside gives the own folders of the cell that lie in a /tmp of its own.
func (pl *plan) inside() []string {
	var dirs []string
	for _, dir := range []string{pl.policy.Home, pl.policy.Temp, pl.policy.Cache} {
		if pl.made == "" && !visible(pl.mounts, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// discard removes what the plan made on disk.
func (pl *plan) discard() {
	if pl.made != "" {
		os.RemoveAll(pl.made)
	}
}

func resolveAll(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return nil, fmt.Errorf("the path %q of the policy is not absolute", p)
		}
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, fmt.Errorf("a path of the policy: %w", err)
		}
		out = append(out, real)
	}
	return out, nil
}

// hidden gives everything that appears empty: what the caller names, homes,
// and where sockets and other people's temporary files lie.
func (s *Sandbox) hidden(named []string) []string {
	all := append(slices.Clone(named), s.host.homes...)
	all = append(all, "/home", "/root", "/run", "/var/run")
	all = append(all, s.host.closed...)
	var out []string
	for _, p := range all {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue // nothing there to hide
		}
		if real == "/" { // a home of "/" cannot be emptied; its secrets can
			for _, name := range secretNames {
				if _, err := os.Lstat(filepath.Join("/", name)); err == nil {
					out = append(out, filepath.Join("/", name))
				}
			}
			continue
		}
		out = append(out, real)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mounts orders everything shallow first, so that the deeper path wins, and at
// the same path the more open one.
func mounts(p Policy, show []string) []mount {
	kinds := map[string]mountKind{}
	add := func(kind mountKind, paths ...string) {
		for _, path := range paths {
			kinds[path] = kind
		}
	}
	add(hide, p.Hidden...)
	for _, tmp := range []string{"/tmp", "/var/tmp"} {
		if st, err := os.Lstat(tmp); err == nil && st.IsDir() {
			add(private, tmp)
		}
	}
	add(readOnly, show...)
	add(writable, p.Writable...)
	add(readOnly, p.ReadOnly...)
	if p.Network == Host { // names are resolved by a file that often lies in /run
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && covered(real, p.Hidden) {
			add(readOnly, real)
		}
	}
	var out []mount
	for path, kind := range kinds {
		out = append(out, mount{path, kind})
	}
	slices.SortFunc(out, func(a, b mount) int {
		return cmp.Or(cmp.Compare(depth(a.Path), depth(b.Path)), cmp.Compare(a.Path, b.Path))
	})
	return slices.DeleteFunc(slices.Clone(out), func(m mount) bool {
		return m.Kind == hide && above(out, m.Path) == hide // not even its name is seen
	})
}

// above gives the kind of the deepest mount that path lies below, "" for none.
func above(ms []mount, path string) (kind mountKind) {
	for _, m := range ms { // shallow first
		if m.Path != path && within(path, m.Path) {
			kind = m.Kind
		}
	}
	return kind
}

// visible reports whether the deepest mount at or above path shows the real one.
func visible(ms []mount, path string) bool {
	seen := true
	for _, m := range ms { // shallow first
		if within(path, m.Path) {
			seen = m.Kind == readOnly || m.Kind == writable
		}
	}
	return seen
}

func depth(path string) int { return strings.Count(filepath.Clean(path), string(filepath.Separator)) }

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+string(filepath.Separator))
}

func covered(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return within(path, d) })
}
