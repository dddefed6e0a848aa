package tools

import (
	"regexp"
	"strings"
)

var (
	commentStart = regexp.MustCompile(`^(//|/\*+|#|<!--|--|;|\*|\{\s*/\*|%)`)
	onlyDots     = regexp.MustCompile(`^\W*(\.{3}|…)\W*$`)
	startDots    = regexp.MustCompile(`^[\[({<]*\s*(\.{3}|…)`)
	omittedWord  = regexp.MustCompile(`(?i)\b(rest|remaining|remainder|existing|previous|other|same|original|unchanged|omitted|as before|as above)\b`)
	// omittedPhrase stands for left-out code even without dots.
	omittedPhrase = regexp.MustCompile(`(?i)^\W*((the|all|your|keep) )*((rest of|remaining|existing|previous|other|same|unchanged)\b.*\b` +
		`(code|file|functions?|methods?|components?|class(es)?|styles?|rules|script|markup|html|css|js|content|imports?|handlers?)\b|` +
		`(code|file|everything else|rest) (\w+ )?(unchanged|omitted|the same|as before)\b)`)
)

// placeholder returns a line of content that stands for code left out and that
// old does not have, "" when there is none.
func placeholder(content, old string) string {
	for _, line := range splitLines(content) {
		t := strings.TrimSpace(line)
		if t != "" && len(t) <= 120 && looksOmitted(t) && !strings.Contains(old, t) {
			return t
		}
	}
	return ""
}

// looksOmitted asks for a comment or dots besides the words, since prose such
// as "the rest is history" is content.
func looksOmitted(line string) bool {
	dots := strings.Contains(line, "...") || strings.Contains(line, "…")
	if commentStart.MatchString(line) {
		return onlyDots.MatchString(line) || dots && omittedWord.MatchString(line) ||
			len(line) <= 70 && omittedPhrase.MatchString(line)
	}
	return startDots.MatchString(line) && omittedWord.MatchString(line)
}
