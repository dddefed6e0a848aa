package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// witness is a listener of the machine's that counts who comes.
type witness struct {
	addr net.Addr
	seen atomic.Int64
}

func listens(t *testing.T, network, addr string) *witness {
	t.Helper()
	w := &witness{}
	if strings.HasPrefix(network, "udp") || network == "unixgram" {
		pc, err := net.ListenPacket(network, addr)
		if err != nil {
			t.Skipf("listen on %s: %v", addr, err)
		}
		t.Cleanup(func() { pc.Close() })
		w.addr = pc.LocalAddr()
		go func() {
			b := make([]byte, 100)
			for {
				n, from, err := pc.ReadFrom(b)
				if err != nil {
					return
				}
				w.seen.Add(1)
				_, _ = pc.WriteTo(b[:n], from)
			}
		}()
		return w
	}
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Skipf("listen on %s: %v", addr, err)
	}
	t.Cleanup(func() { ln.Close() })
	w.addr = ln.Addr()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			w.seen.Add(1)
			go func() { fmt.Fprintln(conn, "host"); _, _ = io.Copy(io.Discard, conn); conn.Close() }()
		}
	}()
	return w
}

// outer is an address of this machine that is not loopback: beyond loopback
// for a cell, and no packet leaves the machine.
func outer(t *testing.T) netip.Addr {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() {
			return p.Addr()
		}
	}
	t.Skip("this machine has no address but loopback")
	return netip.Addr{}
}

// TestWhatTheNetworkIs dials listeners of the machine from cells of every level.
func TestWhatTheNetworkIs(t *testing.T) {
	beyond := outer(t).String() + ":0"
	for _, tt := range []struct {
		network, addr string
		reached       Level // the highest level that reaches it
		admitted      string
	}{
		{"tcp", "127.0.0.1:0", Landlock, ""},
		{"tcp", beyond, Processes, "the network is open"},
		{"udp", "127.0.0.1:0", Processes, "the network is open"},
		{"udp", beyond, Processes, "the network is open"}, // DNS is this
	} {
		for _, level := range allLevels {
			t.Run(fmt.Sprint(tt.network, " ", tt.addr, " ", level), func(t *testing.T) {
				t.Parallel()
				w := listens(t, tt.network, tt.addr)
				c, _ := openAt(t, level, show(t))
				res, err := c.Run(t.Context(), client(t, tt.network, w.addr.String()))
				if err != nil {
					t.Fatal(err)
				}
				reached := level <= tt.reached
				if (res.ExitCode == 0) != reached || (w.seen.Load() > 0) != reached {
					t.Errorf("ended with %d, seen %d times, want reached: %v\n%s", res.ExitCode, w.seen.Load(), reached, res.Output)
				}
				if tt.admitted != "" {
					admits(t, level, reached, tt.admitted)
				}
			})
		}
	}
}

// TestMachinesNetworkWhenAllowed is the twin: set-up that may, can.
func TestMachinesNetworkWhenAllowed(t *testing.T) {
	beyond := outer(t).String() + ":0"
	everyLevel(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, func(p *Policy) { show(t)(p); p.Network = Host })
		for _, network := range []string{"tcp", "udp"} {
			w := listens(t, network, beyond)
			if res, err := c.Run(t.Context(), client(t, network, w.addr.String())); err != nil || res.ExitCode != 0 || w.seen.Load() == 0 {
				t.Errorf("%s: %v %s", network, err, res.Output)
			}
		}
	})
}

func TestNoSocketsOfTheMachine(t *testing.T) {
	hidden, shown := tempDir(t), tempDir(t)
	everyLevel(t, func(t *testing.T, level Level) {
		abstract := listens(t, "unix", fmt.Sprintf("@gitagent-test-%d-%s", os.Getpid(), level))
		inHidden := listens(t, "unix", filepath.Join(hidden, level.String()))
		inShown := listens(t, "unix", filepath.Join(shown, level.String()))
		datagrams := listens(t, "unixgram", filepath.Join(hidden, level.String()+"-dgram"))
		for _, network := range []Network{Loopback, Host} {
			c, dir := openAt(t, level, func(p *Policy) {
				show(t)(p)
				p.Network, p.ReadOnly, p.Hidden = network, append(p.ReadOnly, shown), []string{hidden}
			})
			for _, w := range []*witness{abstract, inHidden, inShown, datagrams} {
				before := w.seen.Load()
				res, err := c.Run(t.Context(), client(t, w.addr.Network(), w.addr.String()))
				if err != nil {
					t.Fatal(err)
				}
				if reached := w.seen.Load() > before || res.ExitCode == 0; reached != (level == Processes) {
					t.Errorf("network %v: %s reached: %v\n%s", network, w.addr, reached, res.Output)
				}
			}
			if network == Host {
				continue
			}
			// A link in the tree leads nowhere, and a socket of the cell's own is reached.
			if err := os.Symlink(inHidden.addr.String(), filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			if res, err := c.Run(t.Context(), client(t, "unix", "link")); err != nil || (res.ExitCode == 0) != (level == Processes) {
				t.Errorf("through a link: %v, %s", err, res.Output)
			}
			for _, name := range []string{"own", filepath.Join(dir, "own2")} {
				p, err := c.Start(t.Context(), client(t, "serve", name, "own"))
				if err != nil {
					t.Fatal(err)
				}
				eventually(t, "it listens", func() bool { return strings.Contains(string(p.Output()), "\n") })
				if res, err := c.Run(t.Context(), client(t, "unix", name)); err != nil || string(res.Stdout) != "own\n" {
					t.Errorf("%s, a socket of its own: %v, %s", name, err, res.Output)
				}
			}
		}
		admits(t, level, level == Processes, "sockets of the machine can be used")
	})
}

const raceWord = "__race"

// race connects to the first address again and again, while another thread
// keeps exchanging it for the second.
func race(args []string) int {
	var addrs [2][16]byte
	for i := range addrs {
		a := netip.MustParseAddrPort(args[i])
		binary.NativeEndian.PutUint16(addrs[i][:], unix.AF_INET)
		binary.BigEndian.PutUint16(addrs[i][2:], a.Port())
		ip := a.Addr().As4()
		copy(addrs[i][4:], ip[:])
	}
	var word [2]atomic.Uint64 // the address as the kernel reads it
	for i := range word {
		word[i].Store(binary.NativeEndian.Uint64(addrs[0][8*i:]))
	}
	flip := [2]uint64{binary.NativeEndian.Uint64(addrs[0][:]), binary.NativeEndian.Uint64(addrs[1][:])}
	go func() {
		for i := 0; ; i++ {
			word[0].Store(flip[i&1])
		}
	}()
	made := 0
	for range 1500 {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if _, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&word)), 16); errno == 0 {
			made++
		}
		unix.Close(fd)
	}
	fmt.Println("connected", made)
	return 0
}

