package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gitagent/internal/plain"
)

const (
	maxExpression = 2000    // bytes of an expression
	maxSteps      = 200_000 // nodes evaluated, elements visited
	maxBits       = 1 << 16 // size of an integer
	maxDepth      = 200     // nesting
	maxText       = 64 << 10
)

func calculateTool() tool {
	return tool{
		name:  "calculate",
		about: "Exact arithmetic, e.g. 2**64 // 3 or sum([i*i for i in range(10)]).",
		params: []param{
			{name: "expression", kind: text, aliases: []string{"expr", "formula", "input", "math", "code", "query"}},
		},
		run: calculate,
	}
}

// calculate evaluates one Starlark expression. It walks the syntax tree itself,
// over Starlark's own numbers, so that every value can be measured before it
// is made; a multiplication chain would fill the memory otherwise.
func calculate(ctx context.Context, _ *Env, a values) Result {
	source := unfence(strings.TrimSpace(a.text("expression")))
	if source == "" {
		return refuse("calculate needs an expression.")
	}
	if len(source) > maxExpression {
		return refuse("calculate: the expression is longer than %d bytes.", maxExpression)
	}
	rewritten, err := powers(source)
	if err != nil {
		return refuse("calculate: %s.", err)
	}
	opts := &syntax.FileOptions{}
	tree, err := opts.ParseExpr("expression", rewritten, 0)
	if err != nil {
		return refuse("calculate: %s. Only expressions: numbers, + - * / // %% **, comparisons, lists, %s.", plain.Line(err.Error(), 200), strings.Join(functionNames(), ", "))
	}
	m := &machine{ctx: ctx}
	v, err := m.eval(tree, nil, 0)
	if err != nil {
		return refuse("calculate: %s.", plain.Line(err.Error(), 300))
	}
	answer := shown(v)
	if answer == "" {
		answer = v.String() // the empty text, in quotes
	}
	return Result{Text: plain.Clip(answer, 4000), OK: true}
}

// shown writes a value as Starlark does.
func shown(v starlark.Value) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	return v.String()
}

// machine evaluates one expression within limits.
type machine struct {
	ctx   context.Context
	steps int
}

// scope is one variable of a comprehension, innermost first.
type scope struct {
	name  string
	value starlark.Value
	outer *scope
}

// step counts work; every loop and every node calls it.
func (m *machine) step(n int) error {
	m.steps += n
	if m.steps > maxSteps {
		return fmt.Errorf("more than %d steps", maxSteps)
	}
	return m.ctx.Err()
}

func (m *machine) eval(e syntax.Expr, vars *scope, depth int) (starlark.Value, error) {
	if err := m.step(1); err != nil {
		return nil, err
	}
	if depth++; depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return literal(e)
	case *syntax.ParenExpr:
		return m.eval(e.X, vars, depth)
	case *syntax.Ident:
		return lookupName(e.Name, vars)
	case *syntax.UnaryExpr:
		return m.unary(e, vars, depth)
	case *syntax.BinaryExpr:
		return m.binary(e, vars, depth)
	case *syntax.CondExpr:
		cond, err := m.eval(e.Cond, vars, depth)
		if err != nil {
			return nil, err
		}
		if cond.Truth() {
			return m.eval(e.True, vars, depth)
		}
		return m.eval(e.False, vars, depth)
	case *syntax.ListExpr:
		return m.list(e.List, vars, depth)
	case *syntax.TupleExpr:
		return m.list(e.List, vars, depth)
	case *syntax.Comprehension:
		return m.comprehension(e, vars, depth)
	case *syntax.CallExpr:
		return m.call(e, vars, depth)
	}
	return nil, errors.New("only arithmetic is understood here")
}

func literal(e *syntax.Literal) (starlark.Value, error) {
	switch v := e.Value.(type) {
	case string:
		return starlark.String(v), nil
	case float64:
		return starlark.Float(v), nil
	default:
		if e.Token == syntax.INT {
			return sized(starlark.MakeBigInt(bigOf(v)))
		}
	}
	return nil, fmt.Errorf("%s is not understood", e.Raw)
}

// lookupName finds a loop variable or a constant.
func lookupName(name string, vars *scope) (starlark.Value, error) {
	for s := vars; s != nil; s = s.outer {
		if s.name == name {
			return s.value, nil
		}
	}
	switch name {
	case "True", "true":
		return starlark.True, nil
	case "False", "false":
		return starlark.False, nil
	case "pi":
		return starlark.Float(3.141592653589793), nil
	case "e":
		return starlark.Float(2.718281828459045), nil
	}
	return nil, fmt.Errorf("the name %s is not known", name)
}

func (m *machine) list(items []syntax.Expr, vars *scope, depth int) (starlark.Value, error) {
	var out []starlark.Value
	for _, item := range items {
		v, err := m.eval(item, vars, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

// comprehension evaluates [x for a in b if c], any number of clauses.
func (m *machine) comprehension(e *syntax.Comprehension, vars *scope, depth int) (starlark.Value, error) {
	if e.Curly {
		return nil, errors.New("only lists can be built here")
	}
	var out []starlark.Value
	var clause func(i int, vars *scope) error
	clause = func(i int, vars *scope) error {
		if i == len(e.Clauses) {
			v, err := m.eval(e.Body, vars, depth)
			out = append(out, v)
			return err
		}
		switch c := e.Clauses[i].(type) {
		case *syntax.IfClause:
			cond, err := m.eval(c.Cond, vars, depth)
			if err != nil || !bool(cond.Truth()) {
				return err
			}
			return clause(i+1, vars)
		case *syntax.ForClause:
			name, ok := c.Vars.(*syntax.Ident)
			if !ok {
				return errors.New("a loop has one variable here")
			}
			over, err := m.eval(c.X, vars, depth)
			if err != nil {
				return err
			}
			return m.each(over, func(v starlark.Value) error {
				return clause(i+1, &scope{name.Name, v, vars})
			})
		}
		return errors.New("this loop is not understood")
	}
	if err := clause(0, vars); err != nil {
		return nil, err
	}
	return starlark.NewList(out), nil
}

// each visits the elements of a list or range, one step each.
func (m *machine) each(v starlark.Value, visit func(starlark.Value) error) error {
	iter := starlark.Iterate(v)
	if iter == nil {
		return fmt.Errorf("%s is not a list", v.Type())
	}
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		if err := m.step(1); err != nil {
			return err
		}
		if err := visit(x); err != nil {
			return err
		}
	}
	return nil
}
