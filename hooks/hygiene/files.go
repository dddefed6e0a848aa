package hygiene

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
	"gitagent/internal/pattern"
)

// MaxBytes is the size from which a new file is called large.
const MaxBytes = 5 << 20

// Judge looks at one path that a change adds or changes. size is that of the
// new content, which need not have been read when it is large; isTest says that
// the path is a test or a fixture.
func Judge(c rule.Change, size int64, isTest bool) []rule.Finding {
	if !c.New.There() {
		return nil
	}
	var out []rule.Finding
	add := func(code, what string) { out = append(out, rule.Finding{Code: code, What: what}) }
	if !c.Old.There() {
		if what := badName(c.Path); what != "" {
			add("hygiene.name", what)
		}
		if what := generated(c.Path, c.New.Data); what != "" {
			add("hygiene.generated", what)
		}
	}
	switch {
	case c.New.Mode == rule.ModeGitlink:
		if c.Old.Mode != rule.ModeGitlink {
			add("hygiene.nested", "becomes a nested repository, whose files no check can see")
		}
		return out
	case c.New.Mode == rule.ModeLink:
		if what := badLink(c); what != "" {
			add("hygiene.link", what)
		}
		return out
	case size > MaxBytes && !c.Old.There():
		add("hygiene.large", fmt.Sprintf("is %.1f MB large", float64(size)/1e6))
	}
	if len(c.New.Data) == 0 || rule.Binary(c.New.Data) || len(c.New.Data) > MaxBytes {
		return out
	}
	lines := rule.Added(c.Old.Data, c.New.Data)
	out = append(out, Secrets(lines, string(c.New.Data))...)
	return append(out, deceiving(c.Path, lines, isTest)...)
}

// badLink says what is wrong with a new symbolic link.
func badLink(c rule.Change) string {
	to := string(c.New.Data)
	switch {
	case c.Old.Mode == rule.ModeLink && bytes.Equal(c.Old.Data, c.New.Data):
		return ""
	case c.Old.Regular():
		return "was a file and becomes a symbolic link"
	case path.IsAbs(to) || len(to) > 1 && to[1] == ':':
		return "is a symbolic link to a place on one machine"
	case strings.HasPrefix(path.Join(path.Dir(c.Path), to), ".."):
		return "is a symbolic link out of the repository"
	}
	for part := range strings.SplitSeq(path.Join(path.Dir(c.Path), to), "/") {
		if strings.EqualFold(part, ".git") {
			return "is a symbolic link into git's own folder"
		}
	}
	return ""
}

var (
	dotGit  = pattern.Lazy(`(?i)^(?:\.git|git~\d+|\.git[ .]+|\.g\p{Mn}*i\p{Mn}*t)$`)
	windows = pattern.Lazy(`(?i)^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$`)
)

// badName says why no file should have this name.
func badName(file string) string {
	if !utf8.ValidString(file) {
		return "has a name that is not UTF-8"
	}
	for _, r := range file {
		if r < ' ' || r == 0x7f || deceives(r) || r == 0x200B || r == 0xFEFF {
			return fmt.Sprintf("has the character U+%04X in its name", r)
		}
	}
	for part := range strings.SplitSeq(file, "/") {
		switch {
		case dotGit.MatchString(part) || dotGit.MatchString(Fold(part)):
			return "has a name that is git's own folder on some systems"
		case strings.HasSuffix(part, " ") || strings.HasSuffix(part, ".") || windows.MatchString(part) || strings.ContainsAny(part, `\:`):
			return "has a name that Windows cannot have"
		}
	}
	return ""
}

// folder of files that programs make.
var madeDir = pattern.Lazy(`(?:^|/)(?:node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.tox|\.venv|venv|\.gradle|\.next|\.nuxt|\.svelte-kit|\.parcel-cache|\.turbo|\.terraform|bower_components|site-packages|DerivedData|\.idea/shelf)/`)

