package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gitagent/gitops"
	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
	"gitagent/progress"
)

// small puts a small file system under dir. Only root can.
func small(t *testing.T, dir, size string) {
	t.Helper()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size="+size)
}

func mount(t *testing.T, source, dir, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, flags, data); err != nil {
		t.Skipf("no small or read-only file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// fill takes all the room that is left below dir, and gives the file that has it.
func fill(dir string) string {
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		return path
	}
	defer f.Close()
	for _, block := range []int{1 << 16, 1 << 12, 1} {
		for _, err := f.Write(make([]byte, block)); err == nil; _, err = f.Write(make([]byte, block)) {
		}
	}
	return path
}

// readOnly takes the right to write below dir away.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		must(t, os.Chmod(dir, 0o555))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		return
	}
	mount(t, dir, dir, "", unix.MS_BIND, "")
	must(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
}

// refusedWhere wants a step that cannot work to say so with advice and to
// change nothing, and one after it to work.
func (p *place) refusedWhere(t *testing.T, before prints, words string) {
	t.Helper()
	code, out := p.run(t, newMind(t, work).env(), "step")
	if code != 6 || !strings.Contains(out, words) || !strings.Contains(out, "hint: ") {
		t.Fatalf("a step that cannot work ended with %d and without %q or a hint:\n%s", code, words, out)
	}
	p.untouched(t, before)
}

func (p *place) works(t *testing.T) string {
	t.Helper()
	code, out := p.run(t, newMind(t, work).env(), "step")
	if code != 0 {
		t.Fatalf("the step after it ended with %d\n%s", code, out)
	}
	p.swept(t)
	p.wholeList(t)
	return out
}

