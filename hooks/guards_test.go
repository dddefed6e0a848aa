package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/features"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// step is one way to change the project, and what the guards say of it.
type step struct {
	name string
	do   func(p *fixture)
	want string // codes, "" for none
	by   Policy
}

// judged makes each change on top of the same commit and compares the codes.
func judged(t *testing.T, steps []step) {
	t.Helper()
	p := newProject(t)
	for _, s := range steps {
		p.git("reset", "-q", "--hard")
		p.git("clean", "-fdq")
		s.do(p)
		p.git("add", "-A")
		found, err := Check(t.Context(), p.repo, p.base, p.index(), s.by)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else if got := codes(found); got != s.want {
			t.Errorf("%s: codes %q, want %q\n%v", s.name, got, s.want, found)
		}
	}
}

// list replaces text in features.json.
func list(old, new string) func(p *fixture) {
	return func(p *fixture) {
		before := p.read(features.Path)
		if !strings.Contains(before, old) {
			p.t.Fatalf("features.json has no %q", old)
		}
		p.write(features.Path, strings.Replace(before, old, new, 1))
	}
}

func wrote(path, content string) func(p *fixture) {
	return func(p *fixture) { p.write(path, content) }
}

func ran(args ...string) func(p *fixture) {
	return func(p *fixture) { p.git(args...) }
}

// forged flips F002 with evidence that is changed first.
func forged(change func(r *evidence.Record)) func(p *fixture) {
	return func(p *fixture) {
		p.flip("F002")
		r := evidenceFor("F002", p.product(p.index()))
		change(r)
		p.write(evidence.Path("F002"), string(r.Bytes()))
	}
}

func TestFlagsGuard(t *testing.T) {
	session := Policy{Session: true, Feature: "F002"}
	judged(t, []step{
		{name: "flip with evidence", do: func(p *fixture) { p.write("calc.go", "package calc // more\n"); p.flip("F002") }},
		{name: "the session's flip", do: func(p *fixture) { p.flip("F002") }, by: session},
		{name: "a session flips another", do: func(p *fixture) { p.flip("F002") }, by: Policy{Session: true, Feature: "F003"}, want: "flags.other"},
		{name: "a session flips two", do: func(p *fixture) {
			p.write(contract.Path("F003"), string(contractOf("F003").Bytes()))
			p.flip("F002")
			p.flip("F003")
		}, by: session, want: "flags.other"},
		{name: "flip without evidence", do: func(p *fixture) { p.write(features.Path, flipped(p.t, p.read(features.Path), "F002")) }, want: "flags.unproved"},
		{name: "product changed after the proof", do: func(p *fixture) { p.flip("F002"); p.write("calc.go", "package calc // later\n") }, want: "flags.carried"},
		{name: "log changed after the proof", do: func(p *fixture) { p.flip("F002"); p.write(progress.Path, p.read(progress.Path)+"more\n") }},
		{name: "evidence of another feature", do: func(p *fixture) {
			p.flip("F002")
			p.write(evidence.Path("F002"), p.read(evidence.Path("F001")))
		}, want: "flags.unproved"},
		{name: "evidence that failed", do: func(p *fixture) {
			p.flip("F002")
			p.write(evidence.Path("F002"), strings.Replace(p.read(evidence.Path("F002")), `"verdict": "pass"`, `"verdict": "fail"`, 1))
		}, want: "flags.unproved"},
		{name: "evidence for fewer steps", do: func(p *fixture) {
			p.flip("F002")
			p.write(evidence.Path("F002"), strings.Replace(p.read(evidence.Path("F002")), "1,\n        2", "1", 1))
		}, want: "flags.unproved"},
		{name: "evidence that never failed", do: forged(func(r *evidence.Record) { r.Bite = nil }), want: "flags.unproved"},
		{name: "evidence that passed before the work", do: forged(func(r *evidence.Record) { r.Bite[0].Verdict = evidence.Pass }), want: "flags.unproved"},
		{name: "evidence that failed at something else", do: forged(func(r *evidence.Record) { r.Bite[0].ID = "c2" }), want: "flags.unproved"},
		{name: "evidence without checks", do: forged(func(r *evidence.Record) { r.Checks = nil }), want: "flags.unproved"},
		{name: "evidence with an unverified check", do: forged(func(r *evidence.Record) { r.Checks[0].Verdict = evidence.Unverified }), want: "flags.unproved"},
		{name: "evidence that covers only other steps", do: forged(func(r *evidence.Record) { r.Checks[0].Covers = []int{2, 3} }), want: "flags.unproved"},
		{name: "another contract than the proved one", do: func(p *fixture) {
			p.flip("F002")
			p.write(contract.Path("F002"), strings.Replace(p.read(contract.Path("F002")), "2+3", "1+4", 1))
		}, want: "flags.unproved"},
		{name: "contract of another feature", do: func(p *fixture) {
			p.flip("F002")
			p.write(contract.Path("F002"), p.read(contract.Path("F001")))
		}, want: "flags.unproved"},
		{name: "no contract", do: func(p *fixture) { p.flip("F002"); p.git("rm", "-qf", contract.Path("F002")) }, want: "flags.unproved"},
		{name: "evidence as a link", do: func(p *fixture) {
			p.flip("F002")
			p.write("elsewhere.json", p.read(evidence.Path("F002")))
			symlink(p, "../../elsewhere.json", evidence.Path("F002"))
		}, want: "flags.unproved"},
		{name: "flag goes back", do: list(`"passes": true`, `"passes": false`), want: "flags.back"},
		{name: "evidence deleted", do: ran("rm", "-q", evidence.Path("F001")), want: "flags.evidence-deleted"},
		{name: "evidence replaced by nonsense", do: wrote(evidence.Path("F001"), "{}\n"), want: "flags.evidence-changed"},
		{name: "evidence renewed for these files", do: func(p *fixture) {
			p.write("calc.go", "package calc // new\n")
			p.git("add", "-A")
			p.write(evidence.Path("F001"), string(evidenceFor("F001", p.product(p.index())).Bytes()))
		}},
		{name: "evidence of a feature that does not pass", do: wrote(evidence.Path("F003"), "{}\n")},
	})
}

