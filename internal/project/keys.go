package project

import (
	"fmt"
	"slices"
	"strings"
)

// known lists the keys of a section.
func known(section string) []string {
	switch section {
	case "agent":
		return []string{"port", "protect", "setup", "start", "static"}
	case "test":
		return []string{"command", "dir", "reports", "runner"}
	}
	return nil
}

// personal says why a key may not be shared, "" when it is none of those. A
// repository that could name a host or loosen a guard would own its readers.
func personal(section, key string) string {
	switch key {
	case "host", "model", "models", "endpoint", "url", "ollama", "baseurl", "apikey", "key", "token", "proxy",
		"numctx", "keepalive", "tier", "cheap", "medium", "strong", "browser", "price", "prices":
		return fmt.Sprintf("%s.%s is a personal setting: a repository may not choose where your prompts go or what runs on your machine; use `git config agent.%s …`", section, key, key)
	case "people", "guard", "guards", "hooks", "hook", "allow", "warn", "noverify", "skip", "sandbox", "network",
		"isolation", "trust", "trusted", "contracts", "evidence", "flags", "tests", "hygiene", "log":
		return fmt.Sprintf("%s.%s would loosen a guard: that is a personal setting, never a shared one; see `git agent allow` and `git config agent.people`", section, key)
	}
	return ""
}

// checkKey refuses unknown and personal sections and keys.
func checkKey(e entry) error {
	refuse := func(format string, args ...any) error {
		return &ConfigError{e.line, fmt.Sprintf(format, args...)}
	}
	plainKey := strings.ReplaceAll(e.key, "-", "")
	keys := known(e.section)
	if slices.Contains(keys, e.key) || keys != nil && e.key == "" {
		switch {
		case e.section == "test" && e.sub == "":
			return refuse(`a test section needs a name: [test "unit"]`)
		case e.section == "agent" && e.sub != "":
			return refuse("[agent] takes no name, but has %q", e.sub)
		}
		return nil
	}
	if why := personal(e.section, plainKey); why != "" {
		return refuse("%s", why)
	}
	if why := personal("agent", e.section); keys == nil && why != "" {
		return refuse("%s", why)
	}
	if keys == nil {
		return refuse("unknown section [%s]; did you mean [%s]?", e.section, nearest(e.section, []string{"agent", "test"}))
	}
	return refuse("unknown key %s.%s; did you mean %s?", e.section, e.key, nearest(e.key, keys))
}

// nearest returns the word with the smallest edit distance to s.
func nearest(s string, words []string) string {
	best, bestDistance := "", 1<<30
	for _, w := range words {
		if d := distance(s, w); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
