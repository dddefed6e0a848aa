// Package pattern holds regular expressions that are compiled when they are
// first used: a hook that meets none of what they are for should not pay for
// them. It must never hold one that comes from a repository or a model.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used.
type Pattern struct {
	compile func() *regexp.Regexp
}

// Lazy prepares a pattern. A source that is no regular expression panics at its
// first use; a test compiles all that there are.
func Lazy(source string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })}
}

// Match says whether the pattern is found in b.
func (p *Pattern) Match(b []byte) bool { return p.compile().Match(b) }

// MatchString says whether the pattern is found in s.
func (p *Pattern) MatchString(s string) bool { return p.compile().MatchString(s) }

// Find is Regexp.Find.
func (p *Pattern) Find(b []byte) []byte { return p.compile().Find(b) }

// FindString is Regexp.FindString.
func (p *Pattern) FindString(s string) string { return p.compile().FindString(s) }

// FindIndex is Regexp.FindIndex.
func (p *Pattern) FindIndex(b []byte) []int { return p.compile().FindIndex(b) }

// FindSubmatch is Regexp.FindSubmatch.
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compile().FindSubmatch(b) }

// FindStringSubmatch is Regexp.FindStringSubmatch.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compile().FindStringSubmatch(s) }

// FindAllString is Regexp.FindAllString.
func (p *Pattern) FindAllString(s string, n int) []string { return p.compile().FindAllString(s, n) }

// FindAllIndex is Regexp.FindAllIndex.
func (p *Pattern) FindAllIndex(b []byte, n int) [][]int { return p.compile().FindAllIndex(b, n) }

// FindAllStringIndex is Regexp.FindAllStringIndex.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compile().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is Regexp.FindAllStringSubmatch.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compile().FindAllStringSubmatch(s, n)
}

// FindAllSubmatchIndex is Regexp.FindAllSubmatchIndex.
func (p *Pattern) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return p.compile().FindAllSubmatchIndex(b, n)
}

// ReplaceAllString is Regexp.ReplaceAllString.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.compile().ReplaceAllString(s, with)
}

// FindStringIndex is Regexp.FindStringIndex.
func (p *Pattern) FindStringIndex(s string) []int { return p.compile().FindStringIndex(s) }

// FindAllStringSubmatchIndex is Regexp.FindAllStringSubmatchIndex.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compile().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllStringFunc is Regexp.ReplaceAllStringFunc.
func (p *Pattern) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return p.compile().ReplaceAllStringFunc(s, repl)
}

// FindSubmatchIndex is Regexp.FindSubmatchIndex.
func (p *Pattern) FindSubmatchIndex(b []byte) []int { return p.compile().FindSubmatchIndex(b) }

// FindAllSubmatch is Regexp.FindAllSubmatch.
func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.compile().FindAllSubmatch(b, n)
}
