package infra

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gitagent/hooks/rule"
)

// precedence are the names under which a tool looks for its one configuration,
// the first that it finds being taken.
func precedence() [][]string {
	return [][]string{
		{"GNUmakefile", "makefile", "Makefile"},
		{"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"},
		{"phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist"},
		{".mocharc.cjs", ".mocharc.js", ".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc", ".mocharc.json"},
		{"vitest.config.ts", "vitest.config.mts", "vitest.config.cts", "vitest.config.js", "vitest.config.mjs", "vitest.config.cjs", "vite.config.ts", "vite.config.mts", "vite.config.js", "vite.config.mjs"},
		{"playwright.config.ts", "playwright.config.js", "playwright.config.mts", "playwright.config.mjs"},
		{"build.gradle", "build.gradle.kts"},
		{"settings.gradle", "settings.gradle.kts"},
		{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml"},
		{".nycrc", ".nycrc.json", ".nycrc.yaml", ".nycrc.yml"},
		{".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml"},
		{".yarnrc.yml", ".yarnrc"},
	}
}

// before finds the configuration beside a new one that is no longer read for
// it.
func before(file string, w World) []rule.Finding {
	dir, name := path.Split(file)
	for _, names := range precedence() {
		at := slices.Index(names, name)
		if at < 0 {
			continue
		}
		for i, other := range names {
			if i == at || i < at && (ordered(names) || family(name) != family(other)) || len(w.tests("")) == 0 {
				continue
			}
			if data := w.read(dir + other); data != nil && configures(names, other, string(data)) {
				return []rule.Finding{{Code: "infra.added", Key: "before " + other, What: fmt.Sprintf("is read instead of %s", dir+other)}}
			}
		}
	}
	return nil
}

// ordered says whether the order of names is the same in every version of the
// tool; of the others any new one may win.
func ordered(names []string) bool {
	return !strings.HasPrefix(names[0], "vitest.") && !strings.HasPrefix(names[0], "playwright.")
}

// family is the first word of a name.
func family(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// configures says whether a file that serves other tools too has anything for
// the one that the names are of.
func configures(names []string, other, data string) bool {
	switch tool := names[0]; {
	case strings.HasPrefix(other, "vite."):
		return viteBlock.MatchString(data)
	case other == "pyproject.toml" && tool == "pytest.toml":
		return strings.Contains(data, "[tool.pytest")
	case other == "pyproject.toml":
		return strings.Contains(data, "[tool.coverage")
	case (other == "setup.cfg" || other == "tox.ini") && tool == "pytest.toml":
		return strings.Contains(data, "[tool:pytest]") || strings.Contains(data, "[pytest]")
	case other == "setup.cfg" || other == "tox.ini":
		return strings.Contains(data, "[coverage:")
	}
	return true
}

// Instead says whether a configuration under another name is the same one: of
// what is renamed, the settings are compared.
func Instead(old, new string) bool {
	return path.Dir(old) == path.Dir(new) && old != new && stem(old) != "" && stem(old) == stem(new)
}

// stem is what names of one configuration in several languages have in common.
func stem(file string) string {
	name := base(file)
	switch {
	case strings.HasPrefix(name, "phpunit."):
		return "phpunit"
	case jsConfig.MatchString(name):
		return name[:strings.LastIndexByte(name, '.')]
	}
	return ""
}
