//go:build !unix

package session

import (
	"os"

	"github.com/gofrs/flock"
)

// tryLock locks a file beside f: where a lock keeps others from reading, they
// could not learn who holds it. It ends with this process.
func tryLock(f *os.File) (release func() error, ok bool, err error) {
	l := flock.New(f.Name() + ".held")
	ok, err = l.TryLock()
	return l.Close, ok, err
}
