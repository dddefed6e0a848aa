package testspan

import (
	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

var (
	goHint = pattern.Lazy(`func (?:Test|Benchmark|Fuzz|Example)`)
	goFunc = pattern.Lazy(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)(?:[^\pL\d][\w]*|\p{Lu}\w*|\d\w*|_\w*)?)\s*\(`)
)

// goFuncs finds test and example functions; what an example prints is in a
// comment, so spans keep their comments.
func (f *finder) goFuncs() {
	for _, m := range goFunc.FindAllSubmatchIndex(f.code, -1) {
		end := f.blockFrom(m[1])
		if end < 0 {
			end = lineEnd(f.src, m[0])
		}
		f.add(string(f.code[m[2]:m[3]]), m[0], end)
	}
}

// blockFrom is the end of the next block in braces, -1 for none.
func (f *finder) blockFrom(at int) int {
	for i := at; i < len(f.code); i++ {
		if f.code[i] == '{' {
			return lex.Close(f.code, i)
		}
	}
	return -1
}
