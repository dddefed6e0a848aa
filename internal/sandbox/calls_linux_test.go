package sandbox

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const callsWord = "__calls"

// call makes a system call and gives its error, "" for none.
func call(number uintptr, args ...uintptr) string {
	var a [6]uintptr
	copy(a[:], args)
	fd, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return unix.ErrnoName(errno)
	}
	if number == unix.SYS_SOCKET {
		unix.Close(int(fd))
	}
	return ""
}

// makeCalls is what the test binary does as a small program: one line for each
// call with its error.
func makeCalls() int {
	var uts unix.Utsname
	var word uint64
	at := func(p *uint64) uintptr { return uintptr(unsafe.Pointer(p)) }
	none := ^uintptr(0)
	for name, err := range map[string]string{
		"getpid":          call(unix.SYS_GETPID),
		"uname":           call(unix.SYS_UNAME, uintptr(unsafe.Pointer(&uts))),
		"ptrace":          call(unix.SYS_PTRACE, unix.PTRACE_CONT, uintptr(os.Getpid()), 0, 0),
		"vm_readv":        call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getpid()), 0, 0, 0, 0, 0),
		"vm_writev":       call(unix.SYS_PROCESS_VM_WRITEV, uintptr(os.Getpid()), 0, 0, 0, 0, 0),
		"pidfd_getfd":     call(unix.SYS_PIDFD_GETFD, none, 0, 0),
		"io_uring":        call(unix.SYS_IO_URING_SETUP, 1, 0),
		"keyctl":          call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, none-1, 0), // of this process
		"bpf":             call(unix.SYS_BPF, none, 0, 0),
		"perf":            call(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0),
		"userfaultfd":     call(unix.SYS_USERFAULTFD, 0),
		"clone3":          call(unix.SYS_CLONE3, 0, 0),
		"unshare user":    call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
		"unshare time":    call(unix.SYS_UNSHARE, unix.CLONE_NEWTIME),
		"setns":           call(unix.SYS_SETNS, none, 0),
		"mount":           call(unix.SYS_MOUNT, 0, 0, 0, 0, 0),
		"open_tree":       call(unix.SYS_OPEN_TREE, none, 0, 0),
		"fsopen":          call(unix.SYS_FSOPEN, 0, 0),
		"handle":          call(unix.SYS_OPEN_BY_HANDLE_AT, none, 0, 0),
		"kexec":           call(unix.SYS_KEXEC_LOAD, 0, 0, 0, none),
		"module":          call(unix.SYS_INIT_MODULE, 0, 0, 0),
		"swapon":          call(unix.SYS_SWAPON, 0, 0),
		"reboot":          call(unix.SYS_REBOOT, 0, 0, 0, 0),
		"settime":         call(unix.SYS_CLOCK_SETTIME, 0, 0),
		"personality":     call(unix.SYS_PERSONALITY, 0x0040000),
		"personality ask": call(unix.SYS_PERSONALITY, 0xffffffff),
		"sti":             call(unix.SYS_IOCTL, 0, unix.TIOCSTI, at(&word)),
		"sti high bits":   call(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, at(&word)),
		"newer":           call(lastCall+50, 0),
		"x32":             call(unix.SYS_GETPID | 0x40000000),
		"mq_open":         call(unix.SYS_MQ_OPEN, 0, 0),
		"shmget":          call(unix.SYS_SHMGET, 0, 4096, 0o600),
		"netlink route":   call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE),
		"netlink uevent":  call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT),
		"packet":          call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_DGRAM, 0),
		"vsock":           call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		"alg":             call(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0),
		"tcp":             call(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0),
		"udp":             call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0),
		"mptcp":           call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
		"unix":            call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0),
		"unix packets":    call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_SEQPACKET, 0),
		"unix datagrams":  call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_DGRAM, 0),
		"pair":            call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, at(&word)),
		"pair datagrams":  call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM, 0, at(&word)),
		"fast open":       call(unix.SYS_SENDTO, none, 0, 0, unix.MSG_FASTOPEN, 0, 0),
		"sendmsg":         call(unix.SYS_SENDMSG, none, 0, 0),
		"new user":        startWith(unix.CLONE_NEWUSER),
		"start":           startWith(0),
	} {
		fmt.Printf("%s=%s\n", name, err)
	}
	return 0
}

func startWith(flags uintptr) string {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if err := cmd.Run(); err != nil {
		return "refused"
	}
	return ""
}