func TestFeaturesGuard(t *testing.T) {
	claimed := `{"id": "F009", "category": "x", "description": "d", "steps": ["s"], "depends_on": [], "priority": 9, "passes": true}, {`
	judged(t, []step{
		{name: "goal", do: list(goal, "Anything"), want: "features.goal"},
		{name: "project", do: list(`"calc"`, `"other"`), want: "features.project"},
		{name: "step reworded", do: list("It shows 5", "It shows something"), want: "features.steps"},
		{name: "description", do: list(`"adds"`, `"maybe adds"`), want: "features.description"},
		{name: "priority", do: list(`"priority": 3`, `"priority": 0`), want: "features.priority"},
		{name: "dependency", do: list(`["F001"]`, `[]`), want: "features.depends"},
		{name: "id", do: list(`"F002"`, `"F012"`), want: "features.removed features.added"},
		{name: "added", do: list("{\n      \"id\": \"F001\"", strings.Replace(claimed, "true", "false", 1)+"\"id\": \"F001\""), want: "features.added"},
		{name: "added as passing", do: list("{\n      \"id\": \"F001\"", claimed+"\"id\": \"F001\""), want: "features.added flags.claimed"},
		{name: "layout", do: list("\n  \"goal\"", "\n    \"goal\""), want: "features.layout"},
		{name: "carriage returns", do: func(p *fixture) {
			p.write(".gitattributes", "* -text\n")
			p.write(features.Path, strings.ReplaceAll(p.read(features.Path), "\n", "\r\n"))
		}, want: "features.layout"},
		{name: "extra key", do: list(`"priority": 1`, `"verified": true, "priority": 1`), want: "features.invalid"},
		{name: "duplicate key", do: list(`"passes": false`, `"passes": false, "passes": true`), want: "features.invalid"},
		{name: "case variant", do: list(`"passes": false`, `"Passes": true`), want: "features.invalid"},
		{name: "long s", do: list(`"passes": false`, `"paſſes": true`), want: "features.invalid"},
		{name: "escaped key", do: list(`"passes": false`, `"\u0070asses": true`), want: "features.invalid"},
		{name: "null", do: list(`"passes": false`, `"passes": null`), want: "features.invalid"},
		{name: "number", do: list(`"passes": false`, `"passes": 1`), want: "features.invalid"},
		{name: "byte order mark", do: list("{\n  \"version\"", "\ufeff{\n  \"version\""), want: "features.invalid"},
		{name: "second document", do: func(p *fixture) { p.write(features.Path, p.read(features.Path)+"{}\n") }, want: "features.invalid"},
		{name: "invalid UTF-8", do: list(`"adds"`, "\"a\xffdds\""), want: "features.invalid"},
		{name: "deleted", do: ran("rm", "-q", features.Path), want: "features.deleted"},
		{name: "made a link", do: func(p *fixture) {
			p.write("other.json", p.read(features.Path))
			symlink(p, "other.json", features.Path)
		}, want: "features.mode"},
		{name: "made executable", do: executable(features.Path), want: "features.mode"},
		{name: "another case beside it", do: wrote("Features.JSON", "{}"), want: "features.lookalike"},
		{name: "another case of the folder", do: wrote(".Agent/evidence/F002.json", "{}"), want: "features.lookalike"},
		{name: "same name elsewhere", do: wrote("docs/features.json", "[]")},
		{name: "product only", do: wrote("calc.go", "package calc // x\n")},
		{name: "allowed", do: list(goal, "Anything"), by: Policy{Allow: map[string]string{GuardFeatures: "we learned more"}}},
		{name: "allowed, by an empty reason", do: list(goal, "Anything"), by: Policy{Allow: map[string]string{GuardFeatures: "  "}}, want: "features.goal"},
		{name: "allowed to a session", do: list(goal, "Anything"), by: Policy{Session: true, Allow: map[string]string{GuardFeatures: "x"}}, want: "features.goal"},
		{name: "invalid is never allowed", do: wrote(features.Path, "{"), by: Policy{Allow: map[string]string{GuardFeatures: "x", GuardFlags: "x"}}, want: "features.invalid"},
		{name: "a claim comes with leave to change the list", do: list("{\n      \"id\": \"F001\"", claimed+"\"id\": \"F001\""), by: Policy{Allow: map[string]string{GuardFeatures: "imported"}}},
	})
}

