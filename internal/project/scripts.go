package project

import (
	"path"
	"slices"
	"strings"
)

// Scripts are the files of the project that its test commands run, as far as
// the commands name them: slash paths below the root.
func (c Config) Scripts() []string {
	var out []string
	for _, t := range c.Tests {
		for _, word := range strings.FieldsFunc(t.Command, func(r rune) bool { return strings.ContainsRune(" \t;&|()<>\"'`", r) }) {
			switch path.Ext(word) {
			case ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".php", ".ps1":
			default:
				continue
			}
			if name := path.Join(t.Dir, word); !strings.ContainsAny(word, "*?[{$=:\\") && !path.IsAbs(word) && !strings.HasPrefix(name, "../") && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Protected are the patterns of what is a test besides what everybody takes for
// one: the config's own, and the scripts of its test commands.
func (c Config) Protected() []string {
	patterns := slices.Clone(c.TestPatterns)
	for _, script := range c.Scripts() {
		patterns = append(patterns, "/"+script)
	}
	return patterns
}
