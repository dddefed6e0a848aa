package contract

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// what a command does, as evidence of behaviour
type role int

const (
	runs    role = iota // the product, as far as one can tell
	builds              // compiles, checks types or syntax, lints, installs
	reads               // looks at files
	prints              // says what it was told to
	nothing             // succeeds whatever happens
	prepare             // neither: cd, mkdir, cp …
	tests               // a test runner
	refused             // may not be part of a check
)

// checkCommand gives every reason why cmd is no evidence, each as the rest of
// a sentence that begins with the check's name.
func checkCommand(cmd *Command) []string {
	var bad []string
	if len(cmd.Run) > 4096 {
		return []string{"has a command of more than 4096 bytes: put the work into a script of the project"}
	}
	chain, err := parseShell(cmd.Run)
	if err != nil {
		return append(bad, err.Error())
	}
	bad = append(bad, checkChain(chain)...)
	return append(bad, checkExpectation(cmd, chain)...)
}

func checkChain(chain []pipeline) (bad []string) {
	var seen [refused + 1]int
	for _, pipe := range chain {
		for i, c := range pipe {
			r := classify(c)
			last := i == len(pipe)-1
			seen[r]++
			switch {
			case r == refused:
				bad = append(bad, fmt.Sprintf("may not use %q", c.words[0]))
			case r == nothing:
				bad = append(bad, fmt.Sprintf("uses %q, which succeeds whatever the program does: remove it", strings.Join(c.words, " ")))
			case r == prints && last:
				bad = append(bad, fmt.Sprintf("prints its own text with %s: let the program print it", c.words[0]))
			case i > 0 && last && (r == reads || c.words[0] == "xargs"):
				bad = append(bad, fmt.Sprintf("ends in \"| %s\", which hides the program's exit code: remove that part, the harness reads all of the output", c.words[0]))
			}
			for _, e := range c.env {
				if name, _, _ := strings.Cut(e, "="); loaderVariable.MatchString(name) {
					bad = append(bad, fmt.Sprintf("sets %s, which changes how programs run: remove it", name))
				}
			}
		}
	}
	if len(bad) == 0 && seen[runs]+seen[tests] == 0 {
		switch {
		case seen[builds] > 0:
			bad = append(bad, "only builds, checks or installs: that proves no behaviour, so run the program and say what it prints")
		default:
			bad = append(bad, "only reads files: that proves no behaviour, so run the program and say what it prints")
		}
	}
	return bad
}

var loaderVariable = regexp.MustCompile(`^(PATH|GOFLAGS|GOENV|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHON.*|BASH_ENV|ENV|GIT_.*)$`)

func checkExpectation(cmd *Command, chain []pipeline) (bad []string) {
	for _, s := range append(append([]string(nil), cmd.StdoutHas...), cmd.OutputHas...) {
		if strings.TrimSpace(s) == "" {
			bad = append(bad, "expects an empty text in the output: name what is printed")
		}
	}
	if cmd.StdoutIs != nil && strings.TrimSpace(*cmd.StdoutIs) == "" && cmd.Exit == 0 {
		bad = append(bad, "expects empty output and exit code 0, which a program that does nothing gives too")
	}
	switch {
	case cmd.Exit < 0 || cmd.Exit > 125:
		bad = append(bad, fmt.Sprintf("expects exit code %d: 126 and above mean that the program was not found or was killed", cmd.Exit))
	case cmd.Exit == 0 && !cmd.Expects() && !endsInTests(chain):
		bad = append(bad, "expects only exit code 0: say in stdout_has what the program prints")
	case cmd.Expects() && endsInTests(chain):
		bad = append(bad, "runs tests, whose words prove nothing: leave stdout_has empty, their results are counted")
	case cmd.Exit != 0 && endsInTests(chain):
		bad = append(bad, "expects a test run to fail")
	}
	return bad
}

// Expects says whether anything about the output is expected.
func (cmd *Command) Expects() bool {
	return len(cmd.StdoutHas)+len(cmd.OutputHas) > 0 || cmd.StdoutIs != nil
}

