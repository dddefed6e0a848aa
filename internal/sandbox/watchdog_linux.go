package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// The watchdog ends everything in a cell when it uses more than the policy
// allows. It looks now and then, so a limit can be passed for a moment.

const (
	watchPause = 200 * time.Millisecond
	// watchShare is how many times longer than a look the pause after it is,
	// up to watchMost.
	watchShare = 20
	watchMost  = time.Second
)

// What Result.Exceeded says.
const (
	overMemory    = "memory"
	overProcesses = "processes"
	overDisk      = "disk"
)

const (
	// lastSpace is what a cell may not take the last of, once it has taken
	// noticed since it opened; both in bytes.
	lastSpace = 512 << 20
	noticed   = 64 << 20
)

// allowance is what all of a cell may use together; 0 means no limit.
type allowance struct {
	memory int64            // bytes
	procs  int              // processes and threads
	disk   int64            // bytes
	free   map[string]int64 // bytes where it may write, when it opened
}

// allowance leaves out what the kernel sees to.
func (s *Sandbox) allowance(p Policy) allowance {
	a := allowance{memory: p.MaxMemory, disk: p.MaxDisk, free: map[string]int64{}}
	for _, dir := range p.Writable {
		if n, ok := freeSpace(dir); ok {
			a.free[dir] = n
		}
	}
	switch {
	case s.level == Namespaces && newerKernel(6, 14), !s.host.root && (s.level < Namespaces || newerKernel(5, 14)):
	default:
		a.procs = p.MaxProcs
	}
	return a
}

// watch looks at the cell until it is closed.
func (c *linuxCell) watch() {
	t := time.NewTimer(watchPause)
	defer t.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-t.C:
		}
		start := time.Now()
		if pids, why := c.excess(); why != "" {
			c.endAll(pids, why)
		}
		t.Reset(min(max(watchPause, watchShare*time.Since(start)), watchMost))
	}
}

// excess gives what is exceeded, and by whom.
func (c *linuxCell) excess() (pids []int, why string) {
	all := processes()
	children, known := map[int][]int{}, map[int]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p.pid)
		known[p.pid] = p
	}
	var pages int64
	threads := 0
	for _, keeper := range c.keepers(children) {
		for _, pid := range below(children, keeper) {
			pids = append(pids, pid)
			pages += known[pid].resident
			threads += known[pid].threads
		}
	}
	switch {
	case c.allowed.procs > 0 && threads > c.allowed.procs:
		return pids, overProcesses
	case c.allowed.memory > 0 && pages*int64(os.Getpagesize()) > c.allowed.memory && proportional(pids) > c.allowed.memory:
		return pids, overMemory
	case c.allowed.diskIsFull():
		return pids, overDisk
	}
	return nil, ""
}

func (a allowance) diskIsFull() bool {
	for dir, before := range a.free {
		now, ok := freeSpace(dir)
		if taken := before - now; ok && (taken > a.disk || taken > noticed && now < lastSpace) {
			return true
		}
	}
	return false
}

// freeSpace is in bytes.
func freeSpace(dir string) (int64, bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}

func (c *linuxCell) keepers(children map[int][]int) []int {
	if c.holder != nil {
		return children[c.holder.cmd.Process.Pid]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var pids []int
	for _, k := range c.local {
		pids = append(pids, k.cmd.Process.Pid)
	}
	return pids
}

// proportional sums the memory of processes, what several share counted once.
// It costs too much to be looked at each time.
func proportional(pids []int) (sum int64) {
	for _, pid := range pids {
		rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		_, after, ok := bytes.Cut(rollup, []byte("\nPss:"))
		if err != nil || !ok { // it ended, or does not let itself be looked at
			continue
		}
		if fields := bytes.Fields(after); len(fields) > 0 {
			kilo, _ := strconv.ParseInt(string(fields[0]), 10, 64) // the kernel writes numbers
			sum += kilo << 10
		}
	}
	return sum
}

// endAll ends everything that runs in the cell now; it stays open.
func (c *linuxCell) endAll(pids []int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		j.over.CompareAndSwap(nil, &why)
		_ = j.conn.CloseWrite() // the keeper goes on killing until nothing is left
	}
	closeAll(c.held)
	c.held = nil
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// machineMemory is in bytes, 0 when it is unknown.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
