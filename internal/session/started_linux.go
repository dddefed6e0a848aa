package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// startOf is when a process was started, as the kernel counts it.
func startOf(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The name may hold anything; 20 fields after its end comes the start.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || string(fields[0]) == "Z" {
		return "", errors.New("the process has ended")
	}
	return string(fields[19]), nil
}
