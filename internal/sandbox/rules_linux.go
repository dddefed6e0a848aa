package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// access is what a process may do with a file or with all that lies below a folder.
type access string

const (
	mayRead  access = "read" // and execute
	mayWrite access = "write"
	mayUse   access = "use" // as a device
)

type fileRule struct {
	Path   string
	Access access
}

// cellRules are for a cell whose mounts already hide what is hidden: they only
// keep writes where they belong, should a mount fail to.
func cellRules(ms []mount, own []string) []fileRule {
	rules := []fileRule{{"/", mayRead}, {"/proc", mayWrite}, {"/dev/shm", mayWrite}, {"/dev/pts", mayUse}}
	for _, name := range deviceNames {
		rules = append(rules, fileRule{filepath.Join("/dev", name), mayUse})
	}
	for _, m := range ms {
		if m.Kind == writable || m.Kind == private {
			rules = append(rules, fileRule{m.Path, mayWrite})
		}
	}
	for _, dir := range own {
		rules = append(rules, fileRule{dir, mayWrite})
	}
	return rules
}

// hostRules are for processes that see the machine as it is. A rule cannot
// take away what one above it gives, so where something is hidden in a folder,
// what lies beside it is allowed one by one. That is not done in writable
// folders, since nothing new could be made in them then. Folders that hold
// something hidden cannot be listed.
func hostRules(ms []mount, list func(dir string) []string) []fileRule {
	ms = append(slices.Clone(ms), mount{"/dev", hide}) // disks, cameras, keyboards
	w := walk{ms: ms, list: list, seen: map[string]bool{}}
	w.allow("/", readOnly)
	for _, m := range ms {
		w.allow(m.Path, m.Kind)
	}
	rules := append(w.rules, fileRule{"/dev/shm", mayWrite}, fileRule{"/dev/pts", mayUse}, fileRule{"/dev/ptmx", mayUse})
	for _, name := range deviceNames {
		rules = append(rules, fileRule{filepath.Join("/dev", name), mayUse})
	}
	return rules
}

type walk struct {
	ms    []mount
	list  func(dir string) []string
	seen  map[string]bool
	rules []fileRule
}

func (w *walk) allow(path string, kind mountKind) {
	switch kind {
	case writable:
		w.add(path, mayWrite)
	case readOnly:
		if !w.hides(path) {
			w.add(path, mayRead)
			return
		}
		for _, name := range w.list(path) {
			child := filepath.Join(path, name)
			if i := slices.IndexFunc(w.ms, func(m mount) bool { return m.Path == child }); i < 0 { // others have their turn
				w.allow(child, readOnly)
			}
		}
	}
}

func (w *walk) add(path string, a access) {
	if !w.seen[path] {
		w.seen[path] = true
		w.rules = append(w.rules, fileRule{path, a})
	}
}

// hides reports whether something below path must not be seen.
func (w *walk) hides(path string) bool {
	return slices.ContainsFunc(w.ms, func(m mount) bool {
		return m.Path != path && within(m.Path, path) && (m.Kind == hide || m.Kind == private)
	})
}

// entries lists a folder without its links: a rule for one would be a rule for
// what it leads to.
func entries(dir string) []string {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil // what cannot be listed is not allowed
	}
	var names []string
	for _, e := range all {
		if e.Type()&os.ModeSymlink == 0 {
			names = append(names, e.Name())
		}
	}
	return names
}
