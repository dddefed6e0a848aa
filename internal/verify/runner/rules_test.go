package runner

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gitagent/internal/project"
)

func TestEventsAreJudged(t *testing.T) {
	whole := `{"t":"test","id":"a","result":"pass"}` + "\n" + `{"t":"test","id":"b","result":"skip"}` + "\n" + `{"t":"canary","result":"failed"}` + "\n" + `{"t":"end","nonce":"n","exit":0,"ran":2}` + "\n"
	for name, c := range map[string]struct {
		report string
		reason string // "" is finished
	}{
		"whole":             {whole, ""},
		"cut":               {whole[:len(whole)-20], "ended early"},
		"nothing":           {"", "ended early"},
		"another's end":     {strings.Replace(whole, `"nonce":"n"`, `"nonce":"m"`, 1), "ended early"},
		"no canary":         {strings.Replace(whole, `"canary"`, `"note"`, 1), "kept from running"},
		"the canary passes": {strings.Replace(whole, `"result":"failed"`, `"result":"passed","text":"expect"`, 1), "did not fail, so the results say nothing: expect"},
		"fewer than told":   {strings.Replace(whole, `"ran":2`, `"ran":3`, 1), "told of 3 tests and reported 2"},
	} {
		var rep Report
		rep.take(readEvents([]byte(c.report)), "n")
		if rep.Finished != (c.reason == "") || !strings.Contains(rep.Reason, c.reason) {
			t.Errorf("%s: finished %v, %q", name, rep.Finished, rep.Reason)
		}
	}
}

func TestTheWorseOfTwoCounts(t *testing.T) {
	rep := Report{Results: map[string]string{}}
	for _, r := range []string{Pass, Skip, Fail, Pass} {
		rep.put("a", r)
	}
	rep.put("b", "something else")
	if rep.Results["a"] != Fail || rep.Results["b"] != Fail {
		t.Errorf("%v", rep.Results)
	}
}

func TestJUnit(t *testing.T) {
	for name, c := range map[string]struct {
		xml  string
		want map[string]string // nil is an error
	}{
		"surefire": {`<?xml version="1.0"?><testsuite tests="4"><testcase name="a" classname="p.T"/><testcase name="b" classname="p.T"><failure message="m">t</failure></testcase>` +
			`<testcase name="c" classname="p.T"><skipped/></testcase><testcase name="d" classname="p.T"><rerunFailure/></testcase></testsuite>`,
			map[string]string{"p.T a": Pass, "p.T b": Fail, "p.T c": Skip, "p.T d": Fail}},
		"nested, twice": {`<testsuites><testsuite><testsuite><testcase name="a" file="f"/><testcase name="a" file="f"/></testsuite></testsuite></testsuites>`, map[string]string{"f a": Pass, "f a #2": Pass}},
		"empty":         {`<testsuites/>`, map[string]string{}},
		"cut":           {`<testsuite><testcase name="a"/><testcase name="b">`, nil},
		"html":          {`<html><body/></html>`, nil},
		"nothing":       {``, nil},
	} {
		rep := Report{Results: map[string]string{}}
		err := rep.readJUnit([]byte(c.xml))
		if (err != nil) != (c.want == nil) || c.want != nil && !maps.Equal(rep.Results, c.want) {
			t.Errorf("%s: %v, %v", name, rep.Results, err)
		}
	}
}

