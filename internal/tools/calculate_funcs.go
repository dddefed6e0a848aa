package tools

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// functionNames lists what can be called, sorted.
func functionNames() []string {
	names := []string{"abs", "all", "any", "ceil", "cos", "divmod", "exp", "factorial", "float", "floor", "gcd", "int", "len",
		"log", "log10", "max", "min", "pow", "range", "round", "sin", "sorted", "sqrt", "str", "sum", "tan"}
	slices.Sort(names)
	return names
}

// call evaluates the arguments and applies one of the known functions; a
// module's name in front (math.sqrt) is ignored.
func (m *machine) call(e *syntax.CallExpr, vars *scope, depth int) (starlark.Value, error) {
	var name string
	switch fn := e.Fn.(type) {
	case *syntax.Ident:
		name = fn.Name
	case *syntax.DotExpr:
		if id, ok := fn.X.(*syntax.Ident); ok && id.Name == "math" {
			name = fn.Name.Name
		}
	}
	if !slices.Contains(functionNames(), name) {
		return nil, fmt.Errorf("this function is not known; there are %v", functionNames())
	}
	var args []starlark.Value
	for _, a := range e.Args {
		v, err := m.eval(a, vars, depth)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	v, err := m.apply(name, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sized(v)
}

func (m *machine) apply(name string, args []starlark.Value) (starlark.Value, error) {
	switch name {
	case "min", "max", "sum", "len", "sorted", "any", "all", "gcd":
		return m.overList(name, args)
	case "range":
		return rangeOf(args)
	case "pow", "divmod":
		if len(args) != 2 {
			return nil, errors.New("needs two values")
		}
		if name == "pow" {
			return power(args[0], args[1])
		}
		q, err := m.arithmetic(syntax.SLASHSLASH, args[0], args[1])
		if err != nil {
			return nil, err
		}
		r, err := m.arithmetic(syntax.PERCENT, args[0], args[1])
		return starlark.NewList([]starlark.Value{q, r}), err
	case "round":
		return round(args)
	}
	if len(args) != 1 {
		return nil, errors.New("needs one value")
	}
	return m.one(name, args[0])
}

// one applies a function of one value.
func (m *machine) one(name string, x starlark.Value) (starlark.Value, error) {
	switch name {
	case "str":
		if err := m.step(bits(x) / 16); err != nil {
			return nil, err
		}
		s := shown(x)
		if len(s) > maxText {
			return nil, errors.New("the text is too long")
		}
		return starlark.String(s), nil
	case "int":
		if s, ok := starlark.AsString(x); ok {
			n, ok := new(big.Int).SetString(s, 10)
			if !ok {
				return nil, fmt.Errorf("%q is not a whole number", clipWord(s))
			}
			return starlark.MakeBigInt(n), nil
		}
		return starlark.NumberToInt(x)
	case "abs":
		if i, ok := x.(starlark.Int); ok {
			return starlark.MakeBigInt(new(big.Int).Abs(i.BigInt())), nil
		}
	case "floor", "ceil":
		if _, ok := x.(starlark.Int); ok {
			return x, nil
		}
	case "factorial":
		return m.factorial(x)
	}
	f, ok := starlark.AsFloat(x)
	if !ok {
		return nil, errors.New("needs a number")
	}
	switch name {
	case "floor":
		return starlark.NumberToInt(starlark.Float(math.Floor(f)))
	case "ceil":
		return starlark.NumberToInt(starlark.Float(math.Ceil(f)))
	}
	return float(mathFunc(name, f))
}

// mathFunc is the function of that name over floats; an unknown one is NaN,
// which float refuses.
func mathFunc(name string, f float64) float64 {
	switch name {
	case "abs":
		return math.Abs(f)
	case "float":
		return f
	case "sqrt":
		return math.Sqrt(f)
	case "exp":
		return math.Exp(f)
	case "log":
		return math.Log(f)
	case "log10":
		return math.Log10(f)
	case "sin":
		return math.Sin(f)
	case "cos":
		return math.Cos(f)
	case "tan":
		return math.Tan(f)
	}
	return math.NaN()
}

func (m *machine) factorial(x starlark.Value) (starlark.Value, error) {
	n, err := starlark.AsInt32(x)
	if err != nil || n < 0 {
		return nil, errors.New("needs a whole number that is not negative")
	}
	v := big.NewInt(1)
	for i := 2; i <= n; i++ {
		if err := m.step(1 + v.BitLen()/64); err != nil {
			return nil, err
		}
		if v.Mul(v, big.NewInt(int64(i))); v.BitLen() > maxBits {
			return nil, fmt.Errorf("a number has more than %d bits", maxBits)
		}
	}
	return starlark.MakeBigInt(v), nil
}

// round rounds half away from zero, to a number of decimals when given one.
func round(args []starlark.Value) (starlark.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, errors.New("needs a number, and decimals if wanted")
	}
	if _, ok := args[0].(starlark.Int); ok {
		return args[0], nil
	}
	f, ok := starlark.AsFloat(args[0])
	if !ok {
		return nil, errors.New("needs a number")
	}
	if len(args) == 1 {
		return starlark.NumberToInt(starlark.Float(math.Round(f)))
	}
	n, err := starlark.AsInt32(args[1])
	if err != nil || n < -300 || n > 300 {
		return nil, errors.New("decimals must be a small whole number")
	}
	scale := math.Pow(10, float64(n))
	return float(math.Round(f*scale) / scale)
}

// rangeOf is range(stop), range(start, stop) or range(start, stop, step); its
// elements are made only as they are visited.
func rangeOf(args []starlark.Value) (starlark.Value, error) {
	thread := &starlark.Thread{Name: "range"}
	return starlark.Call(thread, starlark.Universe["range"], args, nil)
}

// overList applies a function to a list, or to its arguments.
func (m *machine) overList(name string, args []starlark.Value) (starlark.Value, error) {
	if name == "len" && len(args) == 1 {
		if n := starlark.Len(args[0]); n >= 0 {
			return starlark.MakeInt(n), nil
		}
		return nil, errors.New("needs a list or a text")
	}
	var items []starlark.Value
	add := func(v starlark.Value) error { items = append(items, v); return nil }
	if len(args) == 1 {
		if err := m.each(args[0], add); err != nil {
			return nil, err
		}
	} else {
		items = args
	}
	switch name {
	case "any", "all":
		for _, v := range items {
			if bool(v.Truth()) == (name == "any") {
				return starlark.Bool(name == "any"), nil
			}
		}
		return starlark.Bool(name == "all"), nil
	case "sorted":
		return m.sorted(items)
	}
	return m.reduce(name, items)
}

func (m *machine) sorted(items []starlark.Value) (starlark.Value, error) {
	out := slices.Clone(items)
	var failed error
	slices.SortFunc(out, func(a, b starlark.Value) int {
		if failed != nil {
			return 0
		}
		less, err := starlark.Compare(syntax.LT, a, b)
		more, err2 := starlark.Compare(syntax.GT, a, b)
		failed = errors.Join(err, err2, m.step(1))
		switch {
		case less:
			return -1
		case more:
			return 1
		}
		return 0
	})
	return starlark.NewList(out), failed
}

// reduce folds a list of numbers with sum, min, max or gcd.
func (m *machine) reduce(name string, items []starlark.Value) (starlark.Value, error) {
	if len(items) == 0 {
		if name == "sum" {
			return starlark.MakeInt(0), nil
		}
		return nil, errors.New("the list is empty")
	}
	acc := items[0]
	for i, v := range items {
		if !isNumber(v) {
			return nil, fmt.Errorf("%s is not a number", v.Type())
		}
		if i == 0 {
			continue
		}
		var err error
		switch name {
		case "sum":
			acc, err = m.arithmetic(syntax.PLUS, acc, v)
		case "gcd":
			acc, err = gcd(acc, v)
		default:
			op := syntax.LT
			if name == "max" {
				op = syntax.GT
			}
			var better bool
			if better, err = starlark.Compare(op, v, acc); better {
				acc = v
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return acc, nil
}

func gcd(x, y starlark.Value) (starlark.Value, error) {
	a, ok := x.(starlark.Int)
	b, ok2 := y.(starlark.Int)
	if !ok || !ok2 {
		return nil, errors.New("needs whole numbers")
	}
	return starlark.MakeBigInt(new(big.Int).GCD(nil, nil, new(big.Int).Abs(a.BigInt()), new(big.Int).Abs(b.BigInt()))), nil
}
