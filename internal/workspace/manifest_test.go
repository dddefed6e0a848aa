package workspace_test

import (
	"encoding/json"
	"testing"

	"gitagent/internal/workspace"
)

func TestMergePackageJSON(t *testing.T) {
	cases := map[string]struct {
		old, new, want string
		rest, ok       bool
	}{
		"added, rest equal":     {`{"a":1}`, `{"a":1,"dependencies":{"x":"1"}}`, `{"a":1,"dependencies":{"x":"1"}}`, false, true},
		"added, rest differs":   {"{\n\t\"a\": 1\n}\n", `{"a":2,"dependencies":{"x":"1"}}`, "{\n\t\"a\": 1,\n\t\"dependencies\": {\"x\":\"1\"}\n}\n", true, true},
		"changed, rest differs": {`{"dependencies": {"x":"1"}, "a": 1}`, `{"a":2,"dependencies":{"x":"2"}}`, `{"dependencies": {"x":"2"}, "a": 1}`, true, true},
		"removed first":         {`{"dependencies": {"x":"1"}, "a": 1}`, `{"a":2}`, `{"a": 1}`, true, true},
		"removed last":          {`{"a": 1, "dependencies": {"x":"1"}}`, `{"a":2}`, `{"a": 1}`, true, true},
		"removed only":          {`{"dependencies": {"x":"1"}}`, `{"a":2}`, `{}`, true, true},
		"only the rest":         {`{"a":1}`, `{"a":2}`, `{"a":1}`, true, true},
		"only spacing":          {`{"a":1}`, `{ "a": 1 }`, `{"a":1}`, false, true},
		"made anew":             {"", `{"name":"n","dependencies":{"x":"1"}}`, "{\n  \"dependencies\": {\"x\":\"1\"}\n}\n", true, true},
		"made for nothing":      {"", `{"scripts":{"test":"exit 0"}}`, "", true, true},
		"broken new":            {`{"a":1}`, `{"a":`, "", true, false},
		"two documents":         {`{"a":1}`, `{"a":1}{"b":2}`, "", true, false},
		"twice the same key":    {`{"a":1}`, `{"a":1,"dependencies":{},"dependencies":{"x":"1"}}`, "", true, false},
		"not an object":         {`{"a":1}`, `[]`, "", true, false},
	}
	for name, c := range cases {
		got, rest, ok := workspace.MergePackageJSON([]byte(c.old), []byte(c.new))
		if string(got) != c.want || rest != c.rest || ok != c.ok {
			t.Errorf("%s: %q, rest %v, ok %v", name, got, rest, ok)
		}
	}
}

func TestMergeGoMod(t *testing.T) {
	const old = "module x\n\ngo 1.22\n\nrequire a v1 // indirect\n"
	cases := map[string]struct {
		new, want string
		rest      bool
	}{
		"added":                   {"module x\n\ngo 1.22\n\nrequire (\n\ta v1 // indirect\n\tb v2\n)\n", "module x\n\ngo 1.22\n\nrequire (\n\ta v1 // indirect\n\tb v2\n)\n", false},
		"added with a tool chain": {"module x\n\ngo 1.22\n\ntoolchain evil\n\nrequire b v2\n", "module x\n\ngo 1.22\n\nrequire (\n\tb v2\n)\n", true},
		"only the rest":           {"module y\n\ngo 1.22\n\nrequire a v1 // indirect\n", old, true},
	}
	for name, c := range cases {
		got, rest, ok := workspace.MergeGoMod([]byte(old), []byte(c.new))
		if string(got) != c.want || rest != c.rest || !ok {
			t.Errorf("%s: %q, rest %v, ok %v", name, got, rest, ok)
		}
	}
}

func FuzzMergePackageJSON(f *testing.F) {
	f.Add(`{"a":1}`, `{"a":2,"dependencies":{"x":"1"}}`)
	f.Add(``, `{"devDependencies":null}`)
	f.Add("{\"dependencies\":{},\n\"b\":[1]}", `{}`)
	f.Fuzz(func(t *testing.T, old, new string) {
		got, _, ok := workspace.MergePackageJSON([]byte(old), []byte(new))
		if !ok {
			return
		}
		var a, b, m map[string]any
		if json.Unmarshal(got, &m) != nil {
			t.Fatalf("%q with %q gives %q", old, new, got)
		}
		if old == "" || json.Unmarshal([]byte(old), &a) != nil || json.Unmarshal([]byte(new), &b) != nil {
			return
		}
		for key, v := range a { // nothing but dependencies may change
			switch key {
			case "dependencies", "devDependencies", "peerDependencies", "optionalDependencies":
				continue
			}
			x, _ := json.Marshal(v)
			y, _ := json.Marshal(m[key])
			if string(x) != string(y) {
				t.Fatalf("%q with %q changes %s: %q", old, new, key, got)
			}
		}
	})
}
