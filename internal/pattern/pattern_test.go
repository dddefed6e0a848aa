package pattern

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Patterns are compiled when they are first used; this is where one that is no
// regular expression is found.
func TestEveryPatternCompiles(t *testing.T) {
	var files []string
	for _, places := range []string{"../../hooks/*.go", "../../hooks/*/*.go", "../../internal/*/*.go", "../../internal/*/*/*.go"} {
		found, err := filepath.Glob(places)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	found := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !lazy(call.Fun) {
				return true
			}
			if source, ok := literal(call.Args[0]); ok {
				found++
				if _, err := regexp.Compile(source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d patterns were found", found)
	}
}

func lazy(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Lazy" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "pattern"
}

// literal is the text of literals put together with +.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := literal(e.X)
		y, okY := literal(e.Y)
		return x + y, okX && okY && e.Op == token.ADD
	}
	return "", false
}
