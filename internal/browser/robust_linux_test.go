package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gitagent/internal/hint"
	"gitagent/internal/sandbox"
)

// users counts the processes that use a profile below dir.
func users(dir string) (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && strings.Contains(string(line), "--user-data-dir="+dir) {
			n++
		}
	}
	return n
}

func TestEndlessLoop(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	r := play(t, `<!doctype html><button onclick="for(;;);">Go</button>`, `["click Go","see done"]`)
	if r.Verdict != Fail || !strings.Contains(r.Reason, "stopped answering") || time.Since(begun) > 40*time.Second {
		t.Errorf("%s", r.Inline())
	}
}

func TestEndlessLoopWithinItsTime(t *testing.T) {
	t.Parallel()
	r := play(t, `<!doctype html><p>Hello</p><button onclick="for(;;);">Go</button>`, `{"timeout":4,"steps":["click Go","see done"]}`)
	if r.Verdict == Pass || r.Ms > 20000 {
		t.Errorf("%s", r.Inline())
	}
}

// TestBrowserDies breaks a browser of its own in each way and runs again on it.
func TestBrowserDies(t *testing.T) {
	t.Parallel()
	// A path longer than the browser's socket may have.
	temp := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	b, err := Open(context.Background(), Options{Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	base := site(t, map[string]string{"index.html": calculator})
	wait := scenario(t, `["click 7",{"wait":"never","timeout":25}]`)
	good := scenario(t, `["click 7",{"see":"7","in":"Display"}]`)

	// The tab crashes in the middle of a run.
	over := make(chan struct{})
	go func() {
		for !crashTabs(b) {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	if r := b.Run(context.Background(), wait, base, ""); r.Verdict != Fail || !strings.Contains(r.Reason, "crashed") {
		t.Errorf("crash: %s", r.Inline())
	}
	close(over)
	// The browser is killed in the middle of a run.
	time.AfterFunc(3*time.Second, func() {
		p, err := b.process(context.Background())
		if err == nil {
			chromedp.FromContext(p.ctx).Browser.Process().Kill()
		}
	})
	if r := b.Run(context.Background(), wait, base, ""); r.Verdict != Unverified || !strings.Contains(r.Reason, "browser") {
		t.Errorf("kill: %s", r.Inline())
	}
	// The caller gives up.
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	if r := b.Run(ctx, wait, base, ""); r.Verdict != Unverified {
		t.Errorf("cancel: %s", r.Inline())
	}
	// And it still works.
	if r := b.Run(context.Background(), good, base, ""); r.Verdict != Pass {
		t.Errorf("after all that: %s", r.Inline())
	}
	b.Close()
	if n := users(temp); n > 0 {
		t.Errorf("%d processes are left", n)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
	if r := b.Run(context.Background(), good, base, ""); r.Verdict != Unverified {
		t.Errorf("closed: %s", r.Inline())
	}
}

func TestNoServer(t *testing.T) {
	r := playOn(t, "http://"+freePort(t), `["see x"]`)
	if r.Verdict != Unverified {
		t.Errorf("%s", r.Inline())
	}
	for _, base := range []string{"file:///etc", "data:text/html,x", "", "127.0.0.1:80"} {
		if r := playOn(t, base, `["see x"]`); r.Verdict != Unverified {
			t.Errorf("%q: %s", base, r.Inline())
		}
	}
}

func TestNoBrowser(t *testing.T) {
	if _, err := Find(filepath.Join(t.TempDir(), "none")); err == nil || len(hint.Of(err)) == 0 {
		t.Errorf("a configured browser that is not there: %v", err)
	}
	if path, err := Find(""); err != nil || path == "" {
		t.Errorf("Find: %q, %v", path, err)
	}
	for name, exe := range map[string]string{"missing": "/nonexistent/chromium", "not a browser": "/bin/true"} {
		temp := t.TempDir()
		if _, err := Open(context.Background(), Options{Exec: exe, Temp: temp}); err == nil {
			t.Errorf("%s: opened", name)
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%s: %s is left", name, left[0].Name())
		}
	}
	if _, err := Open(context.Background(), Options{Temp: "/proc/nowhere"}); err == nil {
		t.Error("opened without a place for the profile")
	}
	if r := UnverifiedResult(scenario(t, `["see x"]`), "no browser"); r.Verdict != Unverified || r.StepsTotal != 1 {
		t.Errorf("%+v", r)
	}
}

func TestSnapIsRefused(t *testing.T) {
	dir := t.TempDir()
	snap := filepath.Join(dir, "snap")
	writeFile(t, dir, "snap", "#!/bin/sh\n")
	if err := os.Chmod(snap, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "chromium")
	if err := os.Symlink(snap, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(link); err == nil || errors.Is(err, ErrNoBrowser) {
		t.Errorf("got %v", err)
	}
}

func TestProfilesOfTheDeadAreSwept(t *testing.T) {
	temp := t.TempDir()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	gone := "gitagent-" + strconv.Itoa(dead.Process.Pid) + "-123"
	kept := []string{"gitagent-" + strconv.Itoa(os.Getpid()) + "-123", "gitagent-notes", "gitagent-12-x", "other"}
	for _, name := range append(kept, gone) {
		writeFile(t, temp, name+"/file", "x")
	}
	sweepProfiles(temp)
	if _, err := os.Stat(filepath.Join(temp, gone)); err == nil {
		t.Error("the folder of a dead process is still there")
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(temp, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
}

// TestKilledInTheMiddle ends a process like ours without a chance to clean up:
// its browser goes with it, and the next start removes its profile.
func TestKilledInTheMiddle(t *testing.T) {
	if dir := os.Getenv("BROWSER_TEST_HOLD"); dir != "" {
		if _, err := Open(context.Background(), Options{Temp: dir}); err != nil {
			t.Fatal(err)
		}
		writeFile(t, dir, "ready", "")
		select {}
	}
	t.Parallel()
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInTheMiddle$")
	cmd.Env = append(os.Environ(), "BROWSER_TEST_HOLD="+temp)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		if t.Failed() {
			cmd.Wait()
			t.Log(out.String())
		}
	}()
	within(t, 40*time.Second, "the browser starts", func() bool { _, err := os.Stat(filepath.Join(temp, "ready")); return err == nil })
	if users(temp) == 0 {
		t.Error("no browser to lose")
	}
	cmd.Process.Kill()
	cmd.Wait()
	within(t, 20*time.Second, "its browser ends", func() bool { return users(temp) == 0 })
	os.Remove(filepath.Join(temp, "ready"))
	sweepProfiles(temp)
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

func within(t *testing.T, d time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(d); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", d, what)
		}
	}
}

// TestInACell runs browser and server in one set of namespaces.
func TestInACell(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sb, err := sandbox.New(ctx, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	temp, dir := t.TempDir(), t.TempDir()
	writeFile(t, dir, "index.html", calculator)
	cell, err := sb.Open(ctx, sandbox.Policy{Dir: dir, ReadOnly: []string{dir}, Writable: []string{temp}, Temp: temp, Home: temp})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	ln, err := cell.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	srv := ServeStatic(ln, dir)
	defer srv.Close()
	b, err := Open(ctx, Options{Cell: cell, Temp: temp})
	if err != nil {
		t.Fatalf("at level %s: %v", sb.Level(), err)
	}
	defer b.Close()
	r := b.Run(ctx, scenario(t, `["click 7","click ×","click 8","click =",{"see":"56","in":"Display"}]`), srv.URL(), "")
	if r.Verdict != Pass {
		t.Errorf("at level %s: %s", sb.Level(), r.Inline())
	}
}
