package gitops_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hookReport collects what the test binary sees when it is run as a hook.
type hookReport struct{ strings.Builder }

func (h *hookReport) ctx() context.Context { return context.Background() }
func (h *hookReport) add(line string)      { h.WriteString(line + "\n") }
func (h *hookReport) note(what string, err error) {
	if err != nil {
		h.add(what + ": " + err.Error())
	}
}

// touch makes git's remembered stat of a file stale.
func touch(t testing.TB, dir, name string) {
	t.Helper()
	when := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
		t.Fatal(err)
	}
}

// state is every file below dir with mode and content; .git included.
func state(t testing.TB, dir string, skip ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		for _, s := range skip {
			if rel == s || strings.HasPrefix(rel, s+"/") {
				return nil
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			files[rel] = "-> " + target
			return err
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			files[rel] = info.Mode().String() + " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// gitMayFail runs git where a conflict is the point.
func gitMayFail(dir string, args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Run()
}
