package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The holder is the first process of a cell. It makes the cell's view of the
// machine, gives up its privileges, and starts keepers until its connection
// ends; with it ends every process of the cell.

// cellConfig is what a holder learns first.
type cellConfig struct {
	Mounts   []mount
	Folders  []string // to make once everything is mounted
	Loopback bool
	Procs    int
	MaxTemp  int64 // bytes of each temporary folder of the cell's own
	Fence    fence
}

// incoming is a request with the socket that its answer goes to.
type incoming struct {
	request
	conn *os.File
}

// hold is the main function of a holder; ctl leads to us.
func hold(ctl *net.UnixConn) int {
	runtime.LockOSThread() // privileges are a thread's; keepers are made from this one
	var cfg cellConfig
	if _, err := receive(ctl, &cfg); err != nil {
		return 1
	}
	err := settle(cfg)
	var ruleset *os.File
	if err == nil {
		ruleset, err = cfg.Fence.make()
	}
	if err == nil {
		err = drop()
	}
	if err != nil {
		_ = send(ctl, answer{Err: err.Error()})
		return 1
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	requests := make(chan incoming)
	go accept(ctl, requests)
	if err := send(ctl, answer{}); err != nil {
		return 1
	}
	return serve(requests, children, ruleset)
}

// settle makes the cell's view of the machine.
func settle(cfg cellConfig) error {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if cfg.Loopback {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("bring the loopback interface up: %w", err)
		}
	}
	if err := mountAll(cfg.Mounts, cfg.MaxTemp, func() error { return limitProcs(cfg.Procs) }); err != nil {
		return err
	}
	for _, dir := range cfg.Folders {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := unix.Sethostname([]byte("cell")); err != nil {
		return fmt.Errorf("name the cell: %w", err)
	}
	return os.Chdir("/")
}

func accept(ctl *net.UnixConn, requests chan<- incoming) {
	for {
		var r request
		files, err := receive(ctl, &r)
		if err != nil {
			os.Exit(0) // we are gone; the kernel ends the rest
		}
		if len(files) != 1 {
			closeAll(files)
			continue
		}
		if r.Op == "keep" {
			requests <- incoming{r, files[0]}
			continue
		}
		go connect(r, files[0])
	}
}

// serve starts keepers and reaps them; both from the thread without privileges.
func serve(requests <-chan incoming, children <-chan os.Signal, ruleset *os.File) int {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 1
	}
	keepers := map[int]bool{}
	for {
		select {
		case r := <-requests:
			files := []uintptr{null.Fd(), null.Fd(), null.Fd(), r.conn.Fd()}
			if ruleset != nil {
				files = append(files, ruleset.Fd()) // rulesetFD
			}
			pid, err := syscall.ForkExec(selfPath, []string{"git-agent", keeperWord}, &syscall.ProcAttr{
				Dir: "/", Env: helperEnv(), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
			})
			if err != nil {
				refuse(r.conn, fmt.Errorf("start a keeper: %w", err))
				continue
			}
			r.conn.Close()
			keepers[pid] = true
		case <-children:
			reap(keepers)
		}
	}
}

// reap waits for whatever has ended. What a keeper that was killed kept comes
// to us and is nobody's any more.
func reap(keepers map[int]bool) {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			break
		}
		delete(keepers, pid)
	}
	for _, p := range processes() {
		if p.parent == 1 && !keepers[p.pid] {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
	}
}

// helperEnv is the environment of our own helpers: nothing of the user's.
func helperEnv() []string { return []string{"GOMAXPROCS=2", "GOTRACEBACK=single"} }

func refuse(f *os.File, err error) {
	if conn, e := connOf(f); e == nil {
		_ = send(conn, event{Err: err.Error()})
		conn.Close()
	}
}

// connect opens a listener or a connection in the cell and passes it out.
func connect(r request, f *os.File) {
	conn, err := connOf(f)
	if err != nil {
		return
	}
	defer conn.Close()
	made, err := open(r)
	if err != nil {
		_ = send(conn, answer{Err: err.Error()})
		return
	}
	defer made.Close()
	_ = send(conn, answer{}, made)
}

func open(r request) (*os.File, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.TimeoutMs)*time.Millisecond)
	defer cancel()
	var made any
	var err error
	switch r.Op {
	case "listen":
		made, err = (&net.ListenConfig{}).Listen(ctx, r.Network, r.Addr)
	case "dial":
		made, err = (&net.Dialer{}).DialContext(ctx, r.Network, r.Addr)
	default:
		err = fmt.Errorf("unknown request %q", r.Op)
	}
	if err != nil {
		return nil, err
	}
	f, ok := made.(interface {
		File() (*os.File, error)
		Close() error
	})
	if !ok {
		return nil, fmt.Errorf("%s cannot be passed on", r.Network)
	}
	defer f.Close()
	return f.File()
}

func loopbackUp() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(s, unix.SIOCGIFFLAGS, ifr); err != nil {
		return err
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr)
}
