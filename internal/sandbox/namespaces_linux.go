package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openDelay is how long a cell may take to open; it takes some 30 ms.
const openDelay = 10 * time.Second

// holder is our side of a holder.
type holder struct {
	mu    sync.Mutex // one message at a time
	ctl   *net.UnixConn
	cmd   *exec.Cmd
	ended chan struct{}
}

// openHolder starts a holder in namespaces of its own and waits until it has
// made the cell.
func openHolder(ctx context.Context, cfg cellConfig) (*holder, error) {
	ctl, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	h := &holder{ctl: ctl, ended: make(chan struct{})}
	var complaint bytes.Buffer
	h.cmd = &exec.Cmd{Path: selfPath, Args: []string{"git-agent", holderWord}, Env: helperEnv(), Dir: "/",
		Stderr: &complaint, ExtraFiles: []*os.File{theirs}, SysProcAttr: isolation(cfg.Loopback)}
	err = h.start()
	theirs.Close()
	if err != nil {
		ctl.Close()
		return nil, fmt.Errorf("user namespaces are refused by this system: %w%s", err, restriction())
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < openDelay {
		_ = ctl.SetDeadline(deadline)
	} else {
		_ = ctl.SetDeadline(time.Now().Add(openDelay))
	}
	var a answer
	err = send(ctl, cfg)
	if err == nil {
		_, err = receive(ctl, &a)
	}
	_ = ctl.SetDeadline(time.Time{})
	if err == nil && a.Err == "" {
		return h, nil
	}
	_ = h.close()
	if err == nil {
		return nil, errors.New(a.Err + restriction())
	}
	return nil, fmt.Errorf("the cell did not open: %w %s", err, strings.TrimSpace(complaint.String()))
}

// isolation asks for the namespaces. The user stays who they are; what
// making the cell takes is given as ambient capabilities of the new user
// namespace, and given up by the holder.
func isolation(network bool) *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	attr := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
		Setsid:      true,
		Pdeathsig:   unix.SIGKILL,
	}
	if network {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	return attr
}

// start starts the holder from a thread that lives as long as it: the kernel
// sends the death signal when the thread that made a process ends.
func (h *holder) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := h.cmd.Start()
		started <- err
		if err == nil {
			_ = h.cmd.Wait()
			close(h.ended)
		}
	}()
	return <-started
}

// ask passes a socket to the holder.
func (h *holder) ask(r request, conn *os.File) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return send(h.ctl, r, conn)
}

// fetch has the holder open something in the cell's network.
func (h *holder) fetch(ctx context.Context, r request) (*os.File, error) {
	conn, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer theirs.Close()
	wait := openDelay
	if deadline, ok := ctx.Deadline(); ok {
		wait = time.Until(deadline)
	}
	r.TimeoutMs = max(wait.Milliseconds(), 1)
	if err := h.ask(r, theirs); err != nil {
		return nil, fmt.Errorf("reach the cell: %w", err)
	}
	theirs.Close() // so that the holder's end is the only one
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	var a answer
	files, err := receive(conn, &a)
	if ctx.Err() != nil {
		closeAll(files)
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the cell has ended: %w", err)
	}
	if a.Err != "" || len(files) != 1 {
		closeAll(files)
		return nil, errors.New(a.Err)
	}
	return files[0], nil
}

// close ends the holder. The kernel ends every process of the pid namespace
// before the holder counts as ended.
func (h *holder) close() error {
	_ = h.cmd.Process.Kill()
	h.ctl.Close()
	if !waitFor(h.ended, endDelay) {
		return fmt.Errorf("processes of the cell did not end within %s", endDelay)
	}
	return nil
}

// restriction names a known reason for a refusal.
func restriction() string {
	for _, known := range []struct{ path, value, text string }{
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts them here: kernel.apparmor_restrict_unprivileged_userns is 1"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone is 0"},
		{"/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces is 0"},
	} {
		if data, err := os.ReadFile(known.path); err == nil && strings.TrimSpace(string(data)) == known.value {
			return " (" + known.text + ")"
		}
	}
	return ""
}
