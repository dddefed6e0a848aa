package contract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What stands between braces is one Starlark expression over the variables. It
// is walked here, over Starlark's own values and without its loops, so that its
// length bounds its work.

const (
	maxExpression = 300  // bytes of an expression
	maxResult     = 4096 // bytes of a text, bits of a whole number
)

// expression is what stands between braces, parsed.
type expression struct {
	tree  syntax.Expr
	names []string // free names, each once; functions and methods left out
}

func parseExpression(source string) (*expression, error) {
	if len(source) > maxExpression {
		return nil, fmt.Errorf("is longer than %d bytes", maxExpression)
	}
	tree, err := (&syntax.FileOptions{}).ParseExpr("expression", source, 0)
	if err != nil {
		return nil, err
	}
	e := &expression{tree: tree}
	seen := map[string]bool{"True": true, "False": true, "None": true}
	called := map[*syntax.Ident]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DotExpr:
			called[n.Name] = true
		case *syntax.CallExpr:
			if f, ok := n.Fn.(*syntax.Ident); ok {
				_, called[f] = functions()[f.Name]
			}
		case *syntax.Ident:
			if !called[n] && !seen[n.Name] {
				seen[n.Name] = true
				e.names = append(e.names, n.Name)
			}
		}
		return true
	})
	return e, nil
}

// value computes the expression. Errors are the rest of a sentence about it.
func (e *expression) value(env map[string]starlark.Value) (starlark.Value, error) {
	return evaluate(e.tree, env)
}

func evaluate(e syntax.Expr, env map[string]starlark.Value) (starlark.Value, error) {
	v, err := node(e, env)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.String:
		if len(v) > maxResult {
			return nil, fmt.Errorf("makes a text of more than %d bytes", maxResult)
		}
	case starlark.Int:
		if v.BigInt().BitLen() > maxResult {
			return nil, fmt.Errorf("makes a number of more than %d bits", maxResult)
		}
	case starlark.Float:
		if f := float64(v); f != f || f-f != 0 {
			return nil, errors.New("makes something that is no number")
		}
	}
	return v, nil
}

func node(e syntax.Expr, env map[string]starlark.Value) (starlark.Value, error) {
	switch e := e.(type) {
	case *syntax.Literal:
		return literal(e)
	case *syntax.ParenExpr:
		return evaluate(e.X, env)
	case *syntax.Ident:
		switch v, ok := env[e.Name]; {
		case ok:
			return v, nil
		case e.Name == "True" || e.Name == "False":
			return starlark.Bool(e.Name == "True"), nil
		}
		return nil, fmt.Errorf("uses %s, which is no variable", e.Name)
	case *syntax.UnaryExpr:
		return unary(e, env)
	case *syntax.BinaryExpr:
		return binary(e, env)
	case *syntax.CondExpr:
		cond, err := evaluate(e.Cond, env)
		switch {
		case err != nil:
			return nil, err
		case bool(cond.Truth()):
			return evaluate(e.True, env)
		}
		return evaluate(e.False, env)
	case *syntax.ListExpr:
		return list(e.List, env)
	case *syntax.TupleExpr:
		return list(e.List, env)
	case *syntax.IndexExpr:
		return index(e, env)
	case *syntax.SliceExpr:
		return slice(e, env)
	case *syntax.CallExpr:
		return call(e, env)
	}
	return nil, errors.New("is not understood: use numbers, texts, + - * / // %, comparisons and " + functionNames())
}

func literal(e *syntax.Literal) (starlark.Value, error) {
	switch v := e.Value.(type) {
	case string:
		if e.Token == syntax.STRING {
			return starlark.String(v), nil
		}
	case float64:
		return starlark.Float(v), nil
	case int64:
		return starlark.MakeInt64(v), nil
	}
	return nil, fmt.Errorf("holds %s, which is not understood", e.Raw)
}

func list(items []syntax.Expr, env map[string]starlark.Value) (starlark.Value, error) {
	var out []starlark.Value
	for _, item := range items {
		v, err := evaluate(item, env)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

func unary(e *syntax.UnaryExpr, env map[string]starlark.Value) (starlark.Value, error) {
	x, err := evaluate(e.X, env)
	if err != nil {
		return nil, err
	}
	if e.Op == syntax.NOT {
		return !x.Truth(), nil
	}
	return starlark.Unary(e.Op, x)
}

func binary(e *syntax.BinaryExpr, env map[string]starlark.Value) (starlark.Value, error) {
	x, err := evaluate(e.X, env)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Op == syntax.AND && !bool(x.Truth()), e.Op == syntax.OR && bool(x.Truth()):
		return x, nil
	}
	y, err := evaluate(e.Y, env)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case syntax.AND, syntax.OR:
		return y, nil
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		ok, err := starlark.Compare(e.Op, x, y)
		return starlark.Bool(ok), err
	case syntax.IN, syntax.NOT_IN, syntax.MINUS, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
		if s, ok := x.(starlark.String); ok && e.Op == syntax.PERCENT {
			return nil, fmt.Errorf("formats %q with %%: write str(x) + …, or fixed(x, 2) for digits", string(s))
		}
		return starlark.Binary(e.Op, x, y)
	case syntax.PLUS:
		return add(x, y)
	case syntax.STAR:
		return multiply(x, y)
	}
	return nil, fmt.Errorf("uses %s, which is not understood: use + - * / // %%", e.Op)
}

