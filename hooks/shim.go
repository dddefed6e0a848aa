package hooks

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	beginPrefix = "# >>> git-agent hook v1"
	beginSuffix = ">>> (managed; git agent hooks uninstall removes it)"
	endMarker   = "# <<< git-agent hook <<<"
	shebang     = "#!/bin/sh\n"
	keptSuffix  = ".before-git-agent"
)

// hookNames are the hooks that are installed: both are needed, because
// pre-commit cannot see the message and commit-msg is where it can be read.
func hookNames() []string { return []string{"pre-commit", "commit-msg"} }

// fed says whether git writes lines to a hook, which more than one part of it may
// want.
func fed(hook string) bool { return hook == hookPrePush || hook == hookPreReceive }

// form says how our part got into a hook file; uninstalling undoes exactly that.
type form string

const (
	formNone    form = ""
	formCreated form = "created" // the file is ours alone
	formKept    form = "kept"    // the user's hook was renamed and is called first
	formSection form = "section" // our section ends the user's own file
	formJoined  form = "joined"  // as section, and the newline before it is ours too
	formManual  form = "by hand" // a person wrote the line that calls us
)

// shim is what is needed to write our part of a hook.
type shim struct {
	hook   string
	binary string // absolute path tried when PATH has none; "" for none
	form   form
}

// section is our part of a hook file. Its first line passes on the exit code of
// what ran before it; an absent binary never blocks; it reads no stdin.
func (s shim) section() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n", beginPrefix, s.form, beginSuffix)
	b.WriteString("git_agent_code=$?; [ \"$git_agent_code\" -eq 0 ] || exit \"$git_agent_code\"\n")
	first := "if"
	if s.hook != hookPreReceive { // what a sender sets must not reach a server
		b.WriteString("if [ \"${GIT_AGENT_HOOKS:-1}\" = 0 ]; then :\n")
		first = "elif"
	}
	in, from := "", " </dev/null"
	switch {
	case fed(s.hook) && s.form == formKept:
		in, from = "printf '%s\\n' \"$git_agent_in\" | ", ""
	case fed(s.hook):
		from = ""
	}
	fmt.Fprintf(&b, "%s command -v git-agent >/dev/null 2>&1; then %sgit-agent hook %s \"$@\"%s || exit $?\n", first, in, s.hook, from)
	if q := quote(s.binary); q != "" {
		fmt.Fprintf(&b, "elif [ -x %s ]; then %s%s hook %s \"$@\"%s || exit $?\n", q, in, q, s.hook, from)
	}
	b.WriteString("fi\n" + endMarker + "\n")
	return b.String()
}

// Line is the line that a person adds to a hook that git agent does not write to.
func Line(hook string) string {
	return fmt.Sprintf(`! command -v git-agent >/dev/null 2>&1 || git-agent hook %s "$@" </dev/null || exit $?`, hook)
}

// keeper is the head of a hook file whose former content was renamed: it runs
// that first. interpreter is "" where the kept file runs by itself; a kept file
// without the run bit is not run, as git would not.
func keeper(hook, interpreter string) string {
	test, run := "-x", `"$git_agent_kept"`
	if interpreter != "" {
		test, run = "-f", interpreter+` "$git_agent_kept"`
	}
	if fed(hook) { // what git writes is for both
		return keeperHead(hook) + "git_agent_in=$(cat)\n" +
			"if [ " + test + " \"$git_agent_kept\" ]; then printf '%s\\n' \"$git_agent_in\" | " + run + " \"$@\" || exit $?; fi\n"
	}
	return keeperHead(hook) +
		"if [ " + test + " \"$git_agent_kept\" ]; then " + run + " \"$@\" || exit $?; fi\n"
}

func keeperHead(hook string) string {
	return shebang + "# The hook that was here before git agent; it runs first and its exit code counts.\n" +
		"case $0 in */*) git_agent_kept=${0%/*} ;; *) git_agent_kept=. ;; esac\n" +
		"git_agent_kept=$git_agent_kept/" + hook + keptSuffix + "\n"
}

// quote makes a path a word of sh. A path that no line can hold gives "".
func quote(path string) string {
	if path == "" || strings.ContainsAny(path, "\n\r\x00") || !filepath.IsAbs(path) {
		return ""
	}
	return "'" + strings.ReplaceAll(filepath.ToSlash(path), "'", `'\''`) + "'"
}

// part is a hook file taken apart.
type part struct {
	user    []byte // everything that is not our section
	section []byte // our section, markers included
	form    form
}

