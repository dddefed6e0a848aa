package crashtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gitagent/internal/model/modeltest"
)

// kill is one way for a session to die.
type kill struct {
	name    string
	replies []modeltest.Step // work by default
	hook    bool             // the person has a pre-commit hook that never ends
	trap    []string         // environment: see wrapper and slowFilter
	phase   string           // when the crash log says this
	reply   int              // when the model is asked for this reply, from 1
	when    func(p *place) func() bool
	how     death
	// says is what the next command tells about it, SESSION and so on replaced.
	says string
	// kept is what the kept attempt holds of workFiles; nil means that there
	// is none.
	kept []string
	// lands: the killed session's own commit is on the branch in the end.
	lands bool
	// booked is the outcome in the log; "interrupted" by default.
	booked string
}

const (
	saysKept   = `warning: session SESSION was killed; what it had is kept \(git agent show F001\)`
	saysNone   = `warning: session SESSION was killed \(\w+\) before it had changed a file`
	saysAfter  = `warning: session SESSION was killed after its work had landed; nothing is lost`
	saysLock   = `(?s)warning: index\.lock was left by a git that was killed; it is removed\n.*`
	saysMoving = `warning: session SESSION was killed while its verified commit [0-9a-f]+ landed; it is on main now`
)

// long is a command of the model that goes on for longer than anybody waits,
// and has put something into the background.
var long = []modeltest.Step{work[0], modeltest.Use("run_command", "command", "setsid sleep 600 & touch begun; sleep 600")}

var kills = []kill{
	{name: "when the crash log begins", phase: "orient", says: saysNone},
	{name: "plan", phase: "plan", says: saysNone},
	{name: "before the first reply", reply: 1, says: saysNone},
	{name: "after files were written", reply: 2, says: saysKept, kept: workFiles},
	{name: "after files were written, all die", reply: 2, how: everything, says: saysKept, kept: workFiles},
	{name: "in a command", replies: long, when: inTrees("scratch/begun"), says: saysKept, kept: workFiles},
	{name: "check", phase: "check", says: saysKept, kept: workFiles},
	{name: "act", phase: "act", says: saysKept, kept: workFiles},
	{name: "in a hook of the person", hook: true, when: inTrees("work/.git/hook-began"), says: saysKept, kept: workFiles},
	{name: "land", phase: "land", says: saysKept + "|" + saysMoving + "|" + saysAfter, kept: workFiles, lands: true},
	{name: "before the commit is remembered", trap: []string{"TRAP_BEFORE=update-ref --no-deref -m git agent: land session"}, how: everything, says: saysKept, kept: workFiles},
	{name: "before the branch moves", trap: []string{"TRAP_BEFORE=merge --ff-only"}, how: everything, says: saysMoving, lands: true},
	{name: "git outlives it and moves the branch", trap: []string{"TRAP_BEFORE=merge --ff-only", "TRAP_SLEEP=2"}, says: saysMoving, lands: true},
	{name: "in the middle of the checkout", trap: []string{"TRAP_SMUDGE=1"}, how: everything, says: saysLock + saysMoving, lands: true},
	{name: "git outlives it in the middle of the checkout", trap: []string{"TRAP_SMUDGE=1", "TRAP_SLEEP=2"}, says: saysMoving, lands: true},
	{name: "after the branch moved", trap: []string{"TRAP_AFTER=merge --ff-only"}, how: everything, says: saysMoving, lands: true},
	{name: "between landing and clearing the journal", trap: []string{"TRAP_BEFORE=-d -- refs/agent/journal"}, how: everything, says: saysAfter, lands: true},
	{name: "after the journal was cleared", trap: []string{"TRAP_AFTER=-d -- refs/agent/journal"}, how: everything, says: saysAfter, lands: true},
	{name: "before the record is kept", trap: []string{"TRAP_BEFORE=keep the record"}, how: everything, says: saysAfter, lands: true},
	{name: "before the attempt is kept", replies: append(work[:1:1], giveUp...), trap: []string{"TRAP_BEFORE=keep the attempt"}, how: everything, says: saysKept, kept: workFiles},
	{name: "before the end is booked", replies: append(work[:1:1], giveUp...), trap: []string{"TRAP_BEFORE=git agent: journal"}, how: everything, says: saysKept, kept: workFiles},
	{name: "after the end was booked", replies: append(work[:1:1], giveUp...), trap: []string{"TRAP_AFTER=git agent: journal"}, how: everything, kept: workFiles, booked: "blocked"},
	{name: "git outlives it and books the end", replies: append(work[:1:1], giveUp...), trap: []string{"TRAP_BEFORE=git agent: journal", "TRAP_SLEEP=2"}, kept: workFiles, booked: "blocked"},
}

