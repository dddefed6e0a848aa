package contract

import (
	"errors"
	"strings"
)

// A check's command is a small part of the shell: pipelines joined by &&. The
// rest of the shell is where failures get lost, and no check needs it.

type pipeline []simple

type simple struct {
	env   []string // NAME=value in front
	words []string // quotes removed
}

var (
	errBackground = errors.New("uses & to run something in the background: the harness starts the server itself, so remove it")
	errOr         = errors.New("uses ||, which turns a failure into success: remove it and everything after it")
	errSequence   = errors.New("uses ; or a line break, which loses the exit code before it: join commands with && or use one check for each")
	errSubst      = errors.New("uses $( ) or backticks: run the program directly and say what it must print in stdout_has")
	errGroup      = errors.New("uses ( ), { } or a shell keyword: write one plain command, or several joined by &&")
	errDollar     = errors.New("uses $'…' or $\"…\", which not every shell reads alike: use plain quotes")
	errHere       = errors.New("uses <<: put the input into stdin")
	errQuote      = errors.New("has a quote that is not closed")
	errEmpty      = errors.New("is empty or has && or | with nothing beside it")
)

// parseShell reads one line. The error is the rest of a sentence about it.
func parseShell(line string) ([]pipeline, error) {
	p := parser{in: strings.TrimSpace(line)}
	for p.pos < len(p.in) {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if err := p.endPipeline(); err != nil {
		return nil, err
	}
	return p.chain, nil
}

// commands are the programs that the line starts, none when it cannot be read.
func (cmd *Command) commands() []simple {
	chain, err := parseShell(cmd.Run)
	if err != nil {
		return nil
	}
	var all []simple
	for _, pipe := range chain {
		all = append(all, pipe...)
	}
	return all
}

type parser struct {
	in     string
	pos    int
	word   strings.Builder
	open   bool // a word has begun, maybe an empty quoted one
	bare   bool // no part of the word was quoted
	target bool // the next word is a redirection's file
	cmd    simple
	pipe   pipeline
	chain  []pipeline
}

func (p *parser) rest() string { return p.in[p.pos:] }

func (p *parser) next() error {
	rest := p.rest()
	switch c := rest[0]; {
	case c == ' ' || c == '\t':
		p.pos++
		p.endWord()
		return nil
	case c == '\'' || c == '"':
		return p.quoted(c)
	case c == '\\':
		if len(rest) < 2 {
			return errQuote
		}
		if rest[1] == '\n' {
			return errSequence
		}
		p.add(rest[1:2], false)
		p.pos += 2
		return nil
	case c == '`' || strings.HasPrefix(rest, "$("):
		return errSubst
	case strings.HasPrefix(rest, "$'") || strings.HasPrefix(rest, `$"`):
		return errDollar
	case c == '\n' || c == ';' || (c == '#' && !p.open):
		return errSequence
	case c == '(' || c == ')':
		return errGroup
	case strings.ContainsRune("&|<>", rune(c)):
		return p.operator()
	}
	p.add(rest[:1], true)
	p.pos++
	return nil
}

func (p *parser) add(s string, bare bool) {
	if !p.open {
		p.open, p.bare = true, true
	}
	p.bare = p.bare && bare
	p.word.WriteString(s)
}

func (p *parser) quoted(q byte) error {
	p.add("", false)
	for i := p.pos + 1; i < len(p.in); i++ {
		c := p.in[i]
		switch {
		case c == q:
			p.pos = i + 1
			return nil
		case q == '"' && (c == '`' || strings.HasPrefix(p.in[i:], "$(")):
			return errSubst
		case q == '"' && c == '\\' && i+1 < len(p.in) && strings.IndexByte("\"\\$`", p.in[i+1]) >= 0:
			i++
			p.add(p.in[i:i+1], false)
		default:
			p.add(p.in[i:i+1], false)
		}
	}
	return errQuote
}

func (p *parser) operator() error {
	rest := p.rest()
	has := func(s string) bool { return strings.HasPrefix(rest, s) }
	switch {
	case has("||"):
		return errOr
	case has("&&"):
		p.pos += 2
		return p.endPipeline()
	case has("&>"):
		p.endWord()
		p.pos += 2
		p.target = true
		return nil
	case has("&"):
		return errBackground
	case has("|"):
		p.pos++
		if has("|&") {
			p.pos++
		}
		return p.endCommand()
	case has("<<"):
		return errHere
	}
	p.redirect()
	return nil
}

// redirect skips one of > >> >| < 2> 2>&1 and marks the file that follows. The
// digit in front of it is no argument.
func (p *parser) redirect() {
	if p.open && p.bare && strings.Trim(p.word.String(), "0123456789") == "" {
		p.word.Reset()
		p.open = false
	}
	p.endWord()
	p.pos++
	for p.pos < len(p.in) && strings.IndexByte(">|", p.in[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos < len(p.in) && p.in[p.pos] == '&' {
		p.pos++
	}
	p.target = true
}

func (p *parser) endWord() {
	if !p.open {
		return
	}
	w := p.word.String()
	switch {
	case p.target:
		p.target = false
	case len(p.cmd.words) == 0 && p.isAssignment(w):
		p.cmd.env = append(p.cmd.env, w)
	default:
		p.cmd.words = append(p.cmd.words, w)
	}
	p.word.Reset()
	p.open = false
}

func (p *parser) isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" || (name[0] >= '0' && name[0] <= '9') {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

func (p *parser) endCommand() error {
	p.endWord()
	if len(p.cmd.words) == 0 || p.target {
		return errEmpty
	}
	switch p.cmd.words[0] {
	case "if", "for", "while", "until", "case", "function", "{", "}", "[[", "!", "time", "then", "do", "select":
		return errGroup
	}
	p.pipe = append(p.pipe, p.cmd)
	p.cmd = simple{}
	return nil
}

func (p *parser) endPipeline() error {
	if err := p.endCommand(); err != nil {
		return err
	}
	p.chain = append(p.chain, p.pipe)
	p.pipe = nil
	return nil
}
