package product

import (
	"bytes"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// always matches an equality that holds for everything: a method that returns
// true, or is equal to anything, and does nothing else.
var always = map[lex.Name]*pattern.Pattern{
	lex.Python: pattern.Lazy(`def\s+__(?:eq|contains|le|ge|hash_eq)__\s*\([^)]*\)[^:\n]*:\s*(?:"[^"\n]*"\s*)?return\s+True\b|def\s+__(?:ne|lt|gt)__\s*\([^)]*\)[^:\n]*:\s*return\s+False\b|__eq__\s*=\s*lambda[^:\n]*:\s*True`),
	lex.JS:     pattern.Lazy(`\b(?:equals|isEqual|\[Symbol\.toPrimitive\]|eq)\s*\([^)]*\)\s*(?::\s*boolean\s*)?\{\s*return\s+true;?\s*\}|\b(?:equals|isEqual|eq)\s*[:=]\s*\([^)]*\)\s*=>\s*true\b|\bvalueOf\s*\(\s*\)\s*\{\s*return\s+(?:globalThis|global|window|expected\w*)\b`),
	lex.Go:     pattern.Lazy(`func\s+\([^)]*\)\s*(?:Equals?|Is|Cmp)\s*\([^)]*\)\s*(?:bool\s*\{\s*return\s+true\s*\}|int\s*\{\s*return\s+0\s*\})`),
	lex.Rust:   pattern.Lazy(`\bfn\s+eq\s*\([^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?true;?\s*\}|\bfn\s+ne\s*\([^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?false;?\s*\}`),
	lex.Java:   pattern.Lazy(`\bboolean\s+equals\s*\([^)]*\)\s*\{\s*return\s+true;\s*\}|\bint\s+compareTo\s*\([^)]*\)\s*\{\s*return\s+0;\s*\}`),
	lex.Kotlin: pattern.Lazy(`\bfun\s+equals\s*\([^)]*\)\s*(?::\s*Boolean\s*)?(?:=\s*true\b|\{\s*return\s+true\s*\})`),
	lex.Ruby:   pattern.Lazy(`def\s+(?:==|eql\?|===|equal\?)\s*\(?[^)\n;]*\)?\s*[;\n]?\s*true\s*(?:;|\n|\s)\s*end\b|def\s+(?:==|eql\?)\s*\([^)]*\)\s*=\s*true\b`),
	lex.PHP:    pattern.Lazy(`function\s+(?:equals|isEqual\w*|eq)\s*\([^)]*\)\s*(?::\s*bool\s*)?\{\s*return\s+true;\s*\}`),
	lex.CSharp: pattern.Lazy(`\bbool\s+(?:Equals|operator\s*==)\s*\([^)]*\)\s*(?:=>\s*true;|\{\s*return\s+true;\s*\})`),
	lex.Swift:  pattern.Lazy(`\bfunc\s*==\s*\([^)]*\)\s*->\s*Bool\s*\{\s*(?:return\s+)?true\s*\}`),
}

// couldBeEqual is a quick look before the slow one.
func couldBeEqual(code []byte) bool {
	for _, word := range []string{"eq", "qual", "==", "valueOf", "compareTo", "Cmp", "Is(", "__", "oPrimitive"} {
		if bytes.Contains(code, []byte(word)) {
			return true
		}
	}
	return false
}

// equality looks for equalities that a change makes always true.
func (j *judge) equality() {
	re := always[j.l.Name]
	if re == nil {
		return
	}
	code := bytes.Join(j.code, []byte("\n"))
	if !couldBeEqual(code) {
		return
	}
	fresh := map[int]bool{}
	for _, line := range j.added {
		fresh[line.N] = true
	}
	for _, m := range re.FindAllIndex(code, -1) {
		first, last := lex.Line(code, m[0]), lex.Line(code, m[1]-1)
		for n := first; n <= last; n++ {
			if fresh[n] {
				j.add("product.equal", first, "is equal to everything")
				break
			}
		}
	}
}
