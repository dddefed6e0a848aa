package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTrust(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	trust := OpenTrust(dir)
	if trust.Has(TrustCommands, "d1") {
		t.Error("trusts before any grant")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking made a folder")
	}
	for range 2 {
		if err := trust.Grant(TrustCommands, "d1"); err != nil {
			t.Fatal(err)
		}
	}
	if !OpenTrust(dir).Has(TrustCommands, "d1") || trust.Has(TrustNetwork, "d1") || trust.Has(TrustCommands, "d") || trust.Has(TrustCommands, "") {
		t.Error("a grant holds for exactly its kind and digest")
	}
	data, err := os.ReadFile(filepath.Join(dir, "trust"))
	if err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("the list is %q, %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "trust")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, kind := range []string{TrustCommands, TrustContract, TrustNetwork, TrustUnsandboxed} {
		if err := trust.Grant(kind, "d3"); err != nil || !trust.Has(kind, "d3") {
			t.Errorf("%s cannot be granted: %v", kind, err)
		}
	}
	if trust.Grant("everything", "d") == nil || trust.Grant(TrustCommands, "") == nil {
		t.Error("an unknown kind or an empty digest was granted")
	}
	if err := os.WriteFile(filepath.Join(dir, "trust"), []byte("garbage\n{\"kind\":\"commands\""), 0o600); err != nil {
		t.Fatal(err)
	}
	if trust.Has(TrustCommands, "d1") {
		t.Error("garbage grants something")
	}
	if err := trust.Grant(TrustContract, "d2"); err != nil || !trust.Has(TrustContract, "d2") {
		t.Errorf("after garbage: %v", err)
	}
}

func TestTrustKeepsGrantsMadeAtOnce(t *testing.T) {
	trust := OpenTrust(t.TempDir())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := trust.Grant(TrustContract, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if !trust.Has(TrustContract, fmt.Sprint(i)) {
			t.Errorf("grant %d is lost", i)
		}
	}
}

func TestDigestSeparatesItsParts(t *testing.T) {
	seen := map[string]string{}
	for _, p := range [][2]string{{"", ""}, {"a", ""}, {"", "a"}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"a\n1\nb", ""}} {
		d := Digest([]byte(p[0]), []byte(p[1]))
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", p, other)
		}
		seen[d] = fmt.Sprint(p)
	}
}

func TestIsTestPath(t *testing.T) {
	for _, p := range []string{
		"a_test.go", "pkg/testdata/x.json", "src/app.test.js", "src/app.spec.tsx", "src/a.test.mts", "x/__tests__/a.js", "x/__snapshots__/a.js.snap", "test/a.js", "web/tests/a.js", "e2e/login.ts", "cypress/support/x.js", "login.cy.ts",
		"test_a.py", "pkg/a_test.py", "tests/x.py", "conftest.py", "app/tests.py", "crate/tests/it.rs", "src/test/java/A.java", "FooTest.java", "FooIT.java", "TestFoo.java", "FooTest.kt", "spec/a.rb", "lib/a_spec.rb", "spec_helper.rb",
		"src/FooTest.php", "FooTests.cs", "App.Tests/X.cs", "Tests/AppTests/X.swift", "AppUITests/x.swift", "FooTests.swift", "fixtures/a.json", "x/golden/a", "a.snap", "cassettes/x.yml", "a.golden", "Tests/A.PY", "SRC/APP.TEST.JS", "A_TEST.GO", "./test/a.js", "widget_test.dart", "x.feature",
	} {
		if !IsTestPath(p, nil) {
			t.Errorf("IsTestPath(%q) = false", p)
		}
	}
	for _, p := range []string{
		"main.go", "src/app.js", "latest.java", "contest.php", "latest.cs", "src/testing.js", "attest.go", "test.md", "protest.py", "greatest.swift", "src/inspect.js", "index.html", "lib/specimen.rb", "testimonials/a.html", "golden.css", "manifest.json", "src/audit.kt", "Exit.java", "AUDIT.java",
	} {
		if IsTestPath(p, nil) {
			t.Errorf("IsTestPath(%q) = true", p)
		}
	}
	for _, c := range []struct {
		path, pattern string
		want          bool
	}{
		{"qa/a/b.txt", "qa/**/*.txt", true}, {"qa/b.md", "qa/**/*.txt", false}, {"x/y.check", "*.check", true}, {"QA/a.txt", "qa/", true}, {"qa.txt", "qa/", false}, {"a", "[", false}, {"qa/x", "./qa/*", true},
	} {
		if got := IsTestPath(c.path, []string{c.pattern}); got != c.want {
			t.Errorf("IsTestPath(%q, %q) = %v", c.path, c.pattern, got)
		}
	}
	if globs := TestGlobs(Config{TestPatterns: []string{"qa/**"}}); globs[len(globs)-1] != "qa/**" {
		t.Errorf("TestGlobs = %v", globs)
	}
}
