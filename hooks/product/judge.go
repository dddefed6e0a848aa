package product

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
	"gitagent/internal/pattern"
	"gitagent/internal/plain"
)

// maxFile is the largest file that is read: what is larger is data, or made by
// a program.
const maxFile = 1 << 20

// Judge looks at the lines that a change adds to product code. literals are
// what the contract of the feature at hand types or gives to commands.
func Judge(c rule.Change, literals []string) []rule.Finding {
	l := lex.Of(c.Path)
	if l == nil || l.Name == lex.Shell || !c.New.Regular() || len(c.New.Data) > maxFile || tooling(c.Path) {
		return nil
	}
	j := &judge{l: l, path: c.Path, src: c.New.Data, literals: literals}
	if c.Old.Regular() {
		j.old = c.Old.Data
	}
	for _, line := range rule.Added(j.old, j.src) {
		if len(literals) > 0 || hinted(line.Text) {
			j.added = append(j.added, line)
		}
	}
	if len(j.added) == 0 {
		return nil
	}
	j.bare, j.code = bytes.Split(l.NoComments(j.src), []byte("\n")), bytes.Split(l.OnlyCode(j.src), []byte("\n"))
	for _, line := range j.added {
		j.line(line.N)
	}
	j.equality()
	return j.found
}

// tooling says whether a file configures or builds the product and is none of
// it: tools ask for the environment by nature.
func tooling(file string) bool {
	name := strings.ToLower(path.Base(file))
	return configName.MatchString(name) || strings.HasPrefix(file, "scripts/") || strings.HasPrefix(file, "tools/") || strings.HasPrefix(file, "script/") ||
		testHelp.MatchString(file)
}

var (
	configName = pattern.Lazy(`\.(?:config|conf|workspace|setup)\.[cm]?[jt]s$|^(?:setup|noxfile|conftest|build|gulpfile|gruntfile|rakefile|manage)\.\w+$|^\.\w+rc\.[cm]?js$|\.d\.ts$|\.stories\.[jt]sx?$`)
	testHelp   = pattern.Lazy(`(?i)(?:^|/)(?:test[-_]?(?:util|help|support|kit|ing)\w*|testing|mocks?|stubs?|fakes?)(?:/|\.\w+$)`)
)

type judge struct {
	l          *lex.Lang
	path       string
	old, src   []byte
	bare, code [][]byte // lines without comments; and without the insides of strings
	added      []rule.Line
	literals   []string
	found      []rule.Finding
}

func (j *judge) add(code string, n int, what string) {
	j.found = append(j.found, rule.Finding{Code: code, Key: string(bytes.TrimSpace(j.bare[n-1])), Line: n, What: fmt.Sprintf("%s (line %d: %s)", what, n, plain.Clip(plain.Line(string(bytes.TrimSpace(j.bare[n-1])), 200), 70))})
}

// unwanted is one thing that a product has no use for. where says whether it is
// looked for in code alone, or also in strings.
type unwanted struct {
	code, what string
	strings    bool
	re         *pattern.Pattern
	unless     *pattern.Pattern
}

// hints are words of which every finding has at least one in its line: most
// lines have none, and are read no further.
var hints = []string{"test", "Test", "TEST", "CI\"", "CI'", ".CI", "webdriver", "eadless", "cdc_", "mock", "Mock", "sinon", "msw", "nock", "stub", "fake", "Fake", "exit", "Exit", "abort",
	"__", "window", "global", "self.", "self[", "eq", "qual", "==", "valueOf", "oPrimitive", "debug", "reset", "seed", "e2e", "modules", "expect", "chai", "monkeypatch", "die",
	"prototype", "Math.", "Date", "console", "performance", "builtins", "time.", "random", "excepthook", "PHPUNIT", "Prophecy", "JEST", "MOCHA", "CARGO", "stack", "Stack", "VITEST", "Case", "UITEST",
	"freezegun", "responses", "vcr", "junit", "Runtime", "halt", "shutdown", "_exit", "SystemExit", "quit", "compareTo", "Cmp", "Is(", "contains", "import", "require", "Array.", "Object.", "String.", "Number.", "JSON.", "Promise.", "Function.", "rue", "alse", "return 0"}

func hinted(line string) bool {
	for _, h := range hints {
		if strings.Contains(line, h) {
			return true
		}
	}
	return false
}

// line judges one added line.
func (j *judge) line(n int) {
	if n > len(j.bare) || len(bytes.TrimSpace(j.bare[n-1])) == 0 {
		return
	}
	bare, code := j.bare[n-1], j.code[n-1]
	for _, set := range [][]unwanted{common, byLanguage[j.l.Name]} {
		for _, p := range set {
			text := code
			if p.strings {
				text = bare
			}
			if p.re.Match(text) && (p.unless == nil || !p.unless.Match(bare)) {
				j.add(p.code, n, p.what)
				return
			}
		}
	}
	switch {
	case j.exits(code) && !j.program(n):
		j.add("product.exit", n, "ends the whole process from library code")
	case j.special(bare, code):
		j.add("product.literal", n, "treats a value of the contract as a case of its own")
	}
}

// special says whether a line compares with, or looks up, a value that the
// contract types.
func (j *judge) special(bare, code []byte) bool {
	for _, lit := range j.literals {
		if len([]rune(lit)) < 3 || !bytes.Contains(bare, []byte(lit)) {
			continue
		}
		q := regexp.QuoteMeta(lit)
		if regexp.MustCompile(`(?:[!=]==?|\bcase\b|\bis\b|\bin\b|\bequals\(|\beql\?|\bwhen\b|EqualFold\()\s*[\["'(` + "`" + `]*\s*["'` + "`" + `]?` + q + `["'` + "`" + `]?(?:\W|$)|["'` + "`" + `]` + q + `["'` + "`" + `]\s*(?:[!=]==?|:|=>)`).Match(bare) {
			return true
		}
	}
	return false
}
