package crashtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

// TestKilledAtRandom kills sessions at random moments, GIT_AGENT_KILLS times,
// from GIT_AGENT_SEED on.
func TestKilledAtRandom(t *testing.T) {
	n, seed := testenv.Number(t, "GIT_AGENT_KILLS", 20), testenv.Seed(t)
	t.Logf("GIT_AGENT_KILLS=%d", n)
	template := newPlace(t, "")
	for i := range n {
		r := rand.New(rand.NewPCG(seed, i))
		fate := draw(r, measure(t, template))
		t.Run(fmt.Sprintf("%d %s", i, fate), func(t *testing.T) {
			t.Parallel()
			fate.play(t, template.clone(t))
		})
	}
}

// size is what one whole session comes to.
type size struct {
	long         time.Duration
	lines, calls int // of the crash log, of git
}

// measure runs a session to its end, once for a place.
func measure(t *testing.T, template *place) size {
	t.Helper()
	cached := filepath.Join(template.root, "measured")
	if data, err := os.ReadFile(cached); err == nil {
		var s size
		var long int64
		_, err := fmt.Sscan(string(data), &long, &s.lines, &s.calls)
		must(t, err)
		s.long = time.Duration(long)
		return s
	}
	p := template.clone(t)
	begun := time.Now()
	v := p.start(t, append(newMind(t, work).env(), "TRAP_COUNT="+filepath.Join(p.root, "count")), "step")
	var s size
	for ended := false; !ended; {
		s.lines = max(s.lines, strings.Count(p.wal(), "phase"))
		select {
		case <-v.alone:
			ended = true
		case <-time.After(time.Millisecond):
		}
	}
	if code := v.gone(time.Second); code != 0 {
		t.Fatalf("a session ends with %d\n%s", code, v.out.String())
	}
	s.long, s.calls = time.Since(begun), p.gitCalls()
	must(t, os.WriteFile(cached, fmt.Appendln(nil, int64(s.long), s.lines, s.calls), 0o600))
	return s
}

// gitCalls counts how often git was started so far.
func (p *place) gitCalls() int {
	st, err := os.Stat(filepath.Join(p.root, "count"))
	if err != nil {
		return 0
	}
	return int(st.Size())
}

// fate is when and how a session dies. One of after, line and call is set.
type fate struct {
	after      time.Duration
	line, call int
	how        death
	replies    []modeltest.Step
	what       string // of the replies
	hasty      bool   // the next command starts at once, while the dead one's processes still end
}

func (f fate) String() string {
	at := f.after.String()
	switch {
	case f.line > 0:
		at = fmt.Sprintf("line %d", f.line)
	case f.call > 0:
		at = fmt.Sprintf("git call %d", f.call)
	}
	return strings.ReplaceAll(fmt.Sprintf("%s, %s, %s, hasty %v", at, f.how, f.what, f.hasty), " ", "_")
}

func draw(r *rand.Rand, s size) fate {
	f := fate{how: death(r.IntN(2)), replies: work, what: "works", hasty: r.IntN(2) == 0}
	if r.IntN(4) == 0 {
		f.replies, f.what = append(work[:1:1], giveUp...), "gives up"
	}
	switch r.IntN(3) {
	case 0:
		f.after = time.Duration(r.Int64N(int64(s.long)))
	case 1:
		f.line = 1 + r.IntN(s.lines)
	default:
		f.call = 1 + r.IntN(s.calls)
	}
	return f
}

// die runs a session until it is killed, or ends before that.
func (f fate) die(t *testing.T, p *place) *victim {
	t.Helper()
	v := p.start(t, append(newMind(t, f.replies).env(), "TRAP_COUNT="+filepath.Join(p.root, "count")), "step")
	until := func() bool {
		switch {
		case f.line > 0:
			return strings.Count(p.wal(), "phase") >= f.line
		case f.call > 0:
			return p.gitCalls() >= f.call
		}
		return false
	}
	timer := time.NewTimer(patience)
	if f.after > 0 {
		timer.Reset(f.after)
	}
	for !until() {
		select {
		case <-v.alone:
			return v
		case <-timer.C:
			v.kill(f.how)
			return v
		case <-time.After(200 * time.Microsecond):
		}
	}
	v.kill(f.how)
	return v
}

func (f fate) play(t *testing.T, p *place) {
	before, head := p.prints(t), p.git(t, "rev-parse", "main")
	status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
	v := f.die(t, p)
	if !f.hasty || f.how == everything {
		v.gone(20 * time.Second)
	}
	session, begun := p.killed(t)
	written := exists(p.root, "state", "git-agent", "trees", "*", "session", "sum.sh")()
	p.wholeList(t)

	code, out := p.run(t, newMind(t, work).env(), "step")
	v.gone(20 * time.Second)
	if code != 0 {
		t.Fatalf("the next command ended with %d\n%s", code, out)
	}
	if begun && !strings.Contains(out, "warning: session "+session+" was killed") {
		// It may have been booked just before it died.
		if got := p.booked(t, session); len(got) != 1 || got[0] == "interrupted" {
			t.Errorf("nothing was said of the killed session:\n%s", out)
		}
	}
	p.swept(t)
	commits, err := strconv.Atoi(p.git(t, "rev-list", "--count", head+"..main"))
	must(t, err)
	if list := p.wholeList(t); list.Passing() != commits {
		t.Errorf("%d flags are set, and %d commits landed", list.Passing(), commits)
	}
	p.landed(t, before, head, status, staged, commits)
	f.kept(t, p, session, begun, written)
}

// killed tells which session was killed, if its crash log had begun.
func (p *place) killed(t *testing.T) (session string, begun bool) {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join(p.repo, ".git", "agent", "lock"))
	if !strings.Contains(string(data), "session ") {
		return "", false
	}
	session = p.session(t)
	return session, strings.Contains(p.wal(), session)
}

// kept wants the session's end in the log once, and its files on the branch or
// on a private ref.
func (f fate) kept(t *testing.T, p *place, session string, begun, written bool) {
	t.Helper()
	booked := p.booked(t, session)
	if len(booked) > 1 || begun && len(booked) != 1 {
		t.Errorf("the log says %v of the session", booked)
	}
	if !written || slices.Contains(booked, "verified") {
		return
	}
	if got := p.git(t, "show", "refs/agent/attempts/"+session+":sum.sh"); got != "echo $(($1 + $2))" {
		t.Errorf("the kept sum.sh is %q", got)
	}
}