func TestLogGuard(t *testing.T) {
	judged(t, []step{
		{name: "goes on", do: func(p *fixture) { p.write(progress.Path, p.read(progress.Path)+"more\n") }},
		{name: "goes on in the same line", do: func(p *fixture) { p.write(progress.Path, strings.TrimSuffix(p.read(progress.Path), "\n")+" not\n") }, want: "log.rewritten"},
		{name: "one word changed", do: func(p *fixture) { p.write(progress.Path, strings.Replace(p.read(progress.Path), "F001", "F002", 1)) }, want: "log.rewritten"},
		{name: "cut", do: func(p *fixture) { p.write(progress.Path, p.read(progress.Path)[:40]) }, want: "log.rewritten"},
		{name: "emptied", do: wrote(progress.Path, ""), want: "log.rewritten"},
		{name: "something put before it", do: func(p *fixture) { p.write(progress.Path, "first\n"+p.read(progress.Path)) }, want: "log.rewritten"},
		{name: "deleted", do: ran("rm", "-q", progress.Path), want: "log.deleted"},
		{name: "moved", do: ran("mv", progress.Path, "old.md"), want: "log.deleted"},
		{name: "made a link", do: func(p *fixture) { symlink(p, "calc.go", progress.Path) }, want: "log.mode"},
		{name: "status goes on", do: wrote(progress.StatusPath("F001"), "one\ntwo\nthree\n")},
		{name: "status rewritten", do: wrote(progress.StatusPath("F001"), "one\n2\n"), want: "log.rewritten"},
		{name: "status deleted", do: ran("rm", "-q", progress.StatusPath("F001")), want: "log.deleted"},
		{name: "new status", do: wrote(progress.StatusPath("F002"), "one\n")},
		{name: "allowed", do: wrote(progress.Path, ""), by: Policy{Allow: map[string]string{GuardLog: "a secret was in it"}}},
	})
}

