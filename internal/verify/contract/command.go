package contract

import (
	"fmt"
	"path"
	"strings"

	"gitagent/internal/pattern"
)

// what a command does, as evidence of behaviour
type role int

const (
	runs    role = iota // the product, as far as one can tell
	snippet             // code on the command line that loads the project's
	builds              // compiles, checks types or syntax, lints, installs
	reads               // looks at files
	prints              // says what it was told to
	nothing             // succeeds whatever happens
	prepare             // neither: cd, mkdir, cp …
	tests               // a test runner
	refused             // may not be part of a check
	foreign             // a program of the machine
	piped               // an interpreter that would take its program from standard input
)

// checkCommand gives every reason why cmd is no evidence, each as the rest of
// a sentence that begins with the check's name.
func checkCommand(cmd *Command) []string {
	var bad []string
	if len(cmd.Run) > 4096 {
		return []string{"has a command of more than 4096 bytes: put the work into a script of the project"}
	}
	chain, err := parseShell(cmd.Run)
	if err != nil {
		return append(bad, err.Error())
	}
	bad = append(bad, checkChain(chain)...)
	return append(bad, checkExpectation(cmd, chain)...)
}

func checkChain(chain []pipeline) (bad []string) {
	var seen [piped + 1]int
	for _, pipe := range chain {
		for i, c := range pipe {
			r := classify(c)
			seen[r]++
			if text := checkProgram(c, r, i > 0, i == len(pipe)-1); text != "" {
				bad = append(bad, text)
			}
			for _, e := range assignments(c) {
				if name, _, _ := strings.Cut(e, "="); loaderVariable.MatchString(name) {
					bad = append(bad, fmt.Sprintf("sets %s, which changes how programs run: remove it", name))
				}
			}
		}
	}
	if len(bad) > 0 {
		return bad
	}
	switch {
	case seen[runs]+seen[snippet]+seen[tests] > 0:
		return checkOrder(chain)
	case seen[builds] > 0:
		return []string{"only builds, checks or installs: that proves no behaviour, so run the program and say what it prints"}
	}
	return []string{"only reads files: that proves no behaviour, so run the program and say what it prints"}
}

// checkProgram says what is wrong with one program of a pipeline, whatever
// stands beside it.
func checkProgram(c simple, r role, fed, last bool) string {
	name := c.words[0]
	switch {
	case name != "[" && strings.ContainsAny(name, "$*?["):
		return fmt.Sprintf("runs %q, which the shell turns into something else: write the program's name", name)
	case r == refused:
		return fmt.Sprintf("may not use %q", name)
	case r == nothing:
		return fmt.Sprintf("uses %q, which succeeds whatever the program does: remove it", strings.Join(c.words, " "))
	case r == piped:
		return fmt.Sprintf("has %s take its program from standard input: run a file of the project", name)
	case r == foreign:
		return fmt.Sprintf("runs %q, which is no program of this project: run the project's own (./name, node file.js, python3 -m name)", name)
	case r == prints && last:
		return fmt.Sprintf("prints its own text with %s: let the program print it", name)
	case fed && last && r == reads:
		return fmt.Sprintf("ends in \"| %s\", which hides the program's exit code: remove that part, the harness reads all of the output", name)
	case r == prepare && (speaks(c.words[1:]) || strings.Contains(strings.Join(c.words, " "), "/dev/")):
		return fmt.Sprintf("has %s print: only the program's words are evidence", name)
	}
	return ""
}

// speaks says whether a tool that is silent by itself was asked to print.
func speaks(args []string) bool {
	for _, a := range args {
		if a == "--verbose" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "v") {
			return true
		}
	}
	return false
}

// assignments are the variables that a command sets, for itself or by export.
func assignments(c simple) []string {
	switch path.Base(c.words[0]) {
	case "export", "env":
		return append(append([]string(nil), c.env...), c.words[1:]...)
	}
	return c.env
}

// checkOrder looks for output that is not the program's: what is read before it
// ran, and what is copied from standard input or made up after it.
func checkOrder(chain []pipeline) (bad []string) {
	ran, others := false, 0
	for _, pipe := range chain {
		own, silent := false, true
		for _, c := range pipe {
			switch classify(c) {
			case runs, snippet, tests:
				own = true
				others++
			case reads, prints:
				silent = false
				others++
			}
		}
		switch {
		case own:
			ran = true
		case silent: // cd, mkdir, a build
		case !ran:
			bad = append(bad, fmt.Sprintf("reads with %s before the program ran: remove that part", pipe[0].words[0]))
		case !looks(pipe):
			bad = append(bad, fmt.Sprintf("ends with %s: to show a file that the program wrote, name it after cat", pipe[len(pipe)-1].words[0]))
		}
	}
	for _, pipe := range chain {
		for _, c := range pipe {
			if others > 1 && classify(c) == snippet {
				bad = append(bad, fmt.Sprintf("runs code on the command line (%s) beside another program: give it a check of its own", c.words[0]))
			}
		}
	}
	return bad
}

// looks says whether a pipeline shows files that it names, and nothing of its
// own or of its input.
func looks(pipe pipeline) bool {
	for i, c := range pipe {
		files := 0
		for _, w := range c.words[1:] {
			if !strings.HasPrefix(w, "-") {
				files++
			}
		}
		switch path.Base(c.words[0]) {
		case "cat", "head", "tail", "wc", "ls", "sort", "test", "[", "diff", "cmp":
			if files == 0 && i == 0 {
				return false
			}
		case "grep":
			if files < 2 && i == 0 {
				return false
			}
		default:
			return false
		}
		for _, w := range c.words[1:] {
			if w == "-" || strings.HasPrefix(w, "/") {
				return false
			}
		}
	}
	return true
}

var loaderVariable = pattern.Lazy(`^(PATH|GOFLAGS|GOENV|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHON.*|BASH_ENV|ENV|GIT_.*)$`)

func checkExpectation(cmd *Command, chain []pipeline) (bad []string) {
	for _, s := range append(append([]string(nil), cmd.StdoutHas...), cmd.OutputHas...) {
		if strings.TrimSpace(s) == "" {
			bad = append(bad, "expects an empty text in the output: name what is printed")
		}
	}
	if cmd.StdoutIs != nil && strings.TrimSpace(*cmd.StdoutIs) == "" && cmd.Exit == 0 {
		bad = append(bad, "expects empty output and exit code 0, which a program that does nothing gives too")
	}
	switch {
	case cmd.Exit < 0 || cmd.Exit > 125:
		bad = append(bad, fmt.Sprintf("expects exit code %d: 126 and above mean that the program was not found or was killed", cmd.Exit))
	case cmd.Exit == 0 && !cmd.Expects() && !endsInTests(chain):
		bad = append(bad, "expects only exit code 0: say in stdout_has what the program prints")
	case cmd.Expects() && cmd.Metric == nil && endsInTests(chain):
		bad = append(bad, "runs tests, whose words prove nothing: leave stdout_has empty, their results are counted")
	case cmd.Exit != 0 && endsInTests(chain):
		bad = append(bad, "expects a test run to fail")
	}
	return bad
}

// Expects says whether anything about the output is expected.
func (cmd *Command) Expects() bool {
	return len(cmd.StdoutHas)+len(cmd.OutputHas) > 0 || cmd.StdoutIs != nil || cmd.Metric != nil
}

func endsInTests(chain []pipeline) bool {
	last := chain[len(chain)-1]
	return len(last) == 1 && classify(last[0]) == tests
}
