//go:build unix

package tools

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSpecialFilesDoNotHang(t *testing.T) {
	env, dir := newEnv(t, map[string]string{"a.txt": "x\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for tool, args := range map[string]map[string]any{
			"read_file":  {"path": "pipe"},
			"write_file": {"path": "pipe", "content": "x"},
			"edit_file":  {"path": "pipe", "old_text": "x", "new_text": "y"},
		} {
			if res := call(t, env, tool, args); res.OK || !strings.Contains(res.Text, "not a regular file") {
				t.Errorf("%s: %+v", tool, res)
			}
		}
		if res := call(t, env, "search_text", map[string]any{"pattern": "x"}); !strings.Contains(res.Text, "a.txt:1: x") {
			t.Errorf("search_text: %+v", res)
		}
	}()
	select {
	case <-finished:
	case <-time.After(10 * time.Second):
		t.Fatal("a tool hangs on a FIFO")
	}
}
