package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// descendants gives the living processes below pid, by /proc.
func descendants(pid int) []int {
	children := map[int][]int{}
	for _, p := range processes() {
		if p.state != 'Z' && p.state != 'X' {
			children[p.parent] = append(children[p.parent], p.pid)
		}
	}
	return below(children, pid)
}

type process struct {
	pid, parent, session int
	state                byte
	threads              int
	resident             int64 // pages
}

// sweepSession kills what is left of a session, whose number must still be
// taken: by its leader, not yet waited for.
func sweepSession(leader int) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left := 0
		for _, p := range processes() {
			if p.session == leader && p.pid != leader && p.state != 'Z' {
				left++
				_ = unix.Kill(p.pid, unix.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(pause)
	}
}

// processes reads /proc; what ends meanwhile is left out.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // the names read until an error will do
	var out []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// The name in parentheses may hold anything, also parentheses.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 22 {
			continue
		}
		number := func(field int) int {
			n, _ := strconv.Atoi(string(fields[field])) // the kernel writes numbers
			return n
		}
		out = append(out, process{pid: pid, state: fields[0][0], parent: number(1), session: number(3), threads: number(17), resident: int64(number(21))})
	}
	return out
}
