package testspan

import (
	"bytes"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

var (
	// rustTest is an attribute that makes an item a test, or leaves it out of
	// everything but tests.
	rustTest = pattern.Lazy(`^#\[\s*(?:cfg\s*\((?:.*[\s(,])?test\s*[,)]|(?:\w+::)*(?:test|rstest|bench|test_case|proptest|quickcheck|wasm_bindgen_test)\b)`)
	rustItem = pattern.Lazy(`\b(mod|fn|use|struct|enum|impl|const|static|type|trait|macro_rules!)\s+(\w+)?`)
)

// rustItems finds items behind a test attribute, with all their attributes.
func (f *finder) rustItems() {
	for at := 0; ; {
		i := bytes.Index(f.code[at:], []byte("#["))
		if i < 0 {
			return
		}
		start := at + i
		end, test := start, false
		for end < len(f.code) && bytes.HasPrefix(f.code[end:], []byte("#[")) {
			closed := lex.Close(f.code, end+1)
			if closed < 0 {
				return
			}
			test = test || rustTest.Match(f.code[end:closed])
			for end = closed; end < len(f.code) && (f.code[end] == ' ' || f.code[end] == '\n' || f.code[end] == '\t' || f.code[end] == '\r'); end++ {
			}
		}
		if !test {
			at = end
			continue
		}
		stop := f.itemEnd(end)
		name := "test"
		if m := rustItem.FindSubmatch(f.code[end:stop]); m != nil {
			name = string(m[1]) + " " + string(m[2])
		}
		f.add(name, start, stop)
		at = stop
	}
}

// itemEnd is the end of an item: of its block, or of its semicolon.
func (f *finder) itemEnd(at int) int {
	for i := at; i < len(f.code); i++ {
		switch f.code[i] {
		case ';':
			return i + 1
		case '(', '[':
			if i = lex.Close(f.code, i) - 1; i < 0 {
				return len(f.code)
			}
		case '{':
			if end := lex.Close(f.code, i); end > 0 {
				return end
			}
			return len(f.code)
		}
	}
	return len(f.code)
}

var (
	docLine  = pattern.Lazy(`^\s*(?://[/!]|\*|/\*\*)`)
	codeName = pattern.Lazy(`\b(?:fn|struct|enum|trait|mod|const|static|type|macro_rules!|impl)\s+(\w+)`)
)

// rustDocs finds the fenced code in doc comments: what stands above an item is
// run as its doctest.
func (f *finder) rustDocs() {
	var block []byte
	start, fenced, at := 0, false, 0
	flush := func(next []byte) {
		if len(block) == 0 {
			return
		}
		name := "doctest"
		if m := codeName.FindSubmatch(next); m != nil {
			name = "doctest of " + string(m[1])
		}
		f.addText(name, start, block)
		block, fenced = nil, false
	}
	for line := range bytes.Lines(f.src) {
		mark := docLine.Find(line)
		switch {
		case mark != nil:
			text := bytes.TrimSpace(line[len(mark):])
			fence := bytes.HasPrefix(text, []byte("```"))
			if fence && !fenced && len(block) == 0 {
				start = at
			}
			if fence || fenced {
				block = append(append(block, text...), '\n')
			}
			if fence {
				fenced = !fenced
			}
		case len(block) > 0 && (len(bytes.TrimSpace(line)) == 0 || bytes.HasPrefix(bytes.TrimSpace(line), []byte("#["))):
		default:
			flush(line)
		}
		at += len(line)
	}
	flush(nil)
}