func TestContractsGuard(t *testing.T) {
	judged(t, []step{
		{name: "of a passing feature", do: wrote(contract.Path("F001"), "{}\n"), want: "contracts.changed"},
		{name: "deleted", do: ran("rm", "-q", contract.Path("F001")), want: "contracts.deleted"},
		{name: "made executable", do: executable(contract.Path("F001")), want: "contracts.mode"},
		{name: "of a feature that does not pass", do: wrote(contract.Path("F002"), "{}\n")},
		{name: "new", do: wrote(contract.Path("F003"), "{}\n")},
		{name: "allowed", do: wrote(contract.Path("F001"), "{}\n"), by: Policy{Allow: map[string]string{GuardContracts: "F003 changes it"}}},
		{name: "retired with its feature", do: func(p *fixture) {
			l, err := features.Parse([]byte(strings.Replace(p.read(features.Path), `["F001"]`, `[]`, 1)))
			if err != nil {
				p.t.Fatal(err)
			}
			data, err := l.Retire("F001")
			if err != nil {
				p.t.Fatal(err)
			}
			p.write(features.Path, string(data))
			p.git("rm", "-q", contract.Path("F001"), evidence.Path("F001"))
		}, by: Policy{Allow: map[string]string{GuardFeatures: "not wanted"}}},
	})
}

func TestTestsGuard(t *testing.T) {
	session := Policy{Session: true, Feature: "F002"}
	judged(t, []step{
		{name: "changed", do: wrote("calc_test.go", "package calc // weaker\n"), want: "tests.changed"},
		{name: "deleted", do: ran("rm", "-q", "calc_test.go"), want: "tests.deleted"},
		{name: "emptied", do: wrote("web/app.test.js", ""), want: "tests.emptied"},
		{name: "renamed away", do: ran("mv", "calc_test.go", "calc_test.go.txt"), want: "tests.moved"},
		{name: "moved out of discovery", do: ran("mv", "calc_test.go", "_x_test.go"), want: "tests.moved"},
		{name: "renamed and changed", do: func(p *fixture) {
			p.git("mv", "calc_test.go", "old.txt")
			p.write("old.txt", "package calc // more\n")
		}, want: "tests.deleted"},
		{name: "fixture", do: wrote("testdata/in.txt", "3 4\n"), want: "tests.changed"},
		{name: "snapshot", do: ran("rm", "-q", "web/__snapshots__/a.snap"), want: "tests.deleted"},
		{name: "made a link", do: func(p *fixture) { symlink(p, "calc.go", "calc_test.go") }, want: "tests.replaced hygiene.link"},
		{name: "made executable", do: executable("calc_test.go"), want: "tests.mode"},
		{name: "made a nested repository", do: nested("calc_test.go"), want: "tests.replaced hygiene.nested"},
		{name: "folder made a nested repository", do: nested("testdata"), want: "hygiene.nested tests.deleted"},
		{name: "folder made a link", do: func(p *fixture) { p.git("rm", "-rq", "testdata"); symlink(p, "web", "testdata") }, want: "tests.deleted"},
		{name: "hidden from diff by attributes", do: func(p *fixture) {
			p.write(".gitattributes", "*_test.go -diff -text\n*.snap binary\n")
			p.write("calc_test.go", "package calc // weaker\n")
		}, want: "infra.added tests.changed"},
		{name: "line ends", do: func(p *fixture) {
			p.write(".gitattributes", "* -text\n")
			p.write("calc_test.go", "package calc\r\n")
		}, want: "tests.changed"},
		{name: "new test", do: wrote("calc_more_test.go", "package calc\n")},
		{name: "new fixture", do: wrote("testdata/new.txt", "1\n")},
		{name: "product beside tests", do: wrote("calc.go", "package calc // y\n")},
		{name: "product with test in its name", do: wrote("latest.go", "package calc\n")},
		{name: "person changes attributes", do: wrote(".gitattributes", "* text\n")},
		{name: "session changes attributes", do: wrote(".gitattributes", "* text\n"), by: session, want: "infra.attributes"},
		{name: "allowed", do: wrote("calc_test.go", "x\n"), by: Policy{Allow: map[string]string{GuardTests: "the API was renamed"}}},
		{name: "another guard allowed", do: wrote("calc_test.go", "x\n"), by: Policy{Allow: map[string]string{GuardLog: "x"}}, want: "tests.changed"},
		{name: "allowed to a person alone", do: wrote("calc_test.go", "x\n"), by: Policy{Session: true, Allow: map[string]string{GuardTests: "x"}}, want: "tests.changed"},
		{name: "only a warning", do: wrote("calc_test.go", "x\n"), by: Policy{WarnOnly: true}, want: "tests.changed"},
		{name: "session nests a repository", do: nested("vendor/x"), by: session, want: "hygiene.nested"},
	})
}

