package sandbox

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// lookPath finds the program of l by the PATH and the folder of l, not ours.
func lookPath(l launch) (string, error) {
	name := l.Argv[0]
	if runtime.GOOS == "windows" { // PATHEXT and the like; PATH is ours, less what was dropped
		return exec.LookPath(name)
	}
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.Dir, name)
		}
		return exec.LookPath(name)
	}
	for _, kv := range l.Env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%q: %w in the PATH of the cell", name, exec.ErrNotFound)
}
