package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// client is this binary as a small network program; see TestMain.
func client(t *testing.T, args ...string) Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Argv: append([]string{exe, clientWord}, args...), Timeout: 10 * time.Second}
}

const clientWord = "__client"

// runClient connects to an address, sends a line and prints the answer; or it
// serves: one line back for each connection.
func runClient(args []string) int {
	fail := func(err error) int { fmt.Println("error:", err); return 1 }
	if args[0] == "serve" {
		network := "tcp4"
		if !strings.Contains(args[1], ":") {
			network = "unix"
		}
		ln, err := net.Listen(network, args[1])
		if err != nil {
			return fail(err)
		}
		fmt.Println(ln.Addr())
		for {
			conn, err := ln.Accept()
			if err != nil {
				return fail(err)
			}
			fmt.Fprintln(conn, args[2])
			conn.Close()
		}
	}
	conn, err := net.DialTimeout(args[0], args[1], 2*time.Second)
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	_, _ = fmt.Fprintln(conn, "hello") // one that only talks may have closed
	b := make([]byte, 100)
	n, err := conn.Read(b)
	if err != nil && err != io.EOF {
		return fail(err)
	}
	fmt.Printf("%s", b[:n])
	return 0
}

// show makes the test binary visible in a cell.
func show(t *testing.T) func(*Policy) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(p *Policy) { p.ReadOnly = append(p.ReadOnly, exe) }
}

func TestNoNetworkBeyondLoopback(t *testing.T) {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	go answerAll(tcp)
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	go echo(udp)
	for _, tt := range []struct {
		network Network
		reached bool
	}{{Host, true}, {Loopback, false}} { // Host is the twin: the same client does reach them
		c, _ := openAt(t, Namespaces, func(p *Policy) { show(t)(p); p.Network = tt.network })
		for _, addr := range []net.Addr{tcp.Addr(), udp.LocalAddr()} {
			res, err := c.Run(t.Context(), client(t, addr.Network(), addr.String()))
			if err != nil {
				t.Fatal(err)
			}
			if got := res.ExitCode == 0; got != tt.reached {
				t.Errorf("network %v: %s reached: %v, want %v\n%s", tt.network, addr.Network(), got, tt.reached, res.Output)
			}
		}
	}
}

func answerAll(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		fmt.Fprintln(conn, "host")
		conn.Close()
	}
}

func echo(pc net.PacketConn) {
	b := make([]byte, 100)
	for {
		n, from, err := pc.ReadFrom(b)
		if err != nil {
			return
		}
		_, _ = pc.WriteTo(b[:n], from)
	}
}

func TestNoWayOut(t *testing.T) {
	c, _ := openAt(t, Namespaces, func(p *Policy) { show(t)(p) })
	for _, addr := range []string{"192.0.2.1:80", "[2001:db8::1]:80"} {
		res, err := c.Run(t.Context(), client(t, "tcp", addr))
		if err != nil {
			t.Fatal(err)
		}
		if res.ExitCode != 1 || !strings.Contains(string(res.Output), "unreachable") {
			t.Errorf("%s: want unreachable at once, got %q", addr, res.Output)
		}
	}
}

