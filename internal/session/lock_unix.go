//go:build unix

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks f. The lock is that of the open file: who inherits it holds it,
// too, and whoever releases it does so for all.
func tryLock(f *os.File) (release func() error, ok bool, err error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return nil, false, nil
		case err != nil:
			return nil, false, err
		}
		return func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }, true, nil
	}
}
