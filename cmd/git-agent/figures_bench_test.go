package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"gitagent/internal/testenv"
)

// figures is a table of promises and what was measured.
type figures struct {
	t    *testing.T
	bin  string // a git-agent built as make build does
	rows [][4]string
}

// row adds a line; a bound that was missed fails the test.
func (f *figures) row(what, measured, beside, bound string, ok bool) {
	mark := ""
	if !ok {
		mark = "  MISSED"
		f.t.Errorf("%s: %s, the bound is %s", what, measured, bound)
	}
	f.rows = append(f.rows, [4]string{what, measured, beside, bound + mark})
}

func (f *figures) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "WHAT\tMEASURED\tBESIDE, IN THE SAME RUN\tBOUND")
	for _, r := range f.rows {
		fmt.Fprintln(tw, strings.Join(r[:], "\t"))
	}
	tw.Flush()
}

// build makes the binary that people get. Only -trimpath is left out: it changes
// no behaviour, and would have everything compiled a second time.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "git-agent")
	cmd := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// timing is what running one command several times took. cpu is user and system
// time of the process and of those that it waited for, git's among them.
type timing struct{ best, median, cpu time.Duration }

// race runs the commands in turn, n times, in dir, so that all of them meet the
// same load. They must succeed.
func (f *figures) race(dir string, n int, commands ...[]string) []timing {
	f.t.Helper()
	walls := make([][]time.Duration, len(commands))
	out := make([]timing, len(commands))
	for range n {
		for i, argv := range commands {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir = dir
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			begun := time.Now()
			err := cmd.Run()
			walls[i] = append(walls[i], time.Since(begun))
			if err != nil {
				f.t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, said.String())
			}
			if cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); out[i].cpu == 0 || cpu < out[i].cpu {
				out[i].cpu = cpu
			}
		}
	}
	for i, w := range walls {
		slices.Sort(w)
		out[i].best, out[i].median = w[0], w[len(w)/2]
	}
	return out
}

// judged is the time that is held against the bound, and its name: the best
// wall time; on a machine so busy that the yardstick, too, took far longer than
// it computes, the best processor time.
func (d timing) judged(yardstick timing) (time.Duration, string) {
	if d.best > 2*d.cpu && yardstick.best > 2*yardstick.cpu {
		return d.cpu, "cpu, the machine is busy"
	}
	return d.best, "best"
}

// timed adds a row for a command with a bound, beside others; the last of those
// is the yardstick.
func (f *figures) timed(what string, bound time.Duration, names []string, got []timing) {
	f.t.Helper()
	took, how := got[0].judged(got[len(got)-1])
	beside := make([]string, 0, len(names))
	for i, name := range names {
		beside = append(beside, fmt.Sprintf("%s %s", name, ms(got[i+1].best)))
	}
	f.row(what, fmt.Sprintf("%s %s (median %s, cpu %s)", ms(took), how, ms(got[0].median), ms(got[0].cpu)),
		strings.Join(beside, ", "), "≤ "+bound.String(), took <= bound)
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// gitCalls counts the git processes that a command starts.
func (f *figures) gitCalls(dir string, argv ...string) int {
	f.t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		f.t.Fatal(err)
	}
	bin := f.t.TempDir()
	count := filepath.Join(bin, "calls")
	testenv.Write(f.t, bin, "git", fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", count, git))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	data, err := os.ReadFile(count)
	if err != nil {
		f.t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

// refused runs a command that must end with an error that says what it should;
// it returns the best time of three.
func (f *figures) refused(dir, says string, argv ...string) time.Duration {
	f.t.Helper()
	best := time.Duration(-1)
	for range 3 {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = dir
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		took := time.Since(begun)
		if err == nil || !strings.Contains(string(out), says) || len(out) > 2000 {
			f.t.Fatalf("%s: %v, it should say %q:\n%.3000s", strings.Join(argv, " "), err, says, out)
		}
		if best < 0 || took < best {
			best = took
		}
	}
	return best
}
