package hooks

import (
	"context"
	"path"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks/hygiene"
	"gitagent/hooks/infra"
	"gitagent/hooks/lex"
	"gitagent/hooks/product"
	"gitagent/hooks/rule"
	"gitagent/hooks/testguard"
	"gitagent/internal/project"
)

// fileGuards judge every path that the commit took from no parent as it was:
// tests, what decides whether they count, product code and hygiene.
func (c *commit) fileGuards(ctx context.Context, patterns []string) ([]Violation, error) {
	f := &files{commit: c, patterns: patterns, added: c.added()}
	f.world = infra.World{Tests: func(kind string) []string { return f.tests(ctx, kind) }, Read: func(path string) []byte { return f.stays(ctx, path) }}
	var err error
	if f.literals, err = c.literals(ctx); err != nil {
		return nil, err
	}
	var found []Violation
	for _, ch := range c.changedFromEvery() {
		vs, err := f.path(ctx, ch)
		if err != nil {
			return nil, err
		}
		found = append(found, vs...)
	}
	if len(f.diffs) > 1 {
		vs, err := f.dropped(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, vs...)
	}
	if f.err != nil {
		return nil, f.err
	}
	return found, nil
}

// files is one commit's files under judgement.
type files struct {
	*commit
	patterns []string
	added    map[gitops.OID]string
	literals []string
	world    infra.World
	listed   []string // the tests of the parents
	known    bool
	err      error // of what a rule asked for
	folds    map[string]map[string][]string
}

// path judges one path against every parent: what is wrong against all of them
// is wrong.
func (f *files) path(ctx context.Context, ch gitops.Change) ([]Violation, error) {
	if harness(ch.Path) || lookalike(ch.Path) != "" {
		return nil, nil
	}
	isTest := project.IsTestPath(ch.Path, f.patterns)
	most := int64(maxText)
	if isTest || infra.Guarded(ch.Path) {
		most = maxGuarded
	}
	var left []rule.Finding
	var parents []rule.Change
	for _, d := range f.diffs {
		one := d[ch.Path]
		if one.OldMode == "" && ch.OldMode != "" {
			continue // what one parent brings is nothing new
		}
		old, _, err := f.blobs.file(ctx, one.OldMode, one.OldOID, most)
		if err != nil {
			return nil, err
		}
		new, size, err := f.blobs.file(ctx, one.NewMode, one.NewOID, most)
		if err != nil {
			return nil, err
		}
		change := rule.Change{Path: ch.Path, Old: old, New: new}
		parents = append(parents, change)
		found := f.judgeOne(ctx, one, change, isTest, size)
		if len(parents) == 1 {
			left = found
		} else {
			left = both(left, found)
		}
	}
	if isTest && len(parents) > 1 {
		left = mergedTest(parents, left)
	}
	collision, err := f.collision(ctx, ch)
	if err != nil {
		return nil, err
	}
	return violations(ch.Path, append(left, collision...)), nil
}

// both keeps what was found against each of two parents.
func both(a, b []rule.Finding) []rule.Finding {
	type key struct{ code, key string }
	in := map[key]bool{}
	for _, x := range b {
		in[key{x.Code, x.Key}] = true
	}
	var out []rule.Finding
	for _, x := range a {
		if in[key{x.Code, x.Key}] {
			out = append(out, x)
		}
	}
	return out
}

// mergedTest leaves a test alone that a merge put together from its parents.
func mergedTest(parents []rule.Change, found []rule.Finding) []rule.Finding {
	var olds [][]byte
	for _, p := range parents {
		if !p.Old.Regular() || !p.New.Regular() {
			return found
		}
		olds = append(olds, p.Old.Data)
	}
	if ok, _ := testguard.Merged(olds, parents[0].New.Data); ok {
		return nil
	}
	return found
}

