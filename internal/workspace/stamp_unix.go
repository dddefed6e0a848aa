//go:build unix

package workspace

import "golang.org/x/sys/unix"

// stamp is what changes whenever a file does. The change time cannot be put
// back by whoever changed the file.
type stamp struct {
	inode, size    int64
	seconds, nanos int64
	mode           uint32
}

func stampOf(path string) (stamp, bool) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return stamp{}, false
	}
	return stamp{int64(st.Ino), st.Size, int64(st.Ctim.Sec), int64(st.Ctim.Nsec), uint32(st.Mode)}, true
}
