package contract

import (
	"path"
	"strings"

	"gitagent/internal/pattern"
)

// classify judges by the program's name and its arguments up to the file that
// it runs.
func classify(c simple) role {
	words, wrapped := unwrap(c.words)
	name, args := path.Base(words[0]), words[1:]
	if strings.Contains(words[0], "/") && !path.IsAbs(words[0]) {
		// The project's own program, whatever its name; what is installed in
		// the project keeps the meaning of its name.
		if !installed.MatchString(words[0]) {
			return runs
		}
		wrapped = true
	}
	if r, ok := byName[name]; ok {
		return r
	}
	if f, ok := byArgs[name]; ok {
		return f(args)
	}
	if wrapped {
		return runs
	}
	return foreign
}

var installed = pattern.Lazy(`(^|/)(node_modules/\.bin|\.?venv/bin|\.?env/bin|vendor/bin)/`)

// unwrap takes off what runs another program. wrapped says that the program may
// be one that the project has installed.
func unwrap(words []string) (rest []string, wrapped bool) {
	for len(words) > 1 {
		skip := 1
		switch path.Base(words[0]) {
		case "env", "nice", "command", "exec", "stdbuf", "timeout", "xvfb-run":
		case "npx", "bunx", "pnpx":
			wrapped = true
		case "poetry", "uv", "pipenv", "hatch", "pdm", "rye":
			if words[1] != "run" || len(words) == 2 {
				return words, wrapped
			}
			skip, wrapped = 2, true
		case "npm", "pnpm", "yarn", "bundle":
			if words[1] != "exec" || len(words) == 2 {
				return words, wrapped
			}
			skip, wrapped = 2, true
		default:
			return words, wrapped
		}
		words = words[skip:]
		for len(words) > 1 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") || strings.Trim(words[0], "0123456789.smhd") == "") {
			words = words[1:]
		}
	}
	return words, wrapped
}

