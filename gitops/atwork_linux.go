package gitops

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// gitAtWork says whether a git that we did not start runs in one of dirs.
func gitAtWork(dirs []string) (bool, error) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false, err
	}
	for _, p := range procs {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		name, parent := process(p.Name())
		if !isGit(name) || parent == os.Getpid() {
			continue
		}
		cwd, err := os.Readlink(filepath.Join("/proc", p.Name(), "cwd"))
		if errors.Is(err, fs.ErrPermission) {
			return true, nil // somebody else's: it may be here
		}
		for _, dir := range dirs {
			if err == nil && dir != "" && within(dir, filepath.Join(cwd, "x")) {
				return true, nil
			}
		}
	}
	return false, nil
}

func isGit(name string) bool {
	return name == "git" || strings.HasPrefix(name, "git-") && name != "git-agent"
}

// process gives a process's name and its parent; what has ended has no name.
func process(pid string) (name string, parent int) {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || open < 0 || shut < open {
		return "", 0
	}
	fields := strings.Fields(string(stat[shut+1:]))
	if len(fields) < 2 || fields[0] == "Z" {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1]) // the kernel writes a number
	return string(stat[open+1 : shut]), parent
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
