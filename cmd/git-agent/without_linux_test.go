package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// without is the program of that name in the stories: it runs a command as on a
// system that forbids some of "namespaces", "landlock" and "seccomp".
//
//	exec without namespaces,landlock git agent step
func without() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: without LAYERS CMD ARGS…")
		os.Exit(2)
	}
	path, err := exec.LookPath(os.Args[2])
	if err == nil {
		runtime.LockOSThread()
		err = forbid(strings.Split(os.Args[1], ","))
	}
	if err == nil {
		err = syscall.Exec(path, os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "without:", err)
	os.Exit(125)
}

const cloneNew = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// forbid has the kernel refuse what the layers are made of, from here on.
func forbid(layers []string) error {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	ret := func(errno syscall.Errno) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	skipUnless := func(value uint32) unix.SockFilter { // the one instruction after it
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: value}
	}
	prog := []unix.SockFilter{load(0)}
	last := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	for _, layer := range layers {
		switch layer {
		case "landlock":
			prog = append(prog, skipUnless(unix.SYS_LANDLOCK_CREATE_RULESET), ret(unix.ENOSYS))
		case "seccomp":
			prog = append(prog, skipUnless(unix.SYS_SECCOMP), ret(unix.EINVAL))
		case "namespaces": // looked at last: what it loads is not the number of the call
			prog = append(prog, skipUnless(unix.SYS_UNSHARE), ret(unix.EPERM), skipUnless(unix.SYS_CLONE3), ret(unix.ENOSYS))
			last = unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.SYS_CLONE}
		default:
			return fmt.Errorf("there is no layer %q", layer)
		}
	}
	prog = append(prog, last)
	if last.Code != unix.BPF_RET|unix.BPF_K {
		prog = append(prog, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}, load(16), // the first argument
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: cloneNew}, ret(unix.EPERM),
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
}
