//go:build unix

package verify

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gitagent/internal/project"
)

// What a check's command leaves in the folder is read by this process, outside
// the cell.
func TestWhatTheProductLeavesIsNotFollowed(t *testing.T) {
	target := folder(t, map[string]string{"public/index.html": "p", "real/index.html": "r"})
	outside := t.TempDir()
	target.Config = project.Config{Static: "public"}
	link := func(to string) {
		t.Helper()
		public := filepath.Join(target.Dir, "public")
		if err := os.RemoveAll(public); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, public); err != nil {
			t.Fatal(err)
		}
	}
	if dir, err := staticDir(target); err != nil || filepath.Base(dir) != "public" {
		t.Errorf("an ordinary folder: %q, %v", dir, err)
	}
	link("real")
	if dir, err := staticDir(target); err != nil || filepath.Base(dir) != "real" {
		t.Errorf("a link inside: %q, %v", dir, err)
	}
	for _, to := range []string{outside, "..", "/"} {
		link(to)
		if dir, err := staticDir(target); err == nil {
			t.Errorf("a link to %s is served: %s", to, dir)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(target.Dir, "package.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool, 1)
	go func() { _, ok := countedScript(target, "npm test"); done <- ok }()
	select {
	case ok := <-done:
		if ok {
			t.Error("a pipe has a test script")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a pipe in the place of package.json holds the session up")
	}
}
