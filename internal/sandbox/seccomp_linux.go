package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callRules choose the system call filter of a process.
type callRules struct {
	// Shared says that there are no namespaces: no Unix sockets that send
	// without connecting, no shared memory, semaphores and queues with a number
	// or name.
	Shared bool
	// Judged says that the machine's network is seen but not allowed: of
	// internet sockets there is TCP alone, and nothing is sent without a connect.
	Judged bool
	// Nested lets it make namespaces of its own, as a browser's sandbox does.
	Nested bool
	// Brokered hands every connect to the keeper.
	Brokered bool
}

const (
	allow = unix.SECCOMP_RET_ALLOW
	// denied is for calls that no program should need here, absent for those
	// that programs know how to do without.
	denied = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)

	noFamily   = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	noProtocol = unix.SECCOMP_RET_ERRNO | uint32(unix.EPROTONOSUPPORT)
	noAccess   = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	noOption   = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)

	// lastCall is the newest call that was considered. What a later kernel
	// brings is absent until someone has.
	lastCall = unix.SYS_RSEQ_SLICE_YIELD

	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// deniedCalls look into other processes, change the machine, or reach parts of
// the kernel that nothing in a cell needs.
var deniedCalls = [...]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_NFSSERVCTL,
	unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_LSM_SET_SELF_ATTR,
	unix.SYS_CLOCK_SETTIME, unix.SYS_SETTIMEOFDAY,
}

// absentCalls are those that programs try and do without. The flags of clone3
// lie in memory, where a filter cannot look; libc then uses clone.
var absentCalls = [...]uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// sharedMemory is what only a namespace of its own makes harmless.
var sharedMemory = [...]uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP,
	unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// program is a filter in the making. The fields of what it judges: the call's
// number at 0, the architecture at 4, the arguments from 16 on, 8 bytes each,
// of which the lower halves come first.
type program []unix.SockFilter

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func arg(n uint32) unix.SockFilter { return load(16 + 8*n) }

func verdict(v uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v}
}

func mask(m uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: m}
}

// when runs body if the comparison with k holds, and else skips it.
func when(comparison uint16, k uint32, body ...unix.SockFilter) program {
	skip := unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jf: uint8(len(body)), K: k}
	return append(program{skip}, body...)
}

func is(k uint32, body ...unix.SockFilter) program { return when(unix.BPF_JEQ, k, body...) }

func unless(k uint32, body ...unix.SockFilter) program {
	skip := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(body)), K: k}
	return append(program{skip}, body...)
}

// oneOf gives the same verdict on each of several values.
func oneOf(v uint32, values ...uint32) program {
	var p program
	for _, k := range values {
		p = append(p, is(k, verdict(v))...)
	}
	return p
}

func chain(parts ...program) program {
	var p program
	for _, part := range parts {
		p = append(p, part...)
	}
	return p
}

// assemble makes the filter. What looks at arguments ends with a verdict, so
// the number of the call stays loaded for what follows. Numbers above the
// newest are also those of x32, which shares the architecture.
func assemble(r callRules) program {
	p := chain(
		program{load(4)}, unless(auditArch, verdict(unix.SECCOMP_RET_KILL_PROCESS)), program{load(0)},
		when(unix.BPF_JGT, lastCall, verdict(absent)),
		oneOf(denied, deniedCalls[:]...), oneOf(denied, archDenied[:]...), oneOf(absent, absentCalls[:]...),
		is(unix.SYS_SOCKET, socketRules(r)...),
		is(unix.SYS_SOCKETPAIR, pairRules(r)...),
		is(unix.SYS_IOCTL, chain(program{arg(1)}, oneOf(denied, unix.TIOCSTI, unix.TIOCLINUX), program{verdict(allow)})...),
		is(unix.SYS_PERSONALITY, chain(program{arg(0)}, oneOf(allow, 0, 0x8, 0x20000, 0x20008, 0xffffffff), program{verdict(denied)})...),
	)
	if !r.Nested {
		p = append(p, is(unix.SYS_CLONE, chain(program{arg(0)}, when(unix.BPF_JSET, newNamespaces, verdict(denied)), program{verdict(allow)})...)...)
		p = append(p, is(unix.SYS_UNSHARE, chain(program{arg(0)}, when(unix.BPF_JSET, newNamespaces|unix.CLONE_NEWTIME, verdict(denied)), program{verdict(allow)})...)...)
	}
	if r.Shared {
		p = append(p, oneOf(absent, sharedMemory[:]...)...)
	}
	if r.Judged {
		for call, flags := range map[uint32]uint32{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3} { // a connect in disguise
			p = append(p, is(call, chain(program{arg(flags)}, when(unix.BPF_JSET, unix.MSG_FASTOPEN, verdict(noOption)), program{verdict(allow)})...)...)
		}
	}
	if r.Brokered {
		p = append(p, is(unix.SYS_CONNECT, verdict(unix.SECCOMP_RET_USER_NOTIF))...)
	}
	return append(p, verdict(allow))
}

// socketRules leave Unix and internet sockets and questions about interfaces
// and routes.
func socketRules(r callRules) program {
	const kind = 0xf // the rest of the type are flags
	p := program{arg(0)}
	if r.Shared {
		stream := chain(program{arg(1), mask(kind)}, oneOf(allow, unix.SOCK_STREAM, unix.SOCK_SEQPACKET), program{verdict(noProtocol)})
		p = append(p, is(unix.AF_UNIX, stream...)...)
	}
	if r.Judged {
		tcp := chain(program{arg(1), mask(kind)}, is(unix.SOCK_STREAM, chain(program{arg(2)}, oneOf(allow, 0, unix.IPPROTO_TCP), program{verdict(noProtocol)})...), program{verdict(noAccess)})
		p = chain(p, is(unix.AF_INET, tcp...), is(unix.AF_INET6, tcp...))
	}
	p = append(p, oneOf(allow, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6)...)
	route := chain(program{arg(2)}, oneOf(allow, unix.NETLINK_ROUTE), program{verdict(noProtocol)})
	return chain(p, is(unix.AF_NETLINK, route...), program{verdict(noFamily)})
}

// pairRules leave pairs of Unix sockets; a datagram socket could also be used
// to reach others by name.
func pairRules(r callRules) program {
	p := append(program{arg(0)}, unless(unix.AF_UNIX, verdict(noFamily))...)
	if r.Shared {
		p = chain(p, program{arg(1), mask(0xf)}, oneOf(noProtocol, unix.SOCK_DGRAM, unix.SOCK_RAW))
	}
	return append(p, verdict(allow))
}

// filterCalls puts the filter on this thread, for good, and on all that it
// will start. When connects are brokered it gives where they are asked about.
func filterCalls(r callRules) (*os.File, error) {
	if auditArch == 0 {
		return nil, fmt.Errorf("no system call filter is known for %s", runtime.GOARCH)
	}
	p := assemble(r)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	const quick = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW // else older kernels slow every process of ours down
	if !r.Brokered {
		_, err := setFilter(&prog, quick)
		return nil, err
	}
	// A signal must not make a process ask twice; before Linux 5.19 it may.
	const listen = quick | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	fd, err := setFilter(&prog, listen|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if err == unix.EINVAL {
		fd, err = setFilter(&prog, listen)
	}
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "connects"), nil
}

func setFilter(prog *unix.SockFprog, flags uintptr) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(prog)))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
