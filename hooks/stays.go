package hooks

import (
	"context"
	"errors"
	"path"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks/infra"
	"gitagent/hooks/rule"
	"gitagent/hooks/testguard"
	"gitagent/internal/project"
)

// stays is a file that the parents have and the commit does not take away, as it
// is after it; nil for none, and for what is too large to be read.
func (f *files) stays(ctx context.Context, path string) []byte {
	if ch, ok := f.diffs[0][path]; ok {
		if ch.OldMode == "" {
			return nil
		}
		return f.content(ctx, ch.NewMode, ch.NewOID)
	}
	return f.before(ctx, path)
}

// before is a file as the first of the parents has it that has it.
func (f *files) before(ctx context.Context, path string) []byte {
	for _, p := range f.parents {
		err := p.find(ctx)
		if err == nil && p.id != "" {
			var e gitops.Entry
			if e, err = f.repo.EntryAt(ctx, p.id, path); err == nil {
				return f.content(ctx, e.Mode, e.OID)
			}
		}
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			f.err = err
			return nil
		}
	}
	return nil
}

// content reads an ordinary file.
func (f *files) content(ctx context.Context, mode string, id gitops.OID) []byte {
	if mode != modeFile && mode != modeExec {
		return nil
	}
	b, err := f.blobs.read(ctx, id, maxText)
	if err != nil {
		f.err = err
	}
	return b.data
}

// staysFound says whether a test that moves with its content unchanged is found
// where it goes, or what tests read is where they are.
func (f *files) staysFound(ctx context.Context, from, to string) bool {
	if testguard.StaysFound(from, to) && testguard.SameTop(from, to) {
		return true
	}
	found := testguard.StaysFound(from, to) || !testguard.Discovered(from) && !infra.Guarded(from) && testguard.Kind(from) == ""
	return found && f.wholly(ctx, from, to)
}

// wholly says whether a file moves with all of its folder: one that is renamed
// takes its tests, and what they read, with it.
func (f *files) wholly(ctx context.Context, from, to string) bool {
	dir, below := folderRenamed(from, to)
	p := f.parents[0]
	if err := p.find(ctx); err != nil || dir == "" || !testguard.Discovered(from) && !project.IsTestPath(path.Dir(below)+"/x", f.patterns) || p.id == "" {
		return false
	}
	entries, err := f.blobs.folder(ctx, p, dir)
	for len(entries) > 0 && err == nil {
		e := entries[0]
		entries = entries[1:]
		name := dir + "/" + e.Path
		if e.Mode != "040000" {
			if f.diffs[0][name].Status != 'D' {
				return false
			}
			continue
		}
		below, belowErr := f.blobs.level(ctx, e.OID)
		err = belowErr
		for _, b := range below {
			b.Path = e.Path + "/" + b.Path
			entries = append(entries, b)
		}
	}
	if err != nil {
		f.err = err
	}
	return err == nil
}

// folderRenamed splits a path that moved into the folder that has another name
// now and what is below it.
func folderRenamed(from, to string) (dir, below string) {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return strings.Join(a[:len(a)-n], "/"), strings.Join(a[len(a)-n:], "/")
}

// standsIn finds a module of Python among the tests that they would import in
// place of the product's: pytest puts the folder of a test before all others.
func (f *files) standsIn(ctx context.Context, file string) []rule.Finding {
	if testguard.Kind(file) != "py" || testguard.Discovered(file) {
		return nil
	}
	below, ok := testguard.Below(file)
	if name := path.Base(file); !ok || name == "__init__.py" || name == "conftest.py" {
		return nil
	}
	for _, product := range []string{below, "src/" + below} {
		if product != file && f.stays(ctx, product) != nil {
			return []rule.Finding{{Code: "infra.added", What: "would be imported by tests in place of " + product}}
		}
	}
	return nil
}