// judgeOne judges one path against one parent.
func (f *files) judgeOne(ctx context.Context, ch gitops.Change, c rule.Change, isTest bool, size int64) []rule.Finding {
	var out []rule.Finding
	to, moved := f.added[ch.OldOID]
	moved = moved && ch.Status == 'D'
	guarded := infra.Guarded(ch.Path)
	switch {
	case isTest && moved && f.staysFound(ctx, ch.Path, to):
	case isTest && moved:
		out = append(out, rule.Finding{Code: "tests.moved", What: "is moved to " + to})
	case isTest && !guarded:
		out = append(out, testguard.File(c)...)
	case !isTest && !moved:
		out = append(out, testguard.Product(c, testguard.Around{
			Elsewhere: func(l *lex.Lang, name string, text []byte) bool { return f.elsewhere(ctx, l, ch.Path, name, text) },
			Stays:     f.world.Read,
		})...)
	}
	if ch.Status == 'A' && isTest {
		out = append(out, f.standsIn(ctx, ch.Path)...)
	}
	if !isTest {
		out = append(out, testguard.Standing(c)...)
	}
	if infra.Loads(ch.Path) {
		out = append(out, testguard.Loaded(c)...)
	}
	if infra.Watched(ch.Path) {
		out = append(out, infra.Judge(c, f.world)...)
	}
	out = append(out, f.settings(ch, c)...)
	if f.session && attributes(ch.Path) && ch.Status != 'A' && len(out) == 0 {
		out = append(out, rule.Finding{Code: "infra.attributes", What: "is changed by a session"})
	}
	if what := f.vendored(ctx, ch); what != "" {
		out = append(out, rule.Finding{Code: "infra.vendored", What: what})
	}
	if f.gather && c.New.Regular() && len(c.New.Data) <= maxText && !rule.Binary(c.New.Data) {
		for _, line := range rule.Added(c.Old.Data, c.New.Data) {
			if len(f.text)+len(line.Text) < maxLeaks {
				f.text = append(append(f.text, line.Text...), '\n')
			}
		}
	}
	if !isTest {
		out = append(out, product.Judge(c, f.literals)...)
	}
	return append(out, hygiene.Judge(c, size, isTest)...)
}

// elsewhere says whether a test inside a product file went, as it was, to
// another file of this commit.
func (f *files) elsewhere(ctx context.Context, l *lex.Lang, from, name string, text []byte) bool {
	for p, ch := range f.diffs[0] {
		if p == from || ch.NewMode == "" || ch.NewMode == modeGitlink || ch.NewMode == modeLink {
			continue
		}
		if other := lex.Of(p); other == nil || other.Name != l.Name {
			continue
		}
		b, err := f.blobs.read(ctx, ch.NewOID, maxText)
		if err != nil {
			f.err = err
			return false
		}
		if testguard.Has(l, b.data, name, text) {
			return true
		}
	}
	return false
}

// tests lists the test files that the parents have.
func (f *files) tests(ctx context.Context, kind string) []string {
	if !f.known {
		f.known = true
		for _, p := range f.parents {
			err := p.find(ctx)
			var entries []gitops.Entry
			if err == nil {
				entries, err = f.repo.ListTree(ctx, p.id)
			}
			if err != nil {
				f.err = err
				return nil
			}
			for _, e := range entries {
				if testguard.Discovered(e.Path) || strings.HasSuffix(e.Path, ".rs") && project.IsTestPath(e.Path, f.patterns) {
					f.listed = append(f.listed, e.Path)
				}
			}
		}
	}
	if kind == "" {
		return f.listed
	}
	var out []string
	for _, p := range f.listed {
		if testguard.Kind(p) == kind {
			out = append(out, p)
		}
	}
	return out
}

