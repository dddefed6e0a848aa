package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/features"
	"gitagent/internal/verify/evidence"
)

func (p *fixture) check(rng string) Report {
	p.t.Helper()
	r, err := CheckRange(p.t.Context(), p.repo, rng)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (r Report) codes() string {
	var vs []Violation
	for _, v := range r.Violations {
		vs = append(vs, v.Violation)
	}
	return codes(vs)
}

func TestRangeFindsWhatHooksNeverSaw(t *testing.T) {
	p := newProject(t)
	bin := agentOnPath(t)
	p.install(bin)
	if r := p.check("HEAD"); r.Commits != 2 || len(r.Violations) > 0 || len(r.Flips) != 1 || r.Flips[0].State != Proved || r.Flips[0].Feature != "F001" {
		t.Fatalf("%+v", r)
	}
	p.git("checkout", "-q", "-b", "bad")
	p.write("calc_test.go", "package calc // weaker\n")
	p.git("commit", "-qnam", "weaken")
	p.git("checkout", "-q", "-b", "ahead", "main")
	p.write("ahead.txt", "x\n")
	p.git("add", "-A")
	p.git("commit", "-qm", "ahead")
	cases := map[string]struct {
		do   func()
		want string
	}{
		"cherry-pick": {func() { p.git("cherry-pick", "bad") }, "tests.changed"},
		"rebase":      {func() { p.git("checkout", "-q", "-B", "try", "bad"); p.git("rebase", "-q", "ahead") }, "tests.changed"},
		"merge": {func() {
			p.git("merge", "-q", "--no-edit", "ahead")
			p.git("merge", "-q", "--no-verify", "--no-edit", "bad")
		}, "tests.changed"},
		"fast-forward": {func() { p.git("merge", "-q", "--ff-only", "bad") }, "tests.changed"},
		"am": {func() {
			patch := p.git("format-patch", "--stdout", "-1", "bad")
			write(t, filepath.Join(p.dir, ".git", "one.patch"), patch+"\n", 0o644)
			p.git("am", "-q", ".git/one.patch")
		}, "tests.changed"},
		"amend": {func() {
			p.write("more.txt", "x\n")
			p.git("add", "-A")
			p.git("commit", "-qm", "more")
			p.git("rm", "-q", "calc_test.go")
			p.git("commit", "-q", "--no-verify", "--amend", "-m", "more")
		}, "tests.deleted"},
		"config of the environment": {func() {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
			t.Setenv("GIT_CONFIG_VALUE_0", "/dev/null")
			p.write("calc_test.go", "z\n")
			p.git("commit", "-qam", "x")
			t.Setenv("GIT_CONFIG_COUNT", "0")
		}, "tests.changed"},
		"a replaced object": {func() {
			p.write("calc_test.go", "zz\n")
			p.git("commit", "-qnam", "x")
			p.git("replace", "HEAD:calc_test.go", "main:calc_test.go")
		}, "tests.changed"},
		"a graft": {func() {
			p.git("rm", "-q", "calc_test.go")
			p.git("commit", "-qnm", "x")
			p.write("last.txt", "x\n")
			p.git("add", "-A")
			p.git("commit", "-qm", "last")
			write(t, filepath.Join(p.dir, ".git", "info", "grafts"), p.git("rev-parse", "HEAD")+" "+p.git("rev-parse", "main")+"\n", 0o644)
		}, "tests.deleted"},
		"--no-verify":        {func() { p.write("calc_test.go", "x\n"); p.git("commit", "-qnam", "x") }, "tests.changed"},
		"another hooks path": {func() { p.write("calc_test.go", "y\n"); p.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "x") }, "tests.changed"},
		"plumbing": {func() {
			p.git("rm", "-q", "calc_test.go")
			p.git("update-ref", "HEAD", p.git("commit-tree", "-p", "HEAD", "-m", "x", p.git("write-tree")))
		}, "tests.deleted"},
		"a forged flag": {func() {
			p.write(features.Path, flipped(t, p.read(features.Path), "F002"))
			p.git("commit", "-qnam", "x")
		}, "flags.unproved"},
		"a revert of a proof": {func() { p.git("revert", "--no-edit", "main") }, "flags.back flags.evidence-deleted"},
		"flag without its evidence": {func() {
			p.flip("F002")
			p.git("rm", "-qf", evidence.Path("F002"))
			p.git("commit", "-qnm", "x")
		}, "flags.unproved"},
	}
	for name, c := range cases {
		p.git("checkout", "-q", "-B", "try", "main")
		c.do()
		r := p.check("main..HEAD")
		_ = os.Remove(filepath.Join(p.dir, ".git", "info", "grafts"))
		got := r.codes()
		if name == "a revert of a proof" { // also the log is cut; the order is not the point
			got = strings.Join(strings.Fields(strings.ReplaceAll(got, "log.rewritten", "")), " ")
			c.want = "flags.back"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, v := range r.Violations {
			if v.Commit == "" || v.What == "" || v.Why == "" {
				t.Errorf("%s: incomplete %+v", name, v)
			}
		}
	}
}

func TestRangeListsOverrides(t *testing.T) {
	p := newProject(t)
	p.write("calc_test.go", "x\n")
	p.git("commit", "-qam", "rename\n\nAllow-Tests: the API was renamed\nSigned-off-by: A <a@example.org>")
	r := p.check("HEAD^..HEAD")
	if len(r.Violations) > 0 || len(r.Overrides) != 1 || r.Overrides[0].Reason != "the API was renamed" || r.Overrides[0].Guard != GuardTests || len(r.Overrides[0].What) != 1 {
		t.Errorf("%+v", r)
	}
	p.write("calc.go", "package calc // z\n")
	p.git("commit", "-qam", "nothing to allow\n\nAllow-Tests: just in case")
	if r := p.check("HEAD^..HEAD"); len(r.Overrides) > 0 {
		t.Errorf("an override of nothing: %+v", r)
	}
}

func TestRebasedProofIsCarried(t *testing.T) {
	p := newProject(t)
	p.git("checkout", "-qb", "side")
	p.flip("F002")
	p.git("commit", "-qm", "prove F002")
	p.git("checkout", "-q", "main")
	p.write("other.txt", "x\n")
	p.git("add", ".")
	p.git("commit", "-qm", "main goes on")
	p.git("checkout", "-q", "side")
	p.git("rebase", "-q", "main")
	r := p.check("main..side")
	if len(r.Violations) > 0 || len(r.Flips) != 1 || r.Flips[0].State != Carried || r.Flips[0].Why == "" {
		t.Errorf("%+v", r)
	}
}

func TestRangeOverMerges(t *testing.T) {
	p := newProject(t)
	p.git("checkout", "-qb", "side")
	p.write("side_test.go", "package calc\n")
	p.flip("F002")
	p.git("commit", "-qm", "prove F002")
	p.git("checkout", "-q", "main")
	p.write("other.txt", "x\n")
	p.git("add", ".")
	p.git("commit", "-qm", "main goes on")
	p.git("merge", "-q", "--no-edit", "side")
	if r := p.check("HEAD"); len(r.Violations) > 0 || len(r.Flips) != 2 {
		t.Errorf("clean merge: %+v", r)
	}
	// A merge that keeps our side loses what the other side had.
	p.git("checkout", "-q", "-B", "ours", "HEAD^")
	p.git("merge", "-q", "--no-edit", "-s", "ours", "side")
	if r := p.check("HEAD^..HEAD"); !strings.Contains(r.codes(), "flags.back") || !strings.Contains(r.codes(), "log.rewritten") {
		t.Errorf("merge -s ours: %+v", r)
	}
	// A merge that changes a test that both sides left alone.
	p.git("checkout", "-q", "-B", "evil", "main^")
	p.git("merge", "-q", "--no-commit", "side")
	p.write("calc_test.go", "weaker\n")
	p.git("commit", "-qam", "evil")
	if r := p.check("HEAD^..HEAD"); r.codes() != "tests.changed" {
		t.Errorf("evil merge: %+v", r)
	}
}

func TestRangeBeforeTheList(t *testing.T) {
	p := newProject(t)
	p.git("checkout", "-q", "--orphan", "old")
	p.git("rm", "-rqf", ".")
	for range 3 {
		p.write("a_test.go", p.git("hash-object", "--stdin")+"\n")
		p.git("add", ".")
		p.git("commit", "-qm", "x", "--allow-empty")
	}
	if r := p.check("old"); r.Commits != 3 || len(r.Violations) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestEmptyRangeAndBadRange(t *testing.T) {
	p := newProject(t)
	if r := p.check("HEAD..HEAD"); r.Commits != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := CheckRange(t.Context(), p.repo, "nowhere..HEAD"); err == nil {
		t.Error("no error")
	}
}
