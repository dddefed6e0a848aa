package testspan

import (
	"strings"
	"testing"

	"gitagent/hooks/lex"
)

const rustSrc = `//! Adds.
/// Adds two.
///
/// ` + "```" + `
/// assert_eq!(calc::add(1, 2), 3);
/// ` + "```" + `
pub fn add(a: i32, b: i32) -> i32 { a + b } // #[test]

#[derive(Debug)]
struct S;

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); let s = "}"; }
}

#[cfg(all(test, unix))]
use std::fs;
`

const pythonSrc = `def add(a, b):
    """Adds.

    >>> add(1, 2)
    3
    """
    return a + b

@mark
def test_add():
    x = """
a
"""
    assert add(1, 2) == 3

class Sums(unittest.TestCase):
    def test_it(self):
        pass

def more(): pass

if __name__ == "__main__":
    unittest.main()
`

const goSrc = `package calc

func Example() {
	fmt.Println(Add(1, 2))
	// Output: 3
}

func Examples() {}

func TestAdd(t *testing.T) { if x := "}"; true { } }
`

func names(spans []Span) string {
	var out []string
	for _, s := range spans {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

func TestFind(t *testing.T) {
	for file, c := range map[string]struct{ src, want string }{
		"a.rs": {rustSrc, "mod tests, use std, doctest of add"},
		"a.py": {pythonSrc, "test_add, class Sums, the part under __name__, doctest of add"},
		"a.go": {goSrc, "Example, TestAdd"},
		"b.py": {"if __name__ == '__main__':\n    main()\n", ""},
		"b.rs": {"fn main() {}\n", ""},
	} {
		spans := Find(lex.Of(file), []byte(c.src))
		if got := names(spans); got != c.want {
			t.Errorf("%s: %s, want %s", file, got, c.want)
		}
		for _, s := range spans {
			if s.Line < 1 || len(s.Text) == 0 {
				t.Errorf("%s: %+v", file, s)
			}
		}
	}
}

// What a product line beside tests does never reaches a span.
func TestProductStaysFree(t *testing.T) {
	for file, c := range map[string][3]string{
		"a.rs": {rustSrc, "{ a + b }", "{ b + a }"},
		"a.py": {pythonSrc, "return a + b", "return b + a"},
		"a.go": {goSrc, "func Examples() {}", "func Examples() { more() }"},
	} {
		before := Find(lex.Of(file), []byte(c[0]))
		after := Find(lex.Of(file), []byte(strings.Replace(c[0], c[1], c[2], 1)))
		for i := range before {
			if before[i].Name != after[i].Name || string(before[i].Text) != string(after[i].Text) {
				t.Errorf("%s: %s changed", file, before[i].Name)
			}
		}
	}
}

func TestInside(t *testing.T) {
	for file, c := range map[string]struct {
		src  string
		want bool
	}{
		"a.ts":    {"if (import.meta.vitest) { test('a', () => {}) }", true},
		"b.ts":    {"// describe('x')\nconst it = 1; s.test('a')\n", false},
		"A.java":  {"class A {\n  @Test\n  void a() {}\n}", true},
		"B.java":  {"class B {\n  // @Test\n}", false},
		"a.zig":   {"test \"adds\" {\n}\n", true},
		"a.swift": {"class A: XCTestCase {}", true},
		"a.rb":    {"class A < Minitest::Test\nend", true},
		"a.php":   {"<?php class A extends TestCase {}", true},
		"a.cs":    {"class A {\n [Fact]\n public void B() {} }", true},
		"a.txt":   {"@Test", false},
	} {
		if got := Inside(lex.Of(file), []byte(c.src)); got != c.want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{rustSrc, pythonSrc, goSrc, "#[test", "def test_", ">>>", "///```"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, file := range []string{"a.rs", "a.py", "a.go"} {
			for _, s := range Find(lex.Of(file), src) {
				if len(s.Text) > 2*len(src) || s.Name == "" {
					t.Fatalf("%+v", s)
				}
			}
		}
	})
}
