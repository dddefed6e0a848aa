package contract

import (
	"regexp"
	"strings"

	"gitagent/internal/pattern"
)

// Interpreters: what they are given to run, a file or code on the command line.

func nodeRole(args []string) role {
	for i := 0; i < len(args); i++ {
		name, value, glued := strings.Cut(args[i], "=")
		switch name {
		case "--test":
			return tests
		case "--check", "-c", "--version", "-v":
			return builds
		case "-i", "--interactive":
			return piped
		case "-e", "--eval", "-p", "--print", "-pe", "-ep":
			return inlineCode(strings.Join(args[i+1:], " ")+" "+value, nodeLocal)
		case "-r", "--require", "--import", "--loader", "--experimental-loader":
			if !glued && i+1 < len(args) {
				i++
				value = args[i]
			}
			if strings.HasPrefix(value, "data:") {
				return prints
			}
		default:
			if !strings.HasPrefix(name, "-") || name == "-" {
				return script(args[i])
			}
		}
	}
	return piped
}

func bunRole(args []string) role {
	if len(args) > 0 && contains([]string{"-e", "--eval", "-p", "--print", "-"}, args[0]) {
		return nodeRole(args)
	}
	return scriptRole(args)
}

func denoRole(args []string) role {
	switch {
	case len(args) == 0:
		return piped
	case args[0] == "test":
		return tests
	case args[0] == "eval":
		return inlineCode(strings.Join(args[1:], " "), nodeLocal)
	case contains([]string{"check", "lint", "fmt", "cache", "info"}, args[0]):
		return builds
	case args[0] == "run":
		return nodeRole(args[1:])
	}
	return nodeRole(args)
}

func pythonRole(args []string) role {
	for i, a := range args {
		switch {
		case a == "--version" || a == "-V":
			return builds
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && a != "-" && strings.ContainsAny(a, "cm"):
			at := strings.IndexAny(a, "cm")
			rest := append([]string{}, args[i+1:]...)
			if value := a[at+1:]; value != "" {
				rest = append([]string{value}, rest...)
			}
			if a[at] == 'c' {
				return inlineCode(strings.Join(rest, " "), pythonLocal)
			}
			return moduleRole(rest)
		case a == "-i":
			return piped
		case !strings.HasPrefix(a, "-") || a == "-":
			if i > 0 && (args[i-1] == "-W" || args[i-1] == "-X") {
				continue
			}
			return script(a)
		}
	}
	return piped
}

func moduleRole(args []string) role {
	switch {
	case len(args) == 0:
		return piped
	case contains(strings.Fields("pytest unittest doctest nose2"), args[0]):
		return tests
	case contains(strings.Fields("py_compile compileall mypy flake8 pylint black isort ruff pip venv ast tabnanny pyflakes json.tool "+
		"base64 calendar tokenize code this timeit zipfile tarfile gzip platform sysconfig site inspect dis symtable pickle difflib random http.server"), args[0]):
		return builds
	}
	return runs
}

// An inline program is evidence only when it loads the project's code.
var (
	nodeLocal   = pattern.Lazy(`(require|import|from)\s*\(?\s*["'\x60]\.{1,2}/|(spawn|exec)\w*\(|fetch\(`)
	pythonLocal = pattern.Lazy(`(^|[;\s])(import|from)\s+(\w+)`)
	stdlib      = strings.Fields("sys os json re math pathlib io time datetime ast glob shutil string random itertools functools collections typing decimal fractions operator")
)

func inlineCode(code string, local *pattern.Pattern) role {
	for _, m := range local.FindAllStringSubmatch(code, -1) {
		if len(m) < 4 || !contains(stdlib, m[3]) {
			return snippet
		}
	}
	if strings.Contains(code, "read") || strings.Contains(code, "open(") || strings.Contains(code, "exists") {
		return reads
	}
	return prints
}

var loads = pattern.Lazy(`require|include|load|import|use lib|\./`)

// interpreter judges a language's own program: by a flag that takes code, a flag
// that only checks, and the file that it runs.
func interpreter(code, check string) argsRole {
	flag := regexp.MustCompile(code)
	return func(args []string) role {
		for i, a := range args {
			switch {
			case a == check:
				return builds
			case flag.MatchString(a) && loads.MatchString(strings.Join(args[i:], " ")):
				return snippet
			case flag.MatchString(a):
				return prints
			case !strings.HasPrefix(a, "-") || a == "-":
				return script(a)
			}
		}
		return piped
	}
}
