package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/features"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// Two branches that each prove and add something merge without a conflict, with
// the hooks on, and the merge holds against check.
func TestMergeDriver(t *testing.T) {
	p := hooked(t)
	add := func(text string) {
		t.Helper()
		l, err := features.Parse([]byte(p.read(features.Path)))
		if err != nil {
			t.Fatal(err)
		}
		data, _, err := l.Add(features.Feature{Category: "functional", Description: text, Steps: []string{"try it"}, Priority: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.write(features.Path, string(data))
		p.git("add", "-A")
		p.quiet("commit", "-qm", "Add "+text+"\n\nAgent-Features: add")
	}
	p.git("checkout", "-qb", "side")
	p.write("side.txt", "s\n")
	p.flip("F002")
	p.quiet("commit", "-qm", "side proves F002")
	add("what side wants")
	p.git("checkout", "-q", "main")
	add("what main wants")
	p.write("main.txt", "m\n")
	p.git("add", "-A")
	p.write(progress.Path, p.read(progress.Path)+"\nmain goes on\n")
	p.write(evidence.Path("F001"), strings.Replace(p.read(evidence.Path("F001")), `"session": "s1"`, `"session": "s2"`, 1))
	p.git("checkout", "-q", "--", evidence.Path("F001"))
	p.git("add", "-A")
	p.quiet("commit", "-qm", "main goes on")

	ok, out := p.try("merge", "--no-edit", "side")
	if !ok {
		t.Fatalf("the merge fails:\n%s", out)
	}
	l, err := features.Parse([]byte(p.read(features.Path)))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(l.Features); got != 5 || !l.Get("F001").Passes || !l.Get("F002").Passes || l.Get("F004").Description != "what main wants" || l.Get("F005").Description != "what side wants" {
		t.Errorf("the list became %+v", l.Features)
	}
	log := p.read(progress.Path)
	if !strings.Contains(log, "main goes on") || !strings.Contains(log, "F002 passes") || strings.Contains(log, "<<<<") {
		t.Errorf("the log became %s", log)
	}
	if r := p.check("HEAD~3..HEAD"); len(r.Violations) > 0 {
		t.Errorf("check: %+v", r.Violations)
	}
}

func TestMergeDriverLeavesConflictsToPeople(t *testing.T) {
	p := hooked(t)
	change := func(text string) {
		p.write(features.Path, strings.Replace(p.read(features.Path), `"subtracts"`, `"`+text+`"`, 1))
		p.quiet("commit", "-qam", "x\n\nAllow-Features: words")
	}
	p.git("checkout", "-qb", "side")
	change("takes away")
	p.git("checkout", "-q", "main")
	change("deducts")
	ok, out := p.try("merge", "--no-edit", "side")
	if ok || !strings.Contains(p.read(features.Path), "<<<<<<<") || !strings.Contains(out, "edited on both sides") {
		t.Errorf("merged %v: %s", ok, out)
	}
}

func TestMergeSetupComesAndGoes(t *testing.T) {
	p, bin := bare(t)
	file := filepath.Join(p.dir, ".git", "info", "attributes")
	write(t, file, "*.bin -diff", 0o644)
	config := p.git("config", "--local", "--list")
	p.install(bin)
	once, _ := os.ReadFile(file)
	p.install(bin)
	if twice, _ := os.ReadFile(file); string(once) != string(twice) || !strings.Contains(string(once), "/features.json merge=agent-list") {
		t.Errorf("once %q, twice %q", once, twice)
	}
	if _, err := Uninstall(t.Context(), p.repo); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadFile(file); string(left) != "*.bin -diff\n" {
		t.Errorf("left %q", left)
	}
	if now := p.git("config", "--local", "--list"); now != config {
		t.Errorf("config: %s, was %s", now, config)
	}
}