// collision finds names that differ from that of a new file, or of a folder it
// stands in, by case or by form alone.
func (f *files) collision(ctx context.Context, ch gitops.Change) ([]rule.Finding, error) {
	if ch.Status != 'A' {
		return nil, nil
	}
	dir := ""
	for part := range strings.SplitSeq(ch.Path, "/") {
		names, err := f.folded(ctx, dir)
		if err != nil {
			return nil, err
		}
		full := path.Join(dir, part)
		others := names[fold(part)]
		for _, other := range others {
			if slices.Contains(others, part) || f.removed(path.Join(dir, other)) {
				continue
			}
			return []rule.Finding{{Code: "hygiene.collision", What: "and " + path.Join(dir, other) + " are the same name on some systems"}}, nil
		}
		if !slices.Contains(others, part) {
			names[fold(part)] = append(others, part)
		}
		dir = full
	}
	return nil, nil
}

// folded are the names of one folder of the first parent, as some systems see
// them.
func (f *files) folded(ctx context.Context, dir string) (map[string][]string, error) {
	if f.folds == nil {
		f.folds = map[string]map[string][]string{}
	}
	if names, ok := f.folds[dir]; ok {
		return names, nil
	}
	names := map[string][]string{}
	entries, err := f.blobs.folder(ctx, f.parents[0], dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		names[fold(e.Path)] = append(names[fold(e.Path)], e.Path)
	}
	f.folds[dir] = names
	return names, nil
}

// removed says whether the commit takes a path away, or all that is below it.
func (c *commit) removed(name string) bool {
	if ch, ok := c.diffs[0][name]; ok {
		return ch.Status == 'D'
	}
	for p, ch := range c.diffs[0] {
		if strings.HasPrefix(p, name+"/") && ch.Status == 'D' {
			return true // of a folder: renaming one touches all its files
		}
	}
	return false
}

func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 {
			return hygiene.Fold(name)
		}
	}
	return strings.ToLower(name)
}

// added maps the content of new files to where they are.
func (c *commit) added() map[gitops.OID]string {
	out := map[gitops.OID]string{}
	for p, ch := range c.diffs[0] {
		if ch.Status == 'A' && (out[ch.NewOID] == "" || p < out[ch.NewOID]) {
			out[ch.NewOID] = p
		}
	}
	return out
}

// attributes says whether git takes rules from this file.
func attributes(p string) bool {
	base := strings.ToLower(path.Base(p))
	return base == ".gitattributes" || base == ".gitmodules"
}

// whyOf is why a rule over files matters, by guard; a code may have its own.
var whyOf = map[string]string{
	GuardTests:       "an existing test, fixture or snapshot says what worked before; new ones may be added",
	GuardInfra:       "what decides whether tests run and count must not change with the work that is judged",
	GuardProduct:     "a product that knows it is being tested proves nothing about how it behaves otherwise",
	GuardHygiene:     "what is in the history stays there, and everybody who clones it gets it",
	codeSettings:     "the harness installs, starts and tests the project by these settings; what is weaker here proves less everywhere",
	"hygiene.secret": "whoever can read the repository can use the secret, also after it is deleted; withdraw it where it was issued",
	"hygiene.unseen": "such characters make a line read otherwise than it runs",
	"product.equal":  "two things that are always equal make every comparison pass",
	"product.exit":   "a process that ends itself ends the tests too, and looks as if they passed",
}

// violations puts findings of one path into words.
func violations(path string, found []rule.Finding) []Violation {
	var out []Violation
	for _, x := range found {
		guard, _, _ := strings.Cut(x.Code, ".")
		why := whyOf[x.Code]
		if why == "" {
			why = whyOf[guard]
		}
		subject := path
		if x.Code != "tests.focused" && x.Code != "tests.ended" && guard == GuardTests && !strings.HasPrefix(x.What, "no longer") && !strings.HasPrefix(x.What, "has ") {
			subject = "existing test " + path
		}
		out = append(out, Violation{Guard: guard, Code: x.Code, Path: path, Line: x.Line, What: subject + " " + x.What, Why: why, Override: override(guard)})
	}
	return out
}
