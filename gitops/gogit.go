package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// goGit reads objects from the common git directory through go-git. It opens
// the object store alone, so config, refs and index, which go-git often cannot
// read, play no part.
type goGit struct{ store *filesystem.Storage }

// openGoGit returns nil where only git can read the objects: other hashes than
// SHA-1, and a server's quarantine.
func (r *Repo) openGoGit() objectReader {
	if r.format != "sha1" || len(r.quarantine) > 0 {
		return nil
	}
	// Packs stay open until Close: opening one anew for each object is a
	// quarter of what reading costs.
	keep := filesystem.Options{KeepDescriptors: true}
	return goGit{filesystem.NewStorageWithOptions(osfs.New(r.commonDir), cache.NewObjectLRU(8*cache.MiByte), keep)}
}

func (g goGit) close() error { return g.store.Close() }

func (g goGit) read(id OID, most int64) (kind string, data []byte, size int64, err error) {
	obj, err := g.store.EncodedObject(plumbing.AnyObject, plumbing.NewHash(string(id)))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return "", nil, 0, ErrNotFound
	}
	if err != nil {
		// A damaged or unusual store: git decides whether the object is there.
		return "", nil, 0, fmt.Errorf("%w (%v)", ErrNotFound, err)
	}
	if obj.Size() > most {
		return obj.Type().String(), nil, obj.Size(), nil
	}
	rd, err := obj.Reader()
	if err != nil {
		return "", nil, 0, fmt.Errorf("open object: %w", err)
	}
	defer rd.Close()
	data, err = io.ReadAll(rd)
	if err != nil {
		return "", nil, 0, fmt.Errorf("read object: %w", err)
	}
	return obj.Type().String(), data, int64(len(data)), nil
}

// ReadThroughGit reads objects through git alone. It costs one process, and is
// cheaper where few objects are read of a large repository, whose pack index
// go-git would read whole.
func (r *Repo) ReadThroughGit() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fast != nil || r.batch != nil {
		return
	}
	r.noFast = true
	if b, err := r.startCatFile(); err == nil { // it starts while other things are asked
		r.batch = b
	}
}

// HeadTree is the tree of HEAD, ErrNotFound before the first commit.
func (r *Repo) HeadTree(ctx context.Context) (OID, error) {
	r.mu.Lock()
	batch := r.batch
	if batch == nil || !r.noFast {
		r.mu.Unlock()
		return r.TreeOf(ctx, "HEAD")
	}
	defer r.mu.Unlock()
	id, kind, _, _, err := batch.ask("HEAD^{tree}", maxObject)
	switch {
	case errors.Is(err, ErrNotFound):
		return "", fmt.Errorf("HEAD has no tree yet: %w", err)
	case err != nil:
		batch.close()
		r.batch = nil
		return "", err
	case kind != "tree" || !r.isOID(string(id)):
		return "", fmt.Errorf("HEAD is not understood: %q %s", string(id), kind)
	}
	return id, nil
}
