package crashtest

import (
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/testenv"
)

// personContract is what a person gives for the first feature.
const personContract = `{"version":1,"feature":"F001","revision":1,"checks":[
 {"id":"c1","kind":"command","covers":[1,2],"command":{"run":"sh sum.sh 2 3","exit":0,"stdout_has":["5"]}},
 {"id":"c2","kind":"command","covers":[3],"command":{"run":"sh sum.sh 40 2","exit":0,"stdout_has":["42"]}}]}`

// TestKilledContract kills a person's change of a contract, in the middle of a
// hook and around git commit: it is there as a whole, with the person's word, or
// not at all.
func TestKilledContract(t *testing.T) {
	template := newPlace(t, "#!/bin/sh\nif [ -n \"$TRAP_HOOK\" ]; then : >\"$TRAP_HIT\"; sleep 600; fi\n")
	path := ".agent/contracts/F001.json"
	for _, c := range []struct {
		trap string
		how  death
		done bool
	}{
		{"TRAP_HOOK=1", group, false},
		{"TRAP_HOOK=1", everything, false},
		{"TRAP_BEFORE=commit -q -F - --only", group, false},
		{"TRAP_BEFORE=commit -q -F - --only", everything, false},
		{"TRAP_AFTER=commit -q -F - --only", group, true},
		{"TRAP_AFTER=commit -q -F - --only", everything, true},
		{"TRAP_BEFORE=git agent: journal", everything, true},
	} {
		t.Run(c.trap+" "+c.how.String(), func(t *testing.T) {
			t.Parallel()
			p := template.clone(t)
			testenv.Write(t, p.root, "mine.json", personContract)
			change := []string{"contract", "F001", "--from", filepath.Join(p.root, "mine.json")}
			before, head := p.prints(t), p.git(t, "rev-parse", "main")
			status, index := p.git(t, "status", "--porcelain"), p.git(t, "ls-files", "--stage")
			p.killAt(t, c.how, []string{c.trap}, change...)
			p.wholeList(t)
			code, out := p.run(t, newMind(t, giveUp).env(), "step", "F002")
			if code != 5 || !strings.Contains(out, "warning: a change of the contract of F001 was killed") {
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
				times := map[string]bool{"progress.md": true, ".git/COMMIT_EDITMSG": true, ".git/index": true}
				if d := before.diff(p.prints(t), func(name string) bool { return times[name] || name == ".agent" || name == ".agent/contracts" }); d != "" {
					t.Errorf("more has changed than the times of files:\n%s", d)
				}
				if got := p.git(t, "ls-files", "--stage"); got != index {
					t.Errorf("the index has\n%s\nand had\n%s", got, index)
				}
				if code, out := p.run(t, nil, change...); code != 0 {
					t.Errorf("said again: %d\n%s", code, out)
				}
			}
			if got := p.git(t, "show", "HEAD:"+path); !strings.Contains(got, `"by": "person"`) {
				t.Errorf("the contract is now\n%s", got)
			}
			if code, out := p.run(t, newMind(t, work).env(), "step"); code != 0 {
				t.Errorf("the session that goes by it ended with %d\n%s", code, out)
			}
			if got := p.git(t, "log", "--format=%s", "main", "--", path); strings.Count(got, "\n") != 0 {
				t.Errorf("the contract was committed more than once:\n%s", got)
			}
		})
	}
}
