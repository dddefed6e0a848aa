package sandbox

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// capture keeps the head and the tail of what a process writes.
type capture struct {
	mu     sync.Mutex
	both   clip
	stdout clip
	total  int64
	flood  chan struct{} // closed when floodLimit is passed
	full   bool
}

func newCapture(max int64) *capture {
	if max <= 0 {
		max = defaultOutput
	}
	return &capture{both: clip{max: int(max)}, stdout: clip{max: int(max)}, flood: make(chan struct{})}
}

var errFlood = errors.New("too much output")

// stream is the writer for standard output or standard error.
func (c *capture) stream(stdout bool) io.Writer { return captureStream{c, stdout} }

type captureStream struct {
	c      *capture
	stdout bool
}

func (s captureStream) Write(b []byte) (int, error) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.both.add(b)
	if s.stdout {
		c.stdout.add(b)
	}
	c.total += int64(len(b))
	if c.total <= floodLimit {
		return len(b), nil
	}
	if !c.full {
		c.full = true
		close(c.flood)
	}
	return len(b), errFlood // nobody reads on, so the writer stands still until it is killed
}

func (c *capture) snapshot() (both, stdout []byte, dropped int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.both.bytes(), c.stdout.bytes(), c.both.dropped()
}

// clip is the first and the last max/2 bytes of a stream.
type clip struct {
	max   int
	head  []byte
	tail  []byte // up to twice the room of the tail, trimmed now and then
	total int64
}

func (c *clip) add(b []byte) {
	c.total += int64(len(b))
	if room := c.max/2 - len(c.head); room > 0 {
		n := min(room, len(b))
		c.head, b = append(c.head, b[:n]...), b[n:]
	}
	keep := c.max - c.max/2
	if len(b) > keep {
		c.tail, b = c.tail[:0], b[len(b)-keep:]
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*keep {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keep:]...)
	}
}

func (c *clip) kept() []byte {
	if keep := c.max - c.max/2; len(c.tail) > keep {
		return c.tail[len(c.tail)-keep:]
	}
	return c.tail
}

func (c *clip) dropped() int64 { return c.total - int64(len(c.head)+len(c.kept())) }

func (c *clip) bytes() []byte {
	out := append([]byte(nil), c.head...)
	if n := c.dropped(); n > 0 {
		out = fmt.Appendf(out, "\n[… %d bytes left out …]\n", n)
	}
	return append(out, c.kept()...)
}
