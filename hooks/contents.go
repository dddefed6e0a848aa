package hooks

import (
	"context"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks/rule"
)

const (
	// maxText is the largest file whose text is judged.
	maxText = 1 << 20
	// maxGuarded is the largest test or configuration that is compared by
	// content; a larger one is compared by its id alone.
	maxGuarded = 16 << 20
	// keptBytes bounds what is remembered of contents that were read.
	keptBytes = 16 << 20
)

// contents reads blobs, and remembers some: what is new in one commit is old in
// the next.
type contents struct {
	repo *gitops.Repo
	kept map[gitops.OID]blob
	size int
	dirs map[gitops.OID][]gitops.Entry
}

// blob is a content; data is nil where it is too large to be read.
type blob struct {
	data []byte
	size int64
}

func newContents(repo *gitops.Repo) *contents {
	return &contents{repo: repo, kept: map[gitops.OID]blob{}, dirs: map[gitops.OID][]gitops.Entry{}}
}

func (c *contents) read(ctx context.Context, id gitops.OID, most int64) (blob, error) {
	if b, ok := c.kept[id]; ok && (b.data != nil || b.size > most) {
		return b, nil
	}
	data, size, err := c.repo.ReadBlobUpTo(ctx, id, most)
	if err != nil {
		return blob{}, err
	}
	b := blob{data: data, size: size}
	if len(data) > maxText {
		return b, nil // rare, and not worth keeping
	}
	if c.size+len(data) > keptBytes {
		clear(c.kept)
		c.size = 0
	}
	c.kept[id] = b
	c.size += len(data) + 200
	return b, nil
}

// keptDirs bounds how many folders are remembered.
const keptDirs = 512

// level lists one folder by its tree.
func (c *contents) level(ctx context.Context, id gitops.OID) ([]gitops.Entry, error) {
	if entries, ok := c.dirs[id]; ok {
		return entries, nil
	}
	entries, err := c.repo.Level(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(c.dirs) >= keptDirs {
		clear(c.dirs)
	}
	c.dirs[id] = entries
	return entries, nil
}

// folder lists one folder of a snapshot, nothing where there is none.
func (c *contents) folder(ctx context.Context, t *tree, dir string) ([]gitops.Entry, error) {
	if err := t.find(ctx); err != nil || t.id == "" {
		return nil, err
	}
	entries, err := c.level(ctx, t.id)
	if dir == "" {
		return entries, err
	}
	for part := range strings.SplitSeq(dir, "/") {
		i := slices.IndexFunc(entries, func(e gitops.Entry) bool { return e.Path == part && e.Mode == "040000" })
		if err != nil || i < 0 {
			return nil, err
		}
		entries, err = c.level(ctx, entries[i].OID)
	}
	return entries, err
}

// file is one side of a change as the rules see it. A content that is too large
// stands there as its id: it differs from every other.
func (c *contents) file(ctx context.Context, mode string, id gitops.OID, most int64) (rule.File, int64, error) {
	f := rule.File{Mode: mode}
	if mode == "" || mode == modeGitlink {
		if mode == modeGitlink {
			f.Data = []byte(id)
		}
		return f, 0, nil
	}
	b, err := c.read(ctx, id, most)
	if err != nil {
		return f, 0, err
	}
	f.Data = b.data
	if b.size > most {
		f.Data = []byte("\x00" + string(id))
	}
	return f, b.size, nil
}