func inTrees(pattern string) func(p *place) func() bool {
	return func(p *place) func() bool {
		return exists(p.root, "state", "git-agent", "trees", "*", filepath.FromSlash(pattern))
	}
}

// TestKilledAtEveryStep kills a session at every step of its crash log and of
// what it does with git, and looks at what the next command makes of it.
func TestKilledAtEveryStep(t *testing.T) {
	plain := newPlace(t, "")
	hooked := newPlace(t, "#!/bin/sh\nif [ \"$GIT_AGENT_HOOKS\" = 0 ]; then : >.git/hook-began; sleep 600; fi\n")
	for _, k := range kills {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			p := plain
			if k.hook {
				p = hooked
			}
			k.play(t, p.clone(t))
		})
	}
}

func (k kill) play(t *testing.T, p *place) {
	before, head := p.prints(t), p.git(t, "rev-parse", "main")
	status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
	session := k.die(t, p)

	// As it lies there: the list is whole, and where nothing was to land nothing
	// has changed.
	p.wholeList(t)
	if !k.lands {
		p.untouched(t, before)
	}
	if k.hook { // the person gives up on it
		must(t, os.Remove(filepath.Join(p.repo, ".git", "hooks", "pre-commit")))
		delete(before, ".git/hooks/pre-commit")
	}

	code, out := p.run(t, newMind(t, work).env(), "step")
	if code != 0 {
		t.Fatalf("the next command ended with %d\n%s", code, out)
	}
	k.told(t, session, out)
	p.swept(t)
	list := p.wholeList(t)
	landed := strings.Contains(p.git(t, "log", "--format=%b", "main"), "Agent-Session: "+session)
	if !k.lands && landed {
		t.Error("the killed session's commit is on the branch")
	}
	commits := 1
	if landed {
		commits = 2
	}
	if list.Passing() != commits {
		t.Errorf("%d flags are set, and %d commits landed", list.Passing(), commits)
	}
	p.landed(t, before, head, status, staged, commits)
	k.books(t, p, session, landed)
	if !landed && k.kept != nil {
		k.attempt(t, p, session, head)
	}
}

// die runs a session until its moment has come, and gives its name.
func (k kill) die(t *testing.T, p *place) string {
	t.Helper()
	replies := k.replies
	if replies == nil {
		replies = work
	}
	m := newMind(t, replies)
	now := make(chan struct{})
	m.asked = func(contract bool, reply int) {
		if !contract && reply+1 == k.reply {
			close(now)
			<-t.Context().Done() // the answer comes never
		}
	}
	v := p.start(t, append(append(m.env(), "TRAP_SLEEP=600"), k.trap...), "step")
	switch {
	case k.reply > 0:
		until(t, "its reply was asked for", v, func() bool {
			select {
			case <-now:
				return true
			default:
				return false
			}
		})
	case k.phase != "":
		until(t, "the state "+k.phase, v, func() bool { return strings.Contains(p.wal(), `"phase":"`+k.phase+`"`) })
	case k.when != nil:
		until(t, "the moment", v, k.when(p))
	default:
		until(t, "the trap", v, exists(p.root, "hit"))
	}
	session := p.session(t)
	v.kill(k.how)
	if code := v.gone(20 * time.Second); code != -9 {
		t.Fatalf("it ended with %d before it was killed\n%s", code, v.out.String())
	}
	return session
}

// told wants the next command to say what it found.
func (k kill) told(t *testing.T, session, out string) {
	t.Helper()
	if k.says == "" {
		return
	}
	if !regexp.MustCompile(strings.ReplaceAll(k.says, "SESSION", session)).MatchString(out) {
		t.Errorf("the next command does not say %q:\n%s", k.says, out)
	}
}

// books wants the session's end in the log once.
func (k kill) books(t *testing.T, p *place, session string, landed bool) {
	t.Helper()
	want := k.booked
	if want == "" {
		want = "interrupted"
	}
	if landed {
		want = "verified"
	}
	if got := p.booked(t, session); fmt.Sprint(got) != fmt.Sprint([]string{want}) {
		t.Errorf("the log says %v of the session, want %s once", got, want)
	}
}

// attempt wants the kept attempt to hold what the session had written.
func (k kill) attempt(t *testing.T, p *place, session, head string) {
	t.Helper()
	ref := "refs/agent/attempts/" + session
	if got := p.git(t, "diff", "--name-only", head, ref); got != strings.Join(k.kept, "\n") {
		t.Errorf("the kept attempt changes\n%s", got)
	}
	if got := p.git(t, "show", ref+":sum.sh"); got != "echo $(($1 + $2))" {
		t.Errorf("the kept sum.sh is %q", got)
	}
	if got := p.git(t, "show", "refs/agent/records/"+session+":transcript.jsonl"); !strings.Contains(got, "write_file") {
		t.Errorf("the kept transcript is\n%s", got)
	}
}
