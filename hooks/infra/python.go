package infra

import (
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

var (
	pytestRisk = pattern.Lazy(`^(?:python_(?:files|classes|functions)|norecursedirs|collect_ignore\w*|usefixtures|required_plugins|empty_parameter_set_mark|cache_dir|console_output_style)$`)
	narrowOpts = pattern.Lazy(`(?:^|[\s"'])(?:-k|-m|--deselect|--ignore(?:-glob)?|--co|--collect-only|-x|--exitfirst|--maxfail|-p\s*[\w.:]+|-c|-o|--override-ini|--rootdir|--confcutdir|--pyargs|--assert|[\w./-]+\.py\S*|--lf|--last-failed|--sw|--stepwise|--reruns|--noconftest|--continue-on-collection-errors|--exit-zero|--suppress-no-test-exit-code)(?:[\s="']|$)`)
	omitting   = pattern.Lazy(`^(?:omit|exclude_lines|exclude_also|include|source)$`)
	scriptName = pattern.Lazy(`^(?:test|tests|check|ci|cov|coverage)\b`)
)

// pytestSetting rates a setting of pytest.
func pytestSetting(key, value string, w World) (s Setting) {
	s = Setting{Key: key, Value: value}
	name := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case name == "addopts":
		if narrowOpts.MatchString(value) {
			s.Risk = "decides which tests run"
		}
	case name == "testpaths":
		if hides(value, w.tests("py")) {
			s.Risk = "leaves out tests that are there"
		}
	case pytestRisk.MatchString(name):
		s.Risk = "decides which tests run"
	}
	return s
}

// hides says whether a list of folders leaves out any of the tests.
func hides(value string, tests []string) bool {
	dirs := folderName.FindAllString(value, -1)
	for _, t := range tests {
		covered := false
		for _, d := range dirs {
			d = strings.Trim(strings.TrimPrefix(d, "./"), "/")
			covered = covered || d == "." || strings.HasPrefix(t, d+"/") || t == d
		}
		if !covered {
			return true
		}
	}
	return false
}

// coverageSetting rates a setting of coverage.py.
func coverageSetting(key, value string) Setting {
	s := Setting{Key: key, Value: value}
	name := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case name == "fail_under":
		s.Ratchet = 1
	case omitting.MatchString(name):
		if name != "source" && productDir.MatchString(value) {
			s.Risk = "leaves product code out of what is measured"
		}
	default:
		s.Loose = true
	}
	return s
}

func pyprojectSettings(_ string, data []byte, w World) []Setting {
	var out []Setting
	add := func(s Setting, line int) {
		s.Line = line
		out = append(out, s)
	}
	for _, l := range tomlLeaves(data) {
		key := l.key()
		switch {
		case l.under("tool", "pytest"):
			add(pytestSetting(key, l.value, w), l.line)
		case l.under("tool", "coverage"):
			add(coverageSetting(key, l.value), l.line)
		case l.under("project", "entry-points", "pytest11"), l.under("tool", "poetry", "plugins", "pytest11"):
			add(Setting{Key: key, Value: l.value, Risk: "loads code into every test run", Always: true}, l.line)
		case l.under("tool", "uv", "sources") && len(l.path) > 3 && pyTool.MatchString(l.path[3]) && !strings.Contains(l.value, "index"),
			l.under("tool", "poetry") && len(l.path) > 3 && pyTool.MatchString(l.path[len(l.path)-2]) && pyElsewhere.MatchString(l.path[len(l.path)-1]):
			add(Setting{Key: key, Value: l.value, Risk: "takes a test tool from elsewhere", Always: true, Loose: true}, l.line)
		case (l.under("project") || l.under("dependency-groups")) && pipElsewhere.MatchString(l.value):
			add(Setting{Key: key, Value: l.value, Risk: "takes a test tool from elsewhere", Always: true, Loose: true}, l.line)
		case l.under("tool", "tox") || l.under("tool", "nox"):
			add(Setting{Key: key, Value: l.value}, l.line)
		case isTask(l) && scriptName.MatchString(l.path[len(l.path)-1]):
			s := Setting{Key: key, Value: l.value}
			if noTest.MatchString(strings.Trim(l.value, `"'`)) {
				s.Risk = "does not fail when tests do"
			}
			add(s, l.line)
		}
	}
	return out
}

