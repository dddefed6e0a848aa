package crashtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"gitagent/internal/sandbox"
)

// binary is the git-agent under test; the tests make nothing else global.
var binary string

// TestMain builds the program, or lets this binary be a nurse.
func TestMain(m *testing.M) {
	sandbox.Dispatch()
	if os.Getenv(nurseWord) != "" {
		os.Exit(nurse(os.Args[1:]))
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crashtest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "git-agent")
	cmd := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-o", binary, "gitagent/cmd/git-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// nurseWord in the environment makes this binary a nurse: it starts a program
// in a process group of its own, inherits every orphan of it, also those that
// called setsid, and ends when the last of them has ended. What it sees it
// writes to descriptor 3.
const nurseWord = "CRASHTEST_NURSE"

func nurse(argv []string) int {
	report := os.NewFile(3, "report")
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(report, "error", err)
		return 1
	}
	unix.CloseOnExec(3)
	os.Unsetenv(nurseWord)
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		fmt.Fprintln(report, "error", err)
		return 1
	}
	fmt.Fprintln(report, "pid", pid)
	for {
		var ws syscall.WaitStatus
		p, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil { // nobody is left
			return 0
		}
		if p != pid {
			continue
		}
		code := ws.ExitStatus()
		if ws.Signaled() {
			code = -int(ws.Signal())
		}
		fmt.Fprintln(report, "code", code)
	}
}

// below lists the processes below one, that one left out.
func below(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		p, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		if f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(f) > 1 {
			parent, _ := strconv.Atoi(string(f[1]))
			children[parent] = append(children[parent], p)
		}
	}
	var all []int
	for todo := children[pid]; len(todo) > 0; todo = todo[1:] {
		all = append(all, todo[0])
		todo = append(todo, children[todo[0]]...)
	}
	return all
}

// describe names processes by their command lines.
func describe(pids []int) string {
	var lines []string
	for _, p := range pids {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
		if err == nil && len(line) > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", p, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return strings.Join(lines, "\n")
}