// attemptOf is the ref of the attempt that the output speaks of.
func attemptOf(t *testing.T, out string) string {
	t.Helper()
	m := regexp.MustCompile(`(?:refs/agent/attempts/|warning: session )([0-9a-f-]+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no attempt is named:\n%s", out)
	}
	return "refs/agent/attempts/" + m[1]
}

func TestFullStateFolder(t *testing.T) {
	p := newPlace(t, "")
	before, state := p.prints(t), filepath.Join(p.root, "state")
	t.Run("from the start", func(t *testing.T) {
		small(t, state, "16k")
		fill(state)
		p.refusedWhere(t, before, "no space left on device")
	})
	t.Run("in the middle", func(t *testing.T) {
		small(t, state, "8m")
		m := newMind(t, append(work[:1:1], modeltest.Use("write_file", "path", "more.txt", "content", strings.Repeat("more\n", 10000)), giveUp[0]))
		m.asked = func(contract bool, reply int) {
			if !contract && reply == 1 {
				fill(state)
			}
		}
		code, out := p.run(t, m.env(), "step")
		if code != 5 || !strings.Contains(out, "no space left on device") {
			t.Fatalf("the session ended with %d\n%s", code, out)
		}
		p.untouched(t, before)
		if got := p.git(t, "show", attemptOf(t, out)+":sum.sh"); got != "echo $(($1 + $2))" {
			t.Errorf("the kept sum.sh is %q", got)
		}
	})
	p.works(t)
}

func TestFullRepository(t *testing.T) {
	template := newPlace(t, "")
	root := t.TempDir()
	small(t, root, "16m")
	p := &place{root: filepath.Join(root, "place"), repo: filepath.Join(root, "place", "repo")}
	if out, err := exec.Command("cp", "-a", template.root, p.root).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	outside := t.TempDir() // the trees have room
	before := p.prints(t)
	var filler string
	m := newMind(t, work)
	m.asked = func(contract bool, reply int) {
		if !contract && reply == 1 {
			filler = fill(p.root)
		}
	}
	code, out := p.run(t, append(m.env(), "XDG_STATE_HOME="+outside), "step")
	if code != 6 || !strings.Contains(out, "the attempt could not be kept, the next session tries again") {
		t.Fatalf("a session whose repository is full ended with %d\n%s", code, out)
	}
	p.untouched(t, before)
	must(t, os.Remove(filler))
	code, out = p.run(t, append(newMind(t, work).env(), "XDG_STATE_HOME="+outside), "step")
	if code != 0 || !strings.Contains(out, "was killed; what it had is kept (git agent show F001)") {
		t.Fatalf("the next command ended with %d\n%s", code, out)
	}
	p.swept(t)
	if got := p.git(t, "show", attemptOf(t, out)+":sum.sh"); got != "echo $(($1 + $2))" {
		t.Errorf("the kept sum.sh is %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(outside, "git-agent", "trees", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestReadOnlyFolders(t *testing.T) {
	p := newPlace(t, "")
	before := p.prints(t)
	for dir, words := range map[string]string{
		"state":           "read-only file system",
		"repo/.git/agent": "session.wal",
	} {
		t.Run(dir, func(t *testing.T) {
			if os.Getuid() != 0 && dir == "state" {
				words = "permission denied"
			}
			readOnly(t, filepath.Join(p.root, dir))
			code, out := p.run(t, newMind(t, work).env(), "step")
			if code != 6 || !strings.Contains(out, "hint: see that you may write to ") {
				t.Fatalf("%d, without %q or a hint:\n%s", code, words, out)
			}
			p.untouched(t, before)
		})
	}
	p.works(t)
}

// TestCrashLogsThatSayNothing: whatever stands in the crash log of a killed
// session, its files are found, and the next command goes on.
func TestCrashLogsThatSayNothing(t *testing.T) {
	template := newPlace(t, "")
	line := func(v any) string {
		data, err := json.Marshal(v)
		must(t, err)
		return string(data) + "\n"
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, path, now string)
		says   string
	}{
		"torn last line": {func(t *testing.T, path, now string) {
			must(t, os.WriteFile(path, []byte(now+`{"time":"2026-01-01T00:00:00Z","session":"`), 0o600))
		}, "what it had is kept (git agent show F001)"},
		"torn line in the middle": {func(t *testing.T, path, now string) {
			first, rest, _ := strings.Cut(strings.TrimSpace(now), "\n")
			must(t, os.WriteFile(path, []byte(first[:len(first)/2]+"\n"+rest+"\n"), 0o600))
		}, "what it had is kept (git agent show F001)"},
		"garbage": {func(t *testing.T, path, _ string) {
			must(t, os.WriteFile(path, []byte("\x00\xff\x1b[2J{{{\n\n[]\n42\n"), 0o600))
		}, "could not be read; it is put aside"},
		"one endless line": {func(t *testing.T, path, _ string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("{", 20<<20)), 0o600))
		}, "could not be read; it is put aside"},
		"other types": {func(t *testing.T, path, _ string) {
			must(t, os.WriteFile(path, []byte(line(map[string]any{"session": 42, "phase": []int{1}})), 0o600))
		}, "could not be read; it is put aside"},
		"a folder": {func(t *testing.T, path, _ string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o700))
		}, "could not be read; it is put aside"},
		"empty":   {func(t *testing.T, path, _ string) { must(t, os.WriteFile(path, nil, 0o600)) }, "what it had is kept"},
		"missing": {func(t *testing.T, path, _ string) { must(t, os.Remove(path)) }, "what it had is kept"},
		"from the future": {func(t *testing.T, path, now string) {
			must(t, os.WriteFile(path, []byte(strings.ReplaceAll(now, `"time":"20`, `"time":"21`)), 0o600))
		}, "what it had is kept (git agent show F001)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := template.clone(t)
			head := p.git(t, "rev-parse", "main")
			k := kill{reply: 2, kept: workFiles}
			session := k.die(t, p)
			path := filepath.Join(p.repo, ".git", "agent", "session.wal")
			c.change(t, path, p.wal())
			code, out := p.run(t, newMind(t, work).env(), "step")
			if code != 0 || !strings.Contains(out, c.says) || !strings.Contains(out, "session "+session+" was killed") {
				t.Fatalf("the next command ended with %d, or without %q\n%s", code, c.says, out)
			}
			must(t, os.RemoveAll(path+".unreadable"))
			p.swept(t)
			k.attempt(t, p, session, head)
			k.books(t, p, session, false)
		})
	}
}

