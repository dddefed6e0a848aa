package sandbox

import "golang.org/x/sys/unix"

// descendants gives the processes below pid, by sysctl.
func descendants(pid int) []int {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, p := range all {
		parent := int(p.Eproc.Ppid)
		children[parent] = append(children[parent], int(p.Proc.P_pid))
	}
	return below(children, pid)
}