func endsInTests(chain []pipeline) bool {
	last := chain[len(chain)-1]
	return len(last) == 1 && classify(last[0]) == tests
}

// classify judges by the program's name and its first arguments.
func classify(c simple) role {
	words := c.words
	for len(words) > 1 {
		switch path.Base(words[0]) {
		case "env", "nice", "command", "exec", "stdbuf", "npx", "bunx", "pnpx":
			words = words[1:]
			for len(words) > 1 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
				words = words[1:]
			}
			continue
		case "timeout":
			words = words[1:]
			for len(words) > 1 && (strings.HasPrefix(words[0], "-") || strings.Trim(words[0], "0123456789.smhd") == "") {
				words = words[1:]
			}
			continue
		}
		break
	}
	name := path.Base(words[0])
	args := words[1:]
	if strings.HasPrefix(words[0], "./") || strings.HasPrefix(words[0], "../") {
		return runs // the project's own program, whatever its name
	}
	if r, ok := byName[name]; ok {
		return r
	}
	if f, ok := byArgs[name]; ok {
		return f(args)
	}
	return runs
}

var byName = names(map[role]string{
	builds: "tsc gofmt golint staticcheck golangci-lint mypy flake8 pylint pyright ruff black isort eslint prettier stylelint htmlhint " +
		"tidy shellcheck gcc g++ cc c++ clang clang++ rustc javac kotlinc cmake ninja vite webpack rollup esbuild parcel gradle mvn pip pip3 apt apt-get brew docker",
	reads: "cat head tail less more grep egrep fgrep rg ag ack find ls stat file test [ wc diff cmp md5sum sha1sum sha256sum od xxd hexdump " +
		"strings sed awk gawk cut sort uniq tr tee tree du git jq nl realpath readlink which whereis type basename dirname column paste",
	prints:  "echo printf yes seq date",
	nothing: "true : exit return trap set wait sleep",
	prepare: "cd mkdir cp mv rm touch chmod ln export unset umask pwd",
	tests:   "pytest py.test vitest jest mocha ava tap jasmine phpunit rspec ctest nose2 tox nox",
	refused: "nohup setsid disown sudo su doas eval source . kill pkill killall at screen tmux unshare nsenter chroot",
})

func names(lists map[role]string) map[string]role {
	out := make(map[string]role)
	for r, list := range lists {
		for _, name := range strings.Fields(list) {
			out[name] = r
		}
	}
	return out
}

var byArgs = map[string]func([]string) role{
	"go":      goRole,
	"node":    nodeRole,
	"nodejs":  nodeRole,
	"bun":     scriptRole,
	"npm":     scriptRole,
	"yarn":    scriptRole,
	"pnpm":    scriptRole,
	"python":  pythonRole,
	"python3": pythonRole,
	"cargo":   firstOf(tests, "test", "nextest").or(builds, "build", "b", "check", "c", "clippy", "fmt", "doc", "fetch", "tree", "metadata"),
	"deno":    firstOf(tests, "test").or(builds, "check", "lint", "fmt", "cache", "info"),
	"dotnet":  firstOf(tests, "test").or(builds, "build", "restore", "format"),
	"swift":   firstOf(tests, "test").or(builds, "build"),
	"rake":    firstOf(tests, "test", "spec"),
	"make":    makeRole,
	"sh":      shRole,
	"bash":    shRole,
	"php":     inlineRole("-r").or(builds, "-l"),
	"ruby":    inlineRole("-e").or(builds, "-c"),
	"perl":    inlineRole("-e").or(builds, "-c"),
}

type argsRole func([]string) role

// firstOf judges by the first argument.
func firstOf(r role, first ...string) argsRole {
	return func(args []string) role {
		if len(args) > 0 && contains(first, args[0]) {
			return r
		}
		return runs
	}
}

