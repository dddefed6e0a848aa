package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

// TestEveryByteIsAsBefore: a session that does not land changes nothing of a
// person's, one that lands exactly what its commit says, and neither leaves
// anything behind.
func TestEveryByteIsAsBefore(t *testing.T) {
	template := newPlace(t, "")
	broken := work[0].And("write_file", "path", "sum.sh", "content", "echo 7\n")
	vandal := modeltest.Use("run_command", "command",
		"rm -rf ../* /tmp/* $HOME 2>/dev/null; git reset --hard 2>/dev/null; git stash drop 2>/dev/null; chmod -R 0 . 2>/dev/null; echo x > README.md; true")
	for _, c := range []struct {
		name    string
		replies []modeltest.Step
		args    []string
		mine    func(t *testing.T, p *place) // what the person has besides
		code    int
		says    string
	}{
		{name: "blocked", replies: append(work[:1:1], giveUp...), code: 5, says: "blocked F001"},
		{name: "cannot verify", replies: append(work[:1:1], modeltest.Use("end_session", "status", "cannot_verify", "reason", "no way")), code: 4, says: "unverified F001"},
		{name: "incomplete", replies: []modeltest.Step{broken, done}, args: []string{"--attempts", "2"}, code: 3, says: "incomplete F001"},
		{name: "turns used up", replies: work[:2:2], args: []string{"--attempts", "1", "--turns", "4"}, code: 3, says: "incomplete F001"},
		{name: "the server fails", replies: []modeltest.Step{work[0], modeltest.Fail(500, "out of memory")}, args: []string{"--attempts", "1", "--turns", "3"}, says: "F001"},
		{name: "nothing but prose", replies: []modeltest.Step{modeltest.Say("It is done.")}, args: []string{"--attempts", "1"}, code: 3, says: "incomplete F001"},
		{name: "a vandal", replies: append([]modeltest.Step{work[0], vandal}, giveUp...), code: 5, says: "blocked F001"},
		{name: "a file of mine is in the way", replies: work, mine: func(t *testing.T, p *place) { testenv.Write(t, p.repo, "zz.txt", "mine\n") },
			says: "the verified commit [0-9a-f]+ is aside"},
		{name: "an ignored file is in the way", replies: work, mine: func(t *testing.T, p *place) {
			testenv.Write(t, p.repo, ".git/info/exclude", "zz.txt\n")
			testenv.Write(t, p.repo, "zz.txt", "mine\n")
		}, says: "the verified commit [0-9a-f]+ is aside"},
		{name: "my change is in the way", replies: work, mine: func(t *testing.T, p *place) { testenv.Write(t, p.repo, "lib.txt", "mine\n") },
			says: "the verified commit [0-9a-f]+ is aside"},
		{name: "a merge is under way", replies: work, mine: func(t *testing.T, p *place) {
			testenv.Write(t, p.repo, ".git/MERGE_HEAD", p.git(t, "rev-parse", "main")+"\n")
		}, says: "the verified commit [0-9a-f]+ is aside"},
		{name: "HEAD is detached", replies: work, mine: func(t *testing.T, p *place) { p.git(t, "checkout", "-q", "--detach") },
			says: "the verified commit [0-9a-f]+ is aside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := template.clone(t)
			if c.mine != nil {
				c.mine(t, p)
			}
			before := p.prints(t)
			code, out := p.run(t, newMind(t, c.replies).env(), append([]string{"step"}, c.args...)...)
			if c.name != "the server fails" && code != c.code || !matches(c.says, out) {
				t.Fatalf("it ended with %d, want %d and %q\n%s", code, c.code, c.says, out)
			}
			p.untouched(t, before)
			p.swept(t)
		})
	}
	t.Run("verified", func(t *testing.T) {
		t.Parallel()
		p := template.clone(t)
		before, head := p.prints(t), p.git(t, "rev-parse", "main")
		status, staged := p.git(t, "status", "--porcelain"), p.git(t, "diff", "--cached", "--raw", "--no-abbrev")
		p.works(t)
		p.landed(t, before, head, status, staged, 1)
		for _, name := range workFiles {
			got, err := os.ReadFile(filepath.Join(p.repo, name))
			if err != nil || strings.TrimRight(string(got), "\n") != p.git(t, "show", "main:"+name) {
				t.Errorf("%s in the checkout is %q, %v", name, got, err)
			}
		}
	})
}
