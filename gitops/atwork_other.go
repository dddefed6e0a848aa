//go:build !linux

package gitops

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// gitAtWork says whether any git runs that we did not start: where it works
// cannot be asked here.
func gitAtWork([]string) (bool, error) {
	out, err := exec.Command("ps", "-A", "-o", "ppid=,comm=").Output()
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		parent, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		name = filepath.Base(strings.TrimSpace(name))
		if (name == "git" || strings.HasPrefix(name, "git-") && name != "git-agent") && parent != strconv.Itoa(os.Getpid()) {
			return true, nil
		}
	}
	return false, nil
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
