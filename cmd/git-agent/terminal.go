package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

// terminal is where the program reads and writes.
//
// Results go to stdout, everything else to stderr. Questions are asked only
// when both stdin and stderr are a terminal, never on /dev/tty: a program
// without one must not hang.
type terminal struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	person         bool // somebody can answer
	live           bool // stderr can be redrawn
}

func newTerminal(in, out, err *os.File) *terminal {
	tty := isatty.IsTerminal(err.Fd()) && os.Getenv("TERM") != "dumb"
	return &terminal{stdin: in, stdout: out, stderr: err, live: tty, person: tty && isatty.IsTerminal(in.Fd())}
}

func (t *terminal) printf(format string, args ...any) {
	fmt.Fprintf(t.stdout, format, args...)
}

func (t *terminal) notef(format string, args ...any) {
	fmt.Fprintf(t.stderr, format, args...)
}

// printJSON prints one value as indented JSON.
func (t *terminal) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	t.printf("%s\n", data)
	return nil
}

// ask puts a yes-or-no question; nil where nobody can answer.
func (t *terminal) ask() func(string) bool {
	if !t.person {
		return nil
	}
	return func(question string) bool {
		return t.choose(question, "y/N") == "y"
	}
}

// choose reads one line and returns its first letter in lower case.
func (t *terminal) choose(question, choices string) string {
	t.notef("%s [%s] ", question, choices)
	line, err := bufio.NewReader(t.stdin).ReadString('\n')
	if err != nil && line == "" {
		return ""
	}
	line = strings.ToLower(strings.TrimSpace(line))
	if line == "" {
		return ""
	}
	return line[:1]
}
