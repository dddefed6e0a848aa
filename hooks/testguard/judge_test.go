package testguard

import (
	"testing"

	"gitagent/hooks/rule"
)

func TestDiscovered(t *testing.T) {
	for file, want := range map[string]bool{
		"a_test.go": true, "_a_test.go": false, "testdata/a_test.go": false, "sub/a_test.go": true, "old/a_test.go": false,
		"src/a.test.ts": true, ".x/a.test.ts": false, "tests/test_a.py": true, "archive/test_a.py": false, "tests/helper.py": false,
		"spec/a_spec.rb": true, "src/test/java/ATest.java": true, "tests/api.rs": true, "src/lib.rs": false, "a.txt": false,
	} {
		if got := Discovered(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

func TestMerged(t *testing.T) {
	a, b := "x\none\ny\n", "x\ny\ntwo\n"
	for _, c := range []struct {
		merged string
		want   bool
	}{
		{"x\none\ny\ntwo\n", true}, {"x\ny\n", true}, {"x\none\ntwo\n", false}, {"x\none\ny\nthree\n", false}, {"", false},
	} {
		if ok, line := Merged([][]byte{[]byte(a), []byte(b)}, []byte(c.merged)); ok != c.want || ok == (line > 0) {
			t.Errorf("%q: %v, line %d", c.merged, ok, line)
		}
	}
}

// A test that did not change is never told; whatever it becomes, there is an
// answer, and a line of it or of what was there.
func FuzzFile(f *testing.F) {
	for _, seed := range [][2]string{
		{"package a\n\nfunc TestA(t *testing.T) {\n}\n", "package a\n\nfunc TestA(t *testing.T) {\n}\n\nfunc TestB(t *testing.T) {\n}\n"},
		{"def test_a():\n    pass\n", "@pytest.mark.skip\ndef test_a():\n    pass\n"},
		{"it('a', () => {})\n", "it('a', () => {})\nit('b', () => {\n"},
		{"#[test]\nfn a() {}\n", "#[ignore]\n#[test]\nfn a() {}\n"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, old, new []byte) {
		for _, name := range []string{"a_test.go", "test_a.py", "a.test.ts", "tests/a.rs", "ATest.java", "a_spec.rb", "ATest.php", "ATests.cs", "ATests.swift", "ATest.kt", "testdata/x"} {
			a, b := rule.File{Mode: rule.ModeFile, Data: old}, rule.File{Mode: rule.ModeFile, Data: new}
			if got := File(rule.Change{Path: name, Old: a, New: a}); len(got) > 0 {
				t.Fatalf("%s: unchanged, but %v", name, got)
			}
			for _, x := range append(File(rule.Change{Path: name, Old: a, New: b}), File(rule.Change{Path: name, New: b})...) {
				if x.Line < 0 || x.Code == "" || x.What == "" {
					t.Fatalf("%s: %+v", name, x)
				}
			}
			Product(rule.Change{Path: "src/" + name, Old: a, New: b}, Around{})
		}
	})
}
