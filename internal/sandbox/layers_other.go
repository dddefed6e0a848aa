//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"runtime"
)

type layers struct{}

// reach knows one level: what other systems offer is not used.
func (s *Sandbox) reach(_ context.Context, level Level) error {
	s.level = level
	if level > Processes {
		return fmt.Errorf("%s exists on Linux only", level)
	}
	return nil
}

func (s *Sandbox) findings() (holds, missing []string) {
	how := "process sessions"
	if runtime.GOOS == "windows" {
		how = "job objects"
	}
	return []string{how + " and a scrubbed environment only"},
		[]string{"the network is open, files outside the tree can be read and written, memory and processes are not limited on " + runtime.GOOS}
}
