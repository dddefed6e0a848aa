package crashtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// victim is a run of git-agent with its nurse.
type victim struct {
	t     testing.TB
	nurse *exec.Cmd
	pid   int
	out   words
	code  int           // its exit code, or the negative number of the signal, once alone
	alone chan struct{} // closed when every process it started is gone
}

// untold is no exit code.
const untold = 1 << 20

// words is output that is written and read at once.
type words struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// patience is how long anything may take before the test calls it stuck.
const patience = 2 * time.Minute

// start runs git-agent in the place's repository; extra is added to its
// environment.
func (p *place) start(t testing.TB, extra []string, args ...string) *victim {
	t.Helper()
	v := &victim{t: t, code: untold, alone: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	v.nurse = exec.Command(os.Args[0], append([]string{binary}, args...)...)
	v.nurse.Dir = p.repo
	v.nurse.Env = append(append(p.env(), extra...), nurseWord+"=1")
	v.nurse.Stdout, v.nurse.Stderr = &v.out, &v.out
	v.nurse.ExtraFiles = []*os.File{w}
	v.nurse.WaitDelay = time.Second
	if err := v.nurse.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		t.Fatal("the nurse says nothing")
	}
	if _, err := fmt.Sscanf(lines.Text(), "pid %d", &v.pid); err != nil {
		t.Fatalf("the nurse says %q", lines.Text())
	}
	go func() {
		defer r.Close()
		for lines.Scan() {
			_, _ = fmt.Sscanf(lines.Text(), "code %d", &v.code) // else it stays untold
		}
		_ = v.nurse.Wait()
		close(v.alone)
	}()
	t.Cleanup(func() {
		v.kill(everything)
		<-v.alone
	})
	return v
}

// death is how much dies.
type death int

const (
	group      death = iota // the process group, as kill -9 -PGID does
	everything              // every process, as when the power fails
)

func (d death) String() string { return [...]string{"group", "everything"}[d] }

func (v *victim) kill(d death) {
	if d == group {
		_ = syscall.Kill(-v.pid, syscall.SIGKILL)
		return
	}
	for { // they may still be starting others
		all := below(v.nurse.Process.Pid)
		if len(all) == 0 {
			return
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-v.alone:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// gone waits until it and all that it started have ended, and gives its exit
// code. What outlives it for long is named.
func (v *victim) gone(long time.Duration) int {
	v.t.Helper()
	select {
	case <-v.alone:
	case <-time.After(long):
		v.t.Fatalf("still there after %s:\n%s\n%s", long, describe(below(v.nurse.Process.Pid)), v.out.String())
	}
	if v.code == untold {
		v.t.Fatalf("its exit code was not told\n%s", v.out.String())
	}
	return v.code
}

// run runs git-agent to its end.
func (p *place) run(t testing.TB, extra []string, args ...string) (code int, out string) {
	t.Helper()
	v := p.start(t, extra, args...)
	code = v.gone(patience)
	return code, v.out.String()
}

// until polls for a condition, which v brings about before it ends; without v,
// anybody.
func until(t testing.TB, what string, v *victim, cond func() bool) {
	t.Helper()
	if v == nil {
		v = &victim{}
	}
	for end := time.Now().Add(patience); ; {
		if cond() {
			return
		}
		select {
		case <-v.alone:
			if cond() {
				return
			}
			t.Fatalf("it ended before %s:\n%s", what, v.out.String())
		case <-time.After(300 * time.Microsecond):
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s\n%s", what, v.out.String())
		}
	}
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

func exists(pattern ...string) func() bool {
	return func() bool {
		found, _ := filepath.Glob(filepath.Join(pattern...))
		return len(found) > 0
	}
}
