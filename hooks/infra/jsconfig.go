package infra

import (
	"path"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// The forms in which code names a setting: a key of an object, the same in
// brackets, its short form, and an assignment.
var (
	jsKey      = pattern.Lazy(`(?:^|[\s{,(])(?:"([\w-]+)"|'([\w-]+)'|(\w+)|\[\s*["'](\w+)["']\s*\])\s*:`)
	jsAssigned = pattern.Lazy(`(?:\.(\w+)|\[\s*["'](\w+)["']\s*\])\s*=[^=>]`)
	jsShort    = pattern.Lazy(`[{,]\s*(\w+)\s*(?:[,}])`)
	jsSpread   = pattern.Lazy(`\.\.\.\s*(?:require\(\s*["'](\.[^"']*)["']\)|(\w+))`)
	jsLocal    = pattern.Lazy(`(?:import\s+(?:\*\s+as\s+)?([\w{}\s,]+?)\s+from|(?:const|let|var)\s+([\w{},\s:]+?)\s*=\s*require\()\s*["']\.`)
	jsImport   = pattern.Lazy(`^\s*(?:import|export\s*\{|(?:const|let|var)\s*\{)`)
)

// jsSettings finds the settings of a runner's configuration that is code: each
// narrowing key with the text of its value, wherever it stands. In a
// configuration of vite only what is under test, and what resolves modules,
// counts.
func jsSettings(file string, data []byte, _ World) []Setting {
	l := lex.Of("x.ts")
	c := jsCode{data: data, bare: l.NoComments(data), code: l.OnlyCode(data)}
	if strings.HasPrefix(path.Base(file), "vite.") {
		c.code = viteParts(c.bare, c.code)
	}
	for _, m := range jsKey.FindAllSubmatchIndex(c.bare, -1) {
		if c.code[m[1]-1] == ':' {
			c.setting(c.group(m), m[1], valueEnd(c.code, m[1]))
		}
	}
	for _, m := range jsAssigned.FindAllSubmatchIndex(c.bare, -1) {
		if c.code[m[1]-2] == '=' {
			c.setting(c.group(m), m[1]-1, min(valueEnd(c.code, m[1]-1), lineEnd(c.code, m[1]-1)))
		}
	}
	c.short()
	c.spread()
	if strings.Contains(path.Base(file), ".workspace.") {
		c.out = append(c.out, Setting{Key: "projects", Value: strings.Join(quotedText.FindAllString(string(c.bare), -1), ", "), Line: 1, Risk: risky, Grows: true})
	}
	return c.out
}

type jsCode struct {
	data, bare, code []byte // as it is, without comments, without the insides of strings
	out              []Setting
}

// group is the one group of a match that is there.
func (c *jsCode) group(m []int) string {
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			return string(c.bare[m[g]:m[g+1]])
		}
	}
	return ""
}

// setting notes one key with its value.
func (c *jsCode) setting(key string, from, end int) {
	if _, known := narrowing[key]; !known {
		return
	}
	s := Setting{Key: key, Value: strings.Join(strings.Fields(string(c.bare[from:end])), " "), Line: lex.Line(c.data, from)}
	switch {
	case mapKeys.MatchString(key) && strings.HasPrefix(s.Value, "{"):
		c.entries(key, from, end)
		return
	case threshold.MatchString(key):
		if strings.HasPrefix(s.Value, "{") {
			return // its numbers stand for themselves
		}
		s.Ratchet = 1
	default:
		s.Risk, s.Grows = rateRunner(key, s.Value), grows.MatchString(key)
		if mapKeys.MatchString(key) && (standIn.MatchString(s.Value) || namesTool(s.Value)) {
			s.Risk = "leads to a stand-in"
		}
	}
	c.out = append(c.out, s)
}

// entries notes the entries of a map of modules: more may be named.
func (c *jsCode) entries(kind string, from, end int) {
	open := from + strings.IndexByte(string(c.code[from:end]), '{')
	for at := open + 1; at < end; {
		stop := valueEnd(c.code, at)
		if name, value, ok := cutKey(c.bare[at:min(stop, end)], c.code[at:min(stop, end)]); ok {
			c.out = append(c.out, Setting{Key: kind + " " + name, Value: value, Line: lex.Line(c.data, at), Risk: leadsIn(kind, name, value)})
		}
		at = stop + 1
	}
}

// cutKey splits "key: value" at the first colon of code.
func cutKey(bare, code []byte) (name, value string, ok bool) {
	i := strings.IndexByte(string(code), ':')
	if i < 0 {
		return "", "", false
	}
	return strings.Trim(string(bare[:i]), " \t\r\n'\"`"), strings.Join(strings.Fields(string(bare[i+1:])), " "), true
}

func namesTool(value string) bool {
	for _, q := range quotedText.FindAllString(value, -1) {
		if testTool.MatchString(q[1 : len(q)-1]) {
			return true
		}
	}
	return false
}

// short notes settings whose value is a variable of their name.
func (c *jsCode) short() {
	for at := 0; at < len(c.code); {
		m := jsShort.FindSubmatchIndex(c.code[at:])
		if m == nil {
			return
		}
		key, pos := string(c.code[at+m[2]:at+m[3]]), at+m[2]
		at += m[3]
		line := string(c.code[strings.LastIndexByte(string(c.code[:pos]), '\n')+1 : pos])
		if _, known := narrowing[key]; !known || jsImport.MatchString(line) {
			continue
		}
		c.out = append(c.out, Setting{Key: key, Value: "a variable", Line: lex.Line(c.data, pos), Risk: risky})
	}
}

// spread notes settings that are taken from another file of the project.
func (c *jsCode) spread() {
	local := map[string]bool{}
	for _, m := range jsLocal.FindAllStringSubmatch(string(c.bare), -1) {
		for _, name := range strings.FieldsFunc(m[1]+","+m[2], func(r rune) bool { return strings.ContainsRune("{}, :\t\n", r) }) {
			local[name] = true
		}
	}
	for _, m := range jsSpread.FindAllSubmatchIndex(c.bare, -1) {
		if c.code[m[0]] != '.' {
			continue
		}
		if name := c.group(m); m[2] >= 0 || local[name] {
			c.out = append(c.out, Setting{Key: "what is in " + name, Value: "spread", Line: lex.Line(c.data, m[0]), Risk: "may decide which tests run", Within: true})
		}
	}
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

// lineEnd is the end of the line in which no bracket is open any more.
func lineEnd(code []byte, at int) int {
	depth := 0
	for i := at; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n':
			if depth <= 0 {
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