func TestWarningsAreMarkedAndNeverForSessions(t *testing.T) {
	p := newProject(t)
	p.write("calc_test.go", "x\n")
	p.git("add", "-A")
	for _, c := range []struct {
		by   Policy
		warn bool
	}{{Policy{WarnOnly: true}, true}, {Policy{WarnOnly: true, Session: true}, false}, {Policy{}, false}} {
		found, err := Check(t.Context(), p.repo, p.base, p.index(), c.by)
		if err != nil || len(found) != 1 || found[0].Warn != c.warn {
			t.Errorf("%+v: %v, %v", c.by, found, err)
		}
	}
}

func TestPatternsOfTheOldTreeCount(t *testing.T) {
	p := newProject(t)
	p.write(".agent/config", "[agent]\n\tprotect = checks/*.txt\n")
	p.write("checks/a.txt", "a\n")
	p.git("add", "-A")
	p.git("commit", "-qm", "own tests")
	old := p.tree("HEAD")
	p.write(".agent/config", "")
	p.write("checks/a.txt", "b\n")
	p.git("add", "-A")
	found, err := Check(t.Context(), p.repo, old, p.index(), Policy{})
	if err != nil || codes(found) != "infra.settings tests.changed" {
		t.Fatalf("%v, %v", found, err)
	}
}

func TestFirstListNeedsNoPermitButClaimsDo(t *testing.T) {
	p := newProject(t)
	p.git("rm", "-rq", "--cached", ".agent", features.Path, progress.Path)
	without := p.index()
	all := map[string]string{"with evidence": "", "without evidence": "flags.claimed"}
	for name, want := range all {
		p.git("read-tree", string(p.base))
		if want != "" {
			p.git("rm", "-q", "--cached", evidence.Path("F001"))
		}
		found, err := Check(t.Context(), p.repo, without, p.index(), Policy{})
		if err != nil || codes(found) != want {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	found, err := Check(t.Context(), p.repo, without, p.index(), Policy{Allow: map[string]string{GuardFeatures: "init, imported"}})
	if err != nil || len(found) > 0 {
		t.Errorf("imported claims: %v, %v", found, err)
	}
}

func TestNoListNoRules(t *testing.T) {
	p := newProject(t)
	p.git("rm", "-q", "--cached", features.Path)
	old := p.index()
	p.git("rm", "-q", "--cached", "calc_test.go", progress.Path)
	if found, err := Check(t.Context(), p.repo, old, p.index(), Policy{}); err != nil || len(found) > 0 {
		t.Fatalf("%v, %v", found, err)
	}
}

func TestBrokenListCanBeMended(t *testing.T) {
	p := newProject(t)
	good := p.read(features.Path)
	p.write(features.Path, "{")
	p.git("add", "-A")
	broken := p.index()
	p.write(features.Path, good)
	p.git("add", "-A")
	found, err := Check(t.Context(), p.repo, broken, p.index(), Policy{})
	if err != nil || codes(found) != "features.unreadable" {
		t.Fatalf("%v, %v", found, err)
	}
}

func TestSameTreeIsFree(t *testing.T) {
	p := newProject(t)
	if found, err := Check(t.Context(), p.repo, p.base, p.base, Policy{Session: true}); err != nil || found != nil {
		t.Fatalf("%v, %v", found, err)
	}
}

func symlink(p *fixture, to, path string) {
	p.t.Helper()
	p.git("rm", "-rqf", "--ignore-unmatch", path)
	full := filepath.Join(p.dir, path)
	_ = os.RemoveAll(full)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink(to, full); err != nil {
		p.t.Fatal(err)
	}
}

func executable(path string) func(p *fixture) {
	return func(p *fixture) {
		if err := os.Chmod(filepath.Join(p.dir, path), 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
}

// nested puts a gitlink where path is.
func nested(path string) func(p *fixture) {
	return func(p *fixture) {
		p.git("rm", "-rqf", "--ignore-unmatch", path)
		p.git("init", "-q", path)
		p.git("-C", path, "commit", "-q", "--allow-empty", "-m", "x")
	}
}
