//go:build !linux

package session

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// startOf is when a process was started, in ps's words.
func startOf(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", err
	}
	if start := strings.TrimSpace(string(out)); start != "" {
		return start, nil
	}
	return "", errors.New("the process has ended")
}
