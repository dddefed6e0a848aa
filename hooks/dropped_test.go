package hooks

import (
	"strings"
	"testing"
)

// sides makes two branches that parted at main: one brings tests, the other does
// not touch them.
func sides(t *testing.T) *fixture {
	p := hooked(t)
	p.write("grow_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(1) }\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "a test")
	p.git("checkout", "-qb", "side")
	p.write("side_test.go", "package calc\n")
	p.write("grow_test.go", p.read("grow_test.go")+"\nfunc TestB(t *testing.T) { t.Log(2) }\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "side brings tests")
	p.git("checkout", "-q", "main")
	p.write("main.txt", "m\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "main goes on")
	return p
}

func TestMergeThatDropsWhatOneSideBrought(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(p *fixture)
		want string
	}{
		"all of it":  {func(p *fixture) { p.git("merge", "-q", "--no-commit", "-s", "ours", "side") }, "tests.narrowed tests.deleted"},
		"a new test": {func(p *fixture) { p.git("merge", "-q", "--no-commit", "side"); p.git("rm", "-qf", "side_test.go") }, "tests.deleted"},
		"what a test gained": {func(p *fixture) {
			p.git("merge", "-q", "--no-commit", "side")
			p.git("checkout", "-q", "main", "--", "grow_test.go")
		}, "tests.narrowed"},
		"nothing": {func(p *fixture) { p.git("merge", "-q", "--no-commit", "side") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := sides(t)
			c.do(p)
			if c.want == "" {
				p.quiet("commit", "-qm", "merged")
			} else {
				out := p.refused(strings.Fields(c.want)[0], "commit", "-qm", "merged")
				if !strings.Contains(out, "drops what one side brought") {
					t.Errorf("not said: %s", out)
				}
				p.git("commit", "-qnm", "merged")
			}
			if got := p.check("HEAD^1..HEAD").codes(); got != c.want {
				t.Errorf("check finds %q, wants %q", got, c.want)
			}
		})
	}
}

// A person who took a test away with a permit is not told again at each merge.
func TestMergeKeepsWhatWasAllowed(t *testing.T) {
	p := sides(t)
	p.git("rm", "-q", "grow_test.go")
	p.git("commit", "-qm", "no longer\n\nAllow-Tests: it tested nothing")
	p.git("checkout", "-q", "side")
	p.git("checkout", "-q", "HEAD^", "--", "grow_test.go")
	p.git("commit", "-qm", "as it was\n\nAllow-Tests: it waits for main")
	p.quiet("merge", "-q", "--no-edit", "main")
	if got := p.check("HEAD^1..HEAD").codes(); got != "" {
		t.Errorf("check finds %q", got)
	}
}

func TestOctopusThatDropsATest(t *testing.T) {
	p := sides(t)
	p.git("checkout", "-qb", "other", "main~1")
	p.write("other.txt", "o\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "another side")
	p.git("checkout", "-q", "main")
	p.git("merge", "-q", "--no-edit", "side", "other")
	if got := p.check("HEAD^1..HEAD").codes(); got != "" {
		t.Fatalf("an honest octopus: %q", got)
	}
	p.git("rm", "-q", "side_test.go")
	p.git("commit", "-qn", "--amend", "--no-edit")
	if got := p.check("HEAD^1..HEAD").codes(); got != "tests.deleted" {
		t.Errorf("check finds %q", got)
	}
}
