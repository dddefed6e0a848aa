package infra

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gitagent/internal/pattern"
	"gitagent/internal/project"
)

// taskRisk are what lets a task pass without being run.
var taskRisk = pattern.Lazy(`^(?:ignore_error|status|platforms|sources|generates|if|run|method|preconditions)(?:\.|$)|\.ignore_error$`)

func taskSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range yamlLeaves(data) {
		if l.under("tasks") && len(l.path) > 1 && testTarget.MatchString(l.path[1]) && !strings.HasSuffix(l.key(), ".desc") {
			s := Setting{Key: l.key(), Value: l.value, Line: l.line}
			if taskRisk.MatchString(strings.Join(l.path[2:], ".")) {
				s.Risk, s.Within = "decides whether the tests run, or what their failure means", true
			}
			out = append(out, s)
		}
	}
	return out
}

var (
	rspecRisk = pattern.Lazy(`--(?:tag|exclude-pattern|pattern|fail-fast|dry-run|default-path|options|only-failures|next-failure|example|no-fail|failure-exit-code)\b|^-[tePE]\b`)
	rakeLine  = pattern.Lazy(`TestTask|RakeTask|\b(?:pattern|exclude_pattern|test_files|fail_on_error|rspec_opts|libs)\b|task\s*\(?:?["']?(?:test|spec|default|ci)\b`)
)

func rubySettings(file string, data []byte, _ World) []Setting {
	var out []Setting
	rake := base(file) == "rakefile"
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || rake && !rakeLine.MatchString(text) {
			continue
		}
		s := Setting{Key: text, Value: "set", Line: n + 1, Loose: !rake && !rspecRisk.MatchString(text) && !strings.Contains(text, "require")}
		if rspecRisk.MatchString(text) || rake && (strings.Contains(text, "exclude") || strings.Contains(text, "fail_on_error = false")) {
			s.Risk = "decides which tests run, or what their failure means"
		}
		out = append(out, s)
	}
	return out
}

func codecovSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range yamlLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch l.path[len(l.path)-1] {
		case "target":
			s.Ratchet = 1
		case "threshold":
			s.Ratchet = -1
		case "informational":
			s.Risk = "makes coverage not count"
		default:
			if !l.under("ignore") {
				continue
			}
			s.Key, s.Risk = "ignore "+l.value, "leaves code out of what is measured"
		}
		out = append(out, s)
	}
	return out
}

// versionSettings: tools may be renewed, not made older.
func versionSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || text[0] == '[' {
			continue
		}
		name, value := "version", text
		if i := strings.IndexAny(text, " ="); i > 0 {
			name, value = text[:i], strings.TrimLeft(text[i:], " =")
		}
		if strings.ContainsAny(value, "[") {
			continue
		}
		out = append(out, Setting{Key: name, Value: strings.TrimPrefix(strings.Trim(value, `"`), "v"), Line: n + 1, Ratchet: 1})
	}
	return out
}

// probes are paths as tests, and what the rules read, have them.
var probes = []string{
	"x_test.go", "pkg/x_test.go", "test_x.py", "tests/test_x.py", "tests/x.rs", "conftest.py", "tests/conftest.py", "x.test.js", "src/x.test.ts", "src/x.spec.ts", "x.spec.js",
	"__tests__/x.js", "src/__tests__/x.js", "src/test/java/XTest.java", "spec/x_spec.rb", "test/x_test.rb", "tests/XTest.php", "X.Tests/XTests.cs", "Tests/XTests.swift",
	"src/__snapshots__/x.snap", "testdata/x.txt", "features.json", "progress.md", ".agent/evidence/F001.json", ".agent/contracts/F001.json", "e2e/x.spec.ts", "test/x.js",
}

// ignoreSettings: lines that hide tests, or what the rules read.
func ignoreSettings(file string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || text[0] == '!' {
			continue
		}
		if hit := matching(text, true); hit != "" {
			out = append(out, Setting{Key: text, Value: "ignored", Line: n + 1, Risk: "hides files as " + hit, Always: true, Loose: true})
		}
	}
	return out
}

// matching is a probe that a pattern of git matches, "" for none. below says
// that a pattern also takes what is in the folders it matches.
func matching(pattern string, below bool) string {
	pattern = strings.TrimSuffix(pattern, "/")
	anchored := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	for _, p := range probes {
		for q := p; q != "." && q != ""; q = path.Dir(q) {
			name := q
			if !anchored {
				name = path.Base(q)
			}
			if ok, err := doublestar.Match(pattern, name); ok && err == nil {
				return p
			}
			if !below {
				break
			}
		}
	}
	return ""
}

var codeProbe = []string{"src/x.go", "src/x.py", "src/x.js", "src/x.ts", "src/x.rs", "src/X.java", "src/x.rb", "src/x.php", "src/X.cs", "src/X.swift", "src/x.kt"}

// attributeSettings: attributes that hide changes, or make git show or store
// other bytes than are there.
func attributeSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	macros := map[string][]string{}
	for n, line := range strings.Split(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) < 2 || f[0][0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(f[0], "[attr]"); ok {
			macros[name] = f[1:]
			continue
		}
		attrs := f[1:]
		for _, attr := range f[1:] {
			attrs = append(attrs, macros[attr]...)
		}
		for _, attr := range attrs {
			if risk := attributeRisk(f[0], attr); risk != "" {
				out = append(out, Setting{Key: f[0] + " " + attr, Value: "set", Line: n + 1, Risk: risk, Always: true, Loose: true})
			} else if strings.HasPrefix(attr, "merge=agent-") {
				out = append(out, Setting{Key: f[0] + " " + attr, Value: "set", Line: n + 1})
			}
		}
	}
	return out
}

func attributeRisk(pattern, attr string) string {
	name, value, _ := strings.Cut(attr, "=")
	switch name {
	case "filter":
		if value == "lfs" && !overCode(pattern) {
			return ""
		}
		return "makes git store other bytes than are there"
	case "working-tree-encoding":
		if !overCode(pattern) {
			return ""
		}
		return "makes git store other bytes than are there"
	case "-diff", "binary", "linguist-generated", "export-ignore", "-text":
		if !overCode(pattern) || name == "-text" {
			return ""
		}
		if name == "export-ignore" {
			return ""
		}
		return "hides changes of code and tests"
	case "diff":
		if value == "" || builtinDiff[value] || !overCode(pattern) {
			return ""
		}
		return "has changes shown by another program"
	case "merge":
		if value == "ours" || (value == "binary" || value == "union") && overCode(pattern) {
			return "drops one side of a merge"
		}
	}
	return ""
}

var builtinDiff = map[string]bool{"ada": true, "bash": true, "bibtex": true, "cpp": true, "csharp": true, "css": true, "dts": true, "elixir": true, "fortran": true,
	"fountain": true, "golang": true, "html": true, "java": true, "kotlin": true, "markdown": true, "matlab": true, "objc": true, "pascal": true, "perl": true,
	"php": true, "python": true, "ruby": true, "rust": true, "scheme": true, "tex": true}

// overCode says whether a pattern takes tests or product code.
func overCode(pattern string) bool {
	if matching(pattern, true) != "" || project.IsTestPath(strings.ReplaceAll(pattern, "*", "x"), nil) && !picture.MatchString(pattern) {
		return true
	}
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	for _, p := range codeProbe {
		if !anchored {
			p = path.Base(p)
		}
		if ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), p); ok && err == nil {
			return true
		}
	}
	return false
}

var picture = pattern.Lazy(`\.(?:png|jpe?g|gif|snap|bin|pdf|zip)$`)
