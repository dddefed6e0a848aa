package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/hint"
)

func TestSetup(t *testing.T) {
	v := verifier(t)
	cases := map[string]struct {
		files          map[string]string
		setup          string
		ran, err, hint string
	}{
		"none":            {nil, "", "", "", ""},
		"init.sh":         {map[string]string{"init.sh": "echo ready > made"}, "", "/bin/sh ./init.sh", "", ""},
		"configured":      {map[string]string{"init.sh": "exit 1"}, "echo ready > made", "echo ready > made", "", ""},
		"fails":           {map[string]string{"init.sh": "echo 'disk is full' >&2; exit 4"}, "", "/bin/sh ./init.sh", "exit code 4: disk is full", ""},
		"missing program": {map[string]string{"init.sh": "set -e\nno-such-npm ci"}, "", "/bin/sh ./init.sh", "no-such-npm is not installed", "install no-such-npm"},
		"needs network":   {map[string]string{"init.sh": "echo 'npm error code ENOTCACHED'; exit 1"}, "", "/bin/sh ./init.sh", "had no network", "allow set-up"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := folder(t, c.files)
			target.Config.Setup = c.setup
			res, err := v.Setup(context.Background(), target, false)
			if res.Ran != c.ran {
				t.Errorf("ran %q", res.Ran)
			}
			if c.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(filepath.Join(target.Dir, "made")); c.ran != "" && err != nil {
					t.Error("the set-up left nothing in the target")
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v", err)
			}
			if got := strings.Join(hint.Of(err), " "); !strings.Contains(got, c.hint) {
				t.Errorf("hint %q", got)
			}
			if res.Output == "" || res.Exit == 0 {
				t.Errorf("the output is lost: %+v", res)
			}
		})
	}
}
