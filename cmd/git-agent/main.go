package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"gitagent/features"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/sandbox"
	"gitagent/internal/session"
)

func main() {
	sandbox.Dispatch()
	if os.Getenv("GOGC") == "" {
		// Most of what a session makes is short-lived: collected sooner, it needs
		// a quarter less memory beside a browser and a model.
		debug.SetGCPercent(50)
	}
	os.Exit(run(os.Args))
}

// echo is how long a second signal counts as the first: git passes on the Ctrl-C
// that its command has had from the terminal already.
const echo = 500 * time.Millisecond

// run is the whole program; it returns the exit code.
func run(argv []string) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, func() {
		time.Sleep(echo)
		stop() // from now on a second one ends the program at once
	})
	t := newTerminal(os.Stdin, os.Stdout, os.Stderr)
	app := newApp(t)
	args, err := arrange(app, argv)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	return conclude(t.stderr, ctx, err)
}

// conclude shows an error with its hints and gives the exit code.
func conclude(w io.Writer, ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		return exit.code
	}
	fmt.Fprintf(w, "error: %s\n", plain.Text(err.Error()))
	for _, h := range hint.Of(err) {
		fmt.Fprintf(w, "hint: %s\n", plain.Text(h))
	}
	switch {
	case exit != nil:
		return exit.code
	case cannotBe(err):
		return codeUsage
	case ctx.Err() != nil:
		return session.Interrupted.ExitCode()
	default:
		return session.Environment.ExitCode()
	}
}

// cannotBe says whether what was asked for cannot be done.
func cannotBe(err error) bool {
	for _, e := range []error{features.ErrUnknown, features.ErrPasses, session.ErrNothingKept, session.ErrNothingRuns} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Exit codes that are not ends of a session.
const (
	codeViolation = 1
	codeUsage     = 2
)

// refusal is the exit code where a person said no, or Ctrl-C.
func refusal(ctx context.Context) int {
	if ctx.Err() != nil {
		return session.Interrupted.ExitCode()
	}
	return codeViolation
}

// exitError carries an exit code. Without an error nothing more is printed:
// the command has said it all.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{code: codeUsage, err: fmt.Errorf(format, args...)}
}

// exit ends the program with a code and no more words; 0 is success.
func exit(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}