// isTask says whether a leaf is the command of a task runner.
func isTask(l leaf) bool {
	for _, keys := range [][]string{{"tool", "poe", "tasks"}, {"tool", "taskipy", "tasks"}, {"tool", "pdm", "scripts"}, {"tool", "rye", "scripts"}} {
		if l.under(keys...) {
			return true
		}
	}
	return l.under("tool", "hatch", "envs") && len(l.path) > 4 && l.path[4] == "scripts"
}

// iniSettings reads setup.cfg, tox.ini, pytest.ini and .coveragerc.
func iniSettings(file string, data []byte, w World) []Setting {
	var out []Setting
	cover := strings.HasSuffix(file, ".coveragerc")
	for _, l := range iniLeaves(data) {
		section, name := l.path[0], l.path[1]
		key := section + "." + name
		var s Setting
		switch {
		case section == "pytest" || section == "tool:pytest":
			s = pytestSetting(key, l.value, w)
		case strings.HasPrefix(section, "coverage:") || cover:
			s = coverageSetting(key, l.value)
		case strings.HasPrefix(section, "testenv") && (name == "commands" || name == "ignore_errors" || name == "ignore_outcome" || name == "setenv" || name == "commands_pre" || name == "allowlist_externals"):
			s = Setting{Key: key, Value: l.value, Loose: name == "allowlist_externals"}
			if strings.HasPrefix(name, "ignore") || name == "commands" && noTest.MatchString(l.value) {
				s.Risk = "does not fail when tests do"
			}
		case section == "tox" && (name == "envlist" || name == "env_list"):
			for i, env := range strings.FieldsFunc(l.value, func(r rune) bool { return r == ',' || r == '\n' || r == ' ' }) {
				_ = i
				out = append(out, Setting{Key: key + " " + env, Value: env, Line: l.line})
			}
			continue
		case section == "tox" && name == "skip_missing_interpreters" && strings.EqualFold(l.value, "true"):
			s = Setting{Key: key, Value: l.value, Risk: "passes over what cannot be run", Within: true}
		case section == "options.entry_points" && name == "pytest11":
			s = Setting{Key: key, Value: l.value, Risk: "loads code into every test run", Always: true}
		case section == "flake8" && name == "exit-zero":
			s = Setting{Key: key, Value: l.value, Risk: "makes the linter always succeed", Always: true, Loose: true}
		default:
			continue
		}
		s.Line = l.line
		out = append(out, s)
	}
	return out
}

var (
	topBlock  = pattern.Lazy(`(?m)^(?:(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?[+]?=[^=])`)
	plainName = pattern.Lazy(`^pytest_|^collect_ignore|^pytest_plugins$|^__`)
)

// conftestSettings takes a conftest.py apart into what stands at its top: a hook
// may not be added, a fixture may, unless it runs by itself.
func conftestSettings(_ string, data []byte, _ World) []Setting {
	l := lex.Of("x.py")
	code, bare := l.OnlyCode(data), l.NoComments(data)
	starts := topBlock.FindAllSubmatchIndex(code, -1)
	var out []Setting
	for i, m := range starts {
		name := ""
		for g := 2; g < 8; g += 2 {
			if m[g] >= 0 {
				name = string(code[m[g]:m[g+1]])
			}
		}
		from, to := decorated(code, m[0]), len(code)
		if i+1 < len(starts) {
			to = decorated(code, starts[i+1][0])
		}
		s := Setting{Key: name, Value: strings.TrimSpace(lines(bare[from:to])), Line: lex.Line(data, from)}
		switch {
		case plainName.MatchString(name):
			s.Risk = "is a hook of pytest"
		case strings.Contains(s.Value, "autouse"):
			s.Risk = "runs around every test"
		case strings.Contains(s.Value, "hookimpl"):
			s.Risk = "is a hook of pytest"
		}
		out = append(out, s)
	}
	return out
}

// decorated moves a start up over the decorators above it.
func decorated(code []byte, at int) int {
	for at > 0 {
		above := strings.LastIndexByte(string(code[:at-1]), '\n') + 1
		if code[above] != '@' {
			break
		}
		at = above
	}
	return at
}

var noxSession = pattern.Lazy(`(?m)^def[ \t]+(\w*(?:test|check|ci|cov)\w*)`)

// noxSettings: the sessions that test.
func noxSettings(_ string, data []byte, w World) []Setting {
	var out []Setting
	for _, s := range conftestSettings("", data, w) {
		if noxSession.MatchString("def " + s.Key) {
			s.Risk = ""
			out = append(out, s)
		}
	}
	return out
}

var folderName = pattern.Lazy(`[\w./-]+`)

var productDir = pattern.Lazy(`(?:^|[\s"'*/\[])(?:src|app|lib)/`)
