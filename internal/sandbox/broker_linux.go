package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A broker makes the connections of a process for it. A filter of system calls
// sees only where in memory an address lies, and what lies there can change
// after a look at it. So the keeper takes a copy of the address, judges it,
// and connects the process's own socket to what it judged.

// brokerRules say what may be connected to.
type brokerRules struct {
	Loopback bool    // of internet addresses, those of this machine alone
	Abstract bool    // Unix sockets without a path, where they are the cell's own
	Private  bool    // temporary folders are the cell's own
	Mounts   []mount // say where Unix sockets may lie: where the cell may write
}

// own reports whether a Unix socket at path can only be one of the cell's own.
func (b brokerRules) own(path string) bool {
	kind := above(b.Mounts, path)
	return kind == writable || kind == private && b.Private
}

type broker struct {
	brokerRules
	asked *os.File
}

// notice and reply are struct seccomp_notif and struct seccomp_notif_resp.
type notice struct {
	id         uint64
	pid, flags uint32
	call       int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type reply struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

const noticeIsValid = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID

func (b broker) ioctl(request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, b.asked.Fd(), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// serve answers until nobody can ask any more.
func (b broker) serve() {
	for {
		n := new(notice) // the kernel wants it empty
		err := b.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n))
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) { // ENOENT: it ended before we looked
			continue
		}
		if err != nil {
			return
		}
		go func() { // a connect can take long
			r := reply{id: n.id}
			if err := b.connect(n); err != nil {
				var errno unix.Errno
				if !errors.As(err, &errno) {
					errno = unix.EPERM
				}
				r.errno = -int32(errno)
			}
			_ = b.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // it may have ended
		}()
	}
}

func (b broker) connect(n *notice) error {
	addr, err := b.address(n)
	if err != nil {
		return err
	}
	sock, err := b.socket(n)
	if err != nil {
		return err
	}
	defer unix.Close(sock)
	// All that was read so far was of the process that asks, not of one that
	// got its number since.
	if err := b.ioctl(noticeIsValid, unsafe.Pointer(&n.id)); err != nil {
		return err
	}
	if binary.NativeEndian.Uint16(addr) == unix.AF_UNIX && len(addr) > 2 && addr[2] != 0 {
		return b.connectPath(n, sock, addr)
	}
	if err := b.judge(addr); err != nil {
		return err
	}
	return connectTo(sock, addr)
}

// address copies the address from the memory of the process.
func (b broker) address(n *notice) ([]byte, error) {
	size := uint32(n.args[2])
	if size < 2 || size > unix.SizeofSockaddrAny {
		return nil, unix.EINVAL
	}
	addr := make([]byte, size)
	local := []unix.Iovec{{Base: &addr[0], Len: uint64(size)}}
	remote := []unix.RemoteIovec{{Base: uintptr(n.args[1]), Len: int(size)}}
	read, err := unix.ProcessVMReadv(int(n.pid), local, remote, 0)
	if err == nil && read < int(size) {
		err = unix.EFAULT
	}
	return addr, err
}

// socket gives us the process's socket.
func (b broker) socket(n *notice) (int, error) {
	leader, err := leaderOf(int(n.pid))
	if err != nil {
		return -1, err
	}
	process, err := unix.PidfdOpen(leader, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, int(int32(n.args[0])), 0)
}

// leaderOf gives the process that a thread belongs to.
func leaderOf(thread int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "\nTgid:")
	var leader int
	if _, err := fmt.Sscan(after, &leader); err != nil {
		return 0, unix.ESRCH
	}
	return leader, nil
}

// judge gives the error that a connect to addr ends with, nil if it may be.
func (b broker) judge(addr []byte) error {
	switch family := binary.NativeEndian.Uint16(addr); {
	case family == unix.AF_UNSPEC: // takes a connection back
		return nil
	case family == unix.AF_UNIX:
		if b.Abstract {
			return nil
		}
		return unix.ECONNREFUSED
	case family == unix.AF_INET && len(addr) >= unix.SizeofSockaddrInet4:
		return b.reachable(netip.AddrFrom4([4]byte(addr[4:8])))
	case family == unix.AF_INET6 && len(addr) >= 24:
		return b.reachable(netip.AddrFrom16([16]byte(addr[8:24])).Unmap())
	case family == unix.AF_INET || family == unix.AF_INET6:
		return unix.EINVAL
	}
	return unix.EAFNOSUPPORT
}

func (b broker) reachable(ip netip.Addr) error {
	if !b.Loopback || ip.IsLoopback() || ip.IsUnspecified() { // the unspecified address is this machine as well
		return nil
	}
	return unix.ENETUNREACH
}

// connectPath connects to a Unix socket that lies where it may.
func (b broker) connectPath(n *notice, sock int, addr []byte) error {
	path := string(addr[2:])
	if i := strings.IndexByte(path, 0); i >= 0 {
		path = path[:i]
	}
	dir := unix.AT_FDCWD
	if !strings.HasPrefix(path, "/") {
		var err error
		if dir, err = unix.Open(fmt.Sprintf("/proc/%d/cwd", n.pid), unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
			return err
		}
		defer unix.Close(dir)
	}
	target, err := unix.Openat(dir, path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	name := fmt.Sprintf("/proc/self/fd/%d", target)
	real, err := os.Readlink(name)
	if err != nil {
		return err
	}
	if !b.own(real) {
		return unix.EACCES
	}
	checked := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	return connectTo(sock, append(append(checked, name...), 0))
}

func connectTo(sock int, addr []byte) error {
	if _, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(sock), uintptr(unsafe.Pointer(&addr[0])), uintptr(len(addr))); errno != 0 {
		return errno
	}
	return nil
}

// try finds out, on this thread, whether r can be had.
func try(r rules) error {
	var self int
	if r.Calls != nil && r.Calls.Brokered {
		if err := tracing(); err != nil {
			return err
		}
		ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(ln)
		if err := errors.Join(unix.Bind(ln, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(ln, 1)); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		self = ln
	}
	connects, err := restrict(r)
	if err != nil || connects == nil {
		return err
	}
	go broker{r.Broker, connects}.serve()
	addr, err := unix.Getsockname(self)
	if err != nil {
		return err
	}
	sock, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(sock)
	if err := unix.Connect(sock, addr); err != nil {
		return fmt.Errorf("connect for a process: %w", err)
	}
	return nil
}

// tracing reports why a parent may not look into its child here.
func tracing() error {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if s := strings.TrimSpace(string(scope)); err == nil && s != "0" && s != "1" {
		return fmt.Errorf("kernel.yama.ptrace_scope is %s", s)
	}
	return nil
}