// Ours takes a hook file apart: what the user's own part of it is, and whether
// git agent is called in it: by its section or by the line of Line. Without
// either userPart is content itself; a file that git agent made alone has no
// user part.
func Ours(content []byte) (userPart []byte, ours bool) {
	p := takeApart(content)
	switch {
	case p.form == formCreated && string(p.user) == shebang:
		return nil, true
	case p.form != formNone:
		return p.user, true
	}
	rest := content
	for _, hook := range hookNames() {
		rest = bytes.ReplaceAll(rest, []byte("\n"+Line(hook)+"\n"), []byte("\n"))
	}
	return rest, len(rest) != len(content)
}

func takeApart(content []byte) part {
	start := lineStart(content, beginPrefix)
	if start < 0 {
		return part{user: content}
	}
	end := lineStart(content[start:], endMarker)
	if end < 0 { // a broken section is left alone rather than guessed at
		return part{user: content}
	}
	end += start + len(endMarker)
	if end < len(content) && content[end] == '\n' {
		end++
	}
	p := part{section: content[start:end], form: formOf(content[start:end])}
	before, after := content[:start], content[end:]
	if p.form == formJoined && len(after) == 0 {
		before = bytes.TrimSuffix(before, []byte("\n"))
	}
	p.user = append(append([]byte{}, before...), after...)
	return p
}

func formOf(section []byte) form {
	line, _, _ := bytes.Cut(section, []byte("\n"))
	word, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(line), beginPrefix)), " ")
	switch f := form(word); f {
	case formCreated, formKept, formJoined:
		return f
	}
	return formSection
}

// lineStart finds the first line that begins with prefix.
func lineStart(content []byte, prefix string) int {
	if bytes.HasPrefix(content, []byte(prefix)) {
		return 0
	}
	i := bytes.Index(content, []byte("\n"+prefix))
	if i < 0 {
		return -1
	}
	return i + 1
}

var (
	shellBang = regexp.MustCompile(`^#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+)*)?(?:\S*/)?(?:sh|bash|dash|ash|ksh|mksh|zsh)(?:[ \t].*)?$`)
	// Words after which the end of the file may not be reached, or is reached
	// with other arguments, folder or repository than git gave to the hook.
	leaves = regexp.MustCompile(`(^|[^\w.$/-])(exec|return|trap|source|shift|cd|pushd|eval|kill|alias)($|[^\w.-])|(^|[^\w.-])set[ \t]+--|(^|[;&|({]|then|do|else)[ \t]*\.[ \t]|<<|\bGIT_\w+=|unset.*\bGIT_|[^\w]git-agent\(`)
	// An exit with a literal failure code is the hook refusing; any other may
	// be a success that skips what follows.
	exits   = regexp.MustCompile(`(?:^|[^\w.$/-])exit\b[ \t]*([^\s;|&)}]*)`)
	failure = regexp.MustCompile(`^(?:[1-9]\d?|1\d\d)$`)
)

// appendable says whether a section at the end of this hook is sure to be
// reached whenever the hook succeeds, and if not, why.
func appendable(content []byte) (bool, string) {
	switch {
	case len(content) > 1<<20:
		return false, "it is very large"
	case bytes.IndexByte(content, 0) >= 0:
		return false, "it is a binary"
	case bytes.IndexByte(content, '\r') >= 0:
		return false, "it has CRLF line ends"
	case bytes.Contains(content, []byte("git-agent hook")) || bytes.Contains(content, []byte(beginPrefix)):
		return false, "it has a damaged section of git agent"
	case bytes.HasSuffix(bytes.TrimRight(content, "\n"), []byte(`\`)):
		return false, "its last line goes on"
	}
	for i, line := range strings.Split(string(content), "\n") {
		if i == 0 && strings.HasPrefix(line, "#!") {
			if !shellBang.MatchString(line) {
				return false, "it is not a shell script"
			}
			continue
		}
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#") {
			continue
		}
		if leavesEarly(text) {
			return false, fmt.Sprintf("it may leave before its end (line %d)", i+1)
		}
	}
	return true, ""
}

func leavesEarly(line string) bool {
	if leaves.MatchString(line) {
		return true
	}
	for _, m := range exits.FindAllStringSubmatch(line, -1) {
		if !failure.MatchString(m[1]) {
			return true
		}
	}
	return false
}

// manual says whether a person's own line in this hook calls git agent.
func manual(content []byte, hook string) bool {
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && strings.Contains(line, "git-agent hook "+hook) {
			return true
		}
	}
	return false
}

// compose makes the new content of a hook that had this content ("" and no file:
// ours alone). It is the same for the same input, and composing twice is
// composing once.
func compose(s shim, old []byte) []byte {
	p := takeApart(old)
	switch {
	case p.form != formNone: // ours already: only the section is renewed, in place
		s.form = p.form
		return bytes.Replace(old, p.section, []byte(s.section()), 1)
	case len(old) > 0 && old[len(old)-1] != '\n':
		s.form = formJoined
		return append(append([]byte{}, old...), "\n"+s.section()...)
	}
	s.form = formSection
	return append(append([]byte{}, old...), s.section()...)
}
