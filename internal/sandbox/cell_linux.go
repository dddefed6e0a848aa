package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// linuxCell is our side of a cell: it has keepers started, in a holder's
// namespaces or, at level Processes, beside us.
type linuxCell struct {
	holder *holder  // nil without namespaces
	fence  *os.File // Landlock rules for keepers beside us; the holder has its own
	rules  rules

	allowed allowance
	watched sync.Once
	closed  chan struct{}

	mu    sync.Mutex
	jobs  []*keptJob // the end of their connections ends them
	held  []*os.File // our copies of what joiners have
	local []*localKeeper
}

func (s *Sandbox) backend(ctx context.Context, pl plan) (backend, error) {
	c := &linuxCell{rules: s.rules(pl), allowed: s.allowance(pl.policy), closed: make(chan struct{})}
	var err error
	if s.level < Namespaces {
		c.fence, err = s.fence(pl, c.rules).make()
		return c, err
	}
	cfg := cellConfig{Mounts: pl.mounts, Folders: pl.inside(), Loopback: pl.policy.Network == Loopback,
		Procs: pl.policy.MaxProcs, MaxTemp: pl.policy.MaxTemp, Fence: s.fence(pl, c.rules)}
	c.holder, err = openHolder(ctx, cfg)
	return c, err
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
		t.Rules = c.rules
		err = send(conn, t)
	}
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("reach the cell: %w", err)
	}
	c.watched.Do(func() { go c.watch() })
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
	if c.fence != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.fence) // rulesetFD
	}
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
	c.jobs = append(c.jobs, j)
	c.mu.Unlock()
	go func() {
		j.await()
		c.forget(j)
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

func (c *linuxCell) forget(j *keptJob) {
	j.conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = slices.DeleteFunc(c.jobs, func(have *keptJob) bool { return have == j })
}

// keptJob is a process behind a keeper.
type keptJob struct {
	conn  *net.UnixConn
	gone  <-chan struct{}        // nil where the holder sees to it
	over  atomic.Pointer[string] // the limit that it was ended for
	ended chan struct{}
	how   exit
}

func (j *keptJob) await() {
	defer close(j.ended)
	defer func() {
		if why := j.over.Load(); why != nil {
			j.how.exceeded = *why
		}
	}()
	var e event
	if _, err := receive(j.conn, &e); err == nil {
		j.how = exit{code: e.Code, signal: e.Signal}
		return
	}
	j.how = exit{code: 137, signal: "SIGKILL"} // the keeper was killed, and with it the claim to know
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
	close(c.closed)
	c.mu.Lock()
	for _, j := range c.jobs {
		_ = j.conn.CloseWrite() // the keeper sees the end and ends the rest; we still hear of it
	}
	closeAll(c.held)
	c.held = nil
	if c.fence != nil {
		c.fence.Close()
	}
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
