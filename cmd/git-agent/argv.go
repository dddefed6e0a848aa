package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// arrange puts flags before arguments, because the cli package takes a flag
// after an argument for an argument. What it cannot place is refused, never
// ignored.
func arrange(app *cli.App, argv []string) ([]string, error) {
	if argv[len(argv)-1] == "--generate-bash-completion" { // asked by the shell, answered by the cli package
		return argv, nil
	}
	cmds, flags := app.Commands, append([]cli.Flag{cli.VersionFlag}, app.Flags...)
	out, rest := []string{argv[0]}, argv[1:]
	path := "git agent"
	for {
		placed, args, err := split(rest, flags, len(cmds) > 0)
		if err != nil {
			return nil, hint.New(usage("%s", err.Error()), "see: "+path+" -h")
		}
		out = append(out, placed...)
		if len(cmds) == 0 || len(args) == 0 {
			return append(out, args...), nil
		}
		next := find(cmds, args[0])
		if next == nil {
			if args[0] == "help" || args[0] == "h" {
				return append(out, args...), nil
			}
			return nil, hint.New(usage("%s is not a command of %s", plain.Line(args[0], 40), path), near(cmds, args[0], path))
		}
		path += " " + next.Name
		out = append(out, args[0])
		rest, cmds, flags = args[1:], next.Subcommands, next.Flags
		if next.SkipFlagParsing {
			return append(out, rest...), nil
		}
	}
}

// split separates the flags of one command from its arguments. Where commands
// follow it stops at the first argument.
func split(args []string, known []cli.Flag, commands bool) (flags, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return flags, append(append(rest, "--"), args[i+1:]...), nil
		case a == "-" || !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
			if commands {
				return flags, append(rest, args[i+1:]...), nil
			}
			continue
		case a == "-h" || a == "--help":
			flags = append(flags, a)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		f := lookup(known, name)
		if f == nil {
			return nil, nil, usage("unknown flag %s", plain.Line(a, 40))
		}
		flags = append(flags, a)
		if _, isBool := f.(*cli.BoolFlag); isBool || hasValue {
			continue
		}
		if i++; i == len(args) {
			return nil, nil, usage("flag %s needs a value", a)
		}
		flags = append(flags, args[i])
	}
	if len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		rest = append([]string{"--"}, rest...)
	}
	return flags, rest, nil
}

func lookup(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func find(cmds []*cli.Command, name string) *cli.Command {
	for _, c := range cmds {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// near names the commands there are, the likely one first.
func near(cmds []*cli.Command, name, path string) string {
	for _, c := range cmds {
		if !c.Hidden && len(name) > 1 && (strings.HasPrefix(c.Name, name[:2]) || strings.Contains(c.Name, name)) {
			return "did you mean: " + path + " " + c.Name
		}
	}
	return "see: " + path + " -h"
}
