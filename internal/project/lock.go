package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

// LockDigest is one digest over every dependency file of the tree (the root and
// two levels below): installs made for one digest serve any tree that has it.
// It is empty where there is none.
func LockDigest(fsys fs.FS) string {
	dirs := manifestDirs(fsys)
	if len(dirs) == 0 {
		return ""
	}
	h := sha256.New()
	for _, dir := range dirs {
		for _, file := range dependencyFiles {
			name := path.Join(dir, file)
			data, err := readCapped(fsys, name)
			if err == nil {
				fmt.Fprintf(h, "%s %d\n", name, len(data))
				h.Write(data)
				continue
			}
			// Too large to read or no regular file: its size still tells.
			if info, err := fs.Stat(fsys, name); err == nil {
				fmt.Fprintf(h, "%s %s %d\n", name, info.Mode().Type(), info.Size())
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
