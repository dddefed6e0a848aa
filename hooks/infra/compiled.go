package infra

import (
	"fmt"
	"path"
	"strings"

	"gitagent/internal/pattern"
)

// cargoSettings are those of Cargo.toml that decide which tests are built.
func cargoSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range tomlLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		name := l.path[len(l.path)-1]
		switch {
		case l.under("lib") && name == "path":
			s.Risk, s.Within = "builds the library from another file", true
		case l.under("lib") && (name == "test" || name == "doctest" || name == "harness"),
			(l.under("bin") || l.under("example") || l.under("test") || l.under("bench")) && (name == "test" || name == "harness" || name == "required-features"):
			if l.value == "false" || name == "required-features" {
				s.Risk = "leaves out tests"
			}
		case l.under("test"):
		case l.under("package") && (name == "autotests" || name == "autobins"):
			if l.value == "false" {
				s.Risk = "leaves out tests"
			}
		case l.under("patch"), l.under("replace"):
			s.Risk, s.Always = "swaps a dependency", true
		case l.under("profile", "test"):
			s.Risk = "changes how tests are built"
		case (l.under("dev-dependencies") || l.under("dependencies")) && len(l.path) == 3 && cargoTool.MatchString(l.path[1]) && pyElsewhere.MatchString(name):
			s.Risk, s.Always, s.Loose = "takes a test tool from elsewhere", true, true
		case l.under("workspace") && (name == "exclude" || name == "default-members"):
			s.Risk = "leaves out packages"
		case l.under("workspace") && name == "members":
			for _, m := range quotedWord.FindAllStringSubmatch(l.value, -1) {
				out = append(out, Setting{Key: "workspace member " + m[1], Value: m[1], Line: l.line})
			}
			continue
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

// cargoConfig: what stands in for cargo's tools.
func cargoConfig(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range tomlLeaves(data) {
		name := l.path[len(l.path)-1]
		switch {
		case l.path[0] == "paths", l.under("source") && (name == "replace-with" && l.value != `"vendored-sources"` || name == "directory" && l.value != `"vendor"` || name == "local-registry" || name == "git"):
			out = append(out, Setting{Key: l.key(), Value: l.value, Line: l.line, Risk: "takes dependencies from elsewhere", Always: true})
		case name == "runner", name == "rustflags", strings.HasPrefix(name, "rustc"), name == "linker", l.under("env"),
			l.under("alias") && testAlias.MatchString(name), l.under("patch"):
			out = append(out, Setting{Key: l.key(), Value: l.value, Line: l.line, Risk: "changes what builds or runs the tests", Always: true})
		}
	}
	return out
}

var goReplace = pattern.Lazy(`^(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(.+)$`)

// goModSettings: replacements, and a module inside another, whose tests the
// outer one no longer runs.
func goModSettings(file string, data []byte, w World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		text, _, _ := strings.Cut(strings.TrimSpace(line), "//")
		if m := goReplace.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			out = append(out, Setting{Key: "replace " + m[1], Value: m[2], Line: n + 1, Risk: "swaps a dependency", Always: true})
		}
		if strings.HasPrefix(text, "ignore ") {
			out = append(out, Setting{Key: strings.TrimSpace(text), Value: "ignored", Line: n + 1, Risk: "leaves out packages"})
		}
	}
	dir := path.Dir(file) + "/"
	if dir == "./" {
		return out
	}
	for _, t := range w.tests("go") {
		if strings.HasPrefix(t, dir) {
			return append(out, Setting{Key: "a module of its own", Value: "here", Line: 1, Risk: fmt.Sprintf("takes %s out of what go test ./... runs", t)})
		}
	}
	return append(out, Setting{Key: "a module of its own", Value: "here", Line: 1})
}

