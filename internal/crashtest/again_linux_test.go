package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/internal/testenv"
)

// killAt runs a command until the trap and kills it there.
func (p *place) killAt(t *testing.T, how death, env []string, args ...string) {
	t.Helper()
	_ = os.Remove(filepath.Join(p.root, "hit"))
	v := p.start(t, append([]string{"TRAP_SLEEP=600"}, env...), args...)
	until(t, "the trap", v, exists(p.root, "hit"))
	v.kill(how)
	if code := v.gone(20 * time.Second); code != -9 {
		t.Fatalf("it ended with %d before it was killed\n%s", code, v.out.String())
	}
}

// TestKilledWhileRecovering kills the command that finds a killed session, at
// every step of what it does about it.
func TestKilledWhileRecovering(t *testing.T) {
	plain := newPlace(t, "")
	for name, c := range map[string]struct {
		first kill
		trap  string
		how   death
	}{
		"before the attempt is kept":   {kill{reply: 2, kept: workFiles}, "TRAP_BEFORE=keep the attempt", everything},
		"after the attempt was kept":   {kill{reply: 2, kept: workFiles}, "TRAP_AFTER=keep the attempt", everything},
		"before the end is booked":     {kill{reply: 2, kept: workFiles}, "TRAP_BEFORE=git agent: journal", everything},
		"after the end was booked":     {kill{reply: 2, kept: workFiles}, "TRAP_AFTER=git agent: journal", everything},
		"before the branch moves":      {kill{trap: []string{"TRAP_BEFORE=merge --ff-only"}, how: everything, lands: true}, "TRAP_BEFORE=merge --ff-only", everything},
		"in the middle of a checkout":  {kill{trap: []string{"TRAP_SMUDGE=1"}, how: everything, lands: true}, "TRAP_SMUDGE=1", everything},
		"after the branch moved":       {kill{trap: []string{"TRAP_SMUDGE=1"}, how: everything, lands: true}, "TRAP_AFTER=merge --ff-only", everything},
		"before the journal is clear":  {kill{trap: []string{"TRAP_AFTER=merge --ff-only"}, how: everything, lands: true}, "TRAP_BEFORE=-d -- refs/agent/journal", everything},
		"while files are put back":     {kill{trap: []string{"TRAP_SMUDGE=1"}, how: everything, lands: true}, "TRAP_BEFORE=checkout-index", everything},
		"the group, at the same place": {kill{reply: 2, kept: workFiles}, "TRAP_AFTER=keep the attempt", group},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plain.clone(t)
			before, head := p.prints(t), p.git(t, "rev-parse", "main")
			status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
			session := c.first.die(t, p)
			env := append(newMind(t, giveUp).env(), c.trap)
			if c.how == group {
				env = append(env, "TRAP_SLEEP=1")
			}
			p.killAt(t, c.how, env, "step")
			p.wholeList(t)
			code, out := p.run(t, newMind(t, work).env(), "step")
			if code != 0 {
				t.Fatalf("the third command ended with %d\n%s", code, out)
			}
			p.swept(t)
			commits := 1
			if c.first.lands {
				commits = 2
			}
			p.landed(t, before, head, status, staged, commits)
			c.first.books(t, p, session, c.first.lands)
			if !c.first.lands {
				c.first.attempt(t, p, session, head)
			}
		})
	}
}

// TestKilledUndo kills an undo at every step: the next command finds the branch
// where it was or where it was to be, with everything a person had.
func TestKilledUndo(t *testing.T) {
	template := newPlace(t, "")
	status, head := template.git(t, "status", "--porcelain"), template.git(t, "rev-parse", "main")
	if code, out := template.run(t, newMind(t, sumWork).env(), "step"); code != 0 {
		t.Fatalf("%d\n%s", code, out)
	}
	tip := template.git(t, "rev-parse", "main")
	for _, c := range []struct {
		trap string
		how  death
		done bool // the undo is done in the end
	}{
		{"TRAP_BEFORE=refs/agent/undone", everything, false},
		{"TRAP_AFTER=refs/agent/undone", everything, false},
		{"TRAP_AFTER=refs/agent/undone", group, false},
		{"TRAP_SMUDGE=1", everything, false},
		{"TRAP_SMUDGE=1", group, true}, // git outlives it
		{"TRAP_AFTER=read-tree -m -u", everything, true},
		{"TRAP_BEFORE=git agent undo -- refs/heads", everything, true},
		{"TRAP_BEFORE=git agent undo -- refs/heads", group, true},
		{"TRAP_AFTER=git agent undo -- refs/heads", everything, true},
		{"TRAP_BEFORE=git agent: journal", everything, true},
		{"TRAP_AFTER=git agent: journal", everything, true},
	} {
		t.Run(strings.ReplaceAll(c.trap, "/", "_")+" "+c.how.String(), func(t *testing.T) {
			t.Parallel()
			p := template.clone(t)
			before, index := p.prints(t), p.git(t, "ls-files", "--stage")
			env := []string{c.trap}
			if c.how == group {
				env = append(env, "TRAP_SLEEP=1")
			}
			p.killAt(t, c.how, env, "undo")
			p.wholeList(t)
			code, out := p.run(t, newMind(t, giveUp).env(), "step")
			if code != 5 || !strings.Contains(out, "warning: an undo of session ") {
				t.Fatalf("the next command ended with %d\n%s", code, out)
			}
			p.swept(t)
			if got := p.git(t, "rev-parse", "main"); !c.done {
				if got != tip {
					t.Fatalf("the branch is at %s", got)
				}
				if got := p.git(t, "ls-files", "--stage"); got != index {
					t.Errorf("the index has\n%s\nand had\n%s", got, index)
				}
				files := map[string]bool{".git/index": true, "aa": true, "aa/first.txt": true, "zz.txt": true, "lib.txt": true, "sum.sh": true, "features.json": true, "progress.md": true}
				if d := before.diff(p.prints(t), func(name string) bool { return files[name] || strings.HasPrefix(name, ".agent") }); d != "" {
					t.Fatalf("more has changed than the times of files that were put back:\n%s", d)
				}
				if code, out := p.run(t, nil, "undo"); code != 0 {
					t.Fatalf("undo, said again: %d\n%s", code, out)
				}
			}
			if got := p.git(t, "rev-parse", "main"); got != head {
				t.Errorf("the branch is at %s, want %s", got, head)
			}
			if got := p.git(t, "status", "--porcelain"); got != status {
				t.Errorf("git status says\n%s\nand said\n%s", got, status)
			}
			if got := p.git(t, "for-each-ref", "--format=%(objectname)", "refs/agent/undone"); got != tip {
				t.Errorf("the undone commit is kept as %q", got)
			}
			if code, out := p.run(t, newMind(t, work).env(), "step"); code != 0 {
				t.Errorf("the session after it ended with %d\n%s", code, out)
			}
		})
	}
}

