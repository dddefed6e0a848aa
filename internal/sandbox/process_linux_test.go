package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var allLevels = [...]Level{Namespaces, Landlock, Seccomp, Processes}

// everyLevel runs a test at every level that this system allows, all at once.
func everyLevel(t *testing.T, test func(*testing.T, Level)) {
	t.Helper()
	eachLevel(t, func(t *testing.T, level Level) {
		t.Parallel()
		test(t, level)
	})
}

// everyKeeping leaves out a level whose processes are started and ended like
// those of another.
func everyKeeping(t *testing.T, test func(*testing.T, Level)) {
	t.Helper()
	everyLevel(t, func(t *testing.T, level Level) {
		if level != Seccomp {
			test(t, level)
		}
	})
}

// eachLevel is the same for tests that look at all of this process.
func eachLevel(t *testing.T, test func(*testing.T, Level)) {
	t.Helper()
	for _, level := range allLevels {
		t.Run(level.String(), func(t *testing.T) { test(t, level) })
	}
}

// sleeper is a sleep that can be told from all others, as a word for scripts.
func sleeper(t *testing.T) (command, mark string) {
	mark = fmt.Sprintf("7%07d.%d", os.Getpid(), time.Now().UnixNano()%1e9)
	t.Cleanup(func() { eventually(t, "no sleeper is left", func() bool { return alive(mark) == 0 }) })
	return "sleep " + mark, mark
}

// alive counts the sleeps of this mark on the machine.
func alive(mark string) int {
	n := 0
	for _, p := range processes() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if p.state != 'Z' && string(line) == "sleep\x00"+mark+"\x00" {
			n++
		}
	}
	return n
}

func TestRunTellsWhatHappened(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		c, dir := openAt(t, level, nil)
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", "pwd; cat; echo $EXTRA; echo bad >&2; exit 3"}, Dir: filepath.Join(dir, "sub"),
			Env: []string{"EXTRA=more"}, Stdin: strings.NewReader("fed\n")})
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, "sub") + "\nfed\nmore\n"; string(res.Stdout) != want || res.ExitCode != 3 {
			t.Errorf("got %q, %d; want %q, 3", res.Stdout, res.ExitCode, want)
		}
		if len(res.Output) != len(res.Stdout)+len("bad\n") || res.Dropped != 0 || res.Elapsed <= 0 {
			t.Errorf("%+v", res)
		}
		res, err = c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", "kill -SEGV $$"}})
		if err != nil || res.Signal != "SIGSEGV" || res.ExitCode != 139 {
			t.Errorf("killed by a signal: %+v, %v", res, err)
		}
		if _, err := c.Run(t.Context(), Spec{Argv: []string{"no-such-program"}}); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("a missing program: %v", err)
		}
		write(t, filepath.Join(dir, "garbage"), "\x00\x01")
		if _, err := c.Run(t.Context(), Spec{Argv: []string{"./garbage"}}); err == nil || errors.Is(err, exec.ErrNotFound) {
			t.Errorf("no program format: %v", err)
		}
		if got, _ := sh(t, c, "tty; ulimit -c"); got != "not a tty\n0" {
			t.Errorf("terminal and core limit: %q", got)
		}
	})
}

func TestNoDescriptorLeaks(t *testing.T) {
	inherited, err := unix.Dup(1) // without close-on-exec, as one from a careless parent
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	eachLevel(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, nil)
		const list = "for f in /proc/$$/fd/*; do test $(basename $f) -gt 2 && readlink $f; done; true"
		got, _ := sh(t, c, list)
		joined, err := c.Command(t.Context(), "sh", "-c", list).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got != "" || len(joined) > 0 {
			t.Errorf("descriptors leak: %q, by a joiner: %q", got, joined)
		}
	})
}

func TestTimeoutEndsTheTree(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		script := "trap '' TERM; setsid " + sleep + " & (trap '' TERM; " + sleep + ") & echo ready; " + sleep + "; " + sleep
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", script}, Timeout: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if !res.TimedOut || res.Signal != "SIGKILL" || string(res.Output) != "ready\n" || res.Elapsed > 3*time.Second {
			t.Errorf("%+v", res)
		}
		if n := alive(mark); n > 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

func TestPoliteEndFirst(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, nil)
		p, err := c.Start(t.Context(), Spec{Argv: []string{"sh", "-c", "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"}})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is ready", func() bool { return string(p.Output()) == "ready\n" })
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res := p.Result(); string(res.Stdout) != "ready\nbye\n" || res.ExitCode != 0 {
			t.Errorf("%q, %+v", res.Output, res)
		}
	})
}

