package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	defaultOutput = 256 << 10
	floodLimit    = 64 << 20 // bytes of output after which a process is ended
	// grace is the time between the polite and the final signal.
	grace = 700 * time.Millisecond
	// waitDelay is how long pipes may stay open after everything has ended.
	waitDelay = 500 * time.Millisecond
	// endDelay is how long the end of a killed process is waited for.
	endDelay = 5 * time.Second
)

// ErrClosed is returned by a cell that was closed.
var ErrClosed = errors.New("the cell is closed")

// Spec is one process to start.
type Spec struct {
	Argv []string
	Dir  string   // "" means the cell's folder
	Env  []string // added to the cell's environment
	// Stdin is empty when nil.
	Stdin io.Reader
	// Timeout ends the process and all it started; 0 means none.
	Timeout time.Duration
	// MaxOutput is how many bytes are kept; 0 means the cell's.
	MaxOutput int64
}

// Result is what is known of a process that ended.
type Result struct {
	ExitCode int    // 128 and the number of the signal when one ended it
	Output   []byte // both streams, head and tail
	Stdout   []byte // standard output alone, head and tail
	Dropped  int64  // bytes of Output that were left out of the middle
	TimedOut bool
	Flooded  bool   // ended because it wrote more than 64 MiB
	Exceeded string // "memory", "processes" or "disk" when it was ended for using too much
	Signal   string // "SIGKILL" and the like, "" when it exited by itself
	Elapsed  time.Duration
}

// exit is how a job ended, as the backend saw it.
type exit struct {
	code     int
	signal   string
	exceeded string
}

// job is a started process and everything that it started.
type job interface {
	signal(kill bool)      // to all of it
	done() <-chan struct{} // closed once all of it has ended
	status() exit          // valid after done
}

// Process is a running process of a cell.
type Process struct {
	job     job
	out     *capture
	readers sync.WaitGroup
	pipes   []*os.File // read ends
	started time.Time

	stopOnce sync.Once
	stop     chan struct{}
	done     chan struct{}
	res      Result // valid after done
}

// Done is closed when the process and all that it started have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Result waits for the end and tells it.
func (p *Process) Result() Result {
	<-p.done
	return p.res
}

// Output is what was written so far, head and tail.
func (p *Process) Output() []byte {
	out, _, _ := p.out.snapshot()
	return out
}

// Stop ends the process and all that it started: first politely, then not. It
// returns when they are gone, or with the context's error.
func (p *Process) Stop(ctx context.Context) error {
	p.stopOnce.Do(func() { close(p.stop) })
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.job.signal(true)
		return ctx.Err()
	}
}

// startProcess wires the streams of spec, starts it through be and watches it.
func startProcess(ctx context.Context, be backend, l launch, spec Spec) (*Process, error) {
	p := &Process{out: newCapture(spec.MaxOutput), stop: make(chan struct{}), done: make(chan struct{}), started: time.Now()}
	in, feed, err := stdin(spec.Stdin)
	if err != nil {
		return nil, err
	}
	files := []*os.File{in}
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(files, p.pipes...))
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		p.pipes, files = append(p.pipes, r), append(files, w)
	}
	p.job, err = be.start(ctx, l, files)
	closeAll(files)
	if err != nil {
		closeAll(p.pipes)
		if feed != nil {
			feed.Close()
		}
		return nil, err
	}
	if feed != nil {
		go func() {
			_, _ = io.Copy(feed, spec.Stdin) // a reader that goes away is no fault of ours
			feed.Close()
		}()
	}
	for i, r := range p.pipes {
		p.readers.Go(func() { _, _ = io.Copy(p.out.stream(i == 0), r) })
	}
	go p.watch(ctx, spec.Timeout)
	return p, nil
}

// stdin gives the file to read from and, when it is a pipe, our end of it.
func stdin(r io.Reader) (in, feed *os.File, err error) {
	if r == nil {
		in, err = os.Open(os.DevNull)
		return in, nil, err
	}
	in, feed, err = os.Pipe()
	if err != nil {
		err = fmt.Errorf("make a pipe: %w", err)
	}
	return in, feed, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// watch waits for the end or a reason to bring it about, then gathers the result.
func (p *Process) watch(ctx context.Context, timeout time.Duration) {
	var late <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-p.job.done():
	case <-p.stop:
		p.end()
	case <-ctx.Done():
		p.end()
	case <-late:
		p.res.TimedOut = true
		p.end()
	case <-p.out.flood:
		p.res.Flooded = true
		p.job.signal(true)
		waitFor(p.job.done(), endDelay)
	}
	p.drain()
	st := exit{code: 137, signal: "SIGKILL"} // when even the last signal went unanswered
	if waitFor(p.job.done(), 0) {
		st = p.job.status()
	}
	p.res.ExitCode, p.res.Signal, p.res.Elapsed = st.code, st.signal, time.Since(p.started)
	p.res.Exceeded = st.exceeded
	p.res.Output, p.res.Stdout, p.res.Dropped = p.out.snapshot()
	close(p.done)
}

// end is the kill ladder.
func (p *Process) end() {
	p.job.signal(false)
	if waitFor(p.job.done(), grace) {
		return
	}
	p.job.signal(true)
	waitFor(p.job.done(), endDelay)
}

// drain reads what is left; a background child that holds a pipe does not hang us.
func (p *Process) drain() {
	all := make(chan struct{})
	go func() { p.readers.Wait(); close(all) }()
	if !waitFor(all, waitDelay) {
		closeAll(p.pipes)
		waitFor(all, waitDelay)
		return
	}
	closeAll(p.pipes)
}

func waitFor(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	default:
	}
	if d <= 0 {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
