package model

import (
	"regexp"
	"strings"
)

var (
	volatileSession  = regexp.MustCompile(`\b\d{8}-\d{6}-[0-9a-f]{4}\b`)
	volatilePath     = regexp.MustCompile(`(?:/private)?/(?:tmp|var/tmp|var/folders)/[^\s"'` + "`" + `<>|:;,()]+|/[^\s"'` + "`" + `<>|:;,()]*/git-agent/[^\s"'` + "`" + `<>|:;,()]+`)
	volatilePort     = regexp.MustCompile(`(\b127\.0\.0\.1|\blocalhost|\b0\.0\.0\.0|\[::1?\]):\d{2,5}\b`)
	volatileDate     = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}|UTC|GMT)\b)?)?`)
	volatileDuration = regexp.MustCompile(`\b(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?)\b`)
	volatileMs       = regexp.MustCompile(`("(?:ms|duration_ms|elapsed|elapsed_ms)"\s*:\s*|\bduration_ms\s+)\d+(?:\.\d+)?`)
)

// NormalizeVolatile replaces what differs between two runs of the same thing, and
// nothing else: session names, paths in temporary folders and in the state folder
// (their last part stays), ports of the loopback addresses, dates with or without
// a time, and durations. Every other number stays, byte counts too. It is the one
// normalisation that a replay compares tool results under.
func NormalizeVolatile(s string) string {
	s = volatileSession.ReplaceAllString(s, "<session>")
	s = volatilePath.ReplaceAllStringFunc(s, lastPart)
	s = volatilePort.ReplaceAllString(s, "$1:<port>")
	s = volatileDate.ReplaceAllString(s, "<date>")
	s = volatileMs.ReplaceAllString(s, "${1}<duration>")
	return volatileDuration.ReplaceAllString(s, "<duration>")
}

// lastPart keeps a path's last element, unless that alone makes the path
// temporary.
func lastPart(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(parts) <= 2 {
		return "<temp>"
	}
	return "<temp>/" + parts[len(parts)-1]
}
