package sandbox

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A keeper is the parent of one started process. As a child subreaper it
// inherits every orphan of it, also those that called setsid, so all that was
// started can be found and ended. It lives in the cell, or at level Processes
// beside us. The process stays in the session of its keeper, so that what the
// keeper kept is known even when it was killed.

// keep is the main function of a keeper; conn leads to us.
func keep(conn *net.UnixConn) int {
	runtime.LockOSThread() // privileges and limits are a thread's; the child is made from this one
	preferOOM()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		_ = send(conn, event{Err: "become a subreaper: " + err.Error()})
		return 1
	}
	pid, life, err := launchFrom(conn)
	if err != nil {
		_ = send(life, event{Err: err.Error(), Missing: errors.Is(err, exec.ErrNotFound)})
		return 1
	}
	if pid == 0 {
		_ = send(conn, event{Started: true})
		return 0
	}
	go obey(life)
	if life != conn {
		go obey(conn) // the joiner's end is one reason to stop, ours another
	}
	if err := send(life, event{Started: true}); err != nil {
		go killBelow()
	}
	return report(life, pid)
}

// launchFrom reads what to start and starts it. The connection returned is
// where the end is told.
func launchFrom(conn *net.UnixConn) (pid int, life *net.UnixConn, err error) {
	var t template
	if _, err := receive(conn, &t); err != nil {
		return 0, conn, err
	}
	if t.Trial {
		return 0, conn, try(t.Rules)
	}
	var o order
	files, err := receive(conn, &o)
	if err != nil {
		return 0, conn, err
	}
	life = conn
	if n := len(files) - 1; t.Joined && n >= 0 {
		if life, err = connOf(files[n]); err != nil {
			return 0, conn, err
		}
		files = files[:n]
	}
	defer closeAll(files)
	pid, err = fork(launch{Argv: o.Argv, Env: t.Env, Dir: t.Dir}, t.Rules, files)
	return pid, life, err
}

func fork(l launch, r rules, files []*os.File) (int, error) {
	if len(l.Argv) == 0 {
		return 0, errors.New("no command")
	}
	path, err := lookPath(l)
	if err != nil {
		return 0, err
	}
	connects, err := restrict(r)
	if err != nil {
		return 0, err
	}
	if connects != nil {
		go func() {
			broker{r.Broker, connects}.serve()
			killBelow() // nobody answers any more
		}()
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	pid, err := syscall.ForkExec(path, l.Argv, &syscall.ProcAttr{
		Dir: l.Dir, Env: l.Env, Files: fds, Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		return 0, &os.PathError{Op: "start", Path: path, Err: err}
	}
	return pid, nil
}

// obey follows orders until the connection ends, which ends everything.
func obey(conn *net.UnixConn) {
	for {
		var s signalling
		if _, err := receive(conn, &s); err != nil || s.Kill {
			killBelow()
		}
		for _, p := range descendants(os.Getpid()) {
			_ = unix.Kill(p, unix.SIGTERM)
		}
	}
}

// report waits for the process, ends what it left behind, and tells its end.
func report(life *net.UnixConn, pid int) int {
	var how event
	for {
		var ws syscall.WaitStatus
		p, err := syscall.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil { // ECHILD: nothing is left
			break
		}
		if p != pid || ws.Stopped() { // one that has itself traced tells us of its stops
			continue
		}
		how = event{Code: ws.ExitStatus()}
		if ws.Signaled() {
			how = event{Code: 128 + int(ws.Signal()), Signal: unix.SignalName(ws.Signal())}
		}
		go killBelow() // orphans come to us, and are reaped here
	}
	if err := send(life, how); err != nil {
		return 1
	}
	return 0
}

// killBelow ends every process below this one until this one, having none
// left to wait for, ends itself.
func killBelow() {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		for _, p := range descendants(os.Getpid()) {
			_ = unix.Kill(p, unix.SIGKILL)
		}
		time.Sleep(pause)
	}
}

// preferOOM has the kernel end what is kept here before anything of the
// user's when memory runs out.
func preferOOM() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0) }
