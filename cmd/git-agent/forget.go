package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func forgetCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "forget", Usage: "list what is kept of sessions that did not land, and let go of it", ArgsUsage: "[SESSION…]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "passing", Usage: "attempts at features that pass by now"},
			&cli.IntFlag{Name: "older", Usage: "attempts that are older than `DAYS`", DefaultText: "none"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("older") && c.Int("older") < 1 {
				return usage("--older takes a number of days above zero, not %d", c.Int("older"))
			}
			repo, _, err := open(c, true)
			if err != nil {
				return err
			}
			opt := session.ForgetOptions{Sessions: c.Args().Slice(), Passing: c.Bool("passing"), Older: time.Duration(c.Int("older")) * 24 * time.Hour}
			listing := len(opt.Sessions) == 0 && !opt.Passing && opt.Older == 0
			var kept []session.Kept
			if listing {
				kept, err = session.ListKept(c.Context, repo)
			} else {
				kept, err = session.Forget(c.Context, repo, opt, t.warnf)
			}
			if c.Bool("json") && (err == nil || len(kept) > 0) {
				if jerr := t.printJSON(kept); jerr != nil {
					return jerr
				}
				return err
			}
			t.tellKept(kept, listing)
			return err
		},
	}
}

// tellKept lists what is kept, or what was let go of: that can be had back by its
// id until git cleans up.
func (t *terminal) tellKept(kept []session.Kept, listing bool) {
	verb := "forgotten: "
	if listing {
		verb = ""
	}
	for _, k := range kept {
		note := ""
		switch {
		case k.Undone:
			note = ", which landed and was undone"
		case k.Passes:
			note = ", which passes by now"
		}
		if !listing {
			note += " (was " + k.Commit.Short() + ")"
		}
		at := ""
		if !k.Time.IsZero() {
			at = "  " + k.Time.Local().Format("2006-01-02 15:04")
		}
		t.printf("%s%s%s%s%s\n", verb, k.Session, at, after("  ", plain.Line(k.Feature, 20)), note)
	}
	switch {
	case listing && len(kept) == 0:
		t.printf("no attempt is kept\n")
	case listing:
		t.printf("let go of some with: git agent forget SESSION…, --passing or --older DAYS\n")
	case len(kept) == 0:
		t.printf("nothing of that kind is kept\n")
	}
}
