package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"gitagent/internal/plain"
)

// messageTrailers reads the trailers of a message that is still being written:
// git itself knows its comments, its scissors and where the trailers end.
func messageTrailers(ctx context.Context, file string) (map[string][]string, error) {
	out, err := interpret(ctx, "--parse", "--no-divider", file)
	if err != nil {
		return nil, err
	}
	trailers := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		key, value, ok := strings.Cut(line, ":")
		if ok {
			key = strings.TrimSpace(key)
			trailers[key] = append(trailers[key], strings.TrimSpace(value))
		}
	}
	return trailers, nil
}

// record adds to the message why a guard was lifted, so that the permit, which
// is only here, travels with the commit.
func record(ctx context.Context, file string, allowed map[string]string) error {
	args := []string{"--in-place", "--no-divider", "--if-exists", "addIfDifferent"}
	for _, guard := range Guards() {
		if reason := allowed[guard]; reason != "" {
			args = append(args, "--trailer", trailerOf(guard)+": "+plain.Line(reason, 300))
		}
	}
	if len(args) == 4 {
		return nil
	}
	if err := endLine(file); err != nil {
		return err
	}
	_, err := interpret(ctx, append(args, file)...)
	return err
}

// endLine ends the last line of a message: without it git would glue a trailer
// to the text.
func endLine(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the message: %w", err)
	}
	if len(data) == 0 || data[len(data)-1] == '\n' {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("complete the message: %w", err)
	}
	_, err = f.WriteString("\n")
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("complete the message: %w", err)
	}
	return nil
}

// interpret runs git interpret-trailers on a file, in the environment that git
// gave to the hook: the comment character is the user's. What separates key and
// value is not: ours are written with a colon and read with one in history.
func interpret(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "trailer.separators=:", "interpret-trailers"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", envInside+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("read the message's trailers: %w: %s", err, plain.Line(errs.String(), 200))
	}
	return out, nil
}
