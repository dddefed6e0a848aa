package hooks

import (
	"strings"
	"testing"

	"gitagent/features"
)

func (p *fixture) moved() Report {
	p.t.Helper()
	r, err := CheckMoved(p.t.Context(), p.repo)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func how(r Report) string {
	var out []string
	for _, m := range r.Moved {
		out = append(out, strings.TrimPrefix(m.Ref, "refs/")+" "+m.How)
	}
	return strings.Join(out, ", ")
}

// What no range would show is found once, on whatever ref it is.
func TestMovedRefs(t *testing.T) {
	p := newProject(t)
	if r := p.moved(); how(r) != "heads/main new" || r.Commits != 2 {
		t.Fatalf("at first: %s, %d commits", how(r), r.Commits)
	}
	remember := func() {
		t.Helper()
		if err := Remember(t.Context(), p.repo); err != nil {
			t.Fatal(err)
		}
	}
	remember()
	if r := p.moved(); how(r) != "" || r.Commits != 0 || len(r.Local) != 0 {
		t.Fatalf("nothing moved: %+v", r)
	}
	steps := []struct {
		name, how, codes string
		do               func()
	}{
		{"forward, with a weakened test", "heads/main forward", "tests.changed", func() {
			p.write("calc_test.go", "package calc // weaker\n")
			p.git("commit", "-qnam", "x")
		}},
		{"amended", "heads/main rewritten", "tests.deleted", func() {
			p.git("rm", "-q", "calc_test.go")
			p.git("commit", "-qn", "--amend", "-m", "y")
		}},
		{"smuggled by plumbing on another branch", "heads/other new", "flags.unproved", func() {
			p.write(features.Path, flipped(t, p.read(features.Path), "F002"))
			p.git("add", "-A")
			id := p.git("commit-tree", "-p", "HEAD", "-m", "z", p.git("write-tree"))
			p.git("update-ref", "refs/heads/other", id)
			p.git("reset", "-q", "--hard")
		}},
		{"a tag and a stash", "stash new, tags/v1 new", "tests.changed", func() {
			p.write("testdata/in.txt", "3\n")
			p.git("stash", "-q")
			p.git("tag", "-m", "v1", "v1")
		}},
		{"deleted", "heads/other deleted", "", func() { p.git("branch", "-qD", "other") }},
		{"back to an earlier commit", "heads/main rewritten", "", func() { p.git("reset", "-q", "--hard", "HEAD^") }},
	}
	for _, s := range steps {
		s.do()
		r := p.moved()
		if how(r) != s.how || r.codes() != s.codes {
			t.Errorf("%s: %q with %q, want %q with %q", s.name, how(r), r.codes(), s.how, s.codes)
		}
		remember()
	}
}

// What was there before the feature list is not gone through.
func TestMovedFirstLook(t *testing.T) {
	p := newProject(t)
	list := p.read(features.Path)
	p.git("checkout", "-q", "--orphan", "old")
	p.git("rm", "-rqf", ".")
	for range 5 {
		p.git("commit", "-qn", "--allow-empty", "-m", "long ago")
	}
	p.write(features.Path, list)
	p.git("add", "-A")
	p.git("commit", "-qnm", "the list")
	p.git("branch", "-qD", "main")
	if r := p.moved(); r.Commits != 1 {
		t.Errorf("%d commits looked at, want 1", r.Commits)
	}
}

func TestSkipped(t *testing.T) {
	p := newProject(t)
	if err := Skip(t.Context(), p.repo); err != nil || !Skipped(p.repo) {
		t.Fatal(err)
	}
	if r := p.moved(); how(r) != "" {
		t.Errorf("skipped, and looked at: %s", how(r))
	}
	if err := CaughtUp(p.repo); err != nil || Skipped(p.repo) || CaughtUp(p.repo) != nil {
		t.Errorf("%v", err)
	}
}

func TestCheckClone(t *testing.T) {
	p := newProject(t)
	p.git("update-index", "--skip-worktree", "calc.go")
	p.git("update-index", "--assume-unchanged", "calc_test.go")
	p.git("replace", p.git("rev-parse", "HEAD:calc.go"), p.git("rev-parse", "HEAD:testdata/in.txt"))
	p.git("config", "core.sparseCheckout", "false")
	found, err := CheckClone(t.Context(), p.repo)
	if err != nil || len(found) != 3 || codes(found) != "hygiene.replaced hygiene.hidden" {
		t.Errorf("%v, %v", found, err)
	}
	// What is replaced deceives git, and not the rules.
	r := p.check("HEAD")
	if r.Commits != 2 || len(r.Violations) > 0 {
		t.Errorf("%+v", r)
	}
}
