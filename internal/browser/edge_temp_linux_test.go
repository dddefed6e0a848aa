package browser

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// fullTemp starts a browser whose temporary folder has no room.
func fullTemp(options string) func(t *testing.T) Result {
	return func(t *testing.T) Result {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
			t.Skipf("no file system of its own here: %v", err)
		}
		defer syscall.Unmount(dir, syscall.MNT_DETACH)
		for i := 0; os.WriteFile(filepath.Join(dir, "fill"+strconv.Itoa(i)), make([]byte, 4096), 0o600) == nil; i++ {
		}
		s := scenario(t, `["see x"]`)
		b, err := Open(context.Background(), Options{Temp: dir})
		if err != nil {
			return UnverifiedResult(s, err.Error())
		}
		defer b.Close()
		return b.Run(context.Background(), s, site(t, page2("<p>x")), "")
	}
}
