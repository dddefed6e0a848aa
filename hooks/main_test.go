package hooks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/testenv"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// TestMain lets this test binary stand in for git-agent: a hook that calls
// `git-agent hook NAME …` reaches Run.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "git-agent" && len(os.Args) > 2 && os.Args[1] == "hook" {
		os.Exit(Run(context.Background(), ".", os.Args[2], os.Args[3:], os.Stdin, os.Stderr))
	}
	if filepath.Base(os.Args[0]) == "git-agent" && len(os.Args) == 6 && os.Args[1] == "merge-driver" {
		if merged, err := Merge(context.Background(), os.Args[2], os.Args[3], os.Args[4], os.Args[5]); err != nil || !merged {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// agentOnPath puts a git-agent that is this test binary on the PATH and returns
// where it is.
func agentOnPath(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "git-agent")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return bin
}

// fixture is a repository with a list of three features, of which F001 passes
// with contract and evidence, a log, tests and product files.
type fixture struct {
	t    testing.TB
	dir  string
	repo *gitops.Repo
	base gitops.OID // the tree
}

const goal = "A calculator that can be trusted"

func threeFeatures() []features.Feature {
	return []features.Feature{
		{ID: "F001", Category: "functional", Description: "adds", Steps: []string{"Run 2+3", "It shows 5"}, Priority: 1},
		{ID: "F002", Category: "functional", Description: "subtracts", Steps: []string{"Run 9-4", "It shows 5"}, Priority: 2},
		{ID: "F003", Category: "style", Description: "is quiet", Steps: []string{"Run it", "It shows nothing"}, DependsOn: []string{"F001"}, Priority: 3},
	}
}

func newProject(t testing.TB) *fixture {
	t.Helper()
	testenv.Clean(t)
	p := &fixture{t: t, dir: testenv.Repo(t)}
	var err error
	if p.repo, err = gitops.OpenLenient(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.repo.Close() })
	list, err := features.New("calc", goal, threeFeatures())
	if err != nil {
		t.Fatal(err)
	}
	p.write("calc.go", "package calc\n\nfunc Add(a, b int) int { return a + b }\n")
	p.write("calc_test.go", "package calc\n")
	p.write("web/app.test.js", "test('a', () => {})\n")
	p.write("testdata/in.txt", "1 2\n")
	p.write("web/__snapshots__/a.snap", "exports\n")
	p.write(".gitattributes", "* text=auto\n")
	p.write(features.Path, string(list.Bytes()))
	p.write(progress.Path, string(progress.New("calc", goal, time.Unix(1e9, 0))))
	p.write(progress.StatusPath("F001"), "one\ntwo\n")
	p.write(contract.Path("F001"), string(contractOf("F001").Bytes()))
	p.write(contract.Path("F002"), string(contractOf("F002").Bytes()))
	p.git("add", "-A")
	p.git("commit", "-qm", "start")
	p.flip("F001")
	p.git("commit", "-qm", "prove F001")
	p.base = p.tree("HEAD")
	return p
}

func (p *fixture) write(path, content string) { p.t.Helper(); testenv.Write(p.t, p.dir, path, content) }

func (p *fixture) git(args ...string) string { p.t.Helper(); return testenv.Git(p.t, p.dir, args...) }

// try runs git and returns whether it succeeded, and what it said.
func (p *fixture) try(args ...string) (bool, string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

func (p *fixture) tree(rev string) gitops.OID {
	p.t.Helper()
	id, err := p.repo.TreeOf(p.t.Context(), rev)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// index is the tree of the index.
func (p *fixture) index() gitops.OID {
	p.t.Helper()
	return gitops.OID(p.git("write-tree"))
}

func (p *fixture) read(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, path))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// flip sets a flag in the work tree, adds the evidence that proves it for the
// files as they are, appends to the log, and stages everything.
func (p *fixture) flip(id string) {
	p.t.Helper()
	p.git("add", "-A")
	p.write(features.Path, flipped(p.t, p.read(features.Path), id))
	p.write(evidence.Path(id), string(evidenceFor(id, p.product(p.index())).Bytes()))
	p.write(progress.Path, p.read(progress.Path)+"\n"+id+" passes\n")
	p.git("add", "-A")
}

func (p *fixture) product(tree gitops.OID) gitops.OID {
	p.t.Helper()
	product, err := workspace.ProductTree(p.t.Context(), p.repo, tree)
	if err != nil {
		p.t.Fatal(err)
	}
	return product
}

func flipped(t testing.TB, list, id string) string {
	t.Helper()
	l, err := features.Parse([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	data, err := l.Flip(id)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func contractOf(id string) *contract.Contract {
	return &contract.Contract{Version: 1, Feature: id, Revision: 1, Checks: []contract.Check{
		{ID: "c1", Kind: contract.KindCommand, Covers: []int{1, 2}, Command: &contract.Command{Run: "./calc 2+3", StdoutHas: []string{"5"}}},
	}}
}

func evidenceFor(id string, product gitops.OID) *evidence.Record {
	return &evidence.Record{Version: 1, Feature: id, Session: "s1", Tree: string(product), Contract: contractOf(id).Digest(),
		Time: time.Unix(1e9, 0), Verdict: evidence.Pass,
		Checks: []evidence.Check{{ID: "c1", Kind: "command", How: evidence.HowCommand, Covers: []int{1, 2}, Verdict: evidence.Pass}},
		Bite:   []evidence.Check{{ID: "c1", Kind: "command", How: evidence.HowCommand, Covers: []int{1, 2}, Verdict: evidence.Fail, Reason: "exit 127"}}}
}

// codes are the codes of violations, each once, in order.
func codes(vs []Violation) string {
	var out []string
	for _, v := range vs {
		if len(out) == 0 || out[len(out)-1] != v.Code {
			out = append(out, v.Code)
		}
	}
	return strings.Join(out, " ")
}
