package infra

import (
	"path"
	"strings"

	"gitagent/internal/pattern"
)

// What follows says where test tools come from: they come from a registry, and
// from the one that they came from.

var (
	pyTool       = pattern.Lazy(`(?i)^(?:pytest(?:[-_]\w+)*|_pytest|pluggy|unittest2|nose2?|coverage|hypothesis|tox|nox|mock|responses|freezegun)$`)
	pyElsewhere  = pattern.Lazy(`^(?:path|git|url|file|editable|develop)$`)
	pipFile      = pattern.Lazy(`^(?:requirements|constraints|dev-requirements|test-requirements)[\w.-]*\.(?:txt|in)$`)
	pipElsewhere = pattern.Lazy(`(?i)(?:^|["'\s])(?:pytest(?:[-_]\w+)*|pluggy|nose2?|coverage|hypothesis|tox|nox|mock)(?:\[[\w,-]*\])?\s*@\s*(?:file:|git\+|https?:|\.)`)
	pipLine      = pattern.Lazy(`(?i)^(?:-e|--editable)\s+\S*(?:pytest|pluggy|hypothesis|coverage|tox|nox)\b|^\.{0,2}/\S*(?:pytest|pluggy|hypothesis|coverage)|^(?:-i|--index-url|--extra-index-url)[ =]+http:|^--find-links[ =]+\.|^(?:-f)\s+\.`)
)

func pipSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if pipElsewhere.MatchString(text) || pipLine.MatchString(text) {
			out = append(out, Setting{Key: text, Value: "set", Line: n + 1, Risk: "takes a test tool from elsewhere", Always: true, Loose: true})
		}
	}
	return out
}

// setupSettings: a package may not load itself into every test run.
func setupSettings(_ string, data []byte, _ World) []Setting {
	if i := strings.Index(string(data), "pytest11"); i >= 0 {
		return []Setting{{Key: "pytest11", Value: "set", Line: strings.Count(string(data[:i]), "\n") + 1, Risk: "loads code into every test run", Always: true}}
	}
	return nil
}

func pytestToml(_ string, data []byte, w World) []Setting {
	var out []Setting
	for _, l := range tomlLeaves(data) {
		s := pytestSetting(l.key(), l.value, w)
		s.Line = l.line
		out = append(out, s)
	}
	return out
}

var (
	gemTool      = pattern.Lazy(`^\s*gem\s*\(?\s*["'](rspec(?:-\w+)?|minitest(?:-\w+)?|test-unit|mocha|capybara|webmock|simplecov|rake)["'](.*)$`)
	gemElsewhere = pattern.Lazy(`\b(?:path|git|github|source)(?::|\s*=>)`)
)

func gemSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		if m := gemTool.FindStringSubmatch(line); m != nil && gemElsewhere.MatchString(m[2]) {
			out = append(out, Setting{Key: m[1], Value: m[2], Line: n + 1, Risk: "takes a test tool from elsewhere", Always: true, Loose: true})
		}
	}
	return out
}

func nugetSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range xmlLeaves(data) {
		if l.path[len(l.path)-1] == "@value" && strings.Contains(l.key(), "ackageSources") && !strings.HasPrefix(l.value, "http") {
			out = append(out, Setting{Key: "the source " + l.value, Value: "set", Line: l.line, Risk: "takes packages from elsewhere", Always: true, Loose: true})
		}
	}
	return out
}

// lockSettings: where the lock takes test tools from. It is large, so it is read
// by lines.
func lockSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	tool := ""
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		text := strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(text, "{"):
			tool = ""
			if name, ok := strings.CutPrefix(text, `"node_modules/`); ok {
				if name, _, _ = strings.Cut(name, `"`); testTool.MatchString(name) {
					tool = name
				}
			}
		case tool == "":
		case strings.HasPrefix(text, `"resolved"`):
			value := strings.Trim(strings.TrimPrefix(text, `"resolved":`), ` ",`)
			s := Setting{Key: tool + " resolved", Value: place(value), Line: n}
			if !strings.HasPrefix(value, "https://") {
				s.Risk, s.Always = "takes a test tool from elsewhere", true
			}
			out = append(out, s)
		case strings.HasPrefix(text, `"link"`):
			out = append(out, Setting{Key: tool + " link", Value: text, Line: n, Risk: "takes a test tool from elsewhere", Always: true})
		}
	}
	return out
}

