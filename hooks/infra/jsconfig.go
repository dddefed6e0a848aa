package infra

import (
	"path"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

var jsKey = pattern.Lazy(`(?:^|[\s{,(])(?:"([\w-]+)"|'([\w-]+)'|(\w+))\s*:`)

// jsSettings finds the settings of a runner's configuration that is code: each
// narrowing key with the text of its value, wherever it stands. In a
// configuration of vite only what is under test, and what resolves modules,
// counts.
func jsSettings(file string, data []byte, _ World) []Setting {
	l := lex.Of("x.ts")
	bare, code := l.NoComments(data), l.OnlyCode(data)
	if strings.HasPrefix(path.Base(file), "vite.") {
		code = viteParts(bare, code)
	}
	var out []Setting
	for _, m := range jsKey.FindAllSubmatchIndex(bare, -1) {
		key := ""
		for g := 2; g < 8; g += 2 {
			if m[g] >= 0 {
				key = string(bare[m[g]:m[g+1]])
			}
		}
		if _, known := narrowing[key]; !known || code[m[1]-1] != ':' {
			continue
		}
		end := valueEnd(code, m[1])
		s := Setting{Key: key, Value: strings.Join(strings.Fields(string(bare[m[1]:end])), " "), Line: lex.Line(data, m[1])}
		if threshold.MatchString(key) {
			if strings.HasPrefix(s.Value, "{") {
				continue // its numbers stand for themselves
			}
			s.Ratchet = 1
		} else if narrowing[key] || key == "include" && ofTests.MatchString(s.Value) {
			s.Risk = "decides which tests run, or what their failure means"
		}
		out = append(out, s)
	}
	return out
}

// ofTests tells a list of tests from one of sources.
var ofTests = pattern.Lazy(`(?i)\.(?:test|spec)\b|__tests__|\be2e\b|\btests?/`)

// valueEnd is where a value ends: at the comma or bracket that closes it.
func valueEnd(code []byte, at int) int {
	depth := 0
	for i := at; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ',', ';':
			if depth == 0 {
				return i
			}
		}
	}
	return len(code)
}

var viteBlock = pattern.Lazy(`\b(?:test|resolve)\s*:\s*\{`)

// viteParts blanks everything but the blocks that matter.
func viteParts(bare, code []byte) []byte {
	out := make([]byte, len(code))
	for i := range out {
		out[i] = ' '
	}
	for _, m := range viteBlock.FindAllIndex(code, -1) {
		end := lex.Close(code, m[1]-1)
		if end < 0 {
			end = len(code)
		}
		copy(out[m[0]:end], code[m[0]:end])
	}
	return out
}
