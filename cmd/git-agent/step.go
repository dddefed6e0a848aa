package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func sessionFlags() []cli.Flag {
	return append(modelFlags(),
		&cli.StringFlag{Name: "hint", Usage: "`TEXT` is told to the model"},
		&cli.BoolFlag{Name: "allow-network", Usage: "set-up may use the network for the lockfiles as they are"},
		&cli.IntFlag{Name: "turns", Usage: "`N` turns an attempt", DefaultText: "60"},
		&cli.IntFlag{Name: "attempts", Usage: "`N` attempts a session", DefaultText: "3"},
		&cli.DurationFlag{Name: "time", Usage: "`DURATION` of a session", DefaultText: "45m"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show everything"},
		jsonFlag,
	)
}

func stepCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "step",
		Usage:     "build one feature, prove it and commit it",
		ArgsUsage: "[ID]",
		Flags:     sessionFlags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("step takes at most one feature id")
			}
			return oneStep(c, t, stepOptions(c, t))
		},
	}
}

func resumeCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "run a session that goes on with the kept files of another, by default the last one",
		ArgsUsage: "[SESSION]",
		Flags:     sessionFlags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("resume takes at most one session")
			}
			opt := stepOptions(c, t)
			opt.ID, opt.Resume = "", session.Latest
			if c.NArg() == 1 {
				opt.Resume = c.Args().First()
			}
			return oneStep(c, t, opt)
		},
	}
}

// oneStep runs one session and tells its outcome.
func oneStep(c *cli.Context, t *terminal, opt session.Options) error {
	repo, set, err := open(c, true)
	if err != nil {
		return err
	}
	var out session.Outcome
	err = withModel(c, t, set, func() (err error) {
		out, err = session.Step(c.Context, repo, set, opt, &liveView{t: t, verbose: c.Bool("verbose")})
		return err
	})
	if errors.Is(err, session.ErrAllPassing) {
		return allPassing(c, t, out)
	}
	switch {
	case c.Bool("json"):
		if jerr := t.printJSON(out); jerr != nil {
			return jerr
		}
	case err == nil || out.Receipt.Turns > 0:
		t.tellOutcome(out)
	}
	return ending(err, out.End.ExitCode())
}

// ending is the error that ends the program after a session or a run: what
// stopped it is shown, unless that was the person.
func ending(err error, code int) error {
	if err == nil || code == session.Interrupted.ExitCode() {
		return exit(code)
	}
	if cannotBe(err) {
		return err
	}
	return &exitError{code: code, err: err}
}

func stepOptions(c *cli.Context, t *terminal) session.Options {
	return session.Options{ID: c.Args().First(), Hint: c.String("hint"), AllowNetwork: c.Bool("allow-network"), Ask: t.ask(c.Context)}
}

func allPassing(c *cli.Context, t *terminal, out session.Outcome) error {
	code := 0
	if len(out.Regressed) > 0 {
		code = session.Unverified.ExitCode()
	}
	if c.Bool("json") {
		if err := t.printJSON(map[string]any{"end": "all_passing", "passing": out.Passing, "total": out.Total, "regressed": out.Regressed}); err != nil {
			return err
		}
		return exit(code)
	}
	if code == 0 {
		t.printf("all features pass (%d of %d); nothing to do\n", out.Passing, out.Total)
		return nil
	}
	t.printf("every flag is set (%d of %d), but not every feature holds\n", out.Passing, out.Total)
	t.tellRegressed(out.Regressed)
	return exit(code)
}

// tellRegressed names what has its flag and holds no longer, and how to go on.
func (t *terminal) tellRegressed(ids []string) {
	for _, id := range ids {
		t.printf("  %s broke since it was proved: git agent verify %s shows how, git agent step %s repairs it\n", id, id, id)
	}
}

// tellOutcome says in a few lines what happened, what was kept and what to
// type next.
func (t *terminal) tellOutcome(o session.Outcome) {
	took := time.Duration(o.Receipt.Seconds * float64(time.Second)).Round(time.Second)
	use := o.Receipt.Totals()
	cost := ""
	if use.Calls > 0 {
		cost = fmt.Sprintf("; %s, %s, %s tokens in, %s out", took, plain.Count(o.Receipt.Turns, "turn"), count(use.TokensIn), count(use.TokensOut))
	}
	t.printf("%s%s  (%d of %d features pass%s)\n", o.End, after(" ", o.Feature), o.Passing, o.Total, cost)
	if o.Reason != "" && o.End != session.Environment {
		t.printf("  why:   %s\n", plain.Line(o.Reason, 500))
	}
	switch {
	case o.Aside != "":
		t.printf("  kept:  the verified commit %s is aside at %s\n", o.Commit.Short(), o.Aside)
	case o.Commit != "":
		t.printf("  kept:  commit %s on %s\n", o.Commit.Short(), o.Branch)
	case o.Kept != "":
		t.printf("  kept:  the attempt at %s; the branch is as it was\n", o.Kept)
	}
	if next := nextFor(o); next != "" {
		t.printf("  next:  %s\n", next)
	}
}

func also(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// nextFor is what a person types next.
func nextFor(o session.Outcome) string {
	switch {
	case o.Next != "":
		return o.Next
	case o.End == session.Verified && o.Passing < o.Total:
		return "git agent step"
	case o.End == session.Interrupted && o.Feature != "":
		return "git agent step " + o.Feature + " goes on with what was learned" + also(o.Kept != "", ", git agent resume with the files as well")
	case o.Kept != "":
		return "git agent show " + o.Feature + ", or git agent take " + o.Session + " to look at the code"
	}
	return ""
}
