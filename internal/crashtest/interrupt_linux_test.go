package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitagent/internal/model/modeltest"
)

// moment is when a person presses Ctrl-C.
type moment struct {
	name    string
	replies []modeltest.Step
	hook    bool
	env     []string
	when    func(p *place) func() bool // nil: when the second reply was asked for, which never ends
	written bool                       // the session has written its files
	lands   bool                       // too late: the commit lands
	slow    []string                   // more of env, so that the end takes long and a second Ctrl-C comes in time
}

// slowKeep makes git slow when the attempt is kept.
var slowKeep = []string{"TRAP_BEFORE=keep the attempt", "TRAP_SLEEP=3"}

var moments = []moment{
	{name: "while the model loads nothing yet", when: func(p *place) func() bool {
		return func() bool { return strings.Contains(p.wal(), "orient") }
	}, slow: []string{"TRAP_BEFORE=git agent: journal", "TRAP_SLEEP=3"}},
	{name: "while the model thinks", replies: []modeltest.Step{work[0], {Text: "Well", Wait: true}}, written: true, slow: slowKeep},
	{name: "in a command", replies: long, when: inTrees("scratch/begun"), written: true, slow: slowKeep},
	{name: "in a check", replies: []modeltest.Step{
		work[0].And("write_file", "path", "sum.sh", "content", "sleep 600 & touch begun; sleep 600\n"), done,
	}, when: inTrees("check/begun"), slow: slowKeep},
	{name: "in a hook", hook: true, when: inTrees("work/.git/hook-began"), written: true, slow: slowKeep},
	{name: "in the middle of the checkout", env: []string{"TRAP_SMUDGE=1", "TRAP_SLEEP=1"}, lands: true, slow: []string{"TRAP_SLEEP=4"}},
}

// bound is how long a session may take to end.
const bound = 2 * time.Second

// TestCtrlC: once, a session ends within two seconds, keeps its attempt and
// leaves nothing; twice, it ends at once and the next command keeps it.
func TestCtrlC(t *testing.T) {
	plain := newPlace(t, "")
	hooked := newPlace(t, "#!/bin/sh\nif [ \"$GIT_AGENT_HOOKS\" = 0 ]; then : >.git/hook-began; sleep 600; fi\n")
	for _, m := range moments {
		template := plain
		if m.hook {
			template = hooked
		}
		t.Run(m.name+", once", func(t *testing.T) {
			// On a busy machine the best of several is what it takes.
			best := time.Hour
			for tries := 0; tries < 4 && best > bound; tries++ {
				best = min(best, m.once(t, template.clone(t)))
			}
			if best > bound {
				t.Errorf("it took %s to end", best)
			}
			t.Logf("ended after %s", best)
		})
		t.Run(m.name+", twice", func(t *testing.T) { m.twice(t, template.clone(t)) })
	}
}

// reach runs a session up to the moment.
func (m moment) reach(t *testing.T, p *place, more []string) *victim {
	t.Helper()
	replies := m.replies
	if replies == nil {
		replies = work
	}
	mind := newMind(t, replies)
	asked := make(chan struct{})
	mind.asked = func(contract bool, reply int) {
		if !contract && reply == 1 && m.when == nil && m.env == nil {
			close(asked)
		}
	}
	v := p.start(t, append(append(mind.env(), m.env...), more...), "step")
	switch {
	case m.when != nil:
		until(t, "the moment", v, m.when(p))
	case m.env != nil:
		until(t, "the trap", v, exists(p.root, "hit"))
	default:
		<-asked
	}
	return v
}

// interrupt is what a terminal does to the whole group on Ctrl-C.
func (v *victim) interrupt() { _ = syscall.Kill(-v.pid, syscall.SIGINT) }

func (m moment) once(t *testing.T, p *place) time.Duration {
	t.Helper()
	before, head := p.prints(t), p.git(t, "rev-parse", "main")
	status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
	v := m.reach(t, p, nil)
	session := p.session(t)
	begun := time.Now()
	v.interrupt()
	code := v.gone(patience)
	took := time.Since(begun)
	p.swept(t)
	p.wholeList(t)
	if m.lands {
		if code != 0 {
			t.Fatalf("too late, and it ended with %d\n%s", code, v.out.String())
		}
		p.landed(t, before, head, status, staged, 1)
		return took
	}
	if code != 130 {
		t.Fatalf("it ended with %d\n%s", code, v.out.String())
	}
	p.untouched(t, before)
	if got := p.booked(t, session); len(got) != 1 || got[0] != "interrupted" {
		t.Errorf("the log says %v of it", got)
	}
	if m.written {
		kill{kept: workFiles}.attempt(t, p, session, head)
	}
	return took
}

func (m moment) twice(t *testing.T, p *place) {
	before, head := p.prints(t), p.git(t, "rev-parse", "main")
	status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
	v := m.reach(t, p, m.slow)
	session := p.session(t)
	v.interrupt()
	time.Sleep(700 * time.Millisecond) // git passes a Ctrl-C on, so what comes sooner counts as the same
	begun := time.Now()
	v.interrupt()
	until(t, "it is dead", nil, func() bool { return syscall.Kill(v.pid, 0) != nil }) // its nurse reaps it
	if took := time.Since(begun); took > bound/2 {
		t.Errorf("it took %s to end at once", took)
	}
	if code := v.gone(20 * time.Second); code != -int(syscall.SIGINT) {
		t.Fatalf("it ended with %d before the second\n%s", code, v.out.String())
	}
	p.wholeList(t)
	if !m.lands {
		p.untouched(t, before)
	}
	if m.hook {
		must(t, os.Remove(filepath.Join(p.repo, ".git", "hooks", "pre-commit"))) // the person gives up on it
		delete(before, ".git/hooks/pre-commit")
	}
	code, out := p.run(t, newMind(t, work).env(), "step")
	if code != 0 {
		t.Fatalf("the next command ended with %d\n%s", code, out)
	}
	p.swept(t)
	commits := 1
	if strings.Contains(p.git(t, "log", "--format=%b", "main"), "Agent-Session: "+session) {
		commits = 2
	}
	p.landed(t, before, head, status, staged, commits)
	if got := p.booked(t, session); len(got) != 1 {
		t.Errorf("the log says %v of it", got)
	}
	if m.written && commits == 1 {
		kill{kept: workFiles}.attempt(t, p, session, head)
	}
}
