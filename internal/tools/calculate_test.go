package tools

import (
	"strings"
	"testing"
	"time"
)

func TestCalculate(t *testing.T) {
	good := map[string]string{
		"1 + 2 * 3": "7", "7 / 2": "3.5", "7 // 2": "3", "-7 // 2": "-4", "-7 % 3": "2", "2 ** 10": "1024", "2**3**2": "512", "-2**2": "-4",
		"(1+1)**(2+1)": "8", "2**-1": "0.5", "2.0**0.5": "1.4142135623730951", "pow(2, 100)": "1267650600228229401496703205376",
		"99999999999999999999 * 99999999999999999999": "9999999999999999999800000000000000000001",
		"0xff + 0b11 + 0o7":                           "265", "1 << 20": "1048576", "6 & 3 | 8 ^ 1": "11", "3 > 2 and 2 > 1": "True", "not 1 == 1": "False", "1 if 2 > 3 else 0": "0",
		"sum([i*i for i in range(1, 11)])": "385", "sum([1 for i in range(100) if i % 7 == 0])": "15", "max(3, 9, 2)": "9", "min([4, 2])": "2",
		"[x*y for x in range(1,3) for y in [10, 20]]": "[10, 20, 20, 40]", "sqrt(2)**2": "2.0000000000000004", "math.sqrt(16)": "4.0",
		"round(2.5)": "3", "round(3.14159, 2)": "3.14", "abs(-5)": "5", "abs(-1.5)": "1.5", "factorial(20)": "2432902008176640000", "gcd(12, 18)": "6",
		"len(str(2**100))": "31", "int('12') + int(3.9)": "15", "divmod(17, 5)": "[3, 2]", "sorted([3,1,2])": "[1, 2, 3]", "floor(-1.5)": "-2", "ceil(1.2)": "2",
		"1**99999999999999999999": "1", "(-1)**99999999999999999999": "-1", "(-1)**99999999999999999998": "1", "0**0": "1", "```\n1+1\n```": "2", "25*60 - 2": "1498", "any([0, 2])": "True",
	}
	for expr, want := range good {
		env, _ := newEnv(t, nil)
		if res := call(t, env, "calculate", map[string]any{"expression": expr}); !res.OK || res.Text != want {
			t.Errorf("%s = %q (OK %v), want %q", expr, res.Text, res.OK, want)
		}
	}
	bad := map[string]string{
		"": "needs an expression", "1 / 0": "zero", "1 % 0": "zero", "x + 1": "x is not known", "1 +": "Only expressions", "open('f')": "not known", "'a' * 1000000000": "only numbers",
		"[1] * 1000000000": "only numbers", "9**9**9": "bits", "2**100000": "bits", "1 << 100000": "", "[x for x in range(10**12)]": "steps", "sum(range(10**9))": "steps",
		"sorted(range(10**9))": "steps", "(lambda: 1)()": "not known", "factorial(10**6)": "more than", "sqrt(-1)": "not a number", "{}": "only arithmetic", "len(range(3)).x": "only arithmetic",
		"str(str)": "not known", "def f(): pass": "Only expressions", "[i for i in range(1000) for j in range(1000)]": "steps", "**2": "both sides", "2**": "both sides",
		strings.Repeat("(", 900) + "1" + strings.Repeat(")", 900): "nesting", strings.Repeat("1+", 1500) + "1": "longer than",
		"pow(2,60000)*pow(2,60000)": "bits", "max([])": "empty", "sum(['a'])": "not a number", "1 < 'a'": "",
	}
	for expr, want := range bad {
		env, _ := newEnv(t, nil)
		start := time.Now()
		res := call(t, env, "calculate", map[string]any{"expression": expr})
		if res.OK || !strings.Contains(res.Text, want) {
			t.Errorf("%s: OK %v, %q; want %q", clipWord(expr), res.OK, res.Text, want)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s took %v", clipWord(expr), d)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	for _, s := range []string{"1+1", "2**3**2", "[x for x in range(9)]", "((", "'", "pow(9,9)*9", "1e400", "-~+1", "a**b", "min()", "range()", "round(1.5,1)", "divmod(1,0)", "1<<511"} {
		f.Add(s)
	}
	env, _ := newEnv(f, nil)
	f.Fuzz(func(t *testing.T, s string) {
		start := time.Now()
		res := call(t, env, "calculate", map[string]any{"expression": s})
		if strings.Contains(res.Text, "internal fault") || res.Text == "" {
			t.Fatalf("%q: %q", s, res.Text)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("%q took %v", s, d)
		}
	})
}
