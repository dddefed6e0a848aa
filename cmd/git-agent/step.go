package main

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func sessionFlags() []cli.Flag {
	return append(modelFlags(),
		&cli.StringFlag{Name: "hint", Usage: "tell the session something: `TEXT`"},
		&cli.BoolFlag{Name: "allow-network", Usage: "set-up may use the network for the lockfiles as they are"},
		&cli.IntFlag{Name: "turns", Usage: "`N` turns an attempt (default 60)"},
		&cli.IntFlag{Name: "attempts", Usage: "`N` attempts a session (default 3)"},
		&cli.DurationFlag{Name: "time", Usage: "`DURATION` of a session (default 45m)"},
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
			repo, set, err := open(c, true)
			if err != nil {
				return err
			}
			var out session.Outcome
			err = withModel(c, t, set, func() (err error) {
				out, err = session.Step(c.Context, repo, set, stepOptions(c, t), &liveView{t: t, verbose: c.Bool("verbose")})
				return err
			})
			if errors.Is(err, session.ErrAllPassing) {
				return allPassing(c, t, out)
			}
			if c.Bool("json") {
				if jerr := t.printJSON(out); jerr != nil {
					return jerr
				}
			} else {
				t.tellOutcome(out)
			}
			if err != nil {
				return &exitError{code: out.End.ExitCode(), err: err}
			}
			return exit(out.End.ExitCode())
		},
	}
}

func stepOptions(c *cli.Context, t *terminal) session.Options {
	return session.Options{ID: c.Args().First(), Hint: c.String("hint"), AllowNetwork: c.Bool("allow-network"), Ask: t.ask()}
}

func allPassing(c *cli.Context, t *terminal, out session.Outcome) error {
	if c.Bool("json") {
		return t.printJSON(map[string]any{"end": "all_passing", "passing": out.Passing, "total": out.Total})
	}
	t.printf("all features pass (%d of %d); nothing to do\n", out.Passing, out.Total)
	return nil
}

// tellOutcome says in a few lines what happened, what was kept and what to
// type next.
func (t *terminal) tellOutcome(o session.Outcome) {
	took := time.Duration(o.Receipt.Seconds * float64(time.Second)).Round(time.Second)
	use := o.Receipt.Totals()
	t.printf("%s%s  (%d of %d features pass; %s, %s, %s tokens in, %s out)\n", o.End, after(" ", o.Feature), o.Passing, o.Total, took, plain.Count(o.Receipt.Turns, "turn"), count(use.TokensIn), count(use.TokensOut))
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

// nextFor is what a person types next.
func nextFor(o session.Outcome) string {
	switch {
	case o.Next != "":
		return o.Next
	case o.End == session.Verified && o.Passing < o.Total:
		return "git agent step"
	case o.Kept != "":
		return "git agent show " + o.Feature + ", or git agent take " + o.Session + " to look at the code"
	}
	return ""
}
