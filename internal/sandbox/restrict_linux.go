package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	maxFile  = 4 << 30 // bytes of one file
	maxFiles = 16384   // open descriptors of one process
)

// rules hold for every process of a cell.
type rules struct {
	// Procs is how many processes and threads the user may have, in the cell
	// or on the machine; 0 means that nothing is said here.
	Procs  int
	Drop   bool       // every privilege; a holder has done so already
	Fenced bool       // by the Landlock ruleset that the keeper was given
	Calls  *callRules // nil for no filter
	Broker brokerRules
}

// rulesetFD is where a keeper finds its Landlock ruleset.
const rulesetFD = 4

// restrict is applied by a keeper to the thread that makes the child, just
// before it does: rules that the child must not undo. When its connects are
// brokered it gives where they are asked about.
func restrict(r rules) (*os.File, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("forbid new privileges: %w", err)
	}
	if err := limit(r.Procs); err != nil {
		return nil, err
	}
	if r.Drop {
		if err := drop(); err != nil {
			return nil, err
		}
	}
	if r.Fenced {
		if err := fenceIn(rulesetFD); err != nil {
			return nil, err
		}
	}
	if r.Calls == nil {
		return nil, nil
	}
	connects, err := filterCalls(*r.Calls)
	if err != nil {
		return nil, fmt.Errorf("filter system calls: %w", err)
	}
	return connects, nil
}

func limit(procs int) error {
	rules := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"core files", unix.RLIMIT_CORE, 0},
		{"file size", unix.RLIMIT_FSIZE, maxFile},
		{"open files", unix.RLIMIT_NOFILE, maxFiles},
	}
	if procs > 0 {
		rules = append(rules, struct {
			name     string
			resource int
			value    uint64
		}{"processes", unix.RLIMIT_NPROC, uint64(procs)})
	}
	for _, r := range rules {
		var now unix.Rlimit
		if err := unix.Getrlimit(r.resource, &now); err != nil {
			return fmt.Errorf("read the limit of %s: %w", r.name, err)
		}
		n := min(r.value, now.Max) // a limit can only be lowered
		if err := unix.Setrlimit(r.resource, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %s: %w", r.name, err)
		}
	}
	return nil
}

// drop takes every capability from this thread, for good: those it has, those
// that being root would give again, and those that a program's file would.
func drop() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have, none [2]unix.CapUserData
	if err := unix.Capget(&head, &have[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	if have[0].Effective&(1<<unix.CAP_SETPCAP) == 0 { // an ordinary user, who gets none by starting a program
		return dropNow(&head, &none)
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("drop capability %d: %w", c, err) // EINVAL: this kernel does not know it
		}
	}
	const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // noroot, no setuid fixup, no raising of ambient ones, each locked
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, locked, 0, 0, 0); err != nil {
		return fmt.Errorf("lock the capabilities: %w", err)
	}
	return dropNow(&head, &none)
}

func dropNow(head *unix.CapUserHeader, none *[2]unix.CapUserData) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient capabilities: %w", err)
	}
	if err := unix.Capset(head, &none[0]); err != nil {
		return fmt.Errorf("drop the capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	return nil
}

// newerKernel reports whether Linux is at least major.minor.
func newerKernel(major, minor int) bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var a, b int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a > major || a == major && b >= minor
}

// limitProcs sets the limit for the whole pid namespace, where the kernel
// keeps one for each (before, the same file is the limit of the machine).
func limitProcs(n int) error {
	const reserved = 300 // numbers that are not given out again
	if n <= 0 || !newerKernel(6, 14) {
		return nil
	}
	if err := os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, reserved+n), 0); err != nil {
		return fmt.Errorf("limit the number of processes: %w", err)
	}
	return nil
}
