package infra

import (
	"slices"
	"strings"

	"gitagent/internal/pattern"
)

var (
	testScript    = pattern.Lazy(`^(?:pre|post)?(?:test|tests|e2e|coverage|check|verify|ci)(?:[:-].*)?$`)
	aroundTests   = pattern.Lazy(`^(?:pre|post)(?:test|ci|check|verify)`)
	installScript = pattern.Lazy(`^(?:(?:pre|post)?install|prepare)$`)
	noTest        = pattern.Lazy(`\|\||;\s*true|exit 0|^\s*(?:echo|true|:)\b|--passWithNoTests|--bail|--forceExit|testNamePattern|-t\s|--grep|--shard|--retries|--test-(?:name|skip)-pattern|--dry-run|--listTests`)
	runsTests     = pattern.Lazy(`(?:^|[;&|]\s*|\bnpx\s+|\bc8\s+|\bnyc\s+|\bcross-env\s+(?:\S+=\S+\s+)*|\s--\s+)(?:(?:vitest|jest|mocha|ava|tap|jasmine|karma|wdio|cypress run|playwright test|bun test|deno test)\b|(?:node|tsx)\s+(?:-\S+\s+)*--test\b)`)
	tampering     = pattern.Lazy(`node_modules|patch-package|\bsed\b`)
	testTool      = pattern.Lazy(`^(?:jest|vitest|mocha|chai|ava|tap|sinon|jsdom|cypress|karma|jasmine|playwright|@playwright/.*|@jest/.*|@vitest/.*|@testing-library/.*|c8|nyc|expect|supertest)$`)
	elsewhere     = pattern.Lazy(`^(?:file:|link:|portal:|patch:|git|https?:|npm:|[\w-]+/[\w-]+$|\.{0,2}/)`)
	runnerProgram = pattern.Lazy(`^(?:node|npm|npx|jest|vitest|mocha|ava|tap|playwright|cypress|karma|tsx|ts-node|c8|nyc)$`)
	testCondition = pattern.Lazy(`^(?:test|tests|testing|vitest|jest|mocha)$`)
	threshold     = pattern.Lazy(`(?i)threshold|fail[_-]?under|minimum|check-coverage|\.(?:branches|functions|lines|statements)$|^(?:branches|functions|lines|statements)$`)
)

// packageSettings are those of package.json that tests depend on.
func packageSettings(_ string, data []byte, w World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		if s, ok := packageSetting(l); ok {
			out = append(out, s)
		}
	}
	return out
}

func packageSetting(l leaf) (Setting, bool) {
	s := Setting{Key: l.key(), Value: l.value, Line: l.line}
	last := l.path[len(l.path)-1]
	if l.path[0] == "devDependencies" || l.path[0] == "dependencies" || l.path[0] == "overrides" || l.path[0] == "resolutions" {
		return dependency(s, l.path[1:])
	}
	switch {
	case l.path[0] == "(unreadable)":
		s.Risk = "cannot be read"
	case l.under("scripts") && (testScript.MatchString(last) || runsTests.MatchString(l.value)):
		if strings.Contains(l.value, "no test specified") {
			return s, false // npm's own placeholder
		}
		if aroundTests.MatchString(last) {
			s.Risk = "runs around the tests"
		} else if noTest.MatchString(l.value) {
			s.Risk = "does not fail when tests do"
		}
	case l.under("scripts") && installScript.MatchString(last):
		if !tampering.MatchString(l.value) {
			return s, false
		}
		s.Risk, s.Always, s.Loose = "changes dependencies at install", true, true
	case l.under("jest"), l.under("vitest"), l.under("mocha"), l.under("ava"), l.under("nyc"), l.under("c8"), l.under("tap"):
		return runnerSetting(s, l.path), true
	case l.under("pnpm", "overrides"):
		return dependency(s, l.path[2:])
	case l.under("pnpm", "patchedDependencies"):
		s.Risk, s.Always, s.Loose = "patches a dependency", true, true
	case len(l.path) == 1 && last == "name" && testTool.MatchString(l.value), l.under("bin") && runnerProgram.MatchString(last):
		s.Risk, s.Always, s.Loose = "takes the name of a test tool", true, true
	case l.under("imports"), l.under("exports"), l.under("browser"), l.under("alias"):
		if !standIn.MatchString(l.value) && !slices.ContainsFunc(l.path, testCondition.MatchString) {
			return s, false
		}
		s.Risk, s.Loose = "leads to a stand-in", true
	case l.under("workspaces"):
		s.Key = "workspaces " + l.value // a set: order does not count
	default:
		return s, false
	}
	return s, true
}

