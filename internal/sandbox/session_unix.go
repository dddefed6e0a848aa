//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// tree is a session of processes.
type tree struct{ leader atomic.Int64 }

// newTree makes cmd the leader of a session of its own, once it starts.
func newTree(cmd *exec.Cmd) *tree {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	return &tree{}
}

func (t *tree) started(p *os.Process) { t.leader.Store(int64(p.Pid)) }
func (t *tree) terminate()            { t.signal(unix.SIGTERM) }
func (t *tree) kill()                 { t.signal(unix.SIGKILL) }

func (t *tree) signal(sig unix.Signal) {
	pid := int(t.leader.Load())
	if pid == 0 {
		return
	}
	children := descendants(pid) // before: a group of its own is found by its parent alone
	_ = unix.Kill(-pid, sig)     // ESRCH: already gone
	for _, p := range children {
		_ = unix.Kill(p, sig)
	}
}

func signalOf(st *os.ProcessState) (name string, number int) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal()), int(ws.Signal())
	}
	return "", 0
}