func TestWhatRunsOnEndsWithTheCommand(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", sleep + " & (setsid sh -c '" + sleep + " & " + sleep + "' &) ; echo done"}})
		if err != nil {
			t.Fatal(err)
		}
		if string(res.Output) != "done\n" || res.ExitCode != 0 || res.Elapsed > 3*time.Second {
			t.Errorf("%+v", res)
		}
		if n := alive(mark); n > 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		p, err := c.Start(t.Context(), Spec{Argv: []string{"sh", "-c", "setsid " + sleep + " & trap '' TERM HUP; " + sleep + "; " + sleep}})
		if err != nil {
			t.Fatal(err)
		}
		cmd := c.Command(t.Context(), "sh", "-c", "setsid "+sleep)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "all three run", func() bool { return alive(mark) == 3 })
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if n := alive(mark); n > 0 {
			t.Errorf("%d processes are left", n)
		}
		<-p.Done()
		if err := cmd.Wait(); err == nil {
			t.Error("the joiner of a process that was killed ended well")
		}
		if _, err := c.Run(t.Context(), Spec{Argv: []string{"true"}}); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed cell: %v", err)
		}
	})
}

func TestContextEndsRun(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		sleep, mark := sleeper(t)
		c, _ := openAt(t, level, nil)
		ctx, cancel := context.WithCancel(t.Context())
		p, err := c.Start(ctx, Spec{Argv: []string{"sh", "-c", "trap '' TERM; " + sleep + "; " + sleep}})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "it runs", func() bool { return alive(mark) == 1 })
		cancel()
		if res := p.Result(); res.TimedOut || res.Signal != "SIGKILL" || alive(mark) > 0 {
			t.Errorf("%+v", res)
		}
		if _, err := c.Run(ctx, Spec{Argv: []string{"true"}}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled context: %v", err)
		}
	})
}

func TestFloodIsEnded(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, func(p *Policy) { p.MaxOutput = 1000 })
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", "echo first; exec yes"}, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Flooded || res.TimedOut || res.Signal != "SIGKILL" || res.Dropped < 60<<20 || res.Dropped > 66<<20 {
			t.Errorf("flooded %v, %s, dropped %d", res.Flooded, res.Signal, res.Dropped)
		}
		if !bytes.HasPrefix(res.Output, []byte("first\ny\n")) || len(res.Output) > 1100 {
			t.Errorf("%d bytes kept: %.30q", len(res.Output), res.Output)
		}
	})
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "XDG_RUNTIME_DIR", "OLLAMA_HOST", "EDITOR"} {
		t.Setenv(name, "leak")
	}
	eachLevel(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, func(p *Policy) { p.Env = []string{"PORT=1234", "LANG=de_DE.UTF-8"} })
		out, _ := sh(t, c, "env")
		wrapped := c.Command(t.Context(), "env")
		wrapped.Env = append(os.Environ(), wrapped.Env...) // as libraries do
		viaJoiner, err := wrapped.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range []string{out, string(viaJoiner)} {
			if strings.Contains(env, "leak") || strings.Contains(env, "GIT_") || strings.Contains(env, os.Getenv("HOME")+"\n") {
				t.Errorf("leaked:\n%s", env)
			}
			for _, want := range []string{"PORT=1234", "LANG=de_DE.UTF-8", "TERM=dumb", "GOENV=off", "GOTOOLCHAIN=local"} {
				if !slices.Contains(strings.Split(env, "\n"), want) {
					t.Errorf("%s is missing:\n%s", want, env)
				}
			}
		}
	})
}

func TestWrapPassesDescriptors(t *testing.T) {
	everyKeeping(t, func(t *testing.T, level Level) {
		c, _ := openAt(t, level, nil)
		inR, inW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		outR, outW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll([]*os.File{inW, outR})
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "cat <&3 >&4; cat; echo $MORE; exit 5")
		cmd.ExtraFiles = []*os.File{inR, outW}
		cmd.Stdin = strings.NewReader("standard ")
		cmd.Env = append(os.Environ(), "MORE=added")
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		if err := c.Wrap(cmd); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		closeAll([]*os.File{inR, outW})
		fmt.Fprint(inW, "through 3 and 4")
		inW.Close()
		if got, err := io.ReadAll(outR); err != nil || string(got) != "through 3 and 4" {
			t.Errorf("descriptor 4: %q, %v", got, err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 5 {
			t.Errorf("exit: %v", err)
		}
		if stdout.String() != "standard added\n" {
			t.Errorf("standard output: %q", stdout.String())
		}
		if err := c.Command(t.Context(), "no-such-program").Run(); !errors.As(err, &exit) || exit.ExitCode() != 127 {
			t.Errorf("a missing program: %v", err)
		}
	})
}