// TestAddressCannotBeExchanged is why connects are made by the keeper.
func TestAddressCannotBeExchanged(t *testing.T) {
	beyond := outer(t).String() + ":0"
	for _, level := range []Level{Landlock, Seccomp} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			inside, outside := listens(t, "tcp", "127.0.0.1:0"), listens(t, "tcp", beyond)
			c, _ := openAt(t, level, show(t))
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			res, err := c.Run(t.Context(), Spec{Argv: []string{exe, raceWord, inside.addr.String(), outside.addr.String()}})
			if err != nil || res.ExitCode != 0 {
				t.Fatalf("%v %s", err, res.Output)
			}
			if inside.seen.Load() == 0 || outside.seen.Load() > 0 {
				t.Errorf("inside %d, outside %d connections", inside.seen.Load(), outside.seen.Load())
			}
		})
	}
}

func TestAddressesAreJudged(t *testing.T) {
	sockaddr := func(family uint16, rest ...byte) []byte {
		return append(binary.NativeEndian.AppendUint16(nil, family), rest...)
	}
	four := func(ip string) []byte {
		a := netip.MustParseAddr(ip).As4()
		return append(sockaddr(unix.AF_INET, 0, 80), append(a[:], make([]byte, 8)...)...)
	}
	six := func(ip string) []byte {
		a := netip.MustParseAddr(ip).As16()
		return append(sockaddr(unix.AF_INET6, 0, 80, 0, 0, 0, 0), append(a[:], 0, 0, 0, 0)...)
	}
	for _, tt := range []struct {
		name string
		addr []byte
		want error
	}{
		{"127.0.0.1", four("127.0.0.1"), nil}, {"127.9.9.9", four("127.9.9.9"), nil}, {"0.0.0.0", four("0.0.0.0"), nil},
		{"::1", six("::1"), nil}, {"::", six("::"), nil}, {"::ffff:127.0.0.1", six("::ffff:127.0.0.1"), nil},
		{"192.0.2.1", four("192.0.2.1"), unix.ENETUNREACH}, {"126.255.255.255", four("126.255.255.255"), unix.ENETUNREACH},
		{"2001:db8::1", six("2001:db8::1"), unix.ENETUNREACH}, {"::ffff:192.0.2.1", six("::ffff:192.0.2.1"), unix.ENETUNREACH},
		{"::127.0.0.1", six("::7f00:1"), unix.ENETUNREACH}, {"fe80::1", six("fe80::1"), unix.ENETUNREACH}, {"64:ff9b::7f00:1", six("64:ff9b::7f00:1"), unix.ENETUNREACH},
		{"short", four("127.0.0.1")[:8], unix.EINVAL}, {"short six", six("::1")[:20], unix.EINVAL},
		{"unspecified family", sockaddr(unix.AF_UNSPEC), nil}, {"abstract", sockaddr(unix.AF_UNIX, 0, 'x'), unix.ECONNREFUSED},
		{"vsock", sockaddr(unix.AF_VSOCK, make([]byte, 14)...), unix.EAFNOSUPPORT},
	} {
		if err := (broker{brokerRules: brokerRules{Loopback: true}}).judge(tt.addr); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// FuzzAddress: whatever lies in memory, no internet address but loopback passes.
func FuzzAddress(f *testing.F) {
	for _, seed := range [][]byte{
		{2, 0, 0, 80, 127, 0, 0, 1}, {2, 0, 0, 80, 192, 0, 2, 1}, {10, 0, 0, 80, 0, 0, 0, 0}, {0, 0}, {1, 0, 0, 'x'}, {1, 0, '/', 'x'}, {40, 0},
		{10, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1, 0, 0, 0, 0},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, addr []byte) {
		if len(addr) < 2 {
			return // refused before
		}
		err := broker{brokerRules: brokerRules{Loopback: true}}.judge(addr)
		if err != nil || addr[0] == unix.AF_UNSPEC && addr[1] == 0 {
			return
		}
		sa := (*unix.RawSockaddrAny)(unsafe.Pointer(&append(addr, make([]byte, unix.SizeofSockaddrAny)...)[0]))
		var ip net.IP
		switch sa.Addr.Family {
		case unix.AF_INET:
			four := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa)).Addr
			ip = four[:]
		case unix.AF_INET6:
			six := (*unix.RawSockaddrInet6)(unsafe.Pointer(sa)).Addr
			ip = six[:]
		default:
			t.Fatalf("%x passes", addr)
		}
		if !ip.IsLoopback() && !ip.IsUnspecified() {
			t.Fatalf("%s passes", ip)
		}
	})
}
