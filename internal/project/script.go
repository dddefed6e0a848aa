package project

import (
	_ "embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed init.sh
var initTemplate string

// Script writes init.sh. The script looks at run time for lockfiles and
// manifests, so that no session needs to change it; fsys only tells which
// folders below the root hold a manifest of their own today.
func Script(fsys fs.FS) []byte {
	dirs := []string{"."}
	for _, dir := range manifestDirs(fsys) {
		if dir != "." && plainName(dir) {
			dirs = append(dirs, dir)
		}
	}
	return []byte(strings.Replace(initTemplate, "@DIRS@", strings.Join(dirs, " "), 1))
}

// plainName keeps out of the script whatever a shell could read as more than a
// name.
func plainName(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == ""
}

// dependencyFiles name what decides which dependencies get installed.
var dependencyFiles = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
	"go.mod", "go.sum", "go.work", "go.work.sum",
	"requirements.txt", "requirements-dev.txt", "pyproject.toml", "setup.py", "setup.cfg", "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock",
	"Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock",
}

// manifestDirs lists the root and the folders up to two levels below it that
// hold a dependency file, sorted.
func manifestDirs(fsys fs.FS) []string {
	var dirs []string
	var visit func(dir string, depth int)
	visit = func(dir string, depth int) {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			switch name := e.Name(); {
			case e.Type().IsRegular() && slices.Contains(dependencyFiles, name):
				if !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			case e.IsDir() && depth < 2 && !strings.HasPrefix(name, ".") && !installed(name):
				visit(path.Join(dir, name), depth+1)
			}
		}
	}
	visit(".", 0)
	slices.Sort(dirs)
	return dirs
}

// installed names folders that installers and builds fill.
func installed(name string) bool {
	switch name {
	case "node_modules", "vendor", "target", "venv", "dist", "build", "testdata":
		return true
	}
	return false
}
