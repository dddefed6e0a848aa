package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// linuxCell is our side of a cell: it has keepers started, in a holder's
// namespaces or, at level Processes, beside us.
type linuxCell struct {
	holder *holder // nil at level Processes
	limits limits

	mu    sync.Mutex
	conns []*net.UnixConn // to keepers; their end ends what they keep
	held  []*os.File      // our copies of what joiners have
	local []*localKeeper
}

func (s *Sandbox) backend(ctx context.Context, pl plan) (backend, error) {
	c := &linuxCell{}
	if s.level < Namespaces {
		return c, nil
	}
	procs := pl.policy.MaxProcs
	if procs <= 0 {
		procs = 4096
	}
	if newerKernel(5, 14) { // before, the limit counts what the user runs outside as well
		c.limits.Procs = procs
	}
	cfg := cellConfig{Mounts: pl.mounts, Loopback: pl.policy.Network == Loopback, Procs: procs}
	for _, dir := range []string{pl.policy.Home, pl.policy.Temp, pl.policy.Cache} {
		if !visible(pl.mounts, dir) {
			cfg.Folders = append(cfg.Folders, dir)
		}
	}
	h, err := openHolder(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c.holder = h
	return c, nil
}

// keeper has a keeper started and gives the connection to it, and a channel
// that is closed when it and all that it kept are gone.
func (c *linuxCell) keeper(t template) (*net.UnixConn, <-chan struct{}, error) {
	conn, theirs, err := pair()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	var gone <-chan struct{}
	if c.holder != nil {
		gone = c.holder.ended
		err = c.holder.ask(request{Op: "keep"}, theirs)
	} else {
		gone, err = c.startKeeper(theirs)
	}
	if err == nil {
		t.Limits = c.limits
		err = send(conn, t)
	}
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("reach the cell: %w", err)
	}
	return conn, gone, nil
}

// localKeeper is a keeper beside us.
type localKeeper struct {
	cmd  *exec.Cmd
	gone chan struct{}
}

func (c *linuxCell) startKeeper(conn *os.File) (<-chan struct{}, error) {
	cmd := &exec.Cmd{Path: selfPath, Args: []string{"git-agent", keeperWord}, Env: helperEnv(), Dir: "/",
		ExtraFiles: []*os.File{conn}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	k := &localKeeper{cmd, make(chan struct{})}
	c.mu.Lock()
	c.local = append(c.local, k)
	c.mu.Unlock()
	go func() {
		defer close(k.gone)
		pid := cmd.Process.Pid
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
		sweepSession(pid)
		_ = cmd.Wait()
	}()
	return k.gone, nil
}

func (c *linuxCell) start(_ context.Context, l launch, files []*os.File) (job, error) {
	conn, gone, err := c.keeper(template{Env: l.Env, Dir: l.Dir})
	if err != nil {
		return nil, err
	}
	e, err := begin(conn, order{Argv: l.Argv}, files)
	if err == nil && e.Missing {
		err = fmt.Errorf("%w in the cell: %s", exec.ErrNotFound, l.Argv[0])
	} else if err == nil && e.Err != "" {
		err = errors.New(e.Err)
	}
	if err != nil && c.holder != nil && waitFor(gone, 0) {
		err = errors.New("the cell has ended")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		conn.Close()
		return nil, err
	}
	// EOF is a process so quick to kill its keeper that its start was not
	// told; await finds the same.
	j := &keptJob{conn: conn, ended: make(chan struct{})}
	if c.holder == nil {
		j.gone = gone
	}
	c.mu.Lock()
	c.conns = append(c.conns, conn)
	c.mu.Unlock()
	go func() {
		j.await()
		c.forget(conn)
	}()
	return j, nil
}

func begin(conn *net.UnixConn, o order, files []*os.File) (e event, err error) {
	if err := send(conn, o, files...); err != nil {
		return e, fmt.Errorf("reach the cell: %w", err)
	}
	_, err = receive(conn, &e)
	return e, err
}

func (c *linuxCell) forget(conn *net.UnixConn) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, have := range c.conns {
		if have == conn {
			c.conns = append(c.conns[:i], c.conns[i+1:]...)
			return
		}
	}
}

// keptJob is a process behind a keeper.
type keptJob struct {
	conn  *net.UnixConn
	gone  <-chan struct{} // nil where the holder sees to it
	ended chan struct{}
	how   exit
}

func (j *keptJob) await() {
	defer close(j.ended)
	var e event
	if _, err := receive(j.conn, &e); err == nil {
		j.how = exit{e.Code, e.Signal}
		return
	}
	j.how = exit{137, "SIGKILL"} // the keeper was killed, and with it the claim to know
	if j.gone != nil {
		waitFor(j.gone, endDelay)
	}
}

func (j *keptJob) signal(kill bool)      { _ = send(j.conn, signalling{kill}) } // when it is gone, await sees it
func (j *keptJob) done() <-chan struct{} { return j.ended }
func (j *keptJob) status() exit          { return j.how }

// wrap makes cmd a joiner. The connection is its last descriptor.
func (c *linuxCell) wrap(cmd *exec.Cmd, l launch) error {
	conn, _, err := c.keeper(template{Env: l.Env, Dir: l.Dir, Joined: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	f, err := conn.File()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.held = append(c.held, f)
	c.mu.Unlock()
	last := 3 + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	cmd.Path, cmd.Err, cmd.Dir = selfPath, nil, ""
	cmd.Args = append([]string{"git-agent", joinerWord, strconv.Itoa(last)}, l.Argv...)
	cmd.Env = helperEnv()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the terminal's signals are for us
	return nil
}

func (c *linuxCell) listen(ctx context.Context) (net.Listener, error) {
	if c.holder == nil {
		return (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	f, err := c.holder.fetch(ctx, request{Op: "listen", Network: "tcp4", Addr: "127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileListener(f)
}

func (c *linuxCell) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") && !strings.HasPrefix(network, "udp") {
		return nil, fmt.Errorf("network %q cannot be dialled", network)
	}
	if c.holder == nil {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	f, err := c.holder.fetch(ctx, request{Op: "dial", Network: network, Addr: addr})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileConn(f)
}

func (c *linuxCell) close() error {
	c.mu.Lock()
	for _, conn := range c.conns {
		_ = conn.CloseWrite() // the keeper sees the end and ends the rest; we still hear of it
	}
	closeAll(c.held)
	c.held = nil
	local := c.local
	c.mu.Unlock()
	if c.holder != nil {
		return c.holder.close()
	}
	for _, k := range local {
		if !waitFor(k.gone, endDelay) {
			_ = k.cmd.Process.Kill()
			return fmt.Errorf("processes of the cell did not end within %s", endDelay)
		}
	}
	return nil
}
