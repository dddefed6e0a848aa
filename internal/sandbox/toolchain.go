package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// toolchains is what of the user's PATH is usable in a cell, and which folders
// below hidden homes must be readable for it.
type toolchains struct {
	path    []string
	show    []string
	env     []string
	modules string // the user's Go module cache, "" when there is none
}

// maxLinks bounds how many entries of a folder on PATH are looked at.
const maxLinks = 2000

// toolchains goes through PATH: relative folders, writable ones and those of
// the checkout are dropped; those in a home are shown again, each with the
// installation that it belongs to, but never a folder known to hold secrets.
func (f facts) toolchains(p Policy) toolchains {
	t := toolchains{}
	foreign := slices.DeleteFunc(slices.Clone(p.Hidden), func(h string) bool { // hidden for what it is, not as a home
		return h == "/run" || h == "/home" || slices.ContainsFunc(f.homes, func(home string) bool { return within(home, h) })
	})
	for _, dir := range f.searched() {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || slices.Contains(t.path, real) {
			continue
		}
		if covered(real, p.Writable) || covered(real, foreign) || slices.Contains(p.Hidden, real) || f.secret(real) {
			continue
		}
		t.path = append(t.path, real)
		if f.concealed(real, p) {
			t.add(f, f.installation(real))
			t.add(f, real)
		}
		targets, known := f.links[real]
		if !known {
			targets = links(real)
		}
		for _, target := range targets {
			if f.concealed(target, p) && !covered(target, foreign) {
				t.add(f, f.installationOf(target))
			}
		}
	}
	t.variables(f)
	t.goModules(f, p)
	return t
}

// searched gives the folders that programs are looked for in.
func (f facts) searched() []string {
	return append(filepath.SplitList(f.env["PATH"]), "/usr/local/bin", "/usr/bin", "/bin")
}

// concealed reports whether path would not be seen in the cell.
func (f facts) concealed(path string, p Policy) bool {
	return covered(path, p.Hidden) || within(path, "/tmp") || within(path, "/var/tmp")
}

func (t *toolchains) add(f facts, path string) {
	if !f.secret(path) && !slices.Contains(f.homes, path) && !covered(path, t.show) {
		t.show = append(t.show, path)
	}
}

// installation is the folder that a folder of programs belongs to. Folders
// that programs share with other things are not shown whole.
func (f facts) installation(dir string) string {
	switch filepath.Base(dir) {
	case "bin", "shims", "sbin":
	default:
		return dir
	}
	root := filepath.Dir(dir)
	if root == "/" || depth(root) == 1 || slices.Contains(f.homes, root) {
		return dir
	}
	switch filepath.Base(root) {
	case ".local", ".cargo", ".npm", ".gem":
		return dir
	}
	// A GOPATH holds sources as well; its programs need nothing else. The
	// same folder with a VERSION is an installation of Go.
	if _, err := os.Stat(filepath.Join(root, "pkg", "mod")); err == nil {
		if _, err := os.Stat(filepath.Join(root, "VERSION")); err != nil {
			return dir
		}
	}
	return root
}

// installationOf is the same for a program that a link leads to.
func (f facts) installationOf(file string) string {
	dir := filepath.Dir(file)
	if slices.Contains(f.homes, dir) || depth(dir) == 1 {
		return file
	}
	return f.installation(dir)
}

// secret reports whether path lies in a folder of a home known to hold secrets.
func (f facts) secret(path string) bool {
	for _, home := range f.homes {
		for _, name := range secretNames {
			if within(path, filepath.Join(home, name)) {
				return true
			}
		}
	}
	return false
}

// links gives what the symlinks of dir lead to.
func links(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxLinks) // what could be read of it will do
	var out []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name())); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// variables tells version managers where they are, since HOME is not theirs.
func (t *toolchains) variables(f facts) {
	for _, m := range []struct{ name, dir string }{
		{"PYENV_ROOT", ".pyenv"}, {"RBENV_ROOT", ".rbenv"}, {"VOLTA_HOME", ".volta"}, {"ASDF_DATA_DIR", ".asdf"},
	} {
		for _, home := range f.homes {
			if dir := filepath.Join(home, m.dir); slices.Contains(t.show, dir) {
				t.env = append(t.env, m.name+"="+dir)
			}
		}
	}
	for _, home := range f.homes { // rustup's programs are proxies for its toolchains
		rustup := f.or("RUSTUP_HOME", filepath.Join(home, ".rustup"))
		if st, err := os.Stat(rustup); err == nil && st.IsDir() && slices.Contains(t.path, filepath.Join(home, ".cargo", "bin")) {
			t.add(f, rustup)
			t.env = append(t.env, "RUSTUP_HOME="+rustup)
		}
	}
}

// goModules finds the user's module cache.
func (t *toolchains) goModules(f facts, p Policy) {
	dirs := []string{f.env["GOMODCACHE"]}
	for _, gopath := range filepath.SplitList(f.env["GOPATH"]) {
		dirs = append(dirs, filepath.Join(gopath, "pkg", "mod"))
	}
	for _, home := range f.homes {
		dirs = append(dirs, filepath.Join(home, "go", "pkg", "mod"))
	}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(real) {
			continue
		}
		if st, err := os.Stat(filepath.Join(real, "cache", "download")); err != nil || !st.IsDir() {
			continue
		}
		t.modules = real
		if f.concealed(real, p) {
			t.add(f, real)
		}
		return
	}
}
