package hooks

import (
	"os"
	"path/filepath"
	"testing"
)

// Where gitleaks is installed it is asked about what is new, and nothing of the
// repository tells it how.
func TestGitleaksIsAskedWhereItIs(t *testing.T) {
	p := hooked(t)
	bin := t.TempDir()
	script := "#!/bin/sh\n[ ! -e .gitleaks.toml ] || exit 1\n[ -z \"$GITLEAKS_CONFIG\" ] || exit 1\ngrep -q hunter2 && exit 42\nexit 0\n"
	if err := os.WriteFile(filepath.Join(bin, "gitleaks"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GITLEAKS_CONFIG", "x")
	p.write(".gitleaks.toml", "")
	p.write("calc.go", "package calc // the weather\n")
	p.git("add", "-A")
	p.quiet("commit", "-qm", "nothing secret")
	p.write("calc.go", "package calc // the weather is hunter2\n")
	p.refused("hygiene.secret", "commit", "-qam", "a secret")
	p.git("commit", "-qam", "a secret\n\nAllow-Hygiene: it is a joke")
}
