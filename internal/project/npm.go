package project

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// NpmScripts are the scripts of a package.json, none when it cannot be read in
// one way alone: as for npm, keys are what they are spelled.
func NpmScripts(data []byte) map[string]string {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(data, &pkg) != nil {
		return nil
	}
	return pkg.Scripts
}

// ScriptsIn are those of the package.json at the top of fsys, when it is a
// regular file.
func ScriptsIn(fsys fs.FS) map[string]string {
	data, err := readCapped(fsys, "package.json")
	if err != nil {
		return nil
	}
	return NpmScripts(data)
}

var scriptRun = regexp.MustCompile(`\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run|run-script)\s+)*(\w[\w:.-]*)`)

// ChangedTestScript names a script that a test command goes through and that
// differs between two states of package.json, "" when none does.
func ChangedTestScript(command string, old, new map[string]string) string {
	var seen []string
	queue := []string{command}
	for len(queue) > 0 {
		line := queue[0]
		queue = queue[1:]
		for _, m := range scriptRun.FindAllStringSubmatch(line, -1) {
			name := m[1]
			if name == "t" || name == "tst" {
				name = "test"
			}
			if slices.Contains(seen, name) {
				continue
			}
			seen = append(seen, name)
			for _, key := range []string{"pre" + name, name, "post" + name} {
				if strings.TrimSpace(old[key]) != strings.TrimSpace(new[key]) {
					return key
				}
				queue = append(queue, old[key])
			}
		}
	}
	return ""
}

// ChangedInstallScript names a script that npm runs by itself at an installation
// and that differs between two states of package.json, "" when none does.
func ChangedInstallScript(old, new map[string]string) string {
	for _, key := range []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies", "pnpm:devPreinstall"} {
		if new[key] != "" && old[key] != new[key] {
			return key
		}
	}
	return ""
}
