//go:build unix

package gitops

import (
	"os"
	"os/exec"
	"syscall"
)

// detach keeps a Ctrl-C meant for us from killing git in the middle of a
// change. What runs as the user stays in the terminal's group, so that a
// passphrase can be asked for; noTTY cuts the terminal off.
func detach(cmd *exec.Cmd, user, noTTY bool) {
	switch {
	case noTTY:
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case !user:
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
}

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// inherit lets cmd hold an open file, and with it the lock on it.
func inherit(cmd *exec.Cmd, f *os.File) { cmd.ExtraFiles = []*os.File{f} }
