package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"gitagent/internal/plain"
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

// warnf tells something that a person should know.
func (t *terminal) warnf(format string, args ...any) {
	t.notef("warning: %s\n", plain.Line(fmt.Sprintf(format, args...), 400))
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
func (t *terminal) ask(ctx context.Context) func(string) bool {
	if !t.person {
		return nil
	}
	return func(question string) bool {
		return t.choose(ctx, question, "y/N") == "y"
	}
}

// choose reads one line and returns its first letter in lower case. It does
// not wait beyond ctx, so that Ctrl-C ends the question; the reader is left
// behind then, and the program is about to end.
func (t *terminal) choose(ctx context.Context, question, choices string) string {
	t.notef("%s [%s] ", question, choices)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(t.stdin).ReadString('\n') // what came before the end is an answer, too
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		if line != "" {
			return line[:1]
		}
	case <-ctx.Done():
		t.notef("\n")
	}
	return ""
}
