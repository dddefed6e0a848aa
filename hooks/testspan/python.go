package testspan

import (
	"bytes"

	"gitagent/internal/pattern"
)

var (
	pythonHint  = pattern.Lazy(`def test|class \w*Test|TestCase|__name__`)
	pythonBlock = pattern.Lazy(`(?m)^([ \t]*)(?:(?:async[ \t]+)?def[ \t]+(test\w*)|class[ \t]+(Test\w*|\w+(?:Test|Tests|TestCase)|\w+[ \t]*\([^)\n]*TestCase[^)\n]*\))|(if)[ \t]+__name__\b)`)
	selfTest    = pattern.Lazy(`\bassert\b|unittest|doctest|pytest|self_?test|\btest\w*\(`)
	nameOnly    = pattern.Lazy(`^\w+`)
	defLine     = pattern.Lazy(`(?m)^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)`)
)

// pythonBlocks finds test functions and classes, and the part under __name__
// where it tests.
func (f *finder) pythonBlocks() {
	done := 0
	for _, m := range pythonBlock.FindAllSubmatchIndex(f.code, -1) {
		if m[0] < done {
			continue // inside the block before
		}
		start, end := f.decorated(m[0]), f.indented(m[0], m[3]-m[2])
		name := "the part under __name__"
		switch {
		case m[4] >= 0:
			name = string(f.code[m[4]:m[5]])
		case m[6] >= 0:
			name = "class " + string(nameOnly.Find(f.code[m[6]:m[7]]))
		case !selfTest.Match(f.code[m[0]:end]):
			continue
		}
		f.add(name, start, end)
		done = end
	}
}

// decorated moves a start up over the decorators.
func (f *finder) decorated(at int) int {
	for at > 0 {
		above := lineAt(f.code, at-1)
		if !bytes.HasPrefix(bytes.TrimSpace(f.code[above:at]), []byte("@")) {
			break
		}
		at = above
	}
	return at
}

// indented is the end of the block whose header, indented by width, begins at
// at: before the next line of code that is not indented more.
func (f *finder) indented(at, width int) int {
	end := lineEnd(f.code, at)
	depth := 0
	for _, c := range f.code[at:end] {
		depth += turn(c)
	}
	for i := end + 1; i < len(f.code); {
		stop := lineEnd(f.code, i)
		line := f.code[i:stop]
		text := bytes.TrimLeft(line, " \t")
		if len(text) > 0 && depth <= 0 && !allQuotes(text) && len(line)-len(text) <= width {
			break
		}
		for _, c := range line {
			depth += turn(c)
		}
		if len(text) > 0 {
			end = stop
		}
		i = stop + 1
	}
	return end
}

// allQuotes says whether a line is the end of a long string: its text was
// blanked.
func allQuotes(text []byte) bool { return len(bytes.Trim(text, `"' `)) == 0 }

func turn(c byte) int {
	switch c {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// doctests finds the examples in docstrings: from each >>> to the blank line
// behind what it is to print.
func (f *finder) doctests() {
	var block []byte
	start, at := 0, 0
	owner := "the module"
	name := owner
	example := false
	flush := func() {
		if len(block) > 0 {
			f.addText("doctest of "+name, start, block)
		}
		block = nil
	}
	for line := range bytes.Lines(f.src) {
		text := bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(text, []byte(">>>")):
			if len(block) == 0 {
				start, name = at, owner
			}
			example = true
		case len(text) == 0 || bytes.HasPrefix(text, []byte(`"""`)) || bytes.HasPrefix(text, []byte("'''")):
			example = false
		}
		if example {
			block = append(append(block, text...), '\n')
		} else if m := defLine.FindSubmatch(line); m != nil {
			flush()
			owner = string(m[1])
		}
		at += len(line)
	}
	flush()
}