// place is the scheme and host of an address.
func place(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// pnpmSettings: the packages of a workspace, and what stands in for npmrc.
func pnpmSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range yamlLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch l.path[0] {
		case "packages":
			s.Key = "packages " + l.value
			if strings.HasPrefix(l.value, "!") {
				s.Risk = "leaves out packages"
			}
		case "scriptShell", "nodeOptions", "shellEmulator", "enablePrePostScripts", "pnpmfile":
			s.Risk, s.Always = "changes what runs the scripts", true
		case "overrides":
			var ok bool
			if s, ok = dependency(s, l.path[1:]); !ok {
				continue
			}
		case "patchedDependencies":
			s.Risk, s.Always, s.Loose = "patches a dependency", true, true
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

// monorepoSettings: how the tools of monorepos run what is named after tests.
func monorepoSettings(file string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		if base(file) == "lerna.json" {
			if l.path[0] == "packages" {
				s.Key = "packages " + l.value
				out = append(out, s)
			}
			continue
		}
		for _, part := range l.path {
			if _, name, ok := strings.Cut(part, "#"); ok {
				part = name
			}
			if testScript.MatchString(part) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// aliasSettings: the maps of modules of what compiles the tests.
func aliasSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		for i, part := range l.path[:len(l.path)-1] {
			if mapKeys.MatchString(part) {
				if risk := leadsIn(part, l.path[i+1], l.value); risk != "" {
					out = append(out, Setting{Key: l.key(), Value: l.value, Line: l.line, Risk: risk, Loose: true})
				}
				break
			}
		}
	}
	return out
}

// solutionSettings: the projects of a solution; one may be added.
func solutionSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		for _, m := range projectFile.FindAllStringSubmatch(line, -1) {
			name := strings.ReplaceAll(m[1], `\`, "/")
			if strings.Contains(strings.ToLower(path.Base(name)), "test") || strings.Contains(strings.ToLower(path.Base(name)), "spec") {
				out = append(out, Setting{Key: "the project " + name, Value: "here", Line: n + 1})
			}
		}
	}
	return out
}

var projectFile = pattern.Lazy(`"([^"]+\.(?:cs|fs|vb)proj)"`)

// schemeSettings: which tests a scheme of Xcode runs.
func schemeSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range xmlLeaves(data) {
		if !strings.Contains(l.key(), "TestAction") {
			continue
		}
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch name := l.path[len(l.path)-1]; {
		case strings.Contains(s.Key, "SkippedTests") && name == "@Identifier", strings.Contains(s.Key, "SelectedTests"), name == "@useTestSelectionWhitelist":
			s.Key, s.Risk = s.Key+" "+l.value, "leaves out tests"
		case name == "@skipped":
			if l.value == "YES" {
				s.Risk = "leaves out tests"
			}
		case name == "@BlueprintName" && strings.Contains(s.Key, "TestableReference"):
			s.Key += " " + l.value
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

var swiftTarget = pattern.Lazy(`\.testTarget\s*\(`)

// swiftSettings: the targets of tests, and what they leave out.
func swiftSettings(_ string, data []byte, _ World) []Setting {
	c := swiftCode(data)
	var out []Setting
	for _, m := range swiftTarget.FindAllIndex(c.code, -1) {
		name, risky := "", []Setting(nil)
		for at := m[1]; at < len(c.code) && c.code[at-1] != ')'; {
			stop := valueEnd(c.code, at)
			if key, value, ok := cutKey(c.bare[at:stop], c.code[at:stop]); ok {
				switch key {
				case "name":
					name = value
				case "exclude", "sources", "path":
					risky = append(risky, Setting{Key: key, Value: value, Line: strings.Count(string(data[:at]), "\n") + 1, Risk: "decides which files of tests are built"})
				}
			}
			if stop >= len(c.code) {
				break
			}
			at = stop + 1
		}
		out = append(out, Setting{Key: "test target " + name, Value: "here", Line: strings.Count(string(data[:m[0]]), "\n") + 1})
		for _, s := range risky {
			s.Key, s.Scope = name+" "+s.Key, name
			out = append(out, s)
		}
		out[len(out)-1-len(risky)].Scope = name
	}
	return out
}
