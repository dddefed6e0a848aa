package contract

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type function func(args []starlark.Value) (starlark.Value, error)

// functions are what an expression may call.
func functions() map[string]function {
	return map[string]function{
		"str": one(func(v starlark.Value) (starlark.Value, error) {
			s, err := textOf(v)
			return starlark.String(s), err
		}),
		"int": one(toInt),
		"len": one(func(v starlark.Value) (starlark.Value, error) {
			if s, ok := v.(starlark.String); ok {
				return starlark.MakeInt(len([]rune(string(s)))), nil
			}
			if n := starlark.Len(v); n >= 0 {
				return starlark.MakeInt(n), nil
			}
			return nil, fmt.Errorf("takes the length of %s", v)
		}),
		"abs": one(func(v starlark.Value) (starlark.Value, error) {
			if less, err := starlark.Compare(syntax.LT, v, starlark.MakeInt(0)); err != nil || !less {
				return v, err
			}
			return starlark.Unary(syntax.MINUS, v)
		}),
		"rev": one(func(v starlark.Value) (starlark.Value, error) {
			s, err := textOf(v)
			return reversed(starlark.String(s)), err
		}),
		"min":   extreme(syntax.LT),
		"max":   extreme(syntax.GT),
		"round": digits(func(f float64, n int) starlark.Value { return rounded(f, n) }),
		"fixed": digits(func(f float64, n int) starlark.Value { return starlark.String(strconv.FormatFloat(f, 'f', n, 64)) }),
		"sorted": one(func(v starlark.Value) (starlark.Value, error) {
			return sorted(v)
		}),
	}
}

func functionNames() string {
	var names []string
	for name := range functions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func one(f func(starlark.Value) (starlark.Value, error)) function {
	return func(args []starlark.Value) (starlark.Value, error) {
		if len(args) != 1 {
			return nil, fmt.Errorf("gives a function %d values where it takes one", len(args))
		}
		return f(args[0])
	}
}

func toInt(v starlark.Value) (starlark.Value, error) {
	if s, ok := v.(starlark.String); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(string(s)), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("takes %q for a whole number", string(s))
		}
		return starlark.MakeInt64(n), nil
	}
	return starlark.NumberToInt(v)
}

func extreme(op syntax.Token) function {
	return func(args []starlark.Value) (starlark.Value, error) {
		if len(args) < 2 {
			return nil, fmt.Errorf("needs two values to choose from")
		}
		best := args[0]
		for _, v := range args[1:] {
			better, err := starlark.Compare(op, v, best)
			if err != nil {
				return nil, err
			}
			if better {
				best = v
			}
		}
		return best, nil
	}
}

// digits is a function of a number and of how many digits stand behind its
// point.
func digits(f func(float64, int) starlark.Value) function {
	return func(args []starlark.Value) (starlark.Value, error) {
		if len(args) == 1 {
			args = append(args, starlark.MakeInt(0))
		}
		if len(args) != 2 {
			return nil, fmt.Errorf("gives a function %d values where it takes a number and its digits", len(args))
		}
		x, ok := starlark.AsFloat(args[0])
		n, err := starlark.AsInt32(args[1])
		if !ok || err != nil || n < 0 || n > 12 {
			return nil, fmt.Errorf("rounds %s to %s digits", args[0], args[1])
		}
		return f(halfUp(x, n), n), nil
	}
}

// halfUp rounds as a person does. The small push undoes that 1.005 is stored as
// a little less.
func halfUp(x float64, n int) float64 {
	p := math.Pow(10, float64(n))
	return math.Round(x*p*(1+1e-14)) / p
}

func rounded(f float64, n int) starlark.Value {
	if n == 0 {
		if i, err := starlark.NumberToInt(starlark.Float(f)); err == nil {
			return i
		}
	}
	return starlark.Float(f)
}

// sorted joins a list's texts in order, for pages that show one.
func sorted(v starlark.Value) (starlark.Value, error) {
	l, ok := v.(*starlark.List)
	if !ok {
		return nil, fmt.Errorf("sorts %s, which is no list", v)
	}
	items := make([]starlark.Value, l.Len())
	for i := range items {
		items[i] = l.Index(i)
	}
	var failed error
	slices.SortStableFunc(items, func(a, b starlark.Value) int {
		less, err := starlark.Compare(syntax.LT, a, b)
		more, _ := starlark.Compare(syntax.GT, a, b)
		switch {
		case err != nil:
			failed = err
		case less:
			return -1
		case more:
			return 1
		}
		return 0
	})
	return starlark.NewList(items), failed
}

// methods of texts that an expression may call.
const methods = " upper lower title capitalize strip replace join startswith endswith count find "

func call(e *syntax.CallExpr, env map[string]starlark.Value) (starlark.Value, error) {
	var args []starlark.Value
	for _, a := range e.Args {
		v, err := evaluate(a, env)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	switch fn := e.Fn.(type) {
	case *syntax.Ident:
		if f, ok := functions()[fn.Name]; ok {
			return f(args)
		}
		return nil, fmt.Errorf("calls %s, which is not there: use %s", fn.Name, functionNames())
	case *syntax.DotExpr:
		x, err := evaluate(fn.X, env)
		if err != nil {
			return nil, err
		}
		s, ok := x.(starlark.String)
		if !ok || !strings.Contains(methods, " "+fn.Name.Name+" ") {
			return nil, fmt.Errorf("calls .%s on %s: use%son texts", fn.Name.Name, x.Type(), methods)
		}
		m, err := s.Attr(fn.Name.Name)
		if err != nil || m == nil {
			return nil, fmt.Errorf("calls .%s, which is not there", fn.Name.Name)
		}
		if n := growth(s, args); n > maxResult {
			return nil, fmt.Errorf("makes a text of more than %d bytes", maxResult)
		}
		return starlark.Call(&starlark.Thread{}, m, args, nil)
	}
	return nil, fmt.Errorf("calls something that is not understood")
}

// growth bounds what a method can make of a text and its arguments.
func growth(s starlark.String, args []starlark.Value) int {
	longest := 1
	for _, a := range args {
		if t, ok := a.(starlark.String); ok {
			longest = max(longest, len(t))
		}
		if n := starlark.Len(a); n > 0 {
			longest = max(longest, n)
		}
	}
	return (len(s) + 1) * longest
}