// dependency: a test tool comes from a registry.
func dependency(s Setting, path []string) (Setting, bool) {
	if len(path) == 0 {
		return s, false
	}
	last, whole := strings.Trim(path[len(path)-1], "."), strings.Trim(strings.Join(path, "/"), ".")
	if !testTool.MatchString(last) && !testTool.MatchString(whole) || !elsewhere.MatchString(s.Value) {
		return s, false
	}
	s.Risk, s.Always, s.Loose = "takes a test tool from elsewhere", true, true
	return s, true
}

// runnerSettings reads the files of runners that are JSON or YAML.
func runnerSettings(file string, data []byte, _ World) []Setting {
	leaves := jsonLeaves(data)
	if strings.HasSuffix(file, "ml") || len(leaves) == 1 && leaves[0].path[0] == "(unreadable)" {
		leaves = yamlLeaves(data)
	}
	var out []Setting
	for _, l := range leaves {
		out = append(out, runnerSetting(Setting{Key: l.key(), Value: l.value, Line: l.line}, l.path))
	}
	return out
}

func denoSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch {
		case l.under("tasks") && testScript.MatchString(l.path[1]):
			if noTest.MatchString(l.value) {
				s.Risk = "does not fail when tests do"
			}
		case l.under("test"):
			s.Risk = "decides which tests run"
		case l.under("imports") && denoTools.MatchString(l.path[1]):
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

// tsSettings: a path that leads to a stand-in.
func tsSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		if !l.under("compilerOptions", "paths") && !l.under("compilerOptions", "baseUrl") {
			continue
		}
		if standIn.MatchString(l.value) || len(l.path) > 2 && testTool.MatchString(l.path[2]) {
			out = append(out, Setting{Key: l.key(), Value: l.value, Line: l.line, Risk: "leads to a stand-in", Loose: true})
		}
	}
	return out
}

var standIn = pattern.Lazy(`(?i)(?:^|[/._-])(?:mocks?|stubs?|fakes?)(?:[/._-]|$)`)

// npmrcSettings: what npm runs scripts with; a registry is free.
func npmrcSettings(file string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		i := strings.IndexAny(text, "=: ")
		if text == "" || text[0] == '#' || text[0] == ';' || i < 1 {
			continue
		}
		key, value := strings.ToLower(strings.TrimSpace(text[:i])), strings.TrimSpace(text[i+1:])
		switch key {
		case "script-shell", "scriptshell", "node-options", "nodeoptions", "shell", "ignore-scripts", "shell-emulator", "prefix", "globalconfig", "node-linker", "yarnpath", "yarn-path", "plugins", "onload-script", "if-present",
			"git", "workspace", "workspaces", "include-workspace-root", "omit", "only", "production", "bin-links", "node-path":
		default:
			continue
		}
		out = append(out, Setting{Key: key, Value: value, Line: n + 1, Risk: "changes what runs the scripts", Always: true})
	}
	return out
}

func bunSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range tomlLeaves(data) {
		if !l.under("test") && l.path[0] != "preload" {
			continue
		}
		s := Setting{Key: l.key(), Value: l.value, Line: l.line, Risk: "decides how tests run"}
		if threshold.MatchString(s.Key) {
			s.Ratchet, s.Risk = 1, ""
		}
		out = append(out, s)
	}
	return out
}

func composerSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range jsonLeaves(data) {
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch {
		case l.under("scripts") && len(l.path) > 1 && testScript.MatchString(l.path[1]):
			if noTest.MatchString(l.value) {
				s.Risk = "does not fail when tests do"
			}
		case (l.under("replace") || l.under("provide")) && len(l.path) > 1 && phpTool.MatchString(l.path[1]):
			s.Risk, s.Always = "takes the place of a test tool", true
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

var phpTool = pattern.Lazy(`^(?:phpunit|pestphp|mockery|phpspec|behat|codeception|brianium)/`)

func envSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			out = append(out, Setting{Key: strings.TrimPrefix(key, "export "), Value: value, Line: n + 1})
		}
	}
	return out
}

var denoTools = pattern.Lazy(`^@?std/(?:testing|assert|expect)`)
