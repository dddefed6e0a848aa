//go:build !windows

package browser

import (
	"syscall"
	"testing"
)

// mkfifo makes a named pipe, which a server must not open: it would wait.
func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}
