package tools

import "strings"

// jsRefs finds references to files in JavaScript and TypeScript: imports and
// exports, dynamic imports, new URL(…, import.meta.url), fetch, importScripts,
// workers and require, as far as they are literals.
func jsRefs(content string) []ref {
	var out []ref
	t := jsTokens(content)
	for i := range t {
		switch w := t[i].word; {
		case w == "" || at(t, i-1).op == '.' && w != "register" && w != "fetch":
		case w == "import" && at(t, i+1).isString:
			out = append(out, moduleRef(t[i+1].text)...)
		case w == "from" && at(t, i+1).isString:
			out = append(out, moduleRef(t[i+1].text)...)
		case (w == "import" || w == "require") && at(t, i+1).op == '(' && literalArg(t, i+2):
			out = append(out, moduleRef(t[i+2].text)...)
		case w == "URL" && at(t, i-1).word == "new" && at(t, i+1).op == '(' && at(t, i+2).isString && metaURL(t, i+3):
			out = append(out, ref{t[i+2].text, asset})
		case w == "fetch" && at(t, i+1).op == '(' && literalArg(t, i+2) && pageCall(t, i):
			if fetchesFile(t[i+2].text) {
				out = append(out, ref{t[i+2].text, fetch})
			}
		case w == "importScripts" && at(t, i+1).op == '(':
			for j := i + 2; at(t, j).isString; j += 2 {
				out = append(out, ref{t[j].text, fetch})
			}
		case (w == "Worker" || w == "SharedWorker") && at(t, i-1).word == "new" && at(t, i+1).op == '(' && literalArg(t, i+2),
			w == "register" && at(t, i-2).word == "serviceWorker" && at(t, i+1).op == '(' && literalArg(t, i+2):
			out = append(out, ref{t[i+2].text, fetch})
		}
	}
	return out
}

// moduleRef keeps paths; a bare name is a package.
func moduleRef(to string) []ref {
	if strings.HasPrefix(to, "./") || strings.HasPrefix(to, "../") || strings.HasPrefix(to, "/") {
		return []ref{{to, module}}
	}
	return nil
}

// fetchesFile says whether a fetched literal names a file: without an
// extension it is a route of some server.
func fetchesFile(to string) bool {
	to, ok := local(to)
	return ok && strings.Contains(to[strings.LastIndexByte(to, '/')+1:], ".")
}

// pageCall keeps fetch and window.fetch, and drops other objects' methods.
func pageCall(t []jsToken, i int) bool {
	if at(t, i-1).op != '.' {
		return true
	}
	switch at(t, i-2).word {
	case "window", "self", "globalThis":
		return true
	}
	return false
}

// literalArg says whether token i is a string that is a whole argument.
func literalArg(t []jsToken, i int) bool {
	next := at(t, i+1).op
	return at(t, i).isString && (next == ')' || next == ',')
}

func metaURL(t []jsToken, i int) bool {
	return at(t, i).op == ',' && at(t, i+1).word == "import" && at(t, i+3).word == "meta" && at(t, i+5).word == "url"
}

func at(t []jsToken, i int) jsToken {
	if i < 0 || i >= len(t) {
		return jsToken{}
	}
	return t[i]
}

// jsToken is a word, a string, or one byte of punctuation.
type jsToken struct {
	word, text string
	op         byte
	isString   bool
}

// jsTokens cuts source into tokens without comments. Regular expressions are
// told from divisions by what stands before them, which is enough here.
func jsTokens(s string) []jsToken {
	var out []jsToken
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case strings.HasPrefix(s[i:], "//"):
			i += lineLength(s[i:])
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return out
			}
			i += end + 4
		case c == '"' || c == '\'':
			text, n := cssString(s[i:])
			out = append(out, jsToken{text: text, isString: true, op: 0})
			i += n
		case c == '`':
			text, literal, n := jsTemplate(s[i:])
			out = append(out, jsToken{text: text, isString: literal, op: '`'})
			i += n
		case c == '/' && regexpBefore(out):
			i += jsRegexp(s[i:])
			out = append(out, jsToken{op: '/'})
		case isWordByte(c):
			n := 1
			for i+n < len(s) && isWordByte(s[i+n]) {
				n++
			}
			out = append(out, jsToken{word: s[i : i+n]})
			i += n
		default:
			if c > ' ' {
				out = append(out, jsToken{op: c})
			}
			i++
		}
	}
	return out
}

func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// jsTemplate reads a template literal; it is a plain string when nothing is
// put into it. Nested templates inside ${…} are skipped by counting braces.
func jsTemplate(s string) (text string, literal bool, n int) {
	literal = true
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '`':
			return s[1:i], literal, i + 1
		case s[i] == '$' && i+1 < len(s) && s[i+1] == '{':
			literal = false
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '{' {
					depth++
				} else if s[i] == '}' {
					if depth--; depth == 0 {
						break
					}
				}
			}
		}
	}
	return "", false, len(s)
}

// regexpBefore says whether a slash after these tokens begins a regular
// expression.
func regexpBefore(t []jsToken) bool {
	last := at(t, len(t)-1)
	switch {
	case len(t) == 0:
		return true
	case last.isString || last.op == '`' || last.op == ')' || last.op == ']' || last.op == '}' || last.op == '/':
		return false
	case last.word != "":
		switch last.word {
		case "return", "typeof", "case", "in", "of", "delete", "void", "do", "else", "await", "yield":
			return true
		}
		return false
	}
	return true
}

// jsRegexp returns the length of a regular expression, 1 when it is none.
func jsRegexp(s string) int {
	class := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return 1
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 1
}