func TestSystemCallsAreFiltered(t *testing.T) {
	if auditArch == 0 {
		t.Skip("no filter is known for this architecture")
	}
	everywhere := map[string]string{
		"getpid": "", "uname": "", "ptrace": "EPERM", "vm_readv": "EPERM", "vm_writev": "EPERM", "pidfd_getfd": "EPERM", "io_uring": "ENOSYS",
		"keyctl": "EPERM", "bpf": "EPERM", "perf": "EPERM", "userfaultfd": "EPERM", "clone3": "ENOSYS", "unshare user": "EPERM", "unshare time": "EPERM",
		"setns": "EPERM", "mount": "EPERM", "open_tree": "EPERM", "fsopen": "EPERM", "handle": "EPERM", "kexec": "EPERM", "module": "EPERM",
		"swapon": "EPERM", "reboot": "EPERM", "settime": "EPERM", "personality": "EPERM", "personality ask": "", "sti": "EPERM", "sti high bits": "EPERM",
		"newer": "ENOSYS", "x32": "ENOSYS", "netlink route": "", "netlink uevent": "EPROTONOSUPPORT", "packet": "EAFNOSUPPORT", "vsock": "EAFNOSUPPORT",
		"alg": "EAFNOSUPPORT", "tcp": "", "unix": "", "unix packets": "", "pair": "", "sendmsg": "EBADF", "new user": "refused", "start": "",
	}
	shared := map[string]string{"udp": "EACCES", "mptcp": "EPROTONOSUPPORT", "unix datagrams": "EPROTONOSUPPORT", "pair datagrams": "EPROTONOSUPPORT", "fast open": "ENOTSUP", "shmget": "ENOSYS", "mq_open": "ENOSYS"}
	apart := map[string]string{"udp": "", "unix datagrams": "", "pair datagrams": "", "fast open": "EBADF", "shmget": "", "mq_open": "EFAULT"}
	online := map[string]string{"udp": "", "mptcp": "", "fast open": "EBADF"}
	nested := map[string]string{"new user": ""}
	for _, tt := range []struct {
		name  string
		level Level
		more  []map[string]string
		set   func(*Policy)
	}{
		{"namespaces", Namespaces, []map[string]string{everywhere, apart}, func(*Policy) {}},
		{"namespaces, nested", Namespaces, []map[string]string{everywhere, apart, nested}, func(p *Policy) { p.Nested = true }},
		{"landlock", Landlock, []map[string]string{everywhere, shared}, func(*Policy) {}},
		{"seccomp", Seccomp, []map[string]string{everywhere, shared}, func(*Policy) {}},
		{"with the machine's network", Seccomp, []map[string]string{everywhere, shared, online}, func(p *Policy) { p.Network = Host }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{}
			for _, m := range tt.more {
				maps.Copy(want, m)
			}
			if tt.name == "namespaces, nested" {
				delete(want, "unshare user") // refused for another reason: many threads
				delete(want, "unshare time")
			}
			got := callsAt(t, tt.level, tt.set)
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if err, made := got[name]; !made || err != want[name] {
					t.Errorf("%s: %q, want %q", name, err, want[name])
				}
			}
		})
	}
	t.Run("not filtered", func(t *testing.T) { // the same calls, so that the refusals above are the filter's
		t.Parallel()
		got := callsAt(t, Processes, nil)
		for _, name := range []string{"ptrace", "vm_readv", "io_uring", "clone3", "setns", "sti", "personality", "udp", "unix datagrams", "fast open", "shmget", "netlink uevent"} {
			if err, made := got[name]; !made || err == everywhere[name] && everywhere[name] != "" || err == shared[name] && shared[name] != "" {
				t.Errorf("%s: %q also without a filter", name, err)
			}
		}
	})
}

func callsAt(t *testing.T, level Level, set func(*Policy)) map[string]string {
	t.Helper()
	c, _ := openAt(t, level, func(p *Policy) {
		show(t)(p)
		if set != nil {
			set(p)
		}
	})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Run(t.Context(), Spec{Argv: []string{exe, callsWord}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(res.Stdout)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		got[name] = value
	}
	if len(got) < 40 {
		t.Fatalf("%d calls were made: %+v\n%s", len(got), res.Signal, res.Output)
	}
	return got
}

// TestOtherArchitecturesAreKilled starts a program of 32 bits, whose calls
// have other numbers.
func TestOtherArchitecturesAreKilled(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program is one for i386")
	}
	for level, want := range map[Level]string{Processes: "", Seccomp: "SIGSYS", Namespaces: "SIGSYS"} {
		t.Run(level.String(), func(t *testing.T) {
			c, dir := openAt(t, level, nil)
			write(t, filepath.Join(dir, "old"), string(exit42()))
			res, err := c.Run(t.Context(), Spec{Argv: []string{"./old"}})
			if err != nil {
				t.Skipf("this kernel has no 32-bit programs: %v", err)
			}
			if res.Signal != want || want == "" && res.ExitCode != 42 {
				t.Errorf("%s: %q, exit code %d", level, res.Signal, res.ExitCode)
			}
		})
	}
}

// exit42 is an ELF program for i386 that ends with exit code 42.
func exit42() []byte {
	const base, header = 0x08048000, 52 + 32
	code := []byte{0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80} // mov eax, 1; mov ebx, 42; int 0x80
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	for _, half := range []uint16{2, 3} { // executable, i386
		b = le.AppendUint16(b, half)
	}
	for _, word := range []uint32{1, base + header, 52, 0, 0} { // version, entry, program headers, no sections, flags
		b = le.AppendUint32(b, word)
	}
	for _, half := range []uint16{52, 32, 1, 0, 0, 0} {
		b = le.AppendUint16(b, half)
	}
	size := uint32(header + len(code))
	for _, word := range []uint32{1, 0, base, base, size, size, 5, 0x1000} { // one segment, read and execute
		b = le.AppendUint32(b, word)
	}
	return append(b, code...)
}

// TestFilterIsWellFormed checks what the kernel would refuse, for every choice.
func TestFilterIsWellFormed(t *testing.T) {
	for i := range 16 {
		p := assemble(callRules{Shared: i&1 > 0, Nested: i&2 > 0, Brokered: i&4 > 0, Judged: i&8 > 0})
		if len(p) > unix.BPF_MAXINSNS {
			t.Errorf("%d instructions", len(p))
		}
		for at, in := range p {
			if in.Code&0x07 == unix.BPF_JMP && (at+1+int(in.Jt) >= len(p) || at+1+int(in.Jf) >= len(p)) {
				t.Errorf("choice %d: instruction %d jumps too far", i, at)
			}
		}
		if last := p[len(p)-1]; last != verdict(allow) {
			t.Errorf("choice %d ends with %+v", i, last)
		}
	}
}
