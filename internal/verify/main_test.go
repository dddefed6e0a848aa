package verify

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
)

func TestMain(m *testing.M) {
	sandbox.Dispatch()
	os.Exit(m.Run())
}

// verifier is a Verifier at the level that this machine allows.
func verifier(t *testing.T) *Verifier {
	t.Helper()
	s, err := sandbox.New(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Verifier{Sandbox: s, Temp: t.TempDir(), Cache: buildCache(t)}
}

// buildCache is the folder that holds this machine's Go build cache, so that
// the tests need not compile the standard library again; else an empty one.
func buildCache(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if dir := strings.TrimSpace(string(out)); err == nil && filepath.Base(dir) == "go-build" {
		return filepath.Dir(dir)
	}
	return t.TempDir()
}

// project writes files into a new folder.
func folder(t *testing.T, files map[string]string) Target {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Target{Dir: dir, Tree: "t"}
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

func command(cmd contract.Command) *contract.Contract {
	return &contract.Contract{Version: 1, Feature: "F001", Revision: 1, Checks: []contract.Check{
		{ID: "c1", Kind: contract.KindCommand, Covers: []int{1}, Command: &cmd},
	}}
}

func pages(scenarios ...string) *contract.Contract {
	c := &contract.Contract{Version: 1, Feature: "F001", Revision: 1}
	for i, s := range scenarios {
		c.Checks = append(c.Checks, contract.Check{ID: "c" + string(rune('1'+i)), Kind: contract.KindPage, Covers: []int{1}, Page: []byte(s)})
	}
	return c
}

func run(t *testing.T, v *Verifier, c *contract.Contract, target Target) Outcome {
	t.Helper()
	out, err := v.Contract(context.Background(), c, target, "")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func chromium(t *testing.T) string {
	t.Helper()
	exe, err := browser.Find("")
	if err != nil {
		t.Skip("no browser on this machine")
	}
	return exe
}