// TestNamesInACrashLog: a crash log is private, and still no name in it leads
// anywhere.
func TestNamesInACrashLog(t *testing.T) {
	p := newPlace(t, "")
	head := p.git(t, "rev-parse", "main")
	outside := filepath.Join(p.root, "state", "git-agent", "outside")
	testenv.Write(t, outside, "precious", "p\n")
	for _, session := range []string{"../../outside", "..", "a/b", "x.lock", strings.Repeat("x", 200)} {
		data, err := json.Marshal(map[string]any{"time": time.Now(), "session": session, "feature": "../../x", "phase": "do", "branch": "refs/heads/main", "base": head, "tree": head})
		must(t, err)
		must(t, os.WriteFile(filepath.Join(p.repo, ".git", "agent", "session.wal"), append(data, '\n'), 0o600))
		if code, out := p.run(t, newMind(t, giveUp).env(), "step", "F001"); code != 5 {
			t.Errorf("%q: the next command ended with %d\n%s", session, code, out)
		}
	}
	if data, err := os.ReadFile(filepath.Join(outside, "precious")); err != nil || string(data) != "p\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestClockSetBack: sessions whose ends lie in the future take nothing from
// those that come after.
func TestClockSetBack(t *testing.T) {
	p := newPlace(t, "")
	repo, err := gitops.Open(context.Background(), p.repo)
	must(t, err)
	defer repo.Close()
	later := time.Now().Add(10 * 365 * 24 * time.Hour).UTC()
	for i := range 3 {
		session := fmt.Sprintf("%s-%04x", later.Format("20060102-150405"), i)
		e := progress.Entry{Time: later, Kind: progress.KindSession, Session: session, Feature: "F001", Outcome: "incomplete", Facts: []string{"it came to nothing"}}
		ev := progress.Event{Time: later, Phase: "stop", Session: session, Kind: progress.EventIncomplete}
		must(t, progress.RecordJournal(context.Background(), repo, []progress.Entry{e}, map[string][]progress.Event{"F001": {ev}}, nil))
	}
	// F001 is parked now, and a person's word counts although it is said before.
	if code, out := p.run(t, newMind(t, giveUp).env(), "step"); code != 5 || !strings.Contains(out, "blocked F002") {
		t.Fatalf("beside a parked feature: %d\n%s", code, out)
	}
	if code, out := p.run(t, nil, "features", "edit", "F001", "--priority", "1"); code != 0 {
		t.Fatalf("%d\n%s", code, out)
	}
	out := p.works(t)
	if !strings.Contains(out, "verified F001") {
		t.Errorf("it built\n%s", out)
	}
	if code, out := p.run(t, nil, "status"); code != 0 || !strings.Contains(out, "1 of 2 pass") {
		t.Errorf("status: %d\n%s", code, out)
	}
	if code, out := p.run(t, nil, "check"); code != 0 {
		t.Errorf("check: %d\n%s", code, out)
	}
}

// TestTwoStartsAtOnce: of several starts at the same moment exactly one goes on.
func TestTwoStartsAtOnce(t *testing.T) {
	p := newPlace(t, "")
	for range 3 {
		before := p.prints(t)
		m := newMind(t, giveUp)
		others := make(chan struct{})
		m.asked = func(bool, int) { <-others }
		var starts []*victim
		for range 5 {
			starts = append(starts, p.start(t, m.env(), "step", "F001"))
		}
		refused := 0
		until(t, "four were refused", nil, func() bool {
			refused = 0
			for _, v := range starts {
				select {
				case <-v.alone:
					refused++
				default:
				}
			}
			return refused == 4
		})
		close(others)
		blocked := 0
		for _, v := range starts {
			switch code := v.gone(patience); {
			case code == 5:
				blocked++
			case code != 6 || !strings.Contains(v.out.String(), "another session works in this repository"):
				t.Errorf("a start that was refused ended with %d\n%s", code, v.out.String())
			}
		}
		if blocked != 1 {
			t.Errorf("%d of them went on", blocked)
		}
		p.untouched(t, before)
		p.swept(t)
	}
}

// TestLockOfTheDead: neither what a dead holder left in the lock file nor a
// process that has its number now keeps a session from starting, and abort
// ends no process but the holder.
func TestLockOfTheDead(t *testing.T) {
	p := newPlace(t, "")
	innocent := exec.Command("sleep", "600")
	must(t, innocent.Start())
	t.Cleanup(func() { _ = innocent.Process.Kill(); _ = innocent.Wait() })
	lock := filepath.Join(p.repo, ".git", "agent", "lock")
	names := fmt.Sprintf("%d\n%s\nsession 20260101-000000-abcd\n", innocent.Process.Pid, "12345")
	for _, text := range []string{names, "999999999\n1\nsession x\n", "garbage\n", strings.Repeat("9", 1<<16)} {
		must(t, os.WriteFile(lock, []byte(text), 0o600))
		if code, out := p.run(t, nil, "abort"); code != 2 || !strings.Contains(out, "no session works in this repository") {
			t.Errorf("abort ended with %d\n%s", code, out)
		}
		if code, out := p.run(t, newMind(t, giveUp).env(), "step", "F001"); code != 5 {
			t.Errorf("the step ended with %d\n%s", code, out)
		}
	}
	// Somebody holds the lock, and the number in it has become another's.
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	must(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	must(t, os.WriteFile(lock, []byte(names), 0o600))
	if code, out := p.run(t, nil, "abort"); code != 6 || !strings.Contains(out, "session 20260101-000000-abcd has ended") {
		t.Errorf("abort ended with %d\n%s", code, out)
	}
	if err := innocent.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other process: %v", err)
	}
}
