//go:build !unix

package gitops

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd, bool, bool) {}

func terminate(p *os.Process) error { return p.Kill() }

func inherit(*exec.Cmd, *os.File) {}
