package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"gitagent/internal/hint"
)

// ErrNoBrowser means that no Chromium was found. Nothing that needs a page can
// then be verified.
var ErrNoBrowser = errors.New("no Chromium or Chrome found")

// Find returns the browser's executable: the configured one (agent.browser), or
// one on PATH, or one in the usual places. A configured one that does not work
// is an error, never replaced by another.
func Find(configured string) (string, error) {
	if configured != "" {
		path, err := exec.LookPath(configured)
		if err != nil {
			return "", hint.New(fmt.Errorf("agent.browser is %q: %w", configured, err), "git config agent.browser /path/to/chromium")
		}
		return path, refuseSnap(path)
	}
	var snap error
	for _, name := range candidates() {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := refuseSnap(path); err != nil {
			snap = err
			continue
		}
		return path, nil
	}
	if snap != nil {
		return "", snap
	}
	return "", hint.New(ErrNoBrowser, "install one, for example: apt-get install chromium", "or name it: git config agent.browser /path/to/chromium")
}

func candidates() []string {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"}
	if runtime.GOOS == "darwin" {
		return append(names, "/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
	}
	return append(names, "/usr/bin/chromium", "/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
		"/opt/google/chrome/chrome", "/usr/local/bin/chromium", "/usr/local/bin/chrome")
}

// refuseSnap refuses a snap: it cannot see a profile folder outside ~/snap.
func refuseSnap(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("look at the browser: %w", err)
	}
	isSnap := strings.HasPrefix(real, "/snap/") || strings.HasPrefix(path, "/snap/") || filepath.Base(real) == "snap"
	if !isSnap && strings.HasPrefix(path, "/usr/bin/chromium") {
		// Ubuntu's package is a script that starts the snap.
		if f, err := os.Open(real); err == nil {
			buf := make([]byte, 4096)
			n, _ := f.Read(buf)
			f.Close()
			isSnap = strings.HasPrefix(string(buf[:n]), "#!") && strings.Contains(string(buf[:n]), "/snap/bin/chromium")
		}
	}
	if !isSnap {
		return nil
	}
	return hint.New(fmt.Errorf("%s is a snap, which cannot use a profile folder outside its own", path),
		"install Chromium or Chrome as an ordinary package", "or name one: git config agent.browser /path/to/chromium")
}
