package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// corpusCase is one commit on top of the corpus's project. Its lines are a
// language of their own, read by play: rm, mv, put, append, sub, link, mode,
// gitlink, crlf, big, flood, flip; @person keeps it from being judged as a
// session's too; what stands before @then is there already.
type corpusCase struct {
	file, name string
	want       []string // codes; none for a twin
	person     bool
	before     []string // what its project has more than the corpus's
	lines      []string
}

func corpusCases(t testing.TB, pattern string) []corpusCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "corpus", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var out []corpusCase
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		first := len(out)
		for _, line := range strings.Split(string(data), "\n") {
			if head, ok := strings.CutPrefix(line, "== "); ok {
				name, want, _ := strings.Cut(head, " -> ")
				out = append(out, corpusCase{file: filepath.Base(f), name: name, want: strings.Fields(want)})
				continue
			}
			if len(out) == first || line == "" { // what the file says of itself
				continue
			}
			c := &out[len(out)-1]
			switch line {
			case "@person":
				c.person = true
			case "@then":
				c.before, c.lines = c.lines, nil
			default:
				c.lines = append(c.lines, line)
			}
		}
	}
	return out
}

// corpus is the repository in which cases are played.
type corpus struct {
	*fixture
	head gitops.OID // the commit that every case begins from
}

func newCorpus(t testing.TB) *corpus {
	t.Helper()
	c := &corpus{fixture: newProject(t)}
	for _, f := range []string{"web/app.test.js", "testdata/in.txt", "web/__snapshots__/a.snap"} {
		c.git("rm", "-q", f)
	}
	base, err := txtar.ParseFile(filepath.Join("testdata", "corpus", "base.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range base.Files {
		c.write(f.Name, string(f.Data))
	}
	c.git("add", "-A", "-f")
	c.write(evidence.Path("F001"), string(evidenceFor("F001", c.product(c.index())).Bytes()))
	c.git("add", "-A", "-f")
	c.git("commit", "-qm", "one project in every language\n\nAllow-Tests: it begins here\nAllow-Infra: it begins here")
	c.base = c.tree("HEAD")
	c.head = gitops.OID(c.git("rev-parse", "HEAD"))
	return c
}

// play makes the trees of a case: of the commit it begins from, and its own.
func (c *corpus) play(k corpusCase) (from, to gitops.OID, err error) {
	p := &player{c: c, tree: c.base}
	if len(k.before) > 0 {
		if err := p.all(append(k.before[:len(k.before):len(k.before)], "prove F001")); err != nil {
			return "", "", err
		}
	}
	from = p.tree
	err = p.all(k.lines)
	return from, p.tree, err
}

func (p *player) all(lines []string) error {
	for i := 0; i < len(lines); i++ {
		verb, rest, _ := strings.Cut(lines[i], " ")
		var body []byte
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|") {
			i++
			body = append(body, lines[i][1:]...)
			body = append(body, '\n')
		}
		if err := p.do(verb, rest, body); err != nil {
			return fmt.Errorf("%s %s: %w", verb, rest, err)
		}
	}
	return nil
}

type player struct {
	c    *corpus
	tree gitops.OID
}

func (p *player) edit(edits ...gitops.Edit) (err error) {
	p.tree, err = p.c.repo.EditTree(p.c.t.Context(), p.tree, edits)
	return err
}

func (p *player) read(path string) ([]byte, error) {
	return p.c.repo.ReadFile(p.c.t.Context(), p.tree, path)
}

var unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\|`, "|")

func (p *player) do(verb, rest string, body []byte) error {
	ctx := p.c.t.Context()
	path, arg, _ := strings.Cut(rest, " ")
	switch verb {
	case "rm":
		return p.edit(gitops.Edit{Path: rest, Delete: true})
	case "mv":
		e, err := p.c.repo.EntryAt(ctx, p.tree, path)
		if err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: path, Delete: true}, gitops.Edit{Path: arg, Mode: e.Mode, Blob: e.OID})
	case "put":
		return p.edit(gitops.Edit{Path: rest, Mode: modeFile, Data: append([]byte{}, body...)})
	case "append":
		old, err := p.read(rest)
		if err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: rest, Mode: modeFile, Data: append(old, body...)})
	case "sub":
		return p.sub(rest)
	case "link":
		return p.edit(gitops.Edit{Path: path, Mode: modeLink, Data: []byte(arg)})
	case "mode":
		e, err := p.c.repo.EntryAt(ctx, p.tree, path)
		if err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: path, Mode: arg, Blob: e.OID})
	case "gitlink":
		return p.gitlink(rest)
	case "crlf":
		old, err := p.read(rest)
		if err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: rest, Mode: modeFile, Data: bytes.ReplaceAll(old, []byte("\n"), []byte("\r\n"))})
	case "big":
		var n int
		if _, err := fmt.Sscan(arg, &n); err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: path, Mode: modeFile, Data: bytes.Repeat([]byte{0, 1}, n/2)})
	case "flood":
		old, err := p.read(rest)
		if err != nil {
			return err
		}
		return p.edit(gitops.Edit{Path: rest, Mode: modeFile, Data: append(old, bytes.Repeat([]byte("again and again\n"), 20_000)...)})
	case "flip":
		return p.flip(path, arg)
	case "prove":
		return p.prove(rest)
	}
	return fmt.Errorf("no such verb")
}

// gitlink puts a nested repository into the tree, through an index of its own.
func (p *player) gitlink(path string) error {
	index := "GIT_INDEX_FILE=" + filepath.Join(p.c.t.TempDir(), "index")
	for _, args := range [][]string{{"read-tree", string(p.tree)}, {"update-index", "--add", "--cacheinfo", "160000," + string(p.c.head) + "," + path}, {"write-tree"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = p.c.dir, append(os.Environ(), index)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		p.tree = gitops.OID(strings.TrimSpace(string(out)))
	}
	return nil
}

// sub replaces one text by another, both with \n, \r and \| for what a line cannot
// hold.
func (p *player) sub(rest string) error {
	var parts []string
	for {
		i := 0
		for i < len(rest) && (rest[i] != '|' || i > 0 && rest[i-1] == '\\') {
			i++
		}
		parts = append(parts, rest[:i])
		if i >= len(rest) {
			break
		}
		rest = rest[i+1:]
		if len(parts) == 2 {
			parts = append(parts, rest)
			break
		}
	}
	if len(parts) != 3 {
		return fmt.Errorf("sub needs PATH|OLD|NEW")
	}
	data, err := p.read(parts[0])
	if err != nil {
		return err
	}
	old := unescape.Replace(parts[1])
	if !strings.Contains(string(data), old) {
		return fmt.Errorf("there is no %q in %s", old, parts[0])
	}
	new := strings.Replace(string(data), old, unescape.Replace(parts[2]), 1)
	return p.edit(gitops.Edit{Path: parts[0], Mode: modeFile, Data: []byte(new)})
}

// prove makes the evidence of a feature that passes anew, for the files as they
// are.
func (p *player) prove(id string) error {
	product, err := workspace.ProductTree(p.c.t.Context(), p.c.repo, p.tree)
	if err != nil {
		return err
	}
	return p.edit(gitops.Edit{Path: evidence.Path(id), Mode: modeFile, Data: evidenceFor(id, product).Bytes()})
}

// flip passes a feature with its evidence; input is what its contract gives to
// the product.
func (p *player) flip(id, input string) error {
	ctx := p.c.t.Context()
	agreed := contractOf(id)
	if input != "" {
		agreed.Checks[0].Command.Run = "calc '" + input + "'"
	}
	list, err := p.read(features.Path)
	if err != nil {
		return err
	}
	product, err := workspace.ProductTree(ctx, p.c.repo, p.tree)
	if err != nil {
		return err
	}
	record := evidenceFor(id, product)
	record.Contract = agreed.Digest()
	log, err := p.read(progress.Path)
	if err != nil {
		return err
	}
	return p.edit(
		gitops.Edit{Path: features.Path, Mode: modeFile, Data: []byte(flipped(p.c.t, string(list), id))},
		gitops.Edit{Path: contract.Path(id), Mode: modeFile, Data: agreed.Bytes()},
		gitops.Edit{Path: evidence.Path(id), Mode: modeFile, Data: record.Bytes()},
		gitops.Edit{Path: progress.Path, Mode: modeFile, Data: append(log, ("\n" + id + " passes\n")...)})
}

// commit makes the commit of a case.
func (c *corpus) commit(from, tree gitops.OID, name string) (gitops.OID, error) {
	parent := c.head
	if from != c.base {
		var err error
		message := "before " + name + "\n\nAllow-Tests: it begins here\nAllow-Infra: it begins here\nAllow-Flags: it begins here\n"
		if parent, err = c.repo.CommitTree(c.t.Context(), gitops.CommitSpec{Tree: from, Parents: []gitops.OID{c.head}, Message: message, Internal: true}); err != nil {
			return "", err
		}
	}
	return c.repo.CommitTree(c.t.Context(), gitops.CommitSpec{Tree: tree, Parents: []gitops.OID{parent}, Message: name + "\n", Internal: true})
}

// missing are the wanted codes that were not found.
func missing(want []string, vs []Violation) []string {
	var out []string
	for _, w := range want {
		if !slices.ContainsFunc(vs, func(v Violation) bool { return v.Code == w }) {
			out = append(out, w)
		}
	}
	return out
}

// TestCorpus plays every attack and every innocent twin, as a person's commit
// and as a session's.
func TestCorpus(t *testing.T) {
	c := newCorpus(t)
	ctx := context.WithoutCancel(t.Context())
	attacks, twins := corpusCases(t, "attacks-*.txt"), corpusCases(t, "twins-*.txt")
	if len(attacks) < 150 || len(twins) < 150 {
		t.Errorf("only %d attacks and %d twins", len(attacks), len(twins))
	}
	seen := map[string]bool{}
	for _, k := range append(attacks, twins...) {
		if seen[k.name] {
			t.Errorf("%s: there are two", k.name)
		}
		seen[k.name] = true
		from, tree, err := c.play(k)
		if err != nil {
			t.Errorf("%s: %s: %v", k.file, k.name, err)
			continue
		}
		for _, by := range []Policy{{}, {Session: true, Feature: "F002"}} {
			if by.Session && k.person {
				continue
			}
			found, err := Check(ctx, c.repo, from, tree, by)
			if err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
			if lost := missing(k.want, found); len(lost) > 0 && (!by.Session || len(found) == 0) {
				t.Errorf("%s: %s: not found: %v; found %v", k.file, k.name, lost, found)
				break
			}
			if len(k.want) == 0 && len(found) > 0 {
				t.Errorf("%s: %s: an innocent twin is told (session %v): %v", k.file, k.name, by.Session, found)
				break
			}
		}
	}
}