func goWorkSettings(file string, data []byte, w World) []Setting {
	var out []Setting
	var dirs []string
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		text = strings.TrimSpace(strings.TrimPrefix(text, "use"))
		if m := goReplace.FindStringSubmatch(text); m != nil {
			out = append(out, Setting{Key: "replace " + m[1], Value: m[2], Line: n + 1, Risk: "swaps a dependency", Always: true})
			continue
		}
		if strings.HasPrefix(text, ".") {
			dirs = append(dirs, strings.Trim(strings.TrimPrefix(text, "."), "/ "))
			out = append(out, Setting{Key: "use " + text, Value: text, Line: n + 1})
		}
	}
	for _, t := range w.tests("go") {
		if path.Dir(file) == "." && !belowAny(t, dirs) {
			return append(out, Setting{Key: "what is not used", Value: "left out", Line: 1, Risk: fmt.Sprintf("takes %s out of what go test runs", t)})
		}
	}
	return out
}

// belowAny says whether a file stands in one of the folders; "" is the top.
func belowAny(file string, dirs []string) bool {
	for _, d := range dirs {
		if d == "" || strings.HasPrefix(file, d+"/") {
			return true
		}
	}
	return false
}

// phpunitSettings: everything of phpunit.xml; a test suite may be added.
func phpunitSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range xmlLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		name := l.path[len(l.path)-1]
		switch {
		case name == "@defaultTestSuite", name == "@suffix", name == "@prefix", strings.HasPrefix(name, "@phpVersion"), name == "@printerClass", name == "@testSuiteLoaderClass",
			name == "@name" && phpRisk.MatchString(l.value):
			s.Risk = "decides which tests run, or what runs first"
		case name == "exclude", strings.HasPrefix(name, "@stopOn"), name == "@bootstrap", strings.Contains(s.Key, ".groups."), strings.Contains(s.Key, "extensions"):
			s.Risk = "decides which tests run, or what runs first"
		case strings.HasPrefix(name, "@failOn") && l.value == "false", name == "@failOnEmptyTestSuite":
			s.Risk = "hides failures"
		case strings.Contains(s.Key, "testsuite"):
			s.Key += " " + l.value // a set
		}
		out = append(out, s)
	}
	return out
}

var phpRisk = pattern.Lazy(`^(?:auto_(?:prepend|append)_file|disable_(?:functions|classes)|zend\.assertions|assert\.\w+)$`)

var msbuildRisk = pattern.Lazy(`(?i)^(?:IsTestProject|VSTestTestCaseFilter|VSTestNoBuild|TestCaseFilter|RunSettingsFilePath|TestingPlatform\w*|VSTest\w*|ContinueOnError|TreatWarningsAsErrors|Threshold|MinimumCoverage|DefaultItemExcludes|EnableDefaultCompileItems|EnableDefaultItems)$`)

// msbuildSettings: whether a project is one of tests, and which of its files
// are left out.
func msbuildSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range xmlLeaves(data) {
		name := l.path[len(l.path)-1]
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch {
		case name == "Threshold" || name == "MinimumCoverage":
			s.Ratchet = 1
		case name == "TreatWarningsAsErrors":
			s.Loose = true
		case msbuildRisk.MatchString(name):
			if !strings.EqualFold(l.value, "true") || !strings.HasPrefix(name, "IsTestProject") && !strings.HasPrefix(name, "EnableDefault") {
				s.Risk = "decides which tests run"
			}
		case name == "@Remove" && strings.Contains(s.Key, "Compile"):
			s.Key, s.Risk = s.Key+" "+l.value, "leaves files out of the build"
		case name == "@Include" && strings.Contains(s.Key, "PackageReference"):
			if !testPackage.MatchString(l.value) {
				continue
			}
			s.Key += " " + l.value
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

var cargoTool = pattern.Lazy(`^(?:proptest|quickcheck|rstest|test-case|insta|mockall|wiremock|assert_\w+|pretty_assertions|similar-asserts|criterion|tokio-test|serial_test|trybuild|googletest)$`)

var quotedWord = pattern.Lazy(`"([^"]*)"`)

var testAlias = pattern.Lazy(`^(?:t|test|nextest|tt)$`)

var testPackage = pattern.Lazy(`(?i)xunit|nunit|mstest|Test\.Sdk`)
