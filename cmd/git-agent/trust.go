package main

import (
	"github.com/urfave/cli/v2"

	"gitagent/internal/hint"
	"gitagent/internal/session"
)

func trustCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "look at what this repository would run, and allow it in this clone",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "allow without asking"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, _, err := open(c, false)
			if err != nil {
				return err
			}
			what, err := session.Distrusted(c.Context, repo)
			if err != nil {
				return err
			}
			if c.Bool("json") && !c.Bool("yes") {
				if what == nil {
					what = []session.Untrusted{} // a list, also where it is empty
				}
				return t.printJSON(what)
			}
			if len(what) == 0 {
				t.printf("everything that the last commit would run is trusted in this clone\n")
				return nil
			}
			for _, u := range what {
				t.printf("%s (%s)\n", u.Name, u.Digest[:12])
				for _, line := range u.Shows {
					t.printf("    %s\n", line)
				}
			}
			if !c.Bool("yes") {
				if !t.person {
					return hint.Errorf("allow it with: git agent trust --yes", "nobody is there to ask")
				}
				if t.choose(c.Context, "Allow what is shown here in this clone?", "y/N") != "y" {
					t.printf("nothing was allowed\n")
					return exit(refusal(c.Context))
				}
			}
			if err := session.GrantTrust(repo, what); err != nil {
				return err
			}
			t.printf("trusted in this clone; a change asks again\n")
			return nil
		},
	}
}
