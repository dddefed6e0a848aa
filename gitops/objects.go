package gitops

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"gitagent/internal/hint"
)

// maxObject is the largest object that is read into memory.
const maxObject = 512 << 20

// Modes of tree entries.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeSymlink    = "120000"
	ModeGitlink    = "160000"
	modeDir        = "040000"
)

// Entry is a file, symlink or gitlink in a tree; Path is from the tree's root
// with slashes, in git's bytes.
type Entry struct {
	Mode string
	OID  OID
	Path string
}

// objectReader gives objects as git stores them. Both backends only do this;
// what objects mean is parsed once, here.
type objectReader interface {
	// read returns kind (commit, tree, blob, tag), content and size, or
	// ErrNotFound. Of an object of more than most bytes it returns no content.
	read(id OID, most int64) (kind string, data []byte, size int64, err error)
	close() error
}

// object reads one object of the wanted kind: through go-git where it can,
// else, and where go-git does not find it (alternates, a pack written
// meanwhile), through git itself.
func (r *Repo) object(ctx context.Context, id OID, kind string) ([]byte, error) {
	data, size, err := r.objectUpTo(ctx, id, kind, maxObject)
	if err == nil && size > maxObject {
		err = fmt.Errorf("read %s %s: object of %d bytes is too large", kind, id.Short(), size)
	}
	return data, err
}

// objectUpTo is object with a limit, beyond which there is a size and no
// content.
func (r *Repo) objectUpTo(ctx context.Context, id OID, kind string, most int64) ([]byte, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if !r.isOID(string(id)) {
		return nil, 0, fmt.Errorf("%q is not an object id: %w", string(id), ErrNotFound)
	}
	if empty, _ := r.EmptyTree(ctx); id == empty && kind == "tree" {
		return nil, 0, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	got, data, size, err := r.readEither(id, most)
	if err != nil {
		return nil, 0, fmt.Errorf("read %s %s: %w", kind, id.Short(), err)
	}
	if got != kind {
		return nil, 0, fmt.Errorf("read %s %s: it is a %s", kind, id.Short(), got)
	}
	return data, size, nil
}

func (r *Repo) readEither(id OID, most int64) (kind string, data []byte, size int64, err error) {
	if r.fast == nil && !r.noFast {
		r.fast = r.openGoGit()
		r.noFast = r.fast == nil
	}
	if r.fast != nil {
		kind, data, size, err = r.fast.read(id, most)
		if !errors.Is(err, ErrNotFound) {
			return kind, data, size, err
		}
	}
	if r.batch == nil {
		b, err := r.startCatFile()
		if err != nil {
			return "", nil, 0, err
		}
		r.batch = b
	}
	kind, data, size, err = r.batch.read(id, most)
	if err != nil && !errors.Is(err, ErrNotFound) {
		r.batch.close() // out of step: the next read starts a fresh one
		r.batch = nil
	}
	return kind, data, size, err
}

// level returns the entries of one tree, names as paths.
func (r *Repo) level(ctx context.Context, tree OID) ([]Entry, error) {
	if tree == "" {
		return nil, nil
	}
	data, err := r.object(ctx, tree, "tree")
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data, len(r.zero())/2)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", tree.Short(), err)
	}
	return entries, nil
}

// Level lists one folder, not what is below: names as paths, "" holds none.
func (r *Repo) Level(ctx context.Context, tree OID) ([]Entry, error) { return r.level(ctx, tree) }

// parseTree reads a tree object: "mode name NUL id", ids of size bytes.
func parseTree(data []byte, size int) ([]Entry, error) {
	var entries []Entry
	for len(data) > 0 {
		sp := bytes.IndexByte(data, ' ')
		nul := bytes.IndexByte(data, 0)
		if sp < 1 || sp > 6 || nul < sp+2 || len(data) < nul+1+size {
			return nil, errors.New("malformed tree")
		}
		mode := strings.Repeat("0", 6-sp) + string(data[:sp])
		entries = append(entries, Entry{
			Mode: mode,
			Path: string(data[sp+1 : nul]),
			OID:  OID(hex.EncodeToString(data[nul+1 : nul+1+size])),
		})
		data = data[nul+1+size:]
	}
	return entries, nil
}

// ListTree lists every file of tree, sorted by path; "" holds none.
func (r *Repo) ListTree(ctx context.Context, tree OID) ([]Entry, error) {
	if empty, _ := r.EmptyTree(ctx); tree == "" || tree == empty {
		return nil, nil
	}
	out, err := r.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", string(tree)}})
	if err != nil {
		return nil, fmt.Errorf("list tree %s: %w", tree.Short(), err)
	}
	recs := records(out)
	entries := make([]Entry, 0, len(recs))
	for _, rec := range recs {
		head, name, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("list tree %s: git gave an answer that is not understood", tree.Short())
		}
		entries = append(entries, Entry{Mode: f[0], OID: OID(f[2]), Path: name})
	}
	return entries, nil
}

// EntryAt finds the entry at name in tree: a file, symlink, gitlink or, with
// mode 040000, a folder. It fails with ErrNotFound.
func (r *Repo) EntryAt(ctx context.Context, tree OID, name string) (Entry, error) {
	missing := fmt.Errorf("%s: %w", name, ErrNotFound)
	if name == "" || path.Clean(name) != name || strings.HasPrefix(name, "/") {
		return Entry{}, missing
	}
	parts := strings.Split(name, "/")
	at := tree
	for i, part := range parts {
		entries, err := r.level(ctx, at)
		if err != nil {
			return Entry{}, damaged(strings.Join(parts[:i], "/"), at, err)
		}
		found := false
		for _, e := range entries {
			if e.Path != part {
				continue
			}
			if i == len(parts)-1 {
				return Entry{Mode: e.Mode, OID: e.OID, Path: name}, nil
			}
			found = e.Mode == modeDir
			at = e.OID
			break
		}
		if !found {
			return Entry{}, missing
		}
	}
	return Entry{}, missing
}

// ReadBlob reads the content of a blob as stored: no filter, no line ends.
func (r *Repo) ReadBlob(ctx context.Context, id OID) ([]byte, error) {
	return r.object(ctx, id, "blob")
}

// ReadBlobUpTo is ReadBlob for contents of at most that many bytes; of a larger
// one it gives the size alone, and no content.
func (r *Repo) ReadBlobUpTo(ctx context.Context, id OID, most int64) ([]byte, int64, error) {
	return r.objectUpTo(ctx, id, "blob", most)
}

// ReadFile reads the regular file at name in tree; ErrNotFound when there is
// none, another error when it is a symlink, gitlink or folder.
func (r *Repo) ReadFile(ctx context.Context, tree OID, name string) ([]byte, error) {
	e, err := r.EntryAt(ctx, tree, name)
	if err != nil {
		return nil, err
	}
	if e.Mode != ModeFile && e.Mode != ModeExecutable {
		return nil, fmt.Errorf("%s is not a regular file (mode %s)", name, e.Mode)
	}
	data, err := r.ReadBlob(ctx, e.OID)
	if err != nil {
		return nil, damaged(name, e.OID, err)
	}
	return data, nil
}

// damaged tells an object that is named and is not there from a path that does
// not exist: the one says nothing about the other, and a rule that takes it for
// an absent file would let everything pass.
func damaged(name string, id OID, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if name == "" {
		name = "the tree"
	}
	return hint.Errorf("see what is missing with: git fsck", "%s cannot be read: object %s is missing from this repository", name, id.Short())
}