var (
	madeFile = pattern.Lazy(`(?i)(?:\.(?:pyc|pyo|class|o|obj|so|dylib|dll|exe|pdb|log|swp|swo|bak|orig|rej|tmp|cache|tsbuildinfo)|~|/\.DS_Store|/Thumbs\.db|/npm-debug\.log\S*|/core\.\d+)$`)
	target   = pattern.Lazy(`(?:^|/)target/(?:debug|release|classes|test-classes)/|(?:^|/)(?:bin|obj)/(?:Debug|Release)/`)
	envFile  = pattern.Lazy(`(?:^|/)\.env(?:\.(?:local|production|development|staging))?$`)
	envValue = pattern.Lazy(`(?im)^\s*(?:export\s+)?\w*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY)\w*\s*=\s*["']?[^\s"'#]{8,}`)
)

func generated(file string, data []byte) string {
	p := "/" + file
	switch {
	case madeDir.MatchString(file), target.MatchString(file), madeFile.MatchString(p) && !strings.Contains(p, "/testdata/") && !strings.Contains(p, "/fixtures/"):
		return "is made by a program and belongs in .gitignore"
	case envFile.MatchString(file) && envValue.Match(data) && !made.Match(data):
		return "holds settings of one machine, with what looks like secrets"
	}
	return ""
}

// deceives says whether a character changes how text is shown without being
// seen: it turns directions around, or is a tag.
func deceives(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r >= 0xE0000 && r <= 0xE007F
}

// Selects says whether a character chooses the form of the one before it. One
// is ordinary; in a row they are seen by nobody, and spell what their writer
// likes.
func Selects(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }

// unseen are characters of no width, which make two names out of one.
func unseen(r rune) bool {
	return r == 0x200B || r == 0x2060 || r == 0xFEFF || r == 0x00AD || r == 0x180E
}

// deceiving looks for lines that read otherwise than they are.
func deceiving(file string, lines []rule.Line, isTest bool) []rule.Finding {
	l := lex.Of(file)
	for _, line := range lines {
		var last rune
		for i, r := range line.Text {
			selected := Selects(r) && Selects(last)
			last = r
			if r < 0x80 {
				continue
			}
			switch {
			case selected:
				return []rule.Finding{{Code: "hygiene.unseen", Key: strings.TrimSpace(line.Text), Line: line.N, What: fmt.Sprintf("has a row of invisible characters that can spell a message, from U+%04X (line %d)", r, line.N)}}
			case r >= 0xE0000 && r <= 0xE007F && flag(line.Text[:i]):
			case deceives(r):
				if r < 0xE0000 && l == nil && balanced(line.Text) {
					continue // right-to-left text, in prose
				}
				return []rule.Finding{{Code: "hygiene.unseen", Key: strings.TrimSpace(line.Text), Line: line.N, What: fmt.Sprintf("has the invisible character U+%04X (line %d)", r, line.N)}}
			case unseen(r) && l != nil && !(line.N == 1 && i == 0) && wordAround(line.Text, i):
				return []rule.Finding{{Code: "hygiene.unseen", Key: strings.TrimSpace(line.Text), Line: line.N, What: fmt.Sprintf("has the invisible character U+%04X in a word (line %d)", r, line.N)}}
			}
		}
	}
	return nil
}

// flag says whether tag characters go on a black flag: England, Scotland and
// Wales are written so.
func flag(before string) bool {
	before = strings.TrimRightFunc(before, func(r rune) bool { return r >= 0xE0000 && r <= 0xE007F })
	return strings.HasSuffix(before, "\U0001F3F4")
}

// balanced says whether every turn of direction ends in its line.
func balanced(text string) bool {
	embed, isolate := 0, 0
	for _, r := range text {
		switch r {
		case 0x202A, 0x202B, 0x202D, 0x202E:
			embed++
		case 0x202C:
			embed--
		case 0x2066, 0x2067, 0x2068:
			isolate++
		case 0x2069:
			isolate--
		}
		if r == 0x202D || r == 0x202E {
			return false // overrides have no use in prose
		}
	}
	return embed == 0 && isolate == 0
}

func wordAround(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	_, size := utf8.DecodeRuneInString(text[at:])
	after, _ := utf8.DecodeRuneInString(text[at+size:])
	word := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return word(before) && word(after)
}

// Fold is a name as a file system that ignores case and forms of letters sees
// it.
func Fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFKC.String(name)))
}