func TestHiddenFoldersAreEmpty(t *testing.T) {
	home := tempDir(t)
	t.Setenv("HOME", home)
	write(t, filepath.Join(home, ".ssh", "id_ed25519"), "secret")
	write(t, filepath.Join(home, "checkout", "main.go"), "package main")
	tools := filepath.Join(home, ".tools", "v1")
	write(t, filepath.Join(tools, "bin", "greet"), "#!/bin/sh\ncat \"$(dirname \"$0\")/../lib/word\"\n")
	write(t, filepath.Join(tools, "lib", "word"), "good day")
	t.Setenv("PATH", filepath.Join(tools, "bin")+":"+filepath.Join(home, "checkout")+":relative:"+os.Getenv("PATH"))
	tree := filepath.Join(home, ".local", "state", "tree")
	write(t, filepath.Join(tree, "f"), "tree")
	other := filepath.Join(tempDir(t), "checkout2")
	write(t, filepath.Join(other, "g"), "other")

	s := sandboxAt(t, Namespaces)
	c, err := s.Open(t.Context(), Policy{Dir: tree, Writable: []string{tree}, Hidden: []string{filepath.Join(home, "checkout"), other}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for script, want := range map[string]string{
		"cat f":                             "tree",
		"echo x > new && cat new && rm new": "x",
		"greet":                             "good day",
		"ls -A " + home:                     ".local\n.tools",
		"ls -A " + home + "/.tools/v1":      "bin\nlib",
	} {
		if got, code := sh(t, c, script); got != want || code != 0 {
			t.Errorf("%s: %q (%d), want %q", script, got, code, want)
		}
	}
	for _, script := range []string{
		"cat " + home + "/.ssh/id_ed25519", "cat " + home + "/checkout/main.go", "cat " + other + "/g",
		"echo x > " + home + "/new", "echo x > " + tools + "/lib/word", "ls /run/*", "umount " + home,
		"mount -t tmpfs none /mnt", "unshare -rm sh -c 'umount -l " + home + " && ls " + home + "/.ssh'",
		"cat /proc/1/root" + home + "/.ssh/id_ed25519", "cat /proc/1/environ",
		"readlink /proc/1/fd/3", "readlink /proc/$PPID/fd/0", "cat /proc/$PPID/environ", "cat /proc/$PPID/maps",
	} {
		if got, code := sh(t, c, script); code == 0 {
			t.Errorf("%s: succeeded: %q", script, got)
		}
	}
	if got, _ := sh(t, c, "echo $PATH"); strings.Contains(got, "checkout") || strings.Contains(got, "relative") {
		t.Errorf("PATH: %s", got)
	}
}

func TestWritesStayInside(t *testing.T) {
	outside := tempDir(t)
	write(t, filepath.Join(outside, "f"), "as it was")
	c, dir := openAt(t, Namespaces, nil)
	fixed := filepath.Join(dir, "node_modules")
	write(t, filepath.Join(fixed, "run"), "as it was")
	s := sandboxAt(t, Namespaces)
	c2, err := s.Open(t.Context(), Policy{Dir: dir, Writable: []string{dir}, ReadOnly: []string{fixed, outside}})
	if err != nil {
		t.Fatal(err)
	}
	defer c2.Close()
	for _, script := range []string{
		"echo x > " + outside + "/f", "rm -f " + outside + "/f", "chmod 777 " + outside + "/f", "touch -d 2001-01-01 " + outside + "/f",
		"ln -s " + outside + "/f link && echo x > link", "ln " + outside + "/f hard", "mv " + outside + " here",
		"echo x > node_modules/run", "mv node_modules gone", "echo x > /usr/new", "echo x > /etc/new", "mkdir /new", "chmod 600 /dev/null",
		"echo x > /proc/sys/kernel/hostname", "mknod dev b 8 0",
	} {
		if got, code := sh(t, c2, script); code == 0 {
			t.Errorf("%s: succeeded: %q", script, got)
		}
	}
	for _, f := range []string{filepath.Join(outside, "f"), filepath.Join(fixed, "run")} {
		if b, err := os.ReadFile(f); err != nil || string(b) != "as it was" {
			t.Errorf("%s: %q, %v", f, b, err)
		}
	}
	mine := fmt.Sprintf("gitagent-mine-%d", os.Getpid())
	if got, code := sh(t, c, strings.ReplaceAll("echo x > /tmp/M && echo y > /var/tmp/M && echo z > /dev/shm/M && echo w > ~/M && cat /tmp/M", "M", mine)); got != "x" || code != 0 {
		t.Errorf("own temporary folders: %q (%d)", got, code)
	}
	if _, err := os.Stat("/tmp/" + mine); err == nil {
		t.Error("the cell's /tmp is the machine's")
	}
	if got, _ := sh(t, c2, "ls -A /tmp /dev/shm"); strings.Contains(got, mine) {
		t.Errorf("two cells share their temporary folders: %s", got)
	}
}

func TestNoPrivileges(t *testing.T) {
	c, _ := openAt(t, Namespaces, nil)
	got, _ := sh(t, c, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
	for line := range strings.Lines(got) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		if want := map[bool]string{true: "1", false: "0000000000000000"}[name == "NoNewPrivs"]; value != want {
			t.Errorf("%s is %s, want %s", name, value, want)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 6 {
		t.Errorf("want 6 lines, got %q", got)
	}
}

func TestListenDialAndProcessMeet(t *testing.T) {
	for _, level := range allLevels {
		t.Run(level.String(), func(t *testing.T) {
			c, _ := openAt(t, level, func(p *Policy) { show(t)(p) })
			ln, err := c.Listen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go answerAll(ln)
			res, err := c.Run(t.Context(), client(t, "tcp", ln.Addr().String()))
			if err != nil || string(res.Stdout) != "host\n" {
				t.Errorf("a process reaches our listener: %q, %v", res.Output, err)
			}
			p, err := c.Start(t.Context(), client(t, "serve", "127.0.0.1:0", "from inside"))
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the server listens", func() bool { return strings.Contains(string(p.Output()), "\n") })
			addr := strings.TrimSpace(string(p.Output()))
			conn, err := c.Dial(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if b, err := io.ReadAll(conn); err != nil || string(b) != "from inside\n" {
				t.Errorf("we reach a server: %q, %v", b, err)
			}
			if level == Namespaces {
				otherCellIsApart(t, addr)
			}
		})
	}
}

// otherCellIsApart checks that neither we nor another cell reach addr.
func otherCellIsApart(t *testing.T, addr string) {
	t.Helper()
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Errorf("the machine reaches %s of a cell", addr)
	}
	c, _ := openAt(t, Namespaces, nil)
	if conn, err := c.Dial(t.Context(), "tcp", addr); err == nil {
		conn.Close()
		t.Errorf("a cell reaches %s of another", addr)
	}
	_, port, _ := net.SplitHostPort(addr)
	if got, code := sh(t, c, "ps -e | wc -l"); code == 0 {
		if n, _ := strconv.Atoi(got); n > 6 {
			t.Errorf("a cell sees %d processes (port %s)", n, port)
		}
	}
}

// TestUnprivileged runs the tests that privileges matter to again, as nobody.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: every test here is unprivileged")
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv")
	}
	dir, err := os.MkdirTemp("", "gitagent-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sandbox.test"), string(exe))
	for _, own := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, own), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(dir, own), 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", filepath.Join(dir, "sandbox.test"), "-test.v", "-test.timeout=100s",
		"-test.run", "NoNetwork|Hidden|WritesOutside|WritesStay|Privileges|Killed|Limited|Calls|Safe|NoSockets|OwnSandbox")
	cmd.Dir = filepath.Join(dir, "home")
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "--- PASS"); n < 10 {
		t.Errorf("only %d tests ran\n%s", n, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "not available") {
			t.Log("as nobody: ", line)
		}
	}
}