func TestCargoNames(t *testing.T) {
	list := filepath.Join(t.TempDir(), "x.list")
	if err := os.WriteFile(list, []byte("/t/debug/deps/calc-0123456789abcdef\ntests::adds: test\nbench: benchmark\ngit-agent-listed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if name, tests := readCargoList(list); name != "calc" || !reflect.DeepEqual(tests, map[string]bool{"tests::adds": true}) {
		t.Errorf("%q %v", name, tests)
	}
	docs, told, ended := readCargoOutput([]byte("\nrunning 1 test\ntest tests::adds ... ok\n\ntest result: ok. 1 passed; 0 failed\n\nrunning 2 tests\ntest src/lib.rs - (line 3) ... ok\ntest src/lib.rs - add (line 9) ... FAILED\n\ntest result: FAILED. 1 passed\n"))
	if !ended || told != 1 || !maps.Equal(docs, map[string]string{"doc src/lib.rs -": Pass, "doc src/lib.rs - add": Fail}) {
		t.Errorf("%v %d %v", docs, told, ended)
	}
	if _, _, ended = readCargoOutput([]byte("\nrunning 2 tests\ntest src/lib.rs - (line 3) ... ok\n")); ended {
		t.Error("a cut run of doc tests has ended")
	}
}

func TestGoOnly(t *testing.T) {
	patterns, filter := goOnly([]string{"example.com/a.TestOne", "example.com/a.TestOne/with.Test/x", "example.com/b.v2.ExampleTwo", "no test"})
	if !slices.Equal(patterns, []string{"example.com/a", "example.com/b.v2"}) || filter != "^(ExampleTwo|TestOne)$" {
		t.Errorf("%v %s", patterns, filter)
	}
}

func TestDeciders(t *testing.T) {
	base := map[string]string{
		"go.mod": "module m\n", "pyproject.toml": "[project]\nname = 'x'\n[tool.pytest.ini_options]\naddopts = '-q'\n", "conftest.py": "import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n",
		"package.json": `{"scripts":{"test":"node run.js","dev":"x"},"devDependencies":{"vitest":"^3","left":"1"}}`, "run.js": "1", "Cargo.toml": "[package]\nname = 'c'\n", "Makefile": "test:\n",
	}
	for name, c := range map[string]struct {
		runner, command, file, content, changed string
	}{
		"a replacement":            {project.RunnerGo, "", "go.mod", "module m\nreplace a => ./b\n", "go.mod"},
		"a requirement":            {project.RunnerGo, "", "go.mod", "module m\nrequire a v1.0.0\n", ""},
		"go.work":                  {project.RunnerGo, "", "go.work", "go 1.21\n", "go.work"},
		"pytest options":           {project.RunnerPytest, "", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-k x'\n", "pyproject.toml"},
		"a dependency":             {project.RunnerPytest, "", "pyproject.toml", "[project]\nname = 'x'\ndependencies = []\n[tool.pytest.ini_options]\naddopts = '-q'\n", ""},
		"a fixture":                {project.RunnerPytest, "", "conftest.py", "import pytest\n\n@pytest.fixture\ndef two():\n    return 2\n", ""},
		"a hook":                   {project.RunnerPytest, "", "tests/conftest.py", "def pytest_runtest_makereport(item, call):\n    pass\n", "tests/conftest.py"},
		"a hook, unittest":         {project.RunnerUnittest, "", "tests/conftest.py", "def pytest_runtest_makereport(item, call):\n    pass\n", ""},
		"sitecustomize":            {project.RunnerUnittest, "", "sitecustomize.py", "x", "sitecustomize.py"},
		"installed sitecustomize":  {project.RunnerUnittest, "", ".venv/lib/sitecustomize.py", "x", ""},
		"another vitest":           {project.RunnerVitest, "", "package.json", `{"devDependencies":{"vitest":"file:./v","left":"1"}}`, "package.json"},
		"another dependency":       {project.RunnerVitest, "", "package.json", `{"devDependencies":{"vitest":"^3","left":"2"}}`, ""},
		"a vitest config":          {project.RunnerVitest, "", "vitest.config.ts", "x", "vitest.config.ts"},
		"jest in package.json":     {project.RunnerJest, "", "package.json", `{"jest":{"bail":1},"devDependencies":{"vitest":"^3"}}`, "package.json"},
		"cargo test=false":         {project.RunnerCargo, "", "Cargo.toml", "[package]\nname = 'c'\n[lib]\ntest = false\n", "Cargo.toml"},
		"cargo feature":            {project.RunnerCargo, "", "Cargo.toml", "[package]\nname = 'c'\n[features]\nf = []\n", ""},
		"the test script":          {project.RunnerExit, "npm test", "package.json", `{"scripts":{"test":"true","dev":"x"}}`, "package.json"},
		"another script":           {project.RunnerExit, "npm test", "package.json", `{"scripts":{"test":"node run.js","dev":"y"}}`, ""},
		"what the script runs":     {project.RunnerExit, "npm test", "run.js", "2", "run.js"},
		"the product that it runs": {project.RunnerExit, "python3 app.py --selftest", "app.py", "2", ""},
		"the Makefile":             {project.RunnerExit, "make test", "Makefile", "test:\n\ttrue\n", "Makefile"},
		"the Makefile of no use":   {project.RunnerExit, "sh x.sh", "Makefile", "test:\n\ttrue\n", ""},
		"environment of the tests": {project.RunnerNode, "", ".env", "A=1\n", ".env"},
	} {
		old, new := fstest.MapFS{}, fstest.MapFS{}
		for file, text := range base {
			old[file] = &fstest.MapFile{Data: []byte(text)}
			new[file] = old[file]
		}
		new[c.file] = &fstest.MapFile{Data: []byte(c.content)}
		if got := ChangedDecider(Deciders(c.runner, c.command, old), Deciders(c.runner, c.command, new)); got != c.changed {
			t.Errorf("%s: %q, want %q", name, got, c.changed)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"t":"test","id":"a","result":"pass"}` + "\n" + `{"t":"canary","result":"failed"}` + "\n" + `{"t":"end","nonce":"n","ran":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var rep Report
		if rep.take(readEvents(data), "a nonce that nobody knows"); rep.Finished {
			t.Fatal("finished without the nonce")
		}
	})
}

func FuzzJUnit(f *testing.F) {
	f.Add([]byte(`<testsuite><testcase name="a" classname="b"><failure/></testcase></testsuite>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rep := Report{Results: map[string]string{}}
		if rep.readJUnit(data) != nil {
			return
		}
		if rep.Count(Pass)+rep.Count(Fail)+rep.Count(Skip) != len(rep.Results) {
			t.Fatal("a result that is none")
		}
	})
}
