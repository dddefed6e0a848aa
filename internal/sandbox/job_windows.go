package sandbox

import (
	"os"
	"os/exec"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object; it ends with its last handle, so also with us.
type tree struct {
	mu  sync.Mutex
	job windows.Handle
}

func newTree(*exec.Cmd) *tree { return &tree{} }

// started puts the process into a job. What it started before that is outside.
func (t *tree) started(p *os.Process) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = p.WithHandle(func(h uintptr) { _ = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	t.mu.Lock()
	t.job = job
	t.mu.Unlock()
}

func (t *tree) terminate() { t.kill() } // there is no polite signal

func (t *tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

func signalOf(*os.ProcessState) (string, int) { return "", 0 }
