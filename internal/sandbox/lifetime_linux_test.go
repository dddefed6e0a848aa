package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDeathOfTheJoinerIsDeath(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		cmd := c.Command(t.Context(), "sh", "-c", "trap '' TERM; setsid "+sleep+" & "+sleep)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "both run", func() bool { return alive(mark) == 2 })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		eventually(t, "both are gone", func() bool { return alive(mark) == 0 })
	})
}

// runHarness opens a cell, starts things in it and waits to be killed.
func runHarness(args []string) int {
	level := Processes
	for _, l := range allLevels {
		if args[0] == l.String() {
			level = l
		}
	}
	ctx := context.Background()
	s, err := New(ctx, Options{ForceLevel: level})
	if err == nil {
		var c *Cell
		if c, err = s.Open(ctx, Policy{Dir: "/", Home: args[2], Temp: args[2], Cache: args[2]}); err == nil {
			script := "setsid sleep " + args[1] + " & trap '' TERM HUP; sleep " + args[1]
			if _, err = c.Start(ctx, Spec{Argv: []string{"sh", "-c", script}}); err == nil {
				err = c.Command(ctx, "sh", "-c", script).Run()
			}
		}
	}
	fmt.Println(err)
	return 1
}

const harnessWord = "__harness"

func TestKilledHarnessLeavesNothing(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sandboxAt(t, level)
		_, mark := sleeper(t)
		cmd := exec.Command("/proc/self/exe", harnessWord, level.String(), mark, tempDir(t))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "four sleepers run", func() bool { return alive(mark) == 4 })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		eventually(t, "none is left", func() bool { return alive(mark) == 0 })
	})
}

// A process can kill its keeper, being the same user, and gains nothing. Where
// Landlock scopes signals it depends on which of the keeper's threads put the
// fence on whether the kernel refuses.
func TestKilledKeeper(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", sleep + " & kill -KILL $PPID || exit 7; " + sleep}, Timeout: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		refused := level == Landlock && res.ExitCode == 7
		if (!refused && res.Signal != "SIGKILL") || res.TimedOut {
			t.Errorf("%+v", res)
		}
		eventually(t, "none is left", func() bool { return alive(mark) == 0 })
		if got, code := sh(t, c, "echo alive"); got != "alive" || code != 0 {
			t.Errorf("the cell afterwards: %q, %d", got, code)
		}
	})
}

// TestOpeningIsQuick looks at processor time: on a busy machine the clock
// tells about the others.
func TestOpeningIsQuick(t *testing.T) {
	s := sandboxAt(t, Namespaces)
	spent := func() time.Duration {
		var own, children unix.Rusage
		if err := errors.Join(unix.Getrusage(unix.RUSAGE_SELF, &own), unix.Getrusage(unix.RUSAGE_CHILDREN, &children)); err != nil {
			t.Fatal(err)
		}
		return time.Duration(own.Utime.Nano() + own.Stime.Nano() + children.Utime.Nano() + children.Stime.Nano())
	}
	best, clock := time.Hour, time.Hour
	for range 5 {
		start, before := time.Now(), spent()
		c, err := s.Open(t.Context(), Policy{Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context(), Spec{Argv: []string{"true"}}); err != nil {
			t.Fatal(err)
		}
		clock = min(clock, time.Since(start))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		best = min(best, spent()-before)
	}
	t.Logf("opening a cell and running true in it: %v on the clock, %v of processor time", clock, best)
	if best > 100*time.Millisecond {
		t.Errorf("opening a cell and running true in it takes %v of processor time, want at most 100ms", best)
	}
}

func TestFoldersOfTheDeadAreSwept(t *testing.T) {
	temp := tempDir(t)
	t.Setenv("TMPDIR", temp)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	stays := []string{fmt.Sprintf("gitagent-%d-1", os.Getpid()), "gitagent-test-1", "gitagent-12", "other", fmt.Sprintf("gitagent-%d-x", gone.Process.Pid)}
	for _, name := range append(stays, fmt.Sprintf("gitagent-%d-123", gone.Process.Pid)) {
		write(t, filepath.Join(temp, name, "home", "f"), "")
	}
	sandboxAt(t, Processes)
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != len(stays) {
		t.Errorf("%v, %v", left, err)
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	eachLevel(t, func(t *testing.T, level Level) {
		s := sandboxAt(t, level)
		count := func() int {
			names, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(names)
		}
		use := func() {
			c, err := s.Open(t.Context(), Policy{Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			sh(t, c, "true")
			if err := c.Command(t.Context(), "true").Run(); err != nil {
				t.Fatal(err)
			}
			if ln, err := c.Listen(t.Context()); err != nil {
				t.Error(err)
			} else {
				ln.Close()
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		use()
		before := count()
		for range 5 {
			use()
		}
		eventually(t, "descriptors are closed", func() bool { return count() <= before })
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("gitagent-%d-*", os.Getpid()))); len(left) > 0 {
			t.Errorf("folders are left: %v", left)
		}
	})
}
