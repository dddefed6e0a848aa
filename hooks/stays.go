package hooks

import (
	"context"
	"errors"

	"gitagent/gitops"
)

// stays is a file that the first parent has and the commit does not take away,
// as it is after it; nil for none, and for what is too large to be read.
func (f *files) stays(ctx context.Context, path string) []byte {
	mode, id := "", gitops.OID("")
	if ch, ok := f.diffs[0][path]; ok {
		if ch.OldMode == "" {
			return nil
		}
		mode, id = ch.NewMode, ch.NewOID
	} else {
		for _, p := range f.parents {
			if err := p.find(ctx); err != nil {
				f.err = err
				return nil
			}
			if p.id == "" {
				continue
			}
			e, err := f.repo.EntryAt(ctx, p.id, path)
			if err != nil && !errors.Is(err, gitops.ErrNotFound) {
				f.err = err
				return nil
			}
			if err == nil {
				mode, id = e.Mode, e.OID
				break
			}
		}
	}
	if mode != modeFile && mode != modeExec {
		return nil
	}
	b, err := f.blobs.read(ctx, id, maxText)
	if err != nil {
		f.err = err
	}
	return b.data
}
