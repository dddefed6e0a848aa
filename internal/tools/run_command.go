package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gitagent/internal/plain"
)

const (
	defaultTimeout = 120 // seconds
	maxTimeout     = 600
	maxOutput      = 12000 // bytes of output in an answer
	maxNames       = 20    // paths in one list of an answer
)

func runCommandTool() tool {
	return tool{
		name:  "run_command",
		about: "Run a shell command in a copy of the project. Files it writes are not kept; only write_file and edit_file change the project. No network.",
		params: []param{
			{name: "command", kind: text, aliases: []string{"cmd", "script", "commandline", "shell", "bash", "run", "code"}},
			{name: "timeout_s", kind: number, optional: true, about: "default 120", aliases: []string{"timeout", "timeoutseconds", "seconds"}},
		},
		run: runCommand,
	}
}

func runCommand(ctx context.Context, env *Env, a values) Result {
	command := strings.TrimSpace(a.text("command"))
	switch {
	case env.Run == nil:
		return refuse("run_command is not available here.")
	case command == "":
		return refuse("run_command needs a command.")
	case strings.ContainsRune(command, 0):
		return refuse("run_command: the command holds a NUL byte.")
	}
	seconds := a.number("timeout_s", defaultTimeout)
	if seconds <= 0 {
		seconds = defaultTimeout
	}
	seconds = min(seconds, maxTimeout)
	res, err := env.Run(ctx, command, time.Duration(seconds)*time.Second)
	if err != nil {
		return refuse("The command was not run: %s", plain.Clip(plain.Text(err.Error()), 1000))
	}
	out := Result{Text: describe(res, seconds, min(maxOutput, env.ReadLimit)), OK: res.ExitCode == 0 && !res.TimedOut && res.Signal == "" && res.Exceeded == "" && !res.Flooded}
	out.Note, _, _ = strings.Cut(out.Text, "\n")
	if len(res.Lost) > 0 {
		out.Note += "; not kept: " + nameList(res.Lost)
	}
	return out
}

// describe says how the command ended, then shows its output, then what stays.
func describe(res CommandResult, seconds, limit int) string {
	var b strings.Builder
	switch {
	case res.TimedOut:
		if res.Limit > 0 {
			seconds = int(res.Limit.Seconds())
		}
		fmt.Fprintf(&b, "timed out after %d s; it and everything it started was ended", seconds)
	case res.Exceeded != "":
		fmt.Fprintf(&b, "ended, with everything it started, because %s", tooMuch(res.Exceeded))
	case res.Flooded:
		b.WriteString("ended, with everything it started, because it wrote far too much output; send what you do not need to a file or to /dev/null")
	case res.Signal != "":
		fmt.Fprintf(&b, "ended by signal %s", res.Signal)
	default:
		fmt.Fprintf(&b, "exit code %d", res.ExitCode)
	}
	out := strings.TrimRight(plain.Text(res.Output), " \t\n")
	if out == "" {
		b.WriteString("\n(no output)")
	} else {
		b.WriteString("\n" + plain.Clip(out, limit))
	}
	if res.Dropped > 0 {
		fmt.Fprintf(&b, "\n(%d bytes of output were dropped)", res.Dropped)
	}
	if len(res.Kept) > 0 {
		b.WriteString("\ncopied back into the project: " + nameList(res.Kept))
	}
	if len(res.Lost) > 0 {
		b.WriteString("\nnot kept (only write_file and edit_file change the project): " + nameList(res.Lost))
	}
	return b.String()
}

// tooMuch says what a command used too much of, and what to do about it.
func tooMuch(of string) string {
	switch of {
	case "memory":
		return "it used too much memory; work on less at a time, or look for a loop that keeps everything"
	case "disk":
		return "it filled too much of the disk; write less, or look for a loop that writes without end"
	case "processes":
		return "it had too many processes and threads at once; start fewer, or look for one that starts itself again"
	}
	return "it used too much: " + plain.Line(of, 40)
}

// nameList shows the first paths and counts the rest.
func nameList(names []string) string {
	shown := names[:min(len(names), maxNames)]
	s := plain.Line(strings.Join(shown, ", "), 2000)
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
