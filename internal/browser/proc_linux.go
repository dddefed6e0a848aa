package browser

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// dieWithParent makes the kernel end the browser when we die, however we die.
// chromedp starts it from a thread that lives as long as the browser.
func dieWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}

// killUsers ends every process that was started with this profile folder, until
// none is left for a few looks in a row: a dying browser may still fork.
func killUsers(profile string) {
	want := []byte("--user-data-dir=" + profile)
	for quiet, looks := 0, 0; quiet < 2 && looks < 100; looks++ {
		if killWith(want) {
			quiet = 0
		} else {
			quiet++
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func killWith(arg []byte) (found bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil {
			continue
		}
		for a := range bytes.SplitSeq(line, []byte{0}) {
			if bytes.Equal(a, arg) {
				syscall.Kill(pid, syscall.SIGKILL)
				found = true
			}
		}
	}
	return found
}

// roomyShm says whether /dev/shm is large enough for the browser to use.
func roomyShm() bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &st); err != nil {
		return false
	}
	return int64(st.Bavail)*int64(st.Bsize) >= 256<<20
}
