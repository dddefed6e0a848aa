package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAppendable(t *testing.T) {
	cases := []struct {
		name, hook string
		want       bool
	}{
		{"plain", "#!/bin/sh\nnpm test\n", true},
		{"env bash", "#!/usr/bin/env bash\nset -e\nmake lint\n", true},
		{"env with flags", "#!/usr/bin/env -S bash -e\nmake\n", true},
		{"refuses with a code", "#!/bin/sh\nif ! make; then echo no; exit 1; fi\n", true},
		{"no shebang", "make lint\n", true},
		{"empty", "", true},
		{"comment that says exit", "#!/bin/sh\n# exit 0 when done\nmake\n", true},
		{"word that holds exec", "#!/bin/sh\nmake execute\n", true},
		{"executable name", "#!/bin/sh\n./exec-all.sh\n", true},
		{"exec at the end", "#!/bin/sh\nexec lint \"$@\"\n", false},
		{"early success", "#!/bin/sh\n[ -f go.mod ] || exit 0\ngo vet\n", false},
		{"bare exit", "#!/bin/sh\nmake\nexit\n", false},
		{"exit with a variable", "#!/bin/sh\nmake; c=$?\nexit $c\n", false},
		{"exit 256 is success", "#!/bin/sh\nexit 256\n", false},
		{"one exit of two", "#!/bin/sh\na || exit 1; b && exit 0\n", false},
		{"sourced file", "#!/bin/sh\n. ./helpers.sh\nmake\n", false},
		{"moves away", "#!/bin/sh\ncd web && npm test\n", false},
		{"eats its arguments", "#!/bin/sh\nf=$1; shift\n", false},
		{"new arguments", "#!/bin/sh\nset -- a b\n", false},
		{"other index", "#!/bin/sh\nexport GIT_INDEX_FILE=/tmp/x\n", false},
		{"here document", "#!/bin/sh\ncat <<E\nx\nE\n", false},
		{"python", "#!/usr/bin/env python3\nprint()\n", false},
		{"node", "#!/usr/bin/node\n1\n", false},
		{"crlf", "#!/bin/sh\r\nmake\r\n", false},
		{"binary", "\x7fELF\x00\x01", false},
		{"line goes on", "#!/bin/sh\nmake \\\n", false},
	}
	for _, c := range cases {
		if got, why := appendable([]byte(c.hook)); got != c.want {
			t.Errorf("%s: appendable = %v (%s), want %v", c.name, got, why, c.want)
		}
	}
}

func TestComposeIsIdempotentAndUndone(t *testing.T) {
	for _, old := range []string{"", "#!/bin/sh\n", "#!/bin/sh\nmake\n", "#!/bin/sh\nmake", "make\n\n\n"} {
		s := shim{hook: "pre-commit", binary: "/opt/a b/it's/git-agent"}
		once := compose(s, []byte(old))
		if twice := compose(s, once); string(twice) != string(once) {
			t.Errorf("%q: second run differs:\n%s", old, twice)
		}
		renewed := compose(shim{hook: "pre-commit", binary: "/else/git-agent"}, once)
		for _, c := range [][]byte{once, renewed} {
			user, ours := Ours(c)
			if !ours || string(user) != old {
				t.Errorf("Ours(compose(%q)) = %q, %v", old, user, ours)
			}
		}
	}
}

func TestOursLeavesForeignAndBrokenFilesAlone(t *testing.T) {
	for _, c := range []string{"", "#!/bin/sh\nmake\n", "#!/bin/sh\n" + beginPrefix + "\nno end\n", "# <<< git-agent hook <<<\n", "echo '" + beginPrefix + "'\n" + endMarker + "\n"} {
		if user, ours := Ours([]byte(c)); ours || string(user) != c {
			t.Errorf("Ours(%q) = %q, %v", c, user, ours)
		}
	}
}

func TestOursKeepsWhatIsWrittenAroundTheSection(t *testing.T) {
	c := compose(shim{hook: "commit-msg"}, []byte("#!/bin/sh\na\n"))
	c = append(c, "b\n"...)
	if user, ours := Ours(c); !ours || string(user) != "#!/bin/sh\na\nb\n" {
		t.Fatalf("Ours = %q, %v", user, ours)
	}
}

func TestOursTakesOutTheLineByHand(t *testing.T) {
	user, ours := Ours([]byte("#!/bin/sh\na\n" + Line("pre-commit") + "\nb\n"))
	if !ours || string(user) != "#!/bin/sh\na\nb\n" {
		t.Fatalf("Ours = %q, %v", user, ours)
	}
}

// The section in a real shell: what ran before counts, stdin and arguments
// arrive, an absent binary and the switch let everything pass.
func TestSectionInAShell(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"called $*\"; cat; exit ${AGENT_CODE:-0}\n"
	write(t, filepath.Join(bin, "git-agent"), script, 0o755)
	odd := filepath.Join(t.TempDir(), "it's here")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(odd, "git-agent"), script, 0o755)

	cases := []struct {
		name, user, path, fallback string
		env                        []string
		code                       int
		out                        string
	}{
		{"ours alone", "", bin, "", nil, 0, "called hook commit-msg a b\n"},
		{"refusal counts", "", bin, "", []string{"AGENT_CODE=1"}, 1, "called hook commit-msg a b\n"},
		{"user first", "#!/bin/sh\ncat\necho user\n", bin, "", nil, 0, "stdin\nuser\ncalled hook commit-msg a b\n"},
		{"user refuses", "#!/bin/sh\nfalse\n", bin, "", nil, 1, ""},
		{"user refuses without newline", "#!/bin/sh\n(exit 7)", bin, "", nil, 7, ""},
		{"absent binary", "", t.TempDir(), "", nil, 0, ""},
		{"recorded path", "", t.TempDir(), filepath.Join(odd, "git-agent"), nil, 0, "called hook commit-msg a b\n"},
		{"recorded path is gone", "", t.TempDir(), "/nowhere/git-agent", nil, 0, ""},
		{"switched off", "", bin, "", []string{"GIT_AGENT_HOOKS=0", "AGENT_CODE=1"}, 0, ""},
	}
	for _, c := range cases {
		file := filepath.Join(t.TempDir(), "hook")
		write(t, file, string(compose(shim{hook: "commit-msg", binary: c.fallback}, []byte(c.user))), 0o755)
		cmd := exec.Command("/bin/sh", file, "a", "b")
		cmd.Env = append([]string{"PATH=" + c.path + ":/usr/bin:/bin"}, c.env...)
		cmd.Stdin = strings.NewReader("stdin\n")
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code || string(out) != c.out {
			t.Errorf("%s: exit %d, output %q; want %d, %q", c.name, cmd.ProcessState.ExitCode(), out, c.code, c.out)
		}
	}
}

func FuzzOurs(f *testing.F) {
	f.Add([]byte("#!/bin/sh\nmake"), "/a/git-agent")
	f.Add([]byte(""), "")
	f.Add([]byte("\r\n\x00'"), "relative")
	f.Fuzz(func(t *testing.T, old []byte, binary string) {
		if takeApart(old).form != formNone || lineStart(old, beginPrefix) >= 0 {
			t.Skip()
		}
		c := compose(shim{hook: "pre-commit", binary: binary}, old)
		if user, ours := Ours(c); !ours || string(user) != string(old) {
			t.Fatalf("Ours(compose(%q)) = %q, %v", old, user, ours)
		}
		if again := compose(shim{hook: "pre-commit", binary: binary}, c); string(again) != string(c) {
			t.Fatalf("compose is not idempotent on %q", old)
		}
	})
}

func write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
