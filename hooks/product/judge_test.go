package product

import (
	"testing"

	"gitagent/hooks/rule"
)

// A file that did not change is never told, whatever it holds.
func FuzzJudge(f *testing.F) {
	f.Add([]byte("if (process.env.VITEST) process.exit(0)\n"), "x")
	f.Add([]byte("def __eq__(self, o):\n    return True\n"), "(")
	f.Fuzz(func(t *testing.T, src []byte, literal string) {
		for _, name := range []string{"a.go", "a.ts", "a.py", "a.rs", "a.java", "a.kt", "a.rb", "a.php", "a.cs", "a.swift"} {
			file := rule.File{Mode: rule.ModeFile, Data: src}
			if got := Judge(rule.Change{Path: name, Old: file, New: file}, []string{literal}); len(got) > 0 {
				t.Fatalf("%s: unchanged, but %v", name, got)
			}
			for _, x := range Judge(rule.Change{Path: name, New: file}, []string{literal}) {
				if x.Line < 1 {
					t.Fatalf("%s: %+v", name, x)
				}
			}
		}
	})
}