func (f argsRole) or(r role, first ...string) argsRole {
	return func(args []string) role {
		if got := f(args); got != runs {
			return got
		}
		return firstOf(r, first...)(args)
	}
}

func goRole(args []string) role {
	return firstOf(tests, "test").or(builds, "build", "vet", "fmt", "mod", "list", "install", "doc", "env", "version", "get", "generate", "tool", "fix", "work", "clean")(args)
}

func nodeRole(args []string) role {
	for _, a := range args {
		switch a {
		case "--test":
			return tests
		case "--check", "-c", "--version", "-v":
			return builds
		case "-e", "--eval", "-p", "--print", "-pe":
			return inlineCode(strings.Join(args, " "), nodeLocal)
		}
	}
	return runs
}

func pythonRole(args []string) role {
	for i, a := range args {
		switch {
		case a == "-c":
			return inlineCode(strings.Join(args[i+1:], " "), pythonLocal)
		case a == "--version" || a == "-V":
			return builds
		case a == "-m" && i+1 < len(args):
			switch m := args[i+1]; {
			case m == "pytest" || m == "unittest" || m == "doctest" || m == "nose2":
				return tests
			case contains(strings.Fields("py_compile compileall mypy flake8 pylint black isort ruff pip venv ast tabnanny pyflakes json.tool"), m):
				return builds
			}
			return runs
		case !strings.HasPrefix(a, "-"):
			return runs
		}
	}
	return runs
}

// An inline program is evidence only when it loads the project's code.
var (
	nodeLocal   = regexp.MustCompile(`(require|import|from)\s*\(?\s*["'\x60]\.{1,2}/|(spawn|exec)\w*\(|fetch\(`)
	pythonLocal = regexp.MustCompile(`(^|[;\s])(import|from)\s+(\w+)`)
	stdlib      = strings.Fields("sys os json re math pathlib io time datetime ast glob shutil string random itertools functools collections typing")
)

func inlineCode(code string, local *regexp.Regexp) role {
	for _, m := range local.FindAllStringSubmatch(code, -1) {
		if len(m) < 4 || !contains(stdlib, m[3]) {
			return runs
		}
	}
	if strings.Contains(code, "read") || strings.Contains(code, "open(") || strings.Contains(code, "exists") {
		return reads
	}
	return prints
}

func inlineRole(flag string) argsRole {
	return func(args []string) role {
		if contains(args, flag) && !regexp.MustCompile(`require|include|load|use lib|\./`).MatchString(strings.Join(args, " ")) {
			return prints
		}
		return runs
	}
}

// scriptRole judges npm and its kind by the script's name.
func scriptRole(args []string) role {
	if len(args) > 0 && (args[0] == "run" || args[0] == "run-script" || args[0] == "exec") {
		args = args[1:]
	}
	if len(args) == 0 {
		return builds // lists the scripts, or installs
	}
	name, _, _ := strings.Cut(args[0], ":")
	switch {
	case name == "test" || name == "t" || name == "tst":
		return tests
	case contains(strings.Fields("install i ci add remove update build lint typecheck type-check types check compile format fmt prepare audit outdated ls list pack publish init view version config"), name):
		return builds
	}
	return runs
}

func makeRole(args []string) role {
	target := ""
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" || a == "-f":
			i++
		case a == "-k" || a == "-i" || a == "-n" || a == "--ignore-errors" || a == "--dry-run":
			return nothing
		case !strings.HasPrefix(a, "-") && !strings.Contains(a, "="):
			target = a
		}
	}
	switch target {
	case "test", "check", "tests":
		return tests
	case "", "all", "build", "lint", "fmt", "vet", "install", "clean", "deps", "setup":
		return builds
	}
	return runs
}

func shRole(args []string) role {
	if len(args) == 0 {
		return runs
	}
	if args[0] == "-n" {
		return builds
	}
	if strings.HasPrefix(args[0], "-") && strings.HasSuffix(args[0], "c") {
		return refused // a shell in a shell hides what these rules look for
	}
	return runs
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
