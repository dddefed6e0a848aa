package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Dispatch()
	if len(os.Args) > 2 && os.Args[1] == clientWord {
		os.Exit(runClient(os.Args[2:]))
	}
	if len(os.Args) > 4 && os.Args[1] == harnessWord {
		os.Exit(runHarness(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == hogWord {
		os.Exit(hog())
	}
	if len(os.Args) > 1 && os.Args[1] == callsWord {
		os.Exit(makeCalls())
	}
	if len(os.Args) > 3 && os.Args[1] == raceWord {
		os.Exit(race(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// sandboxAt opens a sandbox at exactly this level, or skips the test where the
// system refuses it.
func sandboxAt(t *testing.T, level Level) *Sandbox {
	t.Helper()
	s, err := New(t.Context(), Options{ForceLevel: level, Log: func(l string) { t.Log(l) }})
	if err != nil {
		t.Skipf("level %s is not available: %v", level, err)
	}
	return s
}

// openAt opens a cell that works in a new folder, with a home of its own.
func openAt(t *testing.T, level Level, change func(*Policy)) (*Cell, string) {
	t.Helper()
	s := sandboxAt(t, level)
	dir := tempDir(t)
	p := Policy{Dir: dir, Writable: []string{dir}}
	if change != nil {
		change(&p)
	}
	c, err := s.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c, dir
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sh runs a shell script in the cell and gives its output and exit code.
func sh(t *testing.T, c *Cell, script string) (string, int) {
	t.Helper()
	res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", script}, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if res.TimedOut {
		t.Fatalf("timed out: %s\n%s", script, res.Output)
	}
	return strings.TrimSpace(string(res.Output)), res.ExitCode
}

// eventually waits until cond holds; the event has no channel to wait on.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // also in clean-ups
	defer cancel()
	for !cond() {
		select {
		case <-ctx.Done():
			t.Fatalf("not in time: %s", what)
		case <-time.After(40 * time.Millisecond):
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}
