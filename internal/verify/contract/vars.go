package contract

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"gitagent/internal/pattern"
)

// MaxVars is how many variables a contract may name.
const MaxVars = 12

// Values are what the variables of a contract stand for in one run, as they are
// typed and shown.
type Values map[string]string

// String lists the values as a person reads them: a = 40, b = 2.
func (v Values) String() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = append(out, name+" = "+v[name])
	}
	return strings.Join(out, ", ")
}

// kind is what a variable may be drawn from.
type kind struct {
	name    string   // int, decimal, word, name, words or one of
	lo, hi  int64    // of int; of decimal in units of its last digit
	digits  int      // of decimal
	count   int      // of words
	options []string // of one of
}

const kindForms = `"int 2..99", "decimal 0.5..9.5/1", "word", "name", "words 2" or "one of red|green|blue"`

var (
	intKind     = pattern.Lazy(`^int (-?\d{1,15})\.\.(-?\d{1,15})$`)
	decimalKind = pattern.Lazy(`^decimal (-?\d{1,9}(?:\.\d{1,6})?)\.\.(-?\d{1,9}(?:\.\d{1,6})?)/([1-6])$`)
	wordsKind   = pattern.Lazy(`^words(?: ([1-6]))?$`)
	varName     = pattern.Lazy(`^[a-z][a-z0-9_]{0,19}$`)
)

// parseKind reads what a variable is drawn from. Errors are the rest of a
// sentence about the variable.
func parseKind(text string) (kind, error) {
	if m := intKind.FindStringSubmatch(text); m != nil {
		k := kind{name: "int"}
		k.lo, _ = strconv.ParseInt(m[1], 10, 64)
		k.hi, _ = strconv.ParseInt(m[2], 10, 64)
		return k, k.wide(text)
	}
	if m := decimalKind.FindStringSubmatch(text); m != nil {
		k := kind{name: "decimal"}
		k.digits, _ = strconv.Atoi(m[3])
		var exact [2]bool
		k.lo, exact[0] = scaled(m[1], k.digits)
		k.hi, exact[1] = scaled(m[2], k.digits)
		if !exact[0] || !exact[1] {
			return k, fmt.Errorf("is %q, whose ends have more than %d digits behind the point", text, k.digits)
		}
		return k, k.wide(text)
	}
	if m := wordsKind.FindStringSubmatch(text); m != nil {
		k := kind{name: "words", count: 2}
		if m[1] != "" {
			k.count, _ = strconv.Atoi(m[1])
		}
		return k, nil
	}
	if list, ok := strings.CutPrefix(text, "one of "); ok {
		k := kind{name: "one of", options: strings.Split(list, "|")}
		for i, o := range k.options {
			if strings.TrimSpace(o) != o || o == "" || strings.ContainsAny(o, "{}\n") || slices.Contains(k.options[:i], o) {
				return k, fmt.Errorf("is %q, but choices are different texts with | between and no braces", text)
			}
		}
		if len(k.options) < 2 {
			return k, fmt.Errorf("is %q, which leaves no choice", text)
		}
		return k, nil
	}
	if text == "word" || text == "name" {
		return kind{name: text}, nil
	}
	return kind{}, fmt.Errorf("is %q, which is no kind: use %s", text, kindForms)
}

func (k kind) wide(text string) error {
	if k.hi-k.lo < 3 {
		return fmt.Errorf("is %q, which has fewer than four values: widen it", text)
	}
	return nil
}

// scaled is a decimal in units of its last digit.
func scaled(text string, digits int) (int64, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
	return r.Num().Int64(), r.IsInt()
}

// value is what an expression computes with.
func (k kind) value(text string) (starlark.Value, error) {
	switch k.name {
	case "int":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("is a whole number, not %q", text)
		}
		return starlark.MakeInt64(n), nil
	case "decimal":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("is a number, not %q", text)
		}
		return starlark.Float(f), nil
	case "one of":
		if !slices.Contains(k.options, text) {
			return nil, fmt.Errorf("is one of %s, not %q", strings.Join(k.options, ", "), text)
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("has an empty value")
	}
	return starlark.String(text), nil
}

