package tools

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// bigOf is the value of an integer literal.
func bigOf(v any) *big.Int {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	}
	return new(big.Int)
}

// bits is the size of an integer; other values have none.
func bits(v starlark.Value) int {
	if i, ok := v.(starlark.Int); ok {
		return i.BigInt().BitLen()
	}
	return 0
}

// sized refuses integers beyond the limit.
func sized(v starlark.Value) (starlark.Value, error) {
	if bits(v) > maxBits {
		return nil, fmt.Errorf("a number has more than %d bits", maxBits)
	}
	return v, nil
}

func isNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return true
	}
	return false
}

func (m *machine) unary(e *syntax.UnaryExpr, vars *scope, depth int) (starlark.Value, error) {
	if e.X == nil {
		return nil, errors.New("only arithmetic is understood here")
	}
	x, err := m.eval(e.X, vars, depth)
	if err != nil {
		return nil, err
	}
	if e.Op == syntax.NOT {
		return !x.Truth(), nil
	}
	if !isNumber(x) {
		return nil, fmt.Errorf("%s is not a number", x.Type())
	}
	return starlark.Unary(e.Op, x)
}

func (m *machine) binary(e *syntax.BinaryExpr, vars *scope, depth int) (starlark.Value, error) {
	x, err := m.eval(e.X, vars, depth)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Op == syntax.AND && !bool(x.Truth()), e.Op == syntax.OR && bool(x.Truth()):
		return x, nil
	}
	y, err := m.eval(e.Y, vars, depth)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case syntax.AND, syntax.OR:
		return y, nil
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		ok, err := starlark.Compare(e.Op, x, y)
		return starlark.Bool(ok), err
	}
	return m.arithmetic(e.Op, x, y)
}

// arithmetic works on numbers alone, which keeps lists and texts from being
// multiplied; sizes are looked at before the result is made.
func (m *machine) arithmetic(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if !isNumber(x) || !isNumber(y) {
		return nil, fmt.Errorf("%s %s %s: only numbers are calculated with", x.Type(), op, y.Type())
	}
	// Starlark bounds the count of a left shift itself, at 512.
	if op == syntax.STAR && bits(x)+bits(y) > maxBits+1 {
		return nil, fmt.Errorf("a number has more than %d bits", maxBits)
	}
	if err := m.step((bits(x) + bits(y)) / 64); err != nil { // long numbers cost more
		return nil, err
	}
	v, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	return sized(v)
}

// power is x to the y: exact for integers with y >= 0.
func power(x, y starlark.Value) (starlark.Value, error) {
	base, ok := x.(starlark.Int)
	exp, ok2 := y.(starlark.Int)
	if !ok || !ok2 || exp.Sign() < 0 {
		fx, okx := starlark.AsFloat(x)
		fy, oky := starlark.AsFloat(y)
		if !okx || !oky {
			return nil, errors.New("pow needs two numbers")
		}
		return float(math.Pow(fx, fy))
	}
	b := base.BigInt()
	if b.BitLen() <= 1 { // -1, 0 and 1 stay small whatever the exponent
		exp = starlark.MakeBigInt(new(big.Int).And(exp.BigInt(), big.NewInt(1)))
		if y.(starlark.Int).Sign() > 0 && exp.Sign() == 0 {
			exp = starlark.MakeInt(2)
		}
	}
	n, fits := exp.Int64()
	if !fits || n > maxBits || int(n)*(max(b.BitLen(), 2)-1) > maxBits {
		return nil, fmt.Errorf("a number has more than %d bits", maxBits)
	}
	return sized(starlark.MakeBigInt(new(big.Int).Exp(b, big.NewInt(n), nil)))
}

// float refuses what is no number.
func float(f float64) (starlark.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("the result is not a number")
	}
	return starlark.Float(f), nil
}

// powers rewrites a ** b, which Starlark lacks, as pow(a, b): from the right,
// as ** groups.
func powers(s string) (string, error) {
	for range 100 {
		at := lastPower(s)
		if at < 0 {
			return s, nil
		}
		from, ok := operandBefore(s, at)
		to, ok2 := operandAfter(s, at+2)
		if !ok || !ok2 {
			return "", errors.New("** needs a number or parentheses on both sides")
		}
		s = s[:from] + "pow(" + s[from:at] + "," + s[at+2:to] + ")" + s[to:]
	}
	return "", errors.New("too many **")
}

// lastPower finds the last ** outside text in quotes.
func lastPower(s string) int {
	last := -1
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(s[i:], "**"):
			last = i
			i++
		}
	}
	return last
}

// operandBefore finds where the operand that ends before at begins: a number, a
// name, a pair of brackets, or a call.
func operandBefore(s string, at int) (int, bool) {
	i := len(strings.TrimRight(s[:at], " \t\n"))
	end := i
	if i > 0 && (s[i-1] == ')' || s[i-1] == ']') {
		depth := 0
		for i > 0 {
			i--
			switch s[i] {
			case ')', ']':
				depth++
			case '(', '[':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if depth != 0 {
			return 0, false
		}
	}
	for i > 0 && (isWordByte(s[i-1]) || s[i-1] == '.') {
		i--
	}
	return i, i < end
}

// operandAfter finds where the operand that begins at from ends, a sign
// included.
func operandAfter(s string, from int) (int, bool) {
	i := from
	for i < len(s) && strings.IndexByte(" \t\n+-~", s[i]) >= 0 {
		i++
	}
	start := i
	for i < len(s) && (isWordByte(s[i]) || s[i] == '.') {
		i++
	}
	if i < len(s) && s[i] == '(' {
		depth := 0
		for ; i < len(s); i++ {
			switch s[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				return i + 1, true
			}
		}
		return 0, false
	}
	return i, i > start
}