// TestKilledEdit kills a change of the list, in the middle of a person's hook
// and around git commit.
func TestKilledEdit(t *testing.T) {
	// In init and in sessions the hook is quick.
	template := newPlace(t, "#!/bin/sh\nif [ -n \"$TRAP_HOOK\" ]; then : >\"$TRAP_HIT\"; sleep 600; fi\n")
	for _, c := range []struct {
		trap string
		how  death
		done bool
	}{
		{"TRAP_HOOK=1", group, false},
		{"TRAP_HOOK=1", everything, false},
		{"TRAP_BEFORE=commit -q -F - --only", group, false},
		{"TRAP_AFTER=commit -q -F - --only", group, true},
	} {
		t.Run(c.trap+" "+c.how.String(), func(t *testing.T) {
			t.Parallel()
			p := template.clone(t)
			before, head := p.prints(t), p.git(t, "rev-parse", "main")
			status, index := p.git(t, "status", "--porcelain"), p.git(t, "ls-files", "--stage")
			p.killAt(t, c.how, []string{c.trap}, "features", "edit", "F002", "--description", "twice.sh doubles")
			p.wholeList(t)
			code, out := p.run(t, newMind(t, giveUp).env(), "step")
			if code != 5 || !strings.Contains(out, "warning: a change of the list was killed") {
				t.Fatalf("the next command ended with %d\n%s", code, out)
			}
			p.swept(t)
			if got := p.git(t, "status", "--porcelain"); got != status {
				t.Errorf("git status says\n%s\nand said\n%s", got, status)
			}
			if moved := p.git(t, "rev-parse", "main") != head; moved != c.done {
				t.Fatalf("the branch moved: %v", moved)
			}
			if !c.done {
				times := map[string]bool{"features.json": true, "progress.md": true, ".git/COMMIT_EDITMSG": true, ".git/index": true}
				if d := before.diff(p.prints(t), func(name string) bool { return times[name] }); d != "" {
					t.Errorf("more has changed than the times of two files:\n%s", d)
				}
				if got := p.git(t, "ls-files", "--stage"); got != index {
					t.Errorf("the index has\n%s\nand had\n%s", got, index)
				}
				if code, out := p.run(t, nil, "features", "edit", "F002", "--description", "twice.sh doubles"); code != 0 {
					t.Errorf("said again: %d\n%s", code, out)
				}
			}
			if got := p.wholeList(t).Get("F002").Description; got != "twice.sh doubles" {
				t.Errorf("F002 is now %q", got)
			}
		})
	}
}

// TestKilledInit kills an init with everything that runs in its group: the next
// one clears away what it left, the locks of git among it.
func TestKilledInit(t *testing.T) {
	for _, c := range []struct {
		trap string
		how  death
	}{
		{"TRAP_HOOK=1", group}, {"TRAP_HOOK=1", everything},
		{"TRAP_BEFORE=add --intent-to-add", group}, {"TRAP_AFTER=add --intent-to-add", group}, {"TRAP_AFTER=commit -q -F - --only", group},
	} {
		t.Run(c.trap+" "+c.how.String(), func(t *testing.T) {
			t.Parallel()
			p := barePlace(t)
			testenv.Write(t, p.repo, "mine.txt", "mine\n")
			p.git(t, "add", "mine.txt")
			p.git(t, "commit", "-q", "-m", "Start")
			testenv.Write(t, p.repo, "staged.txt", "new\n")
			p.git(t, "add", "staged.txt")
			script(t, p.repo, ".git/hooks/pre-commit", "#!/bin/sh\nif [ -n \"$TRAP_HOOK\" ]; then : >\"$TRAP_HIT\"; sleep 600; fi\n")
			init := []string{"init", "--features", filepath.Join(p.root, "list.json")}
			p.killAt(t, c.how, []string{c.trap}, init...)
			if code, out := p.run(t, nil, init...); code != 0 {
				t.Fatalf("the next init ended with %d\n%s", code, out)
			}
			p.swept(t)
			p.wholeList(t)
			if got := p.git(t, "status", "--porcelain"); got != "A  staged.txt" {
				t.Errorf("git status says\n%s", got)
			}
			if got := p.git(t, "log", "--format=%s", "main"); strings.Count(got, "\n") != 1 {
				t.Errorf("the history is\n%s", got)
			}
		})
	}
}
