package verify

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// howMissing are the ways in which package managers say which package they could
// not get; the first group of each names it.
var howMissing = []*regexp.Regexp{
	// npm, pnpm: the address of the package's description or of its archive.
	regexp.MustCompile(`(?m)(?:request to|GET|downloaded from) https?://[^/\s]+/(?:[^@\s]*?/)??((?:@[^/\s%]+(?:%2[fF]|/))?[^/@\s:,]+?)(?:/-/\S*)?(?: failed| - |[:,.]?\s|$)`),
	regexp.MustCompile(`No matching version found for (\S+?)\.?\s`),
	regexp.MustCompile(`Couldn't find package "([^"]+)"`), // yarn
	// go
	regexp.MustCompile(`(?m)^(?:go: |\S+\.go:\d+:\d+: )?(?:downloading )?([^\s:@]+\.[^\s:@]+@v[^\s:]+):`),
	regexp.MustCompile(`(?:no required module provides package|cannot find module providing package) ([^\s;:]+)`),
	// pip
	regexp.MustCompile(`No matching distribution found for (\S+)`),
	// cargo
	regexp.MustCompile("no matching package named `([^`]+)` found"),
	regexp.MustCompile("failed to (?:download|get|select a version for)(?: the requirement)? `([^`]+)`"),
}

// missingPackages names the packages that a set-up could not get, at most ten.
func missingPackages(output string) []string {
	var names []string
	for _, re := range howMissing {
		for _, m := range re.FindAllStringSubmatch(output+"\n", -1) {
			name := m[1]
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			name = strings.TrimSuffix(name, ".")
			if len(names) < 10 && len(name) < 200 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
