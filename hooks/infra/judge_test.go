package infra

import (
	"fmt"
	"testing"

	"gitagent/hooks/rule"
)

var guardedNames = []string{"package.json", "deno.json", "composer.json", ".mocharc.json", ".mocharc.yml", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", ".coveragerc",
	"conftest.py", "noxfile.py", "sitecustomize.py", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", "Cargo.toml", ".cargo/config.toml", "go.mod", "sub/go.mod", "go.work",
	"pom.xml", "phpunit.xml", "build.gradle", "Makefile", "Taskfile.yml", "Rakefile", ".rspec", ".gitattributes", ".gitignore", "codecov.yml", ".nvmrc", ".github/workflows/ci.yml",
	"jest.config.js", "vite.config.ts", "x.csproj", "x.runsettings", "tsconfig.json", ".env.test", "random.py", "a.pth", "patches/x.patch",
	"pytest.toml", "setup.py", "settings.gradle", "gradle/x.gradle", "gradle/wrapper/gradle-wrapper.properties", "junit-platform.properties", "nuget.config", "Package.swift", "x.sln", "A.xcscheme",
	"pnpm-workspace.yaml", "turbo.json", "lerna.json", ".babelrc", "babel.config.js", "mocha.opts", "x.mk", "justfile", "mise.toml", "scripts/test.sh", "vitest.workspace.ts", "jsconfig.json",
	".github/actions/x/action.yml", ".yarn/releases/yarn.cjs", "__mocks__/chai.js"}

func TestWhatIsGuarded(t *testing.T) {
	for _, name := range guardedNames {
		if !Guarded(name) {
			t.Errorf("%s is not guarded", name)
		}
	}
	for _, name := range []string{"main.go", "src/app.ts", "package-lock.json", "docs/Makefile.md", "calc/random.py", ".env", "vite.ts", "README.md"} {
		if Guarded(name) {
			t.Errorf("%s is guarded", name)
		}
	}
}

// The same content never breaks a rule; whatever it is, there is an answer, and
// the same one twice.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{`{"scripts":{"test":"x"}}`, "[pytest]\naddopts = -k x\n", "test:\n\tgo test\n", "[[test]]\nharness = false\n", "on: push\njobs: {a: {steps: [{run: x, if: false}]}}",
		"<a><skipTests>true</skipTests></a>", "module x\nreplace a => b\n", "*.go -diff\n", "test {\n exclude 'a'\n}\n", "a: &a [*a]", "{\"a\":", "\"\"\"", "def pytest_x():\n  pass\n"} {
		f.Add([]byte(seed), []byte("x"))
	}
	world := World{Tests: func(string) []string { return []string{"sub/x_test.go", "tests/test_x.py"} }}
	f.Fuzz(func(t *testing.T, old, new []byte) {
		for _, name := range append([]string{"package-lock.json", ".env", "requirements.txt", "Gemfile"}, guardedNames...) {
			a, b := rule.File{Mode: rule.ModeFile, Data: old}, rule.File{Mode: rule.ModeFile, Data: new}
			if got := Judge(rule.Change{Path: name, Old: a, New: a}, world); len(got) > 0 {
				t.Fatalf("%s: unchanged, but %v", name, got)
			}
			c := rule.Change{Path: name, Old: a, New: b}
			if one, two := fmt.Sprint(Judge(c, world)), fmt.Sprint(Judge(c, world)); one != two {
				t.Fatalf("%s: %s, then %s", name, one, two)
			}
			Judge(rule.Change{Path: name, New: b}, world)
			Judge(rule.Change{Path: name, Old: a}, world)
		}
	})
}
