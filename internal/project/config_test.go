package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/internal/testenv"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte("\ufeff# shared\n[agent]\n\tsetup = sh tools/setup.sh ; a comment\n\tStart = \"npm run dev -- --port \\\"$PORT\\\"\" # x\n\tport=3000\r\n" +
		"\tstatic = ./public/\n\tprotect = qa/**/*.txt\n\tprotect = *.golden\n[test \"unit \\\"a\\\"\"]\n\tdir = web\n\tcommand = node --test \\\n  test/\n\trunner = node\n[test \"all\"]\n\tcommand = make check\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Setup: "sh tools/setup.sh", Start: `npm run dev -- --port "$PORT"`, Port: 3000, Static: "public", TestPatterns: []string{"qa/**/*.txt", "*.golden"},
		Tests: []TestCommand{{`unit "a"`, "web", "node --test   test/", RunnerNode, ""}, {"all", "", "make check", RunnerExit, ""}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	again, err := Parse(got.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, got.Bytes())
	}
	if d := cmp.Diff(got, again); d != "" {
		t.Errorf("Bytes reads back differently: %s", d)
	}
	if empty, err := Parse(nil); err != nil || !cmp.Equal(empty, Config{}) {
		t.Errorf("empty: %+v, %v", empty, err)
	}
}

func TestParseRefuses(t *testing.T) {
	cases := []struct {
		text string
		line int
		want string
	}{
		{"[agent]\nstrat = x", 2, "unknown key agent.strat; did you mean start?"},
		{"[agnet]\nstart = x", 1, "did you mean [agent]?"},
		{"[test \"a\"]\ncomand = x", 2, "did you mean command?"},
		{"[agent]\n\nhost = http://evil", 3, "personal setting"},
		{"[agent]\nmodel = x", 2, "git config agent.model"},
		{"[agent]\nnum-ctx = 1", 2, "personal setting"},
		{"[agent]\npeople = warn", 2, "loosen a guard"},
		{"[guards]\nflags = off", 1, "loosen a guard"},
		{"[agent]\nsandbox = off", 2, "loosen a guard"},
		{"[ollama]\nhost = x", 1, "personal setting"},
		{"[include]\npath = /etc/x", 1, "unknown section [include]"},
		{"[agent \"x\"]\nstart = y", 1, "takes no name"},
		{"[test]\ncommand = x", 1, "needs a name"},
		{"[test \"a\"]\nrunner = go", 1, "has no command"},
		{"[test \"a\"]\ncommand = x\nrunner = mocha", 3, "runner must be one of go"},
		{"[agent]\nport = 99999", 2, "1 to 65535"},
		{"[agent]\nport = x", 2, "1 to 65535"},
		{"[agent]\nstatic = ../x", 2, "inside the repository"},
		{"[agent]\nstatic = /srv", 2, "inside the repository"},
		{"[test \"a\"]\ndir = a/../../b", 2, "inside the repository"},
		{"[agent]\nprotect = [a", 2, "is not a pattern"},
		{"start = x", 1, "before any section"},
		{"[agent]\nstart", 2, "has no value"},
		{"[agent]\nstart = \"x", 2, "not closed"},
		{"[agent]\nstart = a\\qb", 2, `unknown escape \q`},
		{"[agent]\nstart = a\\", 2, "ends in a backslash"},
		{"[agent\nstart = a", 1, "not closed with ]"},
		{"[test \"a\nb\"]", 1, "not closed with a quote"},
		{"[agent]\nstart = a\x1bb", 2, "control character"},
		{"[]", 1, "needs a name"},
		{"[agent]\n= x", 2, "expected a section"},
		{"[agent]\nstart = \xff", 1, "not UTF-8"},
		{strings.Repeat("#", maxConfig+1), 1, "larger than"},
	}
	for _, c := range cases {
		_, err := Parse([]byte(c.text))
		var ce *ConfigError
		if !errors.As(err, &ce) || ce.Line != c.line || !strings.Contains(ce.Msg, c.want) {
			t.Errorf("%q: %v; want line %d, %q", c.text, err, c.line, c.want)
		}
	}
}

// What git itself reads from a file is what the parser reads.
func TestGitReadsTheSame(t *testing.T) {
	testenv.Clean(t)
	dir := t.TempDir()
	values := []string{"plain", " lead", "trail ", "a # b", `q "x" \y`, "tab\there", "two\nlines", "; x", `$PORT && 'a'`, "é", "a  b"}
	for _, v := range values {
		c := Config{Start: v, Tests: []TestCommand{{Name: `n "1" \`, Command: v, Runner: RunnerExit}}}
		file := filepath.Join(dir, "config")
		if err := os.WriteFile(file, c.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := testenv.Git(t, dir, "config", "-z", "-f", file, "agent.start"); got != v+"\x00" {
			t.Errorf("git reads %q from %q", got, c.Bytes())
		}
		if got := testenv.Git(t, dir, "config", "-z", "-f", file, `test.n "1" \.command`); got != v+"\x00" {
			t.Errorf("git reads the test command %q", got)
		}
		if got, err := Parse(c.Bytes()); err != nil || got.Start != v || got.Tests[0] != c.Tests[0] {
			t.Errorf("%q reads back as %+v, %v", v, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"[agent]\nstart=x\n", "[test \"a\"]\ncommand = \"b # c\" \\\n d\nrunner=go", "[a\\", "[test \"\\", "#", "[agent]\nport=1\nstatic=.\nprotect={a,b}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			var ce *ConfigError
			if !errors.As(err, &ce) || ce.Line < 1 {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		again, err := Parse(c.Bytes())
		if err != nil || !cmp.Equal(c, again) {
			t.Fatalf("%q: %+v, then %+v, %v", data, c, again, err)
		}
	})
}
