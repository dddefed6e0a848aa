package verify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestRoomsOfDeadProcessesGo(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	want := map[string]bool{ // name → stays
		fmt.Sprintf("ga-%d-123", dead.Process.Pid): false,
		fmt.Sprintf("ga-%d-123", os.Getpid()):      true,
		fmt.Sprintf("ga-%d-abc", dead.Process.Pid): true, // not a name of ours
		"ga-": true, "ga-x-1": true, "other": true,
	}
	for name := range want {
		if err := os.MkdirAll(filepath.Join(temp, name, "h"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sweepRooms(temp)
	for name, stays := range want {
		if _, err := os.Stat(filepath.Join(temp, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
