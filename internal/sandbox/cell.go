package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
)

// launch is a process as the backend starts it.
type launch struct {
	Argv []string
	Env  []string
	Dir  string
}

// backend is how one cell is made on this system.
type backend interface {
	// start runs l with files as descriptors 0, 1, 2, …; it keeps none of them.
	start(ctx context.Context, l launch, files []*os.File) (job, error)
	// wrap rewrites cmd so that starting it starts l in the cell.
	wrap(cmd *exec.Cmd, l launch) error
	listen(ctx context.Context) (net.Listener, error)
	dial(ctx context.Context, network, addr string) (net.Conn, error)
	close() error
}

// Cell is one set of namespaces, or at level Processes one set of processes.
// Everything started in it sees the same files and the same loopback network.
type Cell struct {
	be   backend
	plan plan

	mu     sync.Mutex
	procs  []*Process
	closed bool
}

// Open makes a cell. It lives until Close or the end of this process,
// whichever comes first; ctx is for the opening alone.
func (s *Sandbox) Open(ctx context.Context, p Policy) (*Cell, error) {
	c, err := s.open(ctx, p)
	if err == nil {
		s.log(fmt.Sprintf("cell opened in %s (%s)", c.plan.policy.Dir, s.level))
	}
	return c, err
}

func (s *Sandbox) open(ctx context.Context, p Policy) (*Cell, error) {
	pl, err := s.plan(p)
	if err != nil {
		return nil, fmt.Errorf("open a cell: %w", err)
	}
	be, err := s.backend(ctx, pl)
	if err != nil {
		pl.discard()
		return nil, fmt.Errorf("open a cell: %w", err)
	}
	return &Cell{be: be, plan: pl}, nil
}

// Env is the environment of what is started in the cell.
func (c *Cell) Env() []string { return slices.Clone(c.plan.env) }

// Run starts a process and waits for its end. The error is nil whenever it
// ran, whatever its exit code; it wraps exec.ErrNotFound when there is no such
// program, and is the context's error when that ended it.
func (c *Cell) Run(ctx context.Context, spec Spec) (Result, error) {
	p, err := c.Start(ctx, spec)
	if err != nil {
		return Result{}, err
	}
	res := p.Result()
	if ctx.Err() != nil && !res.TimedOut {
		return res, ctx.Err()
	}
	return res, nil
}

// Start starts a process that ends with ctx, Stop, Close or by itself.
func (c *Cell) Start(ctx context.Context, spec Spec) (*Process, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a process: no command")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if spec.MaxOutput <= 0 {
		spec.MaxOutput = c.plan.policy.MaxOutput
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	p, err := startProcess(ctx, c.be, c.launch(spec.Argv, spec.Dir, spec.Env), spec)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	c.procs = append(slices.DeleteFunc(c.procs, func(q *Process) bool { return waitFor(q.done, 0) }), p)
	return p, nil
}

func (c *Cell) launch(argv []string, dir string, env []string) launch {
	if dir == "" {
		dir = c.plan.policy.Dir
	}
	return launch{Argv: argv, Dir: dir, Env: merge(c.plan.env, env)}
}

// Command is an *exec.Cmd that runs argv in the cell, for libraries that start
// processes themselves. Streams and ExtraFiles work as ever; killing it kills
// all that it started. Its environment is the cell's, whatever Env says.
func (c *Cell) Command(ctx context.Context, argv ...string) *exec.Cmd {
	if len(argv) == 0 {
		return &exec.Cmd{Err: errors.New("no command")}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Path, cmd.Err = argv[0], nil // the program is looked up in the cell
	if err := c.Wrap(cmd); err != nil {
		cmd.Err = err
	}
	return cmd
}

// Wrap rewrites a prepared command so that it runs inside the cell. Dir and
// ExtraFiles must be set before; entries of Env that are not this process's
// own are added to the cell's environment.
func (c *Cell) Wrap(cmd *exec.Cmd) error {
	argv := slices.Clone(cmd.Args)
	if len(argv) == 0 {
		return errors.New("wrap a command: no arguments")
	}
	if cmd.Path != "" && argv[0] != cmd.Path {
		argv[0] = cmd.Path
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if err := c.be.wrap(cmd, c.launch(argv, cmd.Dir, added(cmd.Env))); err != nil {
		return fmt.Errorf("wrap %s: %w", argv[0], err)
	}
	return nil
}

// Listen opens 127.0.0.1 and a free port inside the cell's network.
func (c *Cell) Listen(ctx context.Context) (net.Listener, error) {
	ln, err := c.be.listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("listen in the cell: %w", err)
	}
	return ln, nil
}

// Dial connects from inside the cell's network; network is tcp or udp.
func (c *Cell) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.be.dial(ctx, network, addr)
	if err != nil {
		return nil, fmt.Errorf("dial %s in the cell: %w", addr, err)
	}
	return conn, nil
}

// Close ends everything that was started in the cell and waits for it.
func (c *Cell) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.be.close()
	for _, p := range c.procs {
		<-p.done
	}
	c.plan.discard()
	return err
}
