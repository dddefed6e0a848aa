//go:build unix

package hooks

import (
	"syscall"
	"time"
)

// cpuTime is what this process and those it waited for have used.
func cpuTime() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0
		}
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}
