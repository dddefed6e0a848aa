package project

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxConfig is the largest .agent/config read, in bytes.
const maxConfig = 256 << 10

// entry is one assignment; key is "" for a section header alone.
type entry struct {
	section, sub, key, value string
	line                     int
}

// reader walks over git-config syntax. It is the module's own because errors
// must name the line and nothing unknown may pass.
type reader struct {
	text         string
	pos, line    int
	section, sub string
	entries      []entry
}

// readEntries parses git-config syntax, without includes.
func readEntries(data []byte) ([]entry, error) {
	switch {
	case len(data) > maxConfig:
		return nil, &ConfigError{1, fmt.Sprintf("larger than %d bytes", maxConfig)}
	case !utf8.Valid(data):
		return nil, &ConfigError{1, "not UTF-8 text"}
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	r := &reader{text: text, line: 1}
	for {
		r.space(true)
		if r.pos >= len(r.text) {
			return r.entries, nil
		}
		var err error
		switch c := r.text[r.pos]; {
		case c == '#' || c == ';':
			r.comment()
		case c == '[':
			err = r.header()
		default:
			err = r.assignment()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *reader) fail(format string, args ...any) error {
	return &ConfigError{r.line, fmt.Sprintf(format, args...)}
}

// space skips blanks, and line ends when asked to.
func (r *reader) space(lines bool) {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '\n' && lines:
			r.line++
		case c == ' ' || c == '\t':
		default:
			return
		}
		r.pos++
	}
}

func (r *reader) comment() {
	for r.pos < len(r.text) && r.text[r.pos] != '\n' {
		r.pos++
	}
}

// word reads a section or key name, lower-cased; git allows letters, digits,
// dashes, and dots in sections, which are not needed here.
func (r *reader) word() string {
	start := r.pos
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			r.pos++
			continue
		}
		break
	}
	return strings.ToLower(r.text[start:r.pos])
}

// header reads [section] or [section "name"].
func (r *reader) header() error {
	r.pos++
	r.section, r.sub = r.word(), ""
	if r.section == "" {
		return r.fail("a section needs a name, as in [agent]")
	}
	r.space(false)
	if r.pos < len(r.text) && r.text[r.pos] == '"' {
		sub, err := r.subsection()
		if err != nil {
			return err
		}
		r.sub = sub
		r.space(false)
	}
	if r.pos >= len(r.text) || r.text[r.pos] != ']' {
		return r.fail("the section header is not closed with ]")
	}
	r.pos++
	r.entries = append(r.entries, entry{section: r.section, sub: r.sub, line: r.line})
	return nil
}

// subsection reads the quoted name of a section; only \" and \\ are special.
func (r *reader) subsection() (string, error) {
	var b strings.Builder
	for r.pos++; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; c {
		case '"':
			r.pos++
			return b.String(), nil
		case '\n':
			return "", r.fail("the section's name is not closed with a quote")
		case '\\':
			r.pos++
			if r.pos >= len(r.text) || r.text[r.pos] == '\n' {
				return "", r.fail("the section's name ends in a backslash")
			}
			b.WriteByte(r.text[r.pos])
		default:
			b.WriteByte(c)
		}
	}
	return "", r.fail("the section's name is not closed with a quote")
}

// assignment reads `key = value`. A bare key, true in git, says nothing here.
func (r *reader) assignment() error {
	line := r.line
	key := r.word()
	if key == "" || key[0] < 'a' || key[0] > 'z' {
		return r.fail("expected a section or `key = value`")
	}
	if r.section == "" {
		return r.fail("%s stands before any section; begin with [agent]", key)
	}
	r.space(false)
	if r.pos >= len(r.text) || r.text[r.pos] != '=' {
		return r.fail("%s has no value; write %s = …", key, key)
	}
	r.pos++
	value, err := r.value()
	if err != nil {
		return err
	}
	r.entries = append(r.entries, entry{r.section, r.sub, key, value, line})
	return nil
}

// value reads up to the end of the line: quotes, escapes, comments and
// continuation lines as git does; unquoted blanks at both ends are dropped.
func (r *reader) value() (string, error) {
	r.space(false)
	var b strings.Builder
	quoted, keep := false, 0 // keep: bytes that trimming must leave
	for ; r.pos < len(r.text); r.pos++ {
		c := r.text[r.pos]
		switch {
		case c == '\n' && quoted:
			return "", r.fail("a quote is not closed")
		case c == '\n':
			return b.String()[:keep], nil
		case c == '"':
			quoted = !quoted
			keep = b.Len()
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
			keep = b.Len()
		case (c == '#' || c == ';') && !quoted:
			r.comment()
			return b.String()[:keep], nil
		case c < 0x20 && c != '\t' || c == 0x7f:
			return "", r.fail("control character %#02x in a value", c)
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				keep = b.Len()
			}
		}
	}
	if quoted {
		return "", r.fail("a quote is not closed")
	}
	return b.String()[:keep], nil
}

// escape reads what follows a backslash; the reader stands on the backslash
// and is left on the last byte of the escape.
func (r *reader) escape(b *strings.Builder) error {
	r.pos++
	if r.pos >= len(r.text) {
		return r.fail("the file ends in a backslash")
	}
	switch c := r.text[r.pos]; c {
	case '\n':
		r.line++
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case '"', '\\':
		b.WriteByte(c)
	default:
		return r.fail(`unknown escape \%c; inside a value only \\, \", \n and \t are known`, c)
	}
	return nil
}

// quoteValue writes a value so that it reads back the same.
func quoteValue(v string) string {
	esc := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v)
	if strings.ContainsAny(v, "#;") || v != strings.TrimSpace(v) {
		return `"` + esc + `"`
	}
	return esc
}

func quoteSub(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}
