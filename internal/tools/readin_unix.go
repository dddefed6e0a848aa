//go:build unix

package tools

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// readIn reads the regular file base of an open folder into buf, which may
// grow. It follows no link and waits for nobody; it is what os.File does with
// half of the calls to the system.
func readIn(dir *os.File, base string, most int64, buf []byte) ([]byte, error) {
	fd, err := unix.Openat(int(dir.Fd()), base, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fs.ErrInvalid
	}
	if st.Size > most {
		return nil, errTooLarge
	}
	buf = slices.Grow(buf[:0], int(st.Size))[:st.Size]
	for got := 0; got < len(buf); {
		n, err := unix.Read(fd, buf[got:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 { // it has become shorter
			return buf[:got], nil
		}
		got += n
	}
	return buf, nil
}
