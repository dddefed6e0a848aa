//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"
)

// direct starts processes as children of this one: what there is where no
// holder or keeper can be used.
type direct struct {
	mu    sync.Mutex
	trees []*tree
	cmds  []*exec.Cmd
}

type directJob struct {
	cmd   *exec.Cmd
	tree  *tree
	ended chan struct{}
	how   exit
}

func (d *direct) start(_ context.Context, l launch, files []*os.File) (job, error) {
	path, err := lookPath(l)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: l.Argv, Env: l.Env, Dir: l.Dir, Stdin: files[0], Stdout: files[1], Stderr: files[2], ExtraFiles: files[3:]}
	t := newTree(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.started(cmd.Process)
	j := &directJob{cmd: cmd, tree: t, ended: make(chan struct{})}
	d.mu.Lock()
	d.trees = append(d.trees, t)
	d.mu.Unlock()
	go func() {
		err := cmd.Wait()
		j.how = ended(cmd, err)
		t.kill() // what it left behind
		close(j.ended)
	}()
	return j, nil
}

func ended(cmd *exec.Cmd, err error) exit {
	if cmd.ProcessState == nil {
		return exit{code: 1, signal: err.Error()}
	}
	if name, number := signalOf(cmd.ProcessState); number > 0 {
		return exit{code: 128 + number, signal: name}
	}
	return exit{code: cmd.ProcessState.ExitCode()}
}

func (j *directJob) done() <-chan struct{} { return j.ended }
func (j *directJob) status() exit          { return j.how }

func (j *directJob) signal(kill bool) {
	if kill {
		j.tree.kill()
		return
	}
	j.tree.terminate()
}

func (d *direct) wrap(cmd *exec.Cmd, l launch) error {
	path, err := lookPath(l)
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args, cmd.Env, cmd.Dir, cmd.Err = path, l.Argv, l.Env, l.Dir, nil
	d.mu.Lock()
	d.trees, d.cmds = append(d.trees, newTree(cmd)), append(d.cmds, cmd)
	d.mu.Unlock()
	return nil
}

func (d *direct) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp4", "127.0.0.1:0")
}

func (d *direct) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

func (d *direct) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, cmd := range d.cmds {
		if cmd.Process != nil && cmd.ProcessState == nil {
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return err
			}
		}
	}
	for _, t := range d.trees {
		t.kill()
	}
	return nil
}
