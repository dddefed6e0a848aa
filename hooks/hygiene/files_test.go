package hygiene

import (
	"strings"
	"testing"

	"gitagent/hooks/rule"
)

// What a finding says never holds the secret.
func TestSecretsAreNotRepeated(t *testing.T) {
	for _, secret := range []string{"AKIAQ3EGJ5TSLWPX2M7V", "ghp_aZ3kQ9wXr7TmB2vN5yLc8HdJ4fGs1PeU6oRi", "glpat-aZ3kQ9wXr7TmB2vN5yLc", "sk_live_aZ3kQ9wXr7TmB2vN5yLc8HdJ"} {
		text := "key = \"" + secret + "\""
		got := Secrets([]rule.Line{{N: 3, Text: text}}, text)
		if len(got) != 1 || got[0].Line != 3 || strings.Contains(got[0].What, secret[:12]) {
			t.Errorf("%s: %+v", secret, got)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("a/b", []byte("x\u202ey\n"), []byte("AKIAQ3EGJ5TSLWPX2M7V"))
	f.Add("\xff", []byte{0}, []byte("\U000E0061"))
	f.Fuzz(func(t *testing.T, path string, old, new []byte) {
		for _, mode := range []string{rule.ModeFile, rule.ModeLink, rule.ModeGitlink} {
			c := rule.Change{Path: path, New: rule.File{Mode: mode, Data: new}}
			for _, x := range Judge(c, int64(len(new)), false) {
				if x.Code == "" || x.What == "" {
					t.Fatalf("%+v", x)
				}
			}
			c.Old = rule.File{Mode: rule.ModeFile, Data: old}
			Judge(c, int64(len(new)), true)
		}
	})
}
