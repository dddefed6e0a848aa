package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

const (
	manyFiles    = 10_000
	turnBound    = 150 * time.Millisecond // a turn that runs no command
	commandBound = 600 * time.Millisecond // one that does
	memoryBound  = 60e6                   // bytes, the tool's own at its peak, without the browser
	rounds       = 6                      // times that each kind of turn is taken
)

// TestFiguresOverhead measures what the harness itself takes of a session in a
// repository of 10,000 files: the model answers at once.
func TestFiguresOverhead(t *testing.T) {
	alone(t)
	if runtime.GOOS != "linux" {
		t.Skip("what a process has used is read from /proc")
	}
	contained := namespaces(t)
	f := &figures{t: t, bin: build(t)}
	testenv.Clean(t)
	if !contained {
		testenv.Git(t, t.TempDir(), "config", "--global", "agent.sandbox", "processes")
	}
	f.overhead()
	f.print(t.Output())
}

// turnKinds are the kinds of turn that are measured, in the order in which they
// are taken; what is written differs each time.
var turnKinds = []struct {
	name  string
	bound time.Duration
	calls func(n int) modeltest.Step
}{
	{"read_file", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("read_file", "path", fmt.Sprintf("src/d%03d/f%05d.js", n, n))
	}},
	{"write_file", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("write_file", "path", "sum.sh", "content", fmt.Sprintf("# %d\necho $(($1 + $2))\n", n))
	}},
	{"edit_file", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("edit_file", "path", "sum.sh", "old_text", fmt.Sprintf("# %d\n", n), "new_text", fmt.Sprintf("# %d, again\n", n))
	}},
	{"list_files", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("list_files", "path", fmt.Sprintf("src/d%03d", n))
	}},
	{"search_text", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("search_text", "pattern", fmt.Sprintf("^line %05d here$", n))
	}},
	{"search_text, in vain", turnBound, func(n int) modeltest.Step {
		return modeltest.Use("search_text", "pattern", fmt.Sprintf("nowhere %d", n))
	}},
	{"run_command after a change", commandBound, func(n int) modeltest.Step {
		return modeltest.Use("run_command", "command", fmt.Sprintf("sh sum.sh %d 2", n))
	}},
	{"run_command, nothing changed", commandBound, func(n int) modeltest.Step {
		return modeltest.Use("run_command", "command", fmt.Sprintf("sh sum.sh %d 3", n))
	}},
}

// pulse is what the tool and all that it started had used at a moment.
type pulse struct {
	wall time.Time
	cpu  time.Duration
}

func (f *figures) overhead() {
	dir := f.manyFiles()
	var mu sync.Mutex
	var pulses []pulse
	pid := make(chan int, 1)
	self := 0
	srv := modeltest.New(f.t, func(_ int, req api.ChatRequest) modeltest.Step {
		if len(req.Format) > 0 {
			return modeltest.Say(`{"checks":[{"kind":"command","covers":[1,2],"run":"sh sum.sh 40 2","stdin":"","stdout_has":["42"],"exit":0}]}`)
		}
		mu.Lock()
		defer mu.Unlock()
		if self == 0 {
			self = <-pid
		}
		pulses = append(pulses, f.pulse(self))
		n := len(pulses) - 1
		if n == len(turnKinds)*rounds {
			return modeltest.Use("end_session", "status", "done", "reason", "it adds")
		}
		return turnKinds[n%len(turnKinds)].calls(n / len(turnKinds))
	})
	cmd := exec.Command(f.bin, "step", "--host", srv.URL, "--model", "test", "--turns", "200")
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	pid <- cmd.Process.Pid
	ended := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- f.watchMemory(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	close(ended)
	whole, most := time.Since(begun), <-peak
	if err != nil {
		f.t.Fatalf("%v\n%s", err, out.String())
	}
	grep := f.race(dir, 5, []string{"sh", "-c", "grep -rI 'nowhere 1' src || :"})[0].best
	for i, k := range turnKinds {
		f.turn(k.name, k.bound, grep, pulses, i)
	}
	f.row("10,000 files: the tool's own memory at its peak", fmt.Sprintf("%.1f MB", float64(most)/1e6), "", fmt.Sprintf("≤ %.0f MB", memoryBound/1e6), most <= memoryBound)
	f.row("10,000 files: a whole session", fmt.Sprintf("%.1f s", whole.Seconds()), fmt.Sprintf("%d turns", len(pulses)), "none", true)
}

// turn adds the row of one kind, with grep's time on the same files beside a
// search. Like a command, a turn is judged by the processor time that it took
// where the machine is busy.
func (f *figures) turn(name string, bound, grep time.Duration, pulses []pulse, kind int) {
	var walls, cpus []time.Duration
	for i := kind; i+1 < len(pulses); i += len(turnKinds) {
		walls = append(walls, pulses[i+1].wall.Sub(pulses[i].wall))
		cpus = append(cpus, pulses[i+1].cpu-pulses[i].cpu)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	median, how := walls[len(walls)/2], "median"
	if cpu := cpus[len(cpus)/2]; median > bound && walls[0] > 2*cpu {
		median, how = cpu, "cpu, the machine is busy"
	}
	beside := fmt.Sprintf("best %s, worst %s, cpu %s", ms(walls[0]), ms(walls[len(walls)-1]), ms(cpus[len(cpus)/2]))
	if strings.HasPrefix(name, "search_text") {
		beside += ", grep -rI " + ms(grep)
	}
	f.row("10,000 files: a turn of "+name, fmt.Sprintf("%s %s", ms(median), how), beside, "≤ "+bound.String(), median <= bound)
}

// manyFiles makes a project of 10,000 files.
func (f *figures) manyFiles() string {
	f.t.Helper()
	dir := testenv.Repo(f.t)
	for i := range manyFiles {
		testenv.Write(f.t, dir, fmt.Sprintf("src/d%03d/f%05d.js", i%500, i), strings.Repeat(fmt.Sprintf("line %05d here\n", i), 40))
	}
	testenv.Git(f.t, dir, "add", "-A")
	testenv.Git(f.t, dir, "-c", "gc.auto=0", "commit", "-q", "-m", "Start")
	testenv.Git(f.t, dir, "gc", "-q")
	file := f.t.TempDir() + "/list.json"
	if err := os.WriteFile(file, []byte(`[{"category":"functional","description":"sum.sh adds","steps":["Run sh sum.sh 40 2","It prints \"42\""],"passes":false}]`), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.agent(dir, "init", "--yes", "--features", file)
	return dir
}

// pulse looks at the tool. The time of its children counts once they ended.
func (f *figures) pulse(pid int) pulse {
	p := pulse{wall: time.Now()}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime, in hundredths of a second
		n, _ := strconv.Atoi(field) // the kernel writes numbers
		p.cpu += time.Duration(n) * 10 * time.Millisecond
	}
	return p
}

// watchMemory reads the peak until the tool has ended.
func (f *figures) watchMemory(pid int, ended <-chan struct{}) (most int64) {
	for {
		most = max(most, peakOf(pid))
		select {
		case <-ended:
			return most
		case <-time.After(5 * time.Millisecond):
		}
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf is the most memory that a process has ever had, in bytes; 0 when it
// has ended.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := highWater.FindSubmatch(status)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64) // digits
	return n << 10
}
