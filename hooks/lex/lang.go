package lex

import (
	"path"
	"strings"
)

// Name is a language, or a family of languages that read alike here.
type Name string

// The languages.
const (
	Go     Name = "go"
	JS     Name = "js" // TypeScript, and the scripts of Vue and Svelte
	Python Name = "python"
	Rust   Name = "rust"
	Java   Name = "java"
	Kotlin Name = "kotlin"
	Ruby   Name = "ruby"
	PHP    Name = "php"
	CSharp Name = "csharp"
	Swift  Name = "swift"
	C      Name = "c"
	Zig    Name = "zig"
	D      Name = "d"
	Shell  Name = "shell" // and other text with # comments
)

// Lang is how a language writes comments and strings.
type Lang struct {
	Name    Name
	line    []string // begin a comment that ends with the line
	block   [][2]string
	nested  bool        // block comments nest
	strings [][2]string // long delimiters before short ones
	raw     string      // delimiters, by their first byte, that know no backslash
	many    string      // delimiters, by their first byte, that span lines
}

var cStyle = [][2]string{{"/*", "*/"}}

// of describes one language; nil for those that are not known.
func of(name Name) *Lang {
	l := &Lang{Name: name, line: []string{"//"}, block: cStyle, strings: [][2]string{{`"`, `"`}, {"'", "'"}}}
	switch name {
	case Go:
		l.strings = append(l.strings, [2]string{"`", "`"})
		l.raw, l.many = "`", "`"
	case JS:
		l.strings = append(l.strings, [2]string{"`", "`"})
		l.many = "`"
	case Python:
		l.line, l.block = []string{"#"}, nil
		l.strings = [][2]string{{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {"'", "'"}}
	case Rust:
		l.nested, l.many = true, `"`
		l.strings = [][2]string{{`"`, `"`}}
	case Java, Kotlin, Swift:
		l.nested = name != Java
		l.strings = [][2]string{{`"""`, `"""`}, {`"`, `"`}, {"'", "'"}}
		if name == Swift {
			l.strings = l.strings[:2]
		}
	case CSharp:
		l.strings = [][2]string{{`"""`, `"""`}, {`@"`, `"`}, {`"`, `"`}, {"'", "'"}}
		l.raw, l.many = "@", "@"
	case Ruby:
		l.line, l.block = []string{"#"}, [][2]string{{"\n=begin", "\n=end"}}
		l.many = `"'`
	case PHP:
		l.line = []string{"//", "#"}
		l.many = `"'`
	case D:
		l.nested, l.many = true, "`\""
		l.strings = append(l.strings, [2]string{"`", "`"})
	case C, Zig:
	case Shell:
		l.line, l.block, l.many, l.raw = []string{"#"}, nil, `"'`, "'"
	default:
		return nil
	}
	return l
}

// Of finds the language of a file by its name; nil when it is not known.
func Of(file string) *Lang {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return of(Go)
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return of(JS)
	case ".py", ".pyi", ".pyw":
		return of(Python)
	case ".rs":
		return of(Rust)
	case ".java", ".groovy", ".scala":
		return of(Java)
	case ".kt", ".kts":
		return of(Kotlin)
	case ".rb", ".rake", ".gemspec":
		return of(Ruby)
	case ".php":
		return of(PHP)
	case ".cs":
		return of(CSharp)
	case ".swift":
		return of(Swift)
	case ".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".m", ".mm", ".dart":
		return of(C)
	case ".zig":
		return of(Zig)
	case ".d":
		return of(D)
	case ".sh", ".bash", ".bats", ".zsh":
		return of(Shell)
	}
	return nil
}
