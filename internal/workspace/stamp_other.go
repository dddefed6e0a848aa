//go:build !unix

package workspace

import "os"

// stamp is what changes whenever a file does, as far as this system tells.
type stamp struct {
	size, nanos int64
	mode        uint32
}

func stampOf(path string) (stamp, bool) {
	st, err := os.Lstat(path)
	if err != nil {
		return stamp{}, false
	}
	return stamp{st.Size(), st.ModTime().UnixNano(), uint32(st.Mode())}, true
}