// add joins a text and a number as a small model means it.
func add(x, y starlark.Value) (starlark.Value, error) {
	a, text := x.(starlark.String)
	b, other := y.(starlark.String)
	switch {
	case text && other:
		return a + b, nil
	case text:
		s, err := textOf(y)
		return a + starlark.String(s), err
	case other:
		s, err := textOf(x)
		return starlark.String(s) + b, err
	}
	return starlark.Binary(syntax.PLUS, x, y)
}

// multiply repeats a text only as far as a result may be long.
func multiply(x, y starlark.Value) (starlark.Value, error) {
	if _, ok := y.(starlark.String); ok {
		x, y = y, x
	}
	if s, ok := x.(starlark.String); ok {
		n, err := starlark.AsInt32(y)
		if err != nil || n < 0 || n*len(s) > maxResult {
			return nil, fmt.Errorf("repeats a text %s times", y)
		}
		return starlark.String(strings.Repeat(string(s), n)), nil
	}
	return starlark.Binary(syntax.STAR, x, y)
}

func index(e *syntax.IndexExpr, env map[string]starlark.Value) (starlark.Value, error) {
	x, err := evaluate(e.X, env)
	if err != nil {
		return nil, err
	}
	y, err := evaluate(e.Y, env)
	if err != nil {
		return nil, err
	}
	if s, ok := x.(starlark.String); ok {
		x = letters(s)
	}
	seq, ok := x.(starlark.Indexable)
	i, ierr := starlark.AsInt32(y)
	if !ok || ierr != nil {
		return nil, fmt.Errorf("takes element %s of %s", y, x)
	}
	if i < 0 {
		i += seq.Len()
	}
	if i < 0 || i >= seq.Len() {
		return nil, fmt.Errorf("takes element %s of %s, which has %d", y, x, seq.Len())
	}
	return seq.Index(i), nil
}

func slice(e *syntax.SliceExpr, env map[string]starlark.Value) (starlark.Value, error) {
	x, err := evaluate(e.X, env)
	if err != nil {
		return nil, err
	}
	s, ok := x.(starlark.String)
	if !ok {
		return nil, fmt.Errorf("takes a part of %s, which is no text", x)
	}
	runes := []rune(string(s))
	at := [3]int{0, len(runes), 1}
	for i, part := range []syntax.Expr{e.Lo, e.Hi, e.Step} {
		if part == nil {
			continue
		}
		v, err := evaluate(part, env)
		if err != nil {
			return nil, err
		}
		if at[i], err = starlark.AsInt32(v); err != nil {
			return nil, err
		}
	}
	if at[2] == -1 && e.Lo == nil && e.Hi == nil {
		return reversed(s), nil
	}
	for i := range 2 {
		if at[i] < 0 {
			at[i] += len(runes)
		}
		at[i] = min(max(at[i], 0), len(runes))
	}
	if at[2] != 1 {
		return nil, errors.New("steps through a text: only [::-1] is understood")
	}
	return starlark.String(runes[at[0]:max(at[0], at[1])]), nil
}

// letters are the characters of a text: a person counts no bytes.
func letters(s starlark.String) *starlark.List {
	var out []starlark.Value
	for _, r := range string(s) {
		out = append(out, starlark.String(r))
	}
	return starlark.NewList(out)
}

func reversed(s starlark.String) starlark.String {
	runes := []rune(string(s))
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return starlark.String(string(runes))
}

// textOf is how a value is typed and shown: whole numbers without a point,
// others with as many digits as they need.
func textOf(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case starlark.Int:
		return v.String(), nil
	case starlark.Bool:
		return strconv.FormatBool(bool(v)), nil
	case starlark.Float:
		f := float64(v)
		if short := strconv.FormatFloat(f, 'g', 12, 64); len(strings.Trim(short, "-")) <= 11 {
			back, _ := strconv.ParseFloat(short, 64) // 0.1+0.2 is meant as 0.3
			return strconv.FormatFloat(back, 'f', -1, 64), nil
		}
		return "", fmt.Errorf("is %v, which every program rounds in its own way: write round(…, 2) or fixed(…, 2)", f)
	}
	return "", fmt.Errorf("is %s, neither a number nor a text", v.Type())
}
