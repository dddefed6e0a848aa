package sandbox

import (
	"bytes"
	"os"
	"strconv"
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
	pid, parent int
	state       byte
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
		if len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			continue
		}
		out = append(out, process{pid, parent, fields[0][0]})
	}
	return out
}
