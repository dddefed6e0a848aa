package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ProfilePrefix begins the name of every profile folder.
const ProfilePrefix = "gitagent-"

// makeProfile makes a profile folder named with our process id, so that a later
// run can tell whose it was.
func makeProfile(temp string) (string, error) {
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for profiles: %w", err)
	}
	temp, err := filepath.Abs(temp)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(temp, fmt.Sprintf("%s%d-", ProfilePrefix, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("make a profile folder: %w", err)
	}
	return dir, nil
}

// sweepProfiles removes the profile folders of processes that are gone, and
// ends browsers that still use them. It is best effort: what cannot be removed
// now is tried again by the next start.
func sweepProfiles(temp string) {
	temp, err := filepath.Abs(temp)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		if pid, ok := profileOwner(e.Name()); ok && e.IsDir() && !alive(pid) {
			dir := filepath.Join(temp, e.Name())
			killUsers(dir)
			removeProfile(dir)
		}
	}
}

// profileOwner reads the process id from a folder's name.
func profileOwner(name string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, ProfilePrefix)
	if !ok {
		return 0, false
	}
	id, random, ok := strings.Cut(rest, "-")
	if !ok || random == "" || strings.Trim(random, "0123456789") != "" {
		return 0, false
	}
	pid, err := strconv.Atoi(id)
	return pid, err == nil && pid > 0
}

// removeProfile removes the folder, also while a dying process still writes
// into it.
func removeProfile(dir string) {
	for range 20 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
}
