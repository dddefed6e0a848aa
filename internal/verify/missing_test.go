package verify

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gitagent/internal/hint"
	"gitagent/internal/sandbox"
)

// What package managers say, word for word but for the host.
func TestMissingPackages(t *testing.T) {
	cases := map[string]struct {
		output string
		want   []string
	}{
		"npm ci":       {"npm error code ENOTCACHED\nnpm error request to https://registry.example/left-pad/-/left-pad-1.3.0.tgz failed: cache mode is 'only-if-cached' but no cached response is available.\n", []string{"left-pad"}},
		"npm install":  {"npm error code ENOTCACHED\nnpm error request to https://registry.example/@scope%2fnone failed: cache mode is 'only-if-cached' but no cached response is available.\n", []string{"@scope/none"}},
		"npm, no name": {"npm error code EAI_AGAIN\nnpm error request to https://registry.example/left-pad failed, reason: getaddrinfo EAI_AGAIN registry.example\n", []string{"left-pad"}},
		"npm 404":      {"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/no-such-thing - Not found\nnpm error 404\nnpm error 404  'no-such-thing@^1.0.0' is not in this registry.\n", []string{"no-such-thing"}},
		"npm version":  {"npm error code ETARGET\nnpm error notarget No matching version found for left-pad@9.\nnpm error notarget In most cases\n", []string{"left-pad@9"}},
		"go":           {"go: github.com/pkg/errors@v0.9.1: module lookup disabled by GOPROXY=off\ngo: golang.org/x/text@v0.3.0: module lookup disabled by GOPROXY=off\n", []string{"github.com/pkg/errors@v0.9.1", "golang.org/x/text@v0.3.0"}},
		"go build":     {"a.go:3:8: no required module provides package github.com/pkg/errors; to add it:\n\tgo get github.com/pkg/errors\n", []string{"github.com/pkg/errors"}},
		"pip":          {"ERROR: Could not find a version that satisfies the requirement flask==3.0 (from versions: none)\nERROR: No matching distribution found for flask==3.0\n", []string{"flask==3.0"}},
		"cargo":        {"error: no matching package named `serde` found\nlocation searched: crates.io index\nrequired by package `x v0.1.0 (/tmp/x)`\n", []string{"serde"}},
		"cargo fetch":  {"error: failed to download `serde v1.0.200`\n\nCaused by:\n  attempting to make an HTTP request, but --offline was specified\n", []string{"serde v1.0.200"}},
		"nothing":      {"error TS2304: Cannot find name 'x'.\nmake: *** [all] Error 1\nsee https://example.org/help for more\n", nil},
	}
	for name, c := range cases {
		if got := missingPackages(c.output); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSetupNamesWhatIsMissing asks the package managers themselves, without a
// network.
func TestSetupNamesWhatIsMissing(t *testing.T) {
	v := verifier(t)
	v.Cache = t.TempDir()
	const name = "gitagent-test-no-such-package"
	cases := map[string]struct {
		program string
		files   map[string]string
		setup   string
	}{
		"npm": {"npm", map[string]string{"package.json": `{"name":"x","dependencies":{"` + name + `":"1.0.0"}}`}, "npm install --no-audit --no-fund --loglevel=error"},
		"npm ci": {"npm", map[string]string{"package.json": `{"name":"x","version":"1.0.0","dependencies":{"` + name + `":"1.0.0"}}`,
			"package-lock.json": `{"name":"x","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"x","version":"1.0.0","dependencies":{"` + name + `":"1.0.0"}},` +
				`"node_modules/` + name + `":{"version":"1.0.0","resolved":"https://registry.example/` + name + `/-/` + name + `-1.0.0.tgz"}}}`}, "npm ci --no-audit --no-fund --loglevel=error"},
		"go":    {"go", map[string]string{"go.mod": "module x\n\ngo 1.22\n\nrequire example.org/" + name + " v1.0.0\n"}, "go mod download"},
		"pip":   {"python3", map[string]string{"requirements.txt": name + "==1.0\n"}, "python3 -m pip install --quiet --target there -r requirements.txt"},
		"cargo": {"cargo", map[string]string{"Cargo.toml": "[package]\nname=\"x\"\nversion=\"0.1.0\"\n[dependencies]\n" + name + "=\"1\"\n", "src/lib.rs": ""}, "cargo fetch --quiet"},
	}
	for tool, c := range cases {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil || v.Sandbox.Level() < sandbox.Seccomp {
				t.Skipf("%s cannot be asked here without a network: %v", c.program, err)
			}
			target := folder(t, c.files)
			target.Config.Setup = c.setup
			res, err := v.Setup(context.Background(), target, false)
			if err == nil {
				t.Fatalf("it found a package that is not there: %+v", res)
			}
			if strings.Contains(res.Output, "No module named pip") || strings.Contains(res.Output, "rustup could not") || strings.Contains(err.Error(), "is not installed") {
				t.Skip(err)
			}
			if !strings.Contains(err.Error(), "had no network: ") || !strings.Contains(err.Error(), name) {
				t.Errorf("%v\n%s", err, res.Output)
			}
			if !strings.Contains(strings.Join(hint.Of(err), " "), "allow set-up to use the network") {
				t.Errorf("hints %q", hint.Of(err))
			}
		})
	}
}
