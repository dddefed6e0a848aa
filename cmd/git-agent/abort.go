package main

import (
	"cmp"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

// abortPatience is how long abort waits: a session that is told to end keeps
// its attempt, which takes a moment.
const abortPatience = 10 * time.Second

func abortCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "abort", Usage: "end the session that works in this repository, as Ctrl-C in its terminal would",
		Flags: []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, _, err := open(c, false)
			if err != nil {
				return err
			}
			a, err := session.Abort(c.Context, repo, abortPatience)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return t.printJSON(a)
			}
			what := plain.Line(cmp.Or(a.What, "what worked here"), 100)
			if a.Ended {
				t.printf("%s was told to end, and has\n  next:  git agent status, or git agent resume to go on with what it had\n", what)
			} else {
				t.printf("%s was told to end, and is not done with it yet\n  next:  git agent abort once more ends it at once; what it had is kept by the next command\n", what)
			}
			return nil
		},
	}
}