var byName = names(map[role]string{
	builds: "tsc gofmt golint staticcheck golangci-lint mypy flake8 pylint pyright ruff black isort eslint prettier stylelint htmlhint " +
		"tidy shellcheck gcc g++ cc c++ clang clang++ rustc javac kotlinc cmake ninja vite webpack rollup esbuild parcel pip pip3 apt apt-get brew docker " +
		"poetry uv pipenv hatch pdm rye",
	reads: "cat head tail less more grep egrep fgrep rg ag ack find ls stat file test [ wc diff cmp md5sum sha1sum sha256sum od xxd hexdump " +
		"strings sed awk gawk cut sort uniq tr tree du git jq nl realpath readlink which whereis type basename dirname column paste tac rev",
	prints:  "echo printf yes seq date env printenv hostname whoami uname",
	nothing: "true : exit return trap set wait sleep",
	prepare: "cd mkdir cp mv rm touch chmod ln export unset umask pwd",
	tests:   "pytest py.test vitest jest mocha ava tap jasmine phpunit rspec ctest nose2 tox nox playwright cypress",
	refused: "nohup setsid disown sudo su doas eval source . kill pkill killall at screen tmux unshare nsenter chroot tee busybox alias",
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

type argsRole func([]string) role

var byArgs = programs(map[string]argsRole{
	"go":                            goRole,
	"node nodejs tsx ts-node":       nodeRole,
	"npm yarn pnpm":                 scriptRole,
	"bun":                           bunRole,
	"deno":                          denoRole,
	"python python2 python3 pypy3":  pythonRole,
	"sh bash dash ash ksh mksh zsh": shRole,
	"perl":                          interpreter(`^-[acdflnpsStTuUvwWX0-9]*[eE]`, "-c"),
	"ruby":                          interpreter(`^-[aclnpsSvwW0-9]*e`, "-c"),
	"php":                           interpreter(`^-[rRBEF]`, "-l"),
	"lua luajit julia elixir guile Rscript racket groovy scala kotlin swipl ocaml": interpreter(`^(-e|-E|-g|--eval.*|--expression.*)$`, ""),
	"tclsh runghc runhaskell java": interpreter(`^$`, ""),
	"make gmake":                   makeRole,
	"just task rake rails flask":   launcher,
	"cargo":                        firstOf(tests, "test", "nextest").or(builds, "build", "b", "check", "c", "clippy", "fmt", "doc", "fetch", "tree", "metadata"),
	"dotnet swift mix stack cabal zig nim crystal dart flutter sbt lein dub gleam gradle": launcher,
	"mvn":                     mvnRole,
	"curl wget http https xh": asksRole,
})

func programs(lists map[string]argsRole) map[string]argsRole {
	out := make(map[string]argsRole)
	for list, f := range lists {
		for _, name := range strings.Fields(list) {
			out[name] = f
		}
	}
	return out
}

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

// launcher is a build tool that also runs and tests.
func launcher(args []string) role {
	if len(args) == 0 {
		return builds
	}
	return firstOf(tests, "test", "spec").or(builds, "build", "compile", "check", "restore", "format", "fmt", "get", "deps.get", "pub", "--version", "--list", "-l")(args)
}

func mvnRole(args []string) role {
	for _, a := range args {
		if strings.HasPrefix(a, "exec:") || strings.HasSuffix(a, ":run") {
			return runs
		}
		if a == "test" || a == "verify" {
			return tests
		}
	}
	return builds
}

// script judges the file that an interpreter runs: one of the project.
func script(name string) role {
	switch {
	case name == "-" || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/"):
		return piped
	case path.IsAbs(name):
		return foreign
	}
	return runs
}

// scriptRole judges npm and its kind by the script's name.
func scriptRole(args []string) role {
	if len(args) > 0 && (args[0] == "run" || args[0] == "run-script") {
		args = args[1:]
	}
	if len(args) == 0 {
		return builds // lists the scripts, or installs
	}
	name, _, _ := strings.Cut(args[0], ":")
	switch {
	case name == "test" || name == "t" || name == "tst":
		return tests
	case contains(strings.Fields("install i ci add remove update build lint typecheck type-check types check compile format fmt prepare audit outdated ls list pack publish init view version config exec"), name):
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
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--" || strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && a != "-" || strings.HasPrefix(a, "+"):
			switch {
			case strings.Contains(a, "c"):
				return refused // a shell in a shell hides what these rules look for
			case strings.Contains(a, "n"):
				return builds
			case strings.Contains(a, "s") || strings.Contains(a, "i"):
				return piped
			case strings.HasSuffix(a, "o"):
				i++
			}
		default:
			return script(a)
		}
	}
	return piped
}

// asksRole judges a program that asks the project's server and prints what it
// answers.
func asksRole(args []string) role {
	asks := false
	for i, a := range args {
		switch {
		case localServer.MatchString(a) && !strings.HasPrefix(a, "-"):
			asks = true
		case strings.HasPrefix(a, "file:"), strings.HasPrefix(a, "--trace"), a == "-v", a == "--verbose", a == "-K", a == "--config", a == "--libcurl":
			return prints
		case (a == "-w" || a == "--write-out") && i+1 < len(args) && ownWords(args[i+1]):
			return prints
		case strings.HasPrefix(a, "-w") && len(a) > 2 && ownWords(a[2:]):
			return prints
		}
	}
	if !asks {
		return foreign
	}
	return runs
}

var (
	localServer = pattern.Lazy(`\$\{?PORT\b|\blocalhost\b|127\.0\.0\.1|^:\d|^:\$`)
	answerField = pattern.Lazy(`%\{[a-z_]+\}|\\[nrt]`)
)

// ownWords says whether a format of curl prints more than what was answered.
func ownWords(format string) bool {
	return strings.TrimSpace(answerField.ReplaceAllString(format, "")) != ""
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
