package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Past is one commit of a history, with what it changed.
type Past struct {
	CommitInfo
	// Diffs has one list of changes for each parent, by path, renames shown as D
	// and A. A commit without a parent has one, against nothing.
	Diffs [][]Change
}

// past is one walk: three processes of git that run side by side, each reading
// what the one before it writes.
type past struct {
	repo    *Repo
	list    *exec.Cmd // rev-list
	objects *bufio.Reader
	reads   *exec.Cmd // cat-file
	diff    *exec.Cmd
	ask     chan string // written to diff by a goroutine: both sides may be waiting
	asked   chan struct{}
	answers *bufio.Reader
	errs    [3]bytes.Buffer
}

// history is what a walk does not let anything in the repository change: no
// cached graph, no grafts (see cleanEnv for replaced objects).
func historyArgs(args ...string) []string {
	return append([]string{"-c", "core.commitGraph=false"}, args...)
}

// History gives each commit of revs (as rev-list --stdin understands them), parents
// before children, with its changes against each parent, in one pass: memory
// does not grow with the length. leave says which commits are given without
// changes, as those whose parents a shallow clone lacks; it may be nil.
func (r *Repo) History(ctx context.Context, revs []string, leave func(OID) bool, each func(*Past) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &past{repo: r}
	if err := p.start(ctx, revs); err != nil {
		return fmt.Errorf("read history: %w", err) // what did start ends with ctx
	}
	walked := p.walk(leave, each)
	if walked != nil {
		cancel() // the processes still write: end them
	}
	ended := p.end()
	if walked != nil && !errors.Is(walked, errCut) {
		return walked
	}
	if ended != nil {
		return fmt.Errorf("read history: %w", ended)
	}
	return walked
}

// errCut is a stream that ends where it should not; what its process said
// explains it.
var errCut = errors.New("git ended in the middle of its answer")

func (p *past) start(ctx context.Context, revs []string) error {
	p.list = p.repo.command(ctx, call{args: historyArgs("rev-list", "--reverse", "--topo-order", "--stdin"), env: []string{"GIT_GRAFT_FILE=/dev/null"}})
	p.reads = p.repo.command(ctx, call{args: []string{"cat-file", "--batch", "--buffer"}})
	p.diff = p.repo.command(ctx, call{args: historyArgs("diff-tree", "--stdin", "-r", "--root", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none"), env: []string{"GIT_GRAFT_FILE=/dev/null"}})
	for i, cmd := range []*exec.Cmd{p.list, p.reads, p.diff} {
		cmd.Stdin, cmd.Stderr = nil, &p.errs[i]
	}
	p.list.Stdin = strings.NewReader(strings.Join(revs, "\n") + "\n") // any number of them, and none an option
	ids, err := p.list.StdoutPipe()
	if err != nil {
		return err
	}
	p.reads.Stdin = ids
	out, err := p.reads.StdoutPipe()
	if err != nil {
		return err
	}
	p.objects = bufio.NewReaderSize(out, 256<<10)
	in, err := p.diff.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := p.diff.StdoutPipe()
	if err != nil {
		return err
	}
	p.answers = bufio.NewReaderSize(answers, 256<<10)
	for _, cmd := range []*exec.Cmd{p.list, p.reads, p.diff} {
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	p.ask, p.asked = make(chan string, ahead), make(chan struct{})
	go func() {
		defer close(p.asked)
		defer in.Close()
		for lines := range p.ask {
			if _, err := io.WriteString(in, lines); err != nil {
				for range p.ask { // diff has ended; what it said is told by end
				}
				return
			}
		}
	}()
	return nil
}

// end closes the streams and waits; the first process that failed is the cause
// of what the others say.
func (p *past) end() error {
	close(p.ask)
	<-p.asked
	var first error
	for i, cmd := range []*exec.Cmd{p.list, p.reads, p.diff} {
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = &Error{Args: cmd.Args[len(cmd.Args)-1:], ExitCode: exit.ExitCode(), Stderr: p.errs[i].String()}
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

// ahead is how many commits are asked for before the first is judged: while the
// one is judged, git works on the next.
const ahead = 32

func (p *past) walk(leave func(OID) bool, each func(*Past) error) error {
	var queue []*Past
	more := true
	for more || len(queue) > 0 {
		for more && len(queue) < ahead {
			c, err := p.next()
			if err == io.EOF {
				more = false
				break
			}
			if err != nil {
				return err
			}
			if leave == nil || !leave(c.ID) {
				p.request(c)
			}
			queue = append(queue, c)
		}
		if len(queue) == 0 {
			return nil
		}
		c := queue[0]
		queue = queue[1:]
		for i := range c.Diffs {
			changes, err := p.answer()
			if err != nil {
				return err
			}
			c.Diffs[i] = changes
		}
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

// next reads one commit: "id kind size LF content LF".
func (p *past) next() (*Past, error) {
	head, err := p.objects.ReadString('\n')
	if err == io.EOF && head == "" {
		return nil, io.EOF
	}
	f := strings.Fields(head)
	if err != nil || len(f) != 3 || f[1] != "commit" {
		return nil, fmt.Errorf("%w (%q)", errCut, strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size > maxObject {
		return nil, fmt.Errorf("commit %s: size %q", f[0], f[2])
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(p.objects, data); err != nil {
		return nil, errCut
	}
	info, err := parseCommit(data[:size])
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", f[0], err)
	}
	info.ID = OID(f[0])
	return &Past{CommitInfo: info}, nil
}

// request asks for the changes of one commit against each of its parents. The
// line behind each is none that diff-tree knows: it is echoed, and so ends the
// answer.
func (p *past) request(c *Past) {
	var b strings.Builder
	for _, parent := range c.Parents {
		fmt.Fprintf(&b, "%s %s\n=\n", c.ID, parent)
	}
	if len(c.Parents) == 0 {
		fmt.Fprintf(&b, "%s\n=\n", c.ID)
	}
	c.Diffs = make([][]Change, max(1, len(c.Parents)))
	p.ask <- b.String()
}

// answer reads ":mode mode id id status NUL path NUL" until the echo.
func (p *past) answer() ([]Change, error) {
	var changes []Change
	for {
		first, err := p.answers.Peek(1)
		if err != nil {
			return nil, errCut
		}
		switch first[0] {
		case '=':
			_, err := p.answers.Discard(2)
			return changes, err
		case ':':
			meta, err1 := p.answers.ReadString(0)
			path, err2 := p.answers.ReadString(0)
			f := strings.Fields(strings.TrimSuffix(meta[1:], "\x00"))
			if err1 != nil || err2 != nil || len(f) != 5 || f[4] == "" {
				return nil, errCut
			}
			changes = append(changes, Change{Status: f[4][0], OldMode: none(f[0]), NewMode: none(f[1]),
				OldOID: OID(none(f[2])), NewOID: OID(none(f[3])), Path: strings.TrimSuffix(path, "\x00")})
		default: // the id of the commit
			if _, err := p.answers.ReadString(0); err != nil {
				return nil, errCut
			}
		}
	}
}