// looseKinds are ways in which small models write a kind.
var looseKinds = []struct {
	re   *pattern.Pattern
	kind string
}{
	{pattern.Lazy(`^(?:int|integer|number|whole number)(?: from)?[ (:]*(-?\d+)(?: ?\.\.\.? ?| ?[,–] ?| to | and | ?- ?)(-?\d+)\)?$`), "int $1..$2"},
	{pattern.Lazy(`^(?:int|integer|number|whole number|digits)$`), "int 2..99"},
	{pattern.Lazy(`^digit$`), "int 2..9"},
	{pattern.Lazy(`^(?:decimal|float)$`), "decimal 0.5..9.5/1"},
	{pattern.Lazy(`^(?:string|text|str|random word|noun|item)$`), "word"},
	{pattern.Lazy(`^(?:sentence|phrase|title)$`), "words 3"},
	{pattern.Lazy(`^(?:first name|person|full name)$`), "name"},
}

// mendKind puts a kind as a model wrote it into its form; what it does not know
// it gives back.
func mendKind(text string) string {
	text = squeeze(text)
	if list, ok := strings.CutPrefix(strings.ToLower(text), "one of"); ok {
		list = strings.TrimLeft(text[len(text)-len(list):], " :")
		sep := "|"
		if !strings.Contains(list, "|") {
			sep = ","
		}
		parts := strings.Split(list, sep)
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return "one of " + strings.Join(parts, "|")
	}
	low := strings.ToLower(text)
	if _, err := parseKind(low); err == nil {
		return low
	}
	for _, l := range looseKinds {
		if l.re.MatchString(low) {
			return l.re.ReplaceAllString(low, l.kind)
		}
	}
	return text
}

// canName says whether an expression can use name for a value. A keyword cannot
// stand alone, so braces around it would stay as they are.
func canName(name string) bool {
	if _, taken := functions()[name]; taken || !varName.MatchString(name) {
		return false
	}
	e, err := parseExpression(name)
	return err == nil && slices.Equal(e.names, []string{name})
}

// kinds parses the declared variables.
func (c *Contract) kinds() (map[string]kind, error) {
	if len(c.Vars) > MaxVars {
		return nil, fmt.Errorf("%d variables, more than %d", len(c.Vars), MaxVars)
	}
	out := make(map[string]kind, len(c.Vars))
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		if !canName(name) {
			return nil, fmt.Errorf("variable %q needs another name: a small letter, then letters, digits and _, no function's name and no word of expressions such as in, if or not", name)
		}
		k, err := parseKind(c.Vars[name])
		if err != nil {
			return nil, fmt.Errorf("variable %s %w", name, err)
		}
		out[name] = k
	}
	for _, name := range slices.Sorted(maps.Keys(c.Examples)) {
		k, ok := out[name]
		if !ok {
			return nil, fmt.Errorf("there is an example for %s, but no variable of that name", name)
		}
		if _, err := k.value(c.Examples[name]); err != nil {
			return nil, fmt.Errorf("the example of variable %s is wrong: it %w", name, err)
		}
	}
	return out, nil
}

// env is what expressions of one run compute with.
func (c *Contract) env(v Values) (map[string]starlark.Value, error) {
	kinds, err := c.kinds()
	if err != nil {
		return nil, err
	}
	env := make(map[string]starlark.Value, len(kinds))
	for _, name := range slices.Sorted(maps.Keys(kinds)) { // in order, for the words of the error
		k := kinds[name]
		text, ok := v[name]
		if !ok {
			return nil, fmt.Errorf("variable %s has no value", name)
		}
		if env[name], err = k.value(text); err != nil {
			return nil, fmt.Errorf("variable %s %w", name, err)
		}
	}
	return env, nil
}
