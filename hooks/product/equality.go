package product

import (
	"bytes"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
)

// always matches an equality that holds for everything: a method that returns
// true, or is equal to anything, and does nothing else.
var always = map[lex.Name]*rule.Pattern{
	lex.Python: rule.Lazy(`def\s+__(?:eq|contains|le|ge|hash_eq)__\s*\([^)]*\)[^:\n]*:\s*(?:"[^"\n]*"\s*)?return\s+True\b|def\s+__(?:ne|lt|gt)__\s*\([^)]*\)[^:\n]*:\s*return\s+False\b|__eq__\s*=\s*lambda[^:\n]*:\s*True`),
	lex.JS:     rule.Lazy(`\b(?:equals|isEqual|\[Symbol\.toPrimitive\]|eq)\s*\([^)]*\)\s*(?::\s*boolean\s*)?\{\s*return\s+true;?\s*\}|\b(?:equals|isEqual|eq)\s*[:=]\s*\([^)]*\)\s*=>\s*true\b|\bvalueOf\s*\(\s*\)\s*\{\s*return\s+(?:globalThis|global|window|expected\w*)\b`),
	lex.Go:     rule.Lazy(`func\s+\([^)]*\)\s*(?:Equals?|Is|Cmp)\s*\([^)]*\)\s*(?:bool\s*\{\s*return\s+true\s*\}|int\s*\{\s*return\s+0\s*\})`),
	lex.Rust:   rule.Lazy(`\bfn\s+eq\s*\([^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?true;?\s*\}|\bfn\s+ne\s*\([^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?false;?\s*\}`),
	lex.Java:   rule.Lazy(`\bboolean\s+equals\s*\([^)]*\)\s*\{\s*return\s+true;\s*\}|\bint\s+compareTo\s*\([^)]*\)\s*\{\s*return\s+0;\s*\}`),
	lex.Kotlin: rule.Lazy(`\bfun\s+equals\s*\([^)]*\)\s*(?::\s*Boolean\s*)?(?:=\s*true\b|\{\s*return\s+true\s*\})`),
	lex.Ruby:   rule.Lazy(`def\s+(?:==|eql\?|===|equal\?)\s*\(?[^)\n;]*\)?\s*[;\n]?\s*true\s*(?:;|\n|\s)\s*end\b|def\s+(?:==|eql\?)\s*\([^)]*\)\s*=\s*true\b`),
	lex.PHP:    rule.Lazy(`function\s+(?:equals|isEqual\w*|eq)\s*\([^)]*\)\s*(?::\s*bool\s*)?\{\s*return\s+true;\s*\}`),
	lex.CSharp: rule.Lazy(`\bbool\s+(?:Equals|operator\s*==)\s*\([^)]*\)\s*(?:=>\s*true;|\{\s*return\s+true;\s*\})`),
	lex.Swift:  rule.Lazy(`\bfunc\s*==\s*\([^)]*\)\s*->\s*Bool\s*\{\s*(?:return\s+)?true\s*\}`),
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
