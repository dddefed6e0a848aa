package hooks

import (
	"context"
	"slices"
	"strings"

	"gitagent/gitops"
)

const modulesFile = "vendor/modules.txt"

// vendored says what is wrong with a change of a dependency that is kept in the
// repository: it is edited in place, or something stands in for what is
// installed.
func (f *files) vendored(ctx context.Context, ch gitops.Change) string {
	const edited = "is changed although its version is not: a dependency edited in place"
	parts := strings.Split(ch.Path, "/")
	if at := slices.IndexFunc(parts, installDir); at >= 0 {
		return f.installed(ch, parts, at)
	}
	if len(parts) < 4 || parts[0] != "vendor" && parts[0] != "third_party" {
		return ""
	}
	if parts[0] == "vendor" {
		if old := f.before(ctx, modulesFile); old != nil {
			if version(old, ch.Path) == version(f.stays(ctx, modulesFile), ch.Path) {
				return edited
			}
			return ""
		}
	}
	if ch.Status != 'M' || f.touches("composer.lock", "Gemfile.lock", "Cargo.lock", "go.mod", "go.sum") {
		return ""
	}
	return edited
}

func installDir(name string) bool {
	return name == "node_modules" || name == ".venv" || name == "venv" || name == "site-packages"
}

// installed judges a path in, or in place of, a folder of what is installed.
func (f *files) installed(ch gitops.Change, parts []string, at int) string {
	switch {
	case ch.Status == 'D', slices.ContainsFunc(parts[:at], func(p string) bool { return p == "testdata" || strings.Trim(p, "_") == "fixtures" }):
		return ""
	case at == len(parts)-1:
		if ch.NewMode == modeLink || ch.NewMode == modeGitlink {
			return "becomes " + kindOf(ch.NewMode) + " and stands in for what is installed"
		}
		return ""
	case f.touches("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "npm-shrinkwrap.json", "bun.lock", "uv.lock", "poetry.lock", "Pipfile.lock"):
		return ""
	}
	return "stands in for what is installed, and no lock says so"
}

// touches says whether the commit changes one of the files.
func (c *commit) touches(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := c.diffs[0][name]; return ok })
}

// version is what modules.txt says of the module that a vendored file belongs
// to.
func version(modules []byte, file string) string {
	file = strings.TrimPrefix(file, "vendor/")
	name, found := "", ""
	for line := range strings.Lines(string(modules)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "#" || len(f[1]) <= len(name) || !strings.HasPrefix(file, f[1]+"/") {
			continue
		}
		name, found = f[1], strings.TrimSpace(line)
	}
	return found
}
