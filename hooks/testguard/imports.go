package testguard

import (
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

var importLine = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`^(import\b|\s*(?:[\w.]+\s+)?"[^"]*"$)`),
	lex.JS:     pattern.Lazy(`^(?:import\b[^(]|(?:const|let|var)\s+(?:\w+|\{[^}]*\})\s*=\s*require\()`),
	lex.Python: pattern.Lazy(`^\s*(?:import|from)\s`),
	lex.Rust:   pattern.Lazy(`^\s*(?:pub\s+)?(?:use|extern crate)\s`),
	lex.Java:   pattern.Lazy(`^import\s`),
	lex.Kotlin: pattern.Lazy(`^import\s`),
	lex.Ruby:   pattern.Lazy(`^require(?:_relative)?\s`),
	lex.PHP:    pattern.Lazy(`^use\s+[\w\\]+`),
	lex.CSharp: pattern.Lazy(`^(?:global\s+)?using\s+[\w.= ]+;`),
	lex.Swift:  pattern.Lazy(`^(?:@testable\s+)?import\s`),
}

// importing says whether a line begins an import. In Go a bare string is one
// only inside import ( … ), where it stands alone on its line.
func importing(l *lex.Lang, ln line) bool {
	re := importLine[l.Name]
	return re != nil && re.MatchString(ln.text) && (l.Name != lex.Go || strings.HasPrefix(ln.text, "import"))
}

var (
	importWord   = pattern.Lazy(`[\w$./@~-]+`)
	quotedText   = pattern.Lazy(`["'][^"'\n]*["']`)
	pythonFrom   = pattern.Lazy(`^\s*from\s+\S+\s+import\s+`)
	pythonImport = pattern.Lazy(`^\s*import\s+`)
	bareWord     = pattern.Lazy(`[\w$]+`)
	aliasing     = pattern.Lazy(`\b\w+\s+as\s+`)
	noNames      = pattern.Lazy(`\b(?:import|from|use|using|const|let|var|require|type|static|pub|self|super|crate|as|function|global|testable|extern)\b`)
	leadingPath  = pattern.Lazy(`[\w$]+(?:::|\\|\.)`)
	goImport     = pattern.Lazy(`(?:([\w.]+)\s+)?"([^"]*)"`)
)

// importsKept says where (a line of the new file, or of the old where an import
// is missing) the imports did more than grow: each is still there, or there
// with more names, and what is new takes no name that was in use. 0 is well.
func importsKept(l *lex.Lang, old, new source) int {
	used := make([]bool, len(new.imports))
	for _, o := range old.imports {
		found := false
		for pass := 0; pass < 2 && !found; pass++ {
			for i, n := range new.imports {
				if used[i] || (pass == 0 && n.text != o.text) || (pass == 1 && !extends(o.text, n.text)) {
					continue
				}
				used[i], found = true, true
				if pass == 1 && taken(l, old, names(l, n.text), names(l, o.text)) {
					return n.n
				}
				break
			}
		}
		if !found {
			return o.n
		}
	}
	var before []string
	for _, o := range old.imports {
		before = append(before, names(l, o.text)...)
	}
	for i, n := range new.imports {
		if used[i] {
			continue
		}
		bound := names(l, n.text)
		if l.Name == lex.Python && strings.Contains(n.text, "*") || taken(l, old, bound, nil) || overlap(bound, before) {
			return n.n
		}
	}
	return 0
}

// extends says whether every word of an import is in another, from the same
// place.
func extends(old, new string) bool {
	if strings.HasPrefix(old, "import (") {
		return goExtends(old, new)
	}
	have := map[string]bool{}
	for _, w := range importWord.FindAllString(new, -1) {
		have[w] = true
	}
	for _, w := range importWord.FindAllString(old, -1) {
		if !have[w] {
			return false
		}
	}
	a, b := quotedText.FindAllString(old, -1), quotedText.FindAllString(new, -1)
	if len(a) == 1 && len(b) == 1 {
		return a[0] == b[0]
	}
	return pythonFrom.FindString(old) == pythonFrom.FindString(new)
}

// goExtends says whether every import of a block is in another, under its name.
func goExtends(old, new string) bool {
	have := map[string]bool{}
	for _, m := range goImport.FindAllString(strings.TrimPrefix(new, "import ("), -1) {
		have[m] = true
	}
	for _, m := range goImport.FindAllString(strings.TrimPrefix(old, "import ("), -1) {
		if !have[m] {
			return false
		}
	}
	return true
}

// names are the words that an import brings into the file.
func names(l *lex.Lang, text string) []string {
	switch l.Name {
	case lex.Go:
		var out []string
		text = strings.TrimPrefix(strings.TrimPrefix(text, "import"), " (")
		for _, m := range goImport.FindAllStringSubmatch(text, -1) {
			name := m[1]
			if name == "" {
				name = m[2][strings.LastIndexByte(m[2], '/')+1:]
			}
			out = append(out, name)
		}
		return out
	case lex.Ruby, lex.Swift, lex.CSharp:
		return nil
	case lex.Python:
		text = pythonFrom.ReplaceAllString(text, "")
		text = pythonImport.ReplaceAllString(text, "")
	}
	text = quotedText.ReplaceAllString(text, " ")
	text = aliasing.ReplaceAllString(text, " ")
	text = leadingPath.ReplaceAllString(text, " ")
	text = noNames.ReplaceAllString(text, " ")
	return bareWord.FindAllString(text, -1)
}

// taken says whether one of the names, those that were there before left out,
// is a word of the old code.
func taken(l *lex.Lang, old source, bound, before []string) bool {
	for _, name := range bound {
		if name == "_" || name == "." || overlap([]string{name}, before) {
			continue
		}
		for _, ln := range old.lines {
			if hasWord(ln.code, name) {
				return true
			}
		}
	}
	return false
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}
