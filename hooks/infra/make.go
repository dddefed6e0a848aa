package infra

import (
	"strings"

	"gitagent/internal/pattern"
)

var (
	target     = pattern.Lazy(`^([^:=#]+?)\s*::?(?:[^=]|$)`)
	testTarget = pattern.Lazy(`(?:^|[\s/_.-])(?:tests?|check|verify|ci|coverage|e2e|integration|unit)(?:[\s/_.-]|$)`)
	testVar    = pattern.Lazy(`^(?:export\s+|override\s+)?(\w*(?:TEST|COVER|GOFLAGS|PYTEST|JEST)\w*)\s*[:?+]?=\s*(.*)$`)
	// steersMake are variables, and special targets, that change what every
	// recipe does or what its failure means.
	steersMake = pattern.Lazy(`^(?:export\s+|override\s+)?(SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|PATH|BASH_ENV|ENV)\s*[:?+!]?:?=\s*(.*)$`)
	plainShell = pattern.Lazy(`^(?:/usr)?(?:/bin/)?(?:env\s+)?(?:ba|z|da|k)?sh$|^(?:-\w*e\w*\s*(?:-o\s+\w+\s*)*)?-\w*c$|^\$\(shell (?:which|command -v) (?:ba|z)?sh\)$`)
	harmlessMk = pattern.Lazy(`^(?:--no-print-directory|--warn-undefined-variables|--no-builtin-rules|--no-builtin-variables|--output-sync\S*|-[rRs]+|-j\S*|--jobs\S*|\$\(\w+\)|\s)*$`)
	justShell  = pattern.Lazy(`^set\s+(?:windows-)?(shell|dotenv-load|ignore-comments|positional-arguments)\s*:?=?\s*(.*)$`)
	makeTests  = pattern.Lazy(`\b(?:go test|gotestsum|cargo (?:test|nextest)|pytest|python3? -m (?:unittest|pytest)|tox|nox|npm (?:run )?test|pnpm (?:run )?test|yarn (?:run )?test|npx? (?:vitest|jest|mocha|playwright)|mvnw? .*\b(?:test|verify)|gradlew? .*\b(?:test|check)|rspec|rake (?:test|spec)|phpunit|pest|dotnet test|swift test|xcodebuild .*test|ctest|bats)\b`)
)

// makeSettings: the targets that test, by their names or by what they run, and
// what changes how every recipe runs. A target may be added.
func makeSettings(_ string, data []byte, _ World) []Setting {
	m := &makefile{seen: map[string]bool{}}
	for n, line := range strings.Split(strings.ReplaceAll(string(data), "\\\n", " "), "\n") {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case line[0] == '\t' || line[0] == ' ':
			m.recipe(text)
		default:
			m.flush()
			m.top(text, n+1)
		}
	}
	m.flush()
	return m.out
}

// includedMake: in a file that is included beside others a target that tests may
// take the place of theirs.
func includedMake(file string, data []byte, w World) []Setting {
	out := makeSettings(file, data, w)
	for i := range out {
		if out[i].Risk == "" && testTarget.MatchString(out[i].Key) {
			out[i].Risk = "may take the place of the target of the Makefile"
		}
	}
	return out
}

type makefile struct {
	out     []Setting
	current *Setting
	seen    map[string]bool
}

func (m *makefile) recipe(text string) {
	if m.current == nil {
		return
	}
	m.current.Value += "\n" + strings.TrimLeft(text, "@")
	if strings.HasPrefix(strings.TrimLeft(text, "@"), "-") || strings.Contains(text, "|| true") || strings.Contains(text, "||:") {
		m.current.Risk = "does not fail when tests do"
	}
}

// flush ends a target: one that neither is named after tests nor runs them is
// free.
func (m *makefile) flush() {
	if s := m.current; s != nil && (testTarget.MatchString(s.Key) || makeTests.MatchString(s.Value)) {
		m.seen[s.Key] = true
		m.out = append(m.out, *s)
	}
	m.current = nil
}

// top reads a line that is no recipe's.
func (m *makefile) top(text string, n int) {
	if p, names, ok := strings.Cut(text, ":"); ok && strings.TrimSpace(p) == ".PHONY" {
		for _, name := range strings.Fields(names) {
			if testTarget.MatchString(name) {
				m.out = append(m.out, Setting{Key: ".PHONY " + name, Value: "set", Line: n})
			}
		}
		return
	}
	switch v := steersMake.FindStringSubmatch(text); {
	case v != nil:
		s := Setting{Key: v[1], Value: strings.TrimSpace(v[2]), Line: n, Loose: true}
		if !plainShell.MatchString(s.Value) && !(v[1] == "MAKEFLAGS" && harmlessMk.MatchString(s.Value)) && !strings.Contains(s.Value, "pipefail") {
			s.Risk = "changes how every recipe runs"
		}
		m.out = append(m.out, s)
		return
	case testVar.MatchString(text):
		v := testVar.FindStringSubmatch(text)
		m.out = append(m.out, Setting{Key: v[1], Value: v[2], Line: n})
		return
	}
	if v := justShell.FindStringSubmatch(text); v != nil {
		if v[1] == "shell" {
			m.out = append(m.out, Setting{Key: "shell", Value: v[2], Line: n, Loose: true, Risk: shellRisk(v[2])})
		}
		return
	}
	if strings.HasPrefix(text, ".") && strings.Contains(text, ":") {
		if strings.HasPrefix(text, ".IGNORE") || strings.HasPrefix(text, ".ONESHELL") {
			name, _, _ := strings.Cut(text, ":")
			m.out = append(m.out, Setting{Key: name, Value: text, Line: n, Risk: "makes failures not count"})
		}
		return
	}
	if t := target.FindStringSubmatch(text); t != nil {
		deps, _, _ := strings.Cut(text[strings.IndexByte(text, ':')+1:], "##")
		s := Setting{Key: strings.TrimSpace(t[1]), Value: strings.TrimSpace(deps), Line: n}
		if m.seen[s.Key] {
			s.Risk = "takes the place of the target above"
		}
		m.current = &s
	}
}

// shellRisk rates the shell of a justfile.
func shellRisk(value string) string {
	for _, q := range quotedText.FindAllString(value, 1) {
		if plainShell.MatchString(q[1:len(q)-1]) || strings.Contains(q, "pwsh") || strings.Contains(q, "powershell") || strings.Contains(q, "nu") {
			return ""
		}
	}
	return "changes how every recipe runs"
}
