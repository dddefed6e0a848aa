package infra

import (
	"strings"

	"gitagent/internal/pattern"
)

var (
	ciRisk    = pattern.Lazy(`^(?:continue-on-error|allow_failure|allow_failures|if|when|only|except|rules|paths-ignore|paths|branches-ignore|fail-fast|soft_fail|ignore_errors|exclude|skip|condition|enabled|continueOnError|retry|max-attempts)$`)
	ciFree    = pattern.Lazy(`^(?:name|timeout-minutes|env|concurrency|permissions|cache|cache-dependency-path|node-version|go-version|python-version|java-version|ruby-version|distribution|key|restore-keys|run-name|on|image|runs-on|tags|artifacts|description|true)$`)
	actionPin = pattern.Lazy(`@[\w./-]+$`)
	ciCommand = pattern.Lazy(`^(?:run|script|uses|command|before_script|after_script|steps|bash|sh|pwsh)$`)
	listIndex = pattern.Lazy(`^\d+$`)
)

// ciSettings: the commands of a pipeline, each in its job as one of a set, and
// what decides whether they run and count. Commands and jobs may be added;
// versions of actions and tools may change.
func ciSettings(_ string, data []byte, _ World) []Setting {
	leaves := yamlLeaves(data)
	var out []Setting
	for _, l := range leaves {
		if l.path[0] == "(unreadable)" {
			out = append(out, Setting{Key: "(unreadable)", Value: l.value, Line: 1, Risk: "cannot be read"})
			continue
		}
		if s, ok := ciSetting(l); ok {
			out = append(out, s)
		}
	}
	return out
}

func ciSetting(l leaf) (Setting, bool) {
	names := make([]string, 0, len(l.path))
	inMatrix := false
	for _, p := range l.path {
		inMatrix = inMatrix || p == "matrix"
		if !listIndex.MatchString(p) {
			names = append(names, p)
		}
	}
	if len(names) == 0 {
		return Setting{}, false
	}
	last := names[len(names)-1]
	where := strings.Join(names, ".")
	s := Setting{Key: where, Value: l.value, Line: l.line}
	switch {
	case inMatrix && last != "exclude" && !strings.Contains(where, "matrix.exclude") && !strings.HasSuffix(where, "fail-fast"):
		s.Key = where + " " + l.value // one of a set
	case strings.Contains(where, "matrix.exclude"):
		s.Key, s.Risk, s.Loose = where+" "+l.value, "leaves out a run", true
	case isTrigger(names):
		if last != "paths-ignore" && last != "branches-ignore" {
			return s, false
		}
		s.Key, s.Risk, s.Loose = where+" "+l.value, "decides when tests run", true
	case ciRisk.MatchString(last) || containsAny(names, "rules", "only", "except"):
		s.Key, s.Loose = where+" "+l.value, true
		if !harmless(last, l.value) {
			s.Risk = "decides whether tests run, or what their failure means"
		}
	case ciCommand.MatchString(last) || containsAny(names, "script", "commands"):
		value := actionPin.ReplaceAllString(l.value, "")
		s.Key, s.Value = where+" "+strings.Join(strings.Fields(value), " "), "set"
		if swallowed.MatchString(l.value) {
			s.Risk = "does not fail when tests do"
		}
		if last == "uses" {
			s.Loose = true // what is tested stands in the commands
		}
	default:
		return s, false
	}
	return s, true
}

// isTrigger says whether a leaf says when a pipeline runs.
func isTrigger(names []string) bool {
	return names[0] == "on" || names[0] == "true" || names[0] == "trigger" || names[0] == "pr"
}

func containsAny(names []string, words ...string) bool {
	for _, n := range names {
		for _, w := range words {
			if n == w {
				return true
			}
		}
	}
	return false
}

// harmless says whether a condition lets everything run that ran.
func harmless(key, value string) bool {
	switch key {
	case "if", "condition":
		return runsAnyway.MatchString(value) && !strings.Contains(value, "false")
	case "continue-on-error", "allow_failure", "soft_fail", "ignore_errors", "continueOnError", "fail-fast":
		return value == "false"
	case "when":
		return value == "always" || value == "on_success" || value == "on_failure"
	case "enabled":
		return value == "true"
	case "retry", "max-attempts":
		return value == "0"
	}
	return false
}

var swallowed = pattern.Lazy(`\|\|\s*(?:true|:|exit 0|echo)|set \+e|;\s*true\s*$`)

var runsAnyway = pattern.Lazy(`always\(\)|failure\(\)|!cancelled\(\)|refs/tags|startsWith\(github\.ref|release|deploy|== 'push'|schedule`)
