package sandbox

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
	"time"
)

// TestClipKeepsHeadAndTail compares with the obvious way, for random writes.
func TestClipKeepsHeadAndTail(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	for range 500 {
		c := clip{max: 1 + r.Intn(60)}
		var all []byte
		for range r.Intn(40) {
			b := make([]byte, r.Intn(50))
			r.Read(b)
			c.add(b)
			all = append(all, b...)
		}
		want := all
		if n := len(all) - c.max; n > 0 {
			head, tail := all[:c.max/2], all[len(all)-(c.max-c.max/2):]
			want = fmt.Appendf(bytes.Clone(head), "\n[… %d bytes left out …]\n%s", n, tail)
		}
		if got := c.bytes(); !bytes.Equal(got, want) {
			t.Fatalf("max %d, %d bytes written:\n got %q\nwant %q", c.max, len(all), got, want)
		}
	}
}

func TestCaptureTellsStreamsApart(t *testing.T) {
	c := newCapture(0)
	fmt.Fprint(c.stream(true), "out ")
	fmt.Fprint(c.stream(false), "err ")
	fmt.Fprint(c.stream(true), "out")
	both, stdout, dropped := c.snapshot()
	if string(both) != "out err out" || string(stdout) != "out out" || dropped != 0 {
		t.Errorf("%q, %q, %d", both, stdout, dropped)
	}
}
