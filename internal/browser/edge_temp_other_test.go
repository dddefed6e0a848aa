//go:build !linux

package browser

import "testing"

// fullTemp needs a file system of its own.
func fullTemp(string) func(t *testing.T) Result {
	return func(t *testing.T) Result {
		t.Skip("a full temporary folder is only made on Linux")
		return Result{}
	}
}
