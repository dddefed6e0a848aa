package hooks

import (
	"fmt"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/hooks/rule"
	"gitagent/internal/project"
)

// codeSettings warns people, who are asked again before the commands run, and
// binds sessions.
const codeSettings = "infra.settings"

// settings judges what the harness itself goes by: its shared settings, and what
// of its folder no session makes. Something that is added takes nothing away.
func (f *files) settings(ch gitops.Change, c rule.Change) []rule.Finding {
	if ch.Path != project.ConfigPath {
		own := strings.HasPrefix(ch.Path, ".agent/") || ch.Path == project.InitScript
		if own && f.session {
			return []rule.Finding{{Code: codeSettings, What: "is changed by a session; it belongs to the person"}}
		}
		return nil
	}
	found := settingsKept(c)
	if len(found) == 0 && f.session {
		found = []rule.Finding{{Code: codeSettings, What: "is changed by a session; it belongs to the person"}}
	}
	return found
}

// settingsKept lists the settings that were there and are not, or differ.
func settingsKept(c rule.Change) []rule.Finding {
	told := func(key, format string, args ...any) rule.Finding {
		return rule.Finding{Code: codeSettings, Key: key, What: fmt.Sprintf(format, args...)}
	}
	switch {
	case !c.Old.There():
		return nil
	case !c.New.There():
		return []rule.Finding{told("", "is deleted, with what it says of tests and of the app")}
	case !c.New.Regular():
		return []rule.Finding{told("", "becomes %s", kindOf(c.New.Mode))}
	}
	old, err := project.Parse(c.Old.Data)
	if err != nil {
		return nil // it said nothing before
	}
	new, err := project.Parse(c.New.Data)
	if err != nil {
		return []rule.Finding{told("", "can no longer be read, and protects nothing then: %v", err)}
	}
	var out []rule.Finding
	change := func(name, was, is string) {
		if was != "" && was != is {
			out = append(out, told(name, "has %s changed from %q to %q", name, was, is))
		}
	}
	change("setup", old.Setup, new.Setup)
	change("start", old.Start, new.Start)
	change("static", old.Static, new.Static)
	if old.Port != 0 && old.Port != new.Port {
		out = append(out, told("port", "has port changed from %d to %d", old.Port, new.Port))
	}
	for _, p := range old.TestPatterns {
		if !slices.Contains(new.TestPatterns, p) {
			out = append(out, told("protect "+p, "no longer protects %s", p))
		}
	}
	return append(out, testsKept(old.Tests, new.Tests)...)
}

// testsKept compares the commands that test, by their names.
func testsKept(old, new []project.TestCommand) []rule.Finding {
	have := map[string]project.TestCommand{}
	for _, t := range new {
		have[t.Name] = t
	}
	var out []rule.Finding
	for _, t := range old {
		n, ok := have[t.Name]
		switch {
		case !ok:
			out = append(out, rule.Finding{Code: codeSettings, Key: t.Name, What: fmt.Sprintf("no longer has the test command %q", t.Name)})
		case n != t:
			out = append(out, rule.Finding{Code: codeSettings, Key: t.Name, What: fmt.Sprintf("has the test command %q changed from %q (%s) to %q (%s)", t.Name, t.Command, t.Runner, n.Command, n.Runner)})
		}
	}
	return out
}
