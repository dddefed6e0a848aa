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
	p := &pipeline{leaves: yamlLeaves(data), steps: map[string]string{}, gated: map[string]bool{}, tests: map[string]bool{}}
	p.survey()
	var out []Setting
	for _, l := range p.leaves {
		if l.path[0] == "(unreadable)" {
			out = append(out, Setting{Key: "(unreadable)", Value: l.value, Line: 1, Risk: "cannot be read"})
			continue
		}
		if s, ok := p.setting(l); ok {
			s.Within, s.Scope = true, scope(l.path)
			out = append(out, s)
		}
	}
	return out
}

// pipeline is one file, looked at as a whole first.
type pipeline struct {
	leaves []leaf
	steps  map[string]string // how a step runs its command, by where the step is
	gated  map[string]bool   // jobs that may not run
	tests  map[string]bool   // jobs that may test
}

// scope is the job that a leaf belongs to, "" for what all jobs share.
func scope(path []string) string {
	if len(path) > 1 && path[0] == "jobs" {
		return path[1]
	}
	return ""
}

// survey notes what a step or a job says of itself.
func (p *pipeline) survey() {
	for _, l := range p.leaves {
		last := l.path[len(l.path)-1]
		if job := scope(l.path); job != "" {
			if len(l.path) == 3 && last == "if" && !harmless(last, l.value) {
				p.gated[job] = true
			}
			if !aside.MatchString(job) || (ciCommand.MatchString(last) || containsAny(l.path, "script", "commands")) && testWord.MatchString(l.value) {
				p.tests[job] = true
			}
		}
		if last == "working-directory" || last == "shell" && !plainCIShell.MatchString(l.value) {
			p.steps[strings.Join(l.path[:len(l.path)-1], ".")] += " " + last + " " + l.value
		}
	}
}

var (
	// aside are jobs whose names say that they are there for something else.
	aside        = pattern.Lazy(`(?i)^(?:deploy|release|publish|docs?|pages|lint|format|docker|image|codeql|analy[sz]e|label|stale|notify|preview|bench)`)
	testWord     = pattern.Lazy(`(?i)\btests?\b|\b\w*(?:pytest|vitest|jest|unittest|nextest|rspec|phpunit)\b|\b(?:spec|check|verify|e2e|cov\w*|vet|playwright|cypress|tox|nox)\b`)
	plainCIShell = pattern.Lazy(`^(?:bash|sh|pwsh|powershell|cmd|python|bash (?:-\w+ )*\{0\}|(?:micromamba|conda)\S* .*)$`)
)

func (p *pipeline) setting(l leaf) (Setting, bool) {
	if job := scope(l.path); job != "" && !p.tests[job] {
		return Setting{}, false
	}
	names := make([]string, 0, len(l.path))
	inMatrix := false
	for _, part := range l.path {
		inMatrix = inMatrix || part == "matrix"
		if !listIndex.MatchString(part) {
			names = append(names, part)
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
		return trigger(s, names, l.value)
	case last == "needs":
		if !p.gated[l.value] {
			return s, false
		}
		s.Key, s.Risk, s.Loose = where+" "+l.value, "waits for a job that may not run", true
	case len(names) > 1 && (names[len(names)-2] == "env" || names[len(names)-2] == "variables" || names[len(names)-2] == "environment"):
		s.Risk, s.Loose = steeringRisk(last, l.value), true
	case last == "shell" && names[len(names)-2] == "run":
		if !plainCIShell.MatchString(l.value) {
			s.Risk, s.Loose = "decides what the failure of a command means", true
		}
	case ciRisk.MatchString(last) || containsAny(names, "rules", "only", "except"):
		s.Key, s.Loose = where+" "+l.value, true
		if !harmless(last, l.value) {
			s.Risk = "decides whether tests run, or what their failure means"
		}
	case ciCommand.MatchString(last) || containsAny(names, "script", "commands"):
		value := actionPin.ReplaceAllString(l.value, "")
		s.Key, s.Value = where+" "+strings.Join(strings.Fields(value), " "), "as it is"+p.steps[strings.Join(l.path[:len(l.path)-1], ".")]
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

// trigger: the events and branches for which a pipeline runs; more may be named.
func trigger(s Setting, names []string, value string) (Setting, bool) {
	event := value
	if len(names) > 1 {
		event = names[1]
	}
	event = names[0] + " " + event
	if len(names) < 3 {
		s.Key, s.Value = event, "here"
		return s, testEvent.MatchString(event)
	}
	switch names[2] {
	case "paths", "paths-ignore", "branches-ignore", "types", "include", "exclude":
		s.Key, s.Risk, s.Loose = event+" "+names[2]+" "+value, "decides when tests run", true
	case "branches":
		s.Key = event + " branch " + value
		if strings.HasPrefix(value, "!") {
			s.Risk = "decides when tests run"
		}
	default:
		s.Key, s.Value = event, "here"
	}
	return s, testEvent.MatchString(event)
}

var testEvent = pattern.Lazy(` (?:push|pull_request|pull_request_target|merge_group|branches|main|master)$`)

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
