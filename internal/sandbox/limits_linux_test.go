package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

const hogWord = "__hog"

// hog takes memory until it is ended, and not more than a machine has.
func hog() int {
	var kept [][]byte
	for range 20 {
		b := make([]byte, 10<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(20 * time.Second)
	fmt.Println("not ended with", len(kept)*10, "MiB")
	return 0
}

func TestMemoryIsLimited(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	everyLevel(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, func(p *Policy) { show(t)(p); p.MaxMemory = 150 << 20 })
		other, err := c.Start(t.Context(), Spec{Argv: []string{"sh", "-c", "setsid " + sleep + " & wait"}, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the other runs", func() bool { return alive(mark) == 1 })
		// Below the limit for each of them, beyond it together.
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", exe + " " + hogWord + " & " + exe + " " + hogWord + "; wait"}, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if res.Exceeded != overMemory || res.TimedOut || res.Signal != "SIGKILL" && res.ExitCode != 137 {
			t.Errorf("%+v\n%s", res, res.Output)
		}
		if how := other.Result(); how.Exceeded != overMemory || alive(mark) > 0 {
			t.Errorf("what else ran in the cell: %+v", how)
		}
		if out, code := sh(t, c, "echo again"); out != "again" || code != 0 {
			t.Errorf("the cell afterwards: %q, %d", out, code)
		}
	})
}

func TestProcessesAreLimited(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, func(p *Policy) { p.MaxProcs = 60 })
		p, err := c.Start(t.Context(), Spec{Argv: []string{"sh", "-c", "i=0; while [ $i -lt 600 ]; do " + sleep + " & i=$((i+1)); done; wait"}, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		// The kernel refuses the next one where it can, else the watchdog ends them all.
		eventually(t, "there are no more", func() bool {
			return strings.Contains(strings.ToLower(string(p.Output())), "fork") || waitFor(p.Done(), 0)
		})
		if n := alive(mark); n > 450 {
			t.Errorf("%d processes run", n)
		}
		if waitFor(p.Done(), 0) && p.Result().Exceeded != overProcesses && !strings.Contains(strings.ToLower(string(p.Output())), "fork") {
			t.Errorf("%+v", p.Result())
		}
	})
}

func TestTemporaryFilesAreLimited(t *testing.T) {
	c, _ := openAt(t, Namespaces, func(p *Policy) { p.MaxTemp = 1 << 20 })
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if out, code := sh(t, c, "head -c 900000 /dev/zero > "+dir+"/a && ! head -c 900000 /dev/zero > "+dir+"/b"); code != 0 {
			t.Errorf("%s: %d, %s", dir, code, out)
		}
	}
	if out, code := sh(t, c, "! head -c 600m /dev/zero > /dev/shm/a"); code != 0 {
		t.Errorf("/dev/shm: %d, %s", code, out)
	}
}

func TestDiskIsLimited(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		c, dir := openAt(t, level, nil)
		allowed := c.be.(*linuxCell).allowed
		if allowed.free[dir] == 0 {
			t.Errorf("nothing is known of the space in %s: %v", dir, allowed.free)
		}
		allowed.free[dir] += 2 * defaultDisk // as if all that had been taken: what is free changes with all that runs here
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sleep", "30"}, Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if res.Exceeded != overDisk || res.TimedOut {
			t.Errorf("%+v", res)
		}
	})
}

func TestTheLastSpaceIsKept(t *testing.T) {
	dir := tempDir(t)
	now, ok := freeSpace(dir)
	if !ok || now < lastSpace {
		t.Skip("the disk of the machine is full")
	}
	for before, full := range map[int64]bool{now + 1<<40: true, now + 1: false, now - 1<<20: false} {
		a := allowance{disk: 1 << 39, free: map[string]int64{dir: before}}
		if got := a.diskIsFull(); got != full {
			t.Errorf("%d bytes free before, %d now: %v", before, now, got)
		}
	}
}

func TestLimitsFitTheMachine(t *testing.T) {
	for _, tt := range []struct{ asked, usual, share, want int64 }{
		{5, 8, 6, 5}, {50, 8, 6, 50}, {0, 8, 6, 6}, {0, 8, 60, 8}, {0, 8, 0, 8}, {-1, 8, 60, 8},
	} {
		if got := atMost(tt.asked, tt.usual, tt.share); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}
