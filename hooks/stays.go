package hooks

import (
	"context"
	"errors"

	"gitagent/gitops"
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
