package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/session"
)

// version is set at build time by -ldflags.
var version = "0.1.0"

func newApp(t *terminal) *cli.App {
	app := &cli.App{
		Name:                 "git-agent",
		HelpName:             "git agent",
		Usage:                "let a small local model build a large project, and believe only what is proved",
		Version:              version,
		HideVersion:          false,
		EnableBashCompletion: true,
		Reader:               t.stdin,
		Writer:               t.stdout,
		ErrWriter:            t.stderr,
		ExitErrHandler:       func(*cli.Context, error) {},
		Commands: []*cli.Command{
			initCommand(t), stepCommand(t), runCommand(t), resumeCommand(t), abortCommand(t),
			statusCommand(t), logCommand(t), showCommand(t),
			verifyCommand(t), pageCommand(t), checkCommand(t), auditCommand(t),
			featuresCommand(t), contractCommand(t), hooksCommand(t), hookCommand(t), mergeCommand(t), allowCommand(t),
			trustCommand(t), doctorCommand(t), undoCommand(t), takeCommand(t), forgetCommand(t), modelCommand(t),
		},
	}
	settle(app.Commands)
	app.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usage("%s", err.Error()) }
	return app
}

// settle gives every command the same manners.
func settle(cmds []*cli.Command) {
	for _, c := range cmds {
		c.HideHelpCommand = true
		for _, f := range c.Flags {
			if b, ok := f.(*cli.BoolFlag); ok {
				b.DisableDefaultText = true
			}
		}
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return misused(c, err) }
		settle(c.Subcommands)
	}
}

// misused says what is wrong with a flag's value, and how a time is written.
func misused(c *cli.Command, err error) error {
	for _, f := range c.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && strings.Contains(err.Error(), "flag -"+f.Names()[0]+":") {
			return hint.New(usage("%s", err.Error()), "a time has a unit: 90m, 8h")
		}
	}
	return usage("%s", err.Error())
}

var jsonFlag = &cli.BoolFlag{Name: "json", Usage: "print JSON"}

// modelFlags choose the model and its host.
func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "`NAME` of the model (git config agent.model)"},
		&cli.StringFlag{Name: "host", Usage: "`URL` of the Ollama server (git config agent.host, OLLAMA_HOST)"},
		&cli.IntFlag{Name: "num-ctx", Usage: "context of `N` tokens (git config agent.numCtx)", DefaultText: "what is loaded, else at most 32768"},
	}
}

// open finds the repository of the current folder and its settings.
func open(c *cli.Context, strict bool) (*gitops.Repo, session.Settings, error) {
	find := gitops.OpenLenient
	if strict {
		find = gitops.Open
	}
	repo, err := find(c.Context, ".")
	if err != nil {
		return nil, session.Settings{}, err
	}
	cfg, err := repo.Config(c.Context)
	if err != nil {
		return nil, session.Settings{}, err
	}
	if err := sensible(c); err != nil {
		return nil, session.Settings{}, err
	}
	set, err := session.LoadSettings(cfg, nil, session.Flags{
		Host: c.String("host"), Model: c.String("model"), NumCtx: c.Int("num-ctx"),
		Turns: c.Int("turns"), Attempts: c.Int("attempts"), Time: c.Duration("time"),
	})
	if err != nil {
		return nil, set, &exitError{code: codeUsage, err: err}
	}
	return repo, set, nil
}

// sensible refuses limits that would limit nothing.
func sensible(c *cli.Context) error {
	for _, name := range []string{"turns", "attempts", "num-ctx"} {
		if c.IsSet(name) && c.Int(name) < 1 {
			return usage("--%s takes a number above zero, not %d", name, c.Int(name))
		}
	}
	if c.IsSet("time") && c.Duration("time") <= 0 {
		return usage("--time takes a duration above zero, for example 30m")
	}
	if c.Int("max-steps") < 0 || c.Duration("max-time") < 0 {
		return usage("--max-steps and --max-time take no negative limit")
	}
	return nil
}

// noArgs refuses arguments that a command does not take.
func noArgs(c *cli.Context) error {
	if c.Args().Present() {
		return usage("%s takes no argument, but got %q", c.Command.HelpName, c.Args().First())
	}
	return nil
}

// oneArg returns the one argument of a command; name is its name in usage.
func oneArg(c *cli.Context, name string) (string, error) {
	if c.NArg() != 1 {
		return "", usage("%s takes one argument: %s", c.Command.HelpName, name)
	}
	return c.Args().First(), nil
}
