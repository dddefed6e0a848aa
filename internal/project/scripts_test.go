package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScripts(t *testing.T) {
	c := Config{Tests: []TestCommand{
		{Name: "a", Command: "sh ./qa/run.sh && node --test test/*.test.js"},
		{Name: "b", Dir: "web", Command: `"tools/all.mjs" ../x.py /usr/bin/y.py $DIR/z.sh https://a.b/c.js`},
		{Name: "c", Command: "go test ./... ; sh qa/run.sh"},
	}}
	if d := cmp.Diff([]string{"qa/run.sh", "web/tools/all.mjs", "x.py"}, c.Scripts()); d != "" {
		t.Error(d)
	}
}

func TestPatternFromTheRoot(t *testing.T) {
	for path, want := range map[string]bool{"x.py": true, "X.py": true, "a/x.py": false, "y.py": false} {
		if got := IsTestPath(path, []string{"/x.py"}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
