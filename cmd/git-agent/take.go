package main

import (
	"github.com/urfave/cli/v2"

	"gitagent/internal/session"
	"gitagent/internal/workspace"
)

func takeCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "take", Usage: "put a kept attempt on a branch of its own", ArgsUsage: "SESSION",
		Flags: []cli.Flag{&cli.StringFlag{Name: "branch", Usage: "`NAME` of the new branch (default agent/SESSION)"}},
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the session's name")
			if err != nil {
				return err
			}
			repo, _, err := open(c, true)
			if err != nil {
				return err
			}
			branch := c.String("branch")
			if branch == "" {
				branch = "agent/" + id
			}
			verified, err := workspace.Take(c.Context, repo, id, branch)
			if err != nil {
				return err
			}
			if verified {
				t.printf("the verified commit of session %s is on branch %s\n  next:  git merge %s\n", id, branch, branch)
				return nil
			}
			t.printf("the attempt of session %s is on branch %s; no flag is flipped there\n  next:  git switch %s\n", id, branch, branch)
			return nil
		},
	}
}

func undoCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "take the last session's commit back",
		Flags: []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, _, err := open(c, true)
			if err != nil {
				return err
			}
			u, err := session.Undo(c.Context, repo, t.warnf)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return t.printJSON(u)
			}
			if u.How == "reverted" {
				t.printf("session %s was pushed, so its code is reverted by commit %s; %s keeps its flag and is recorded as a regression\n", u.Session, u.Commit.Short(), u.Feature)
				return nil
			}
			t.printf("session %s (%s) is taken back; the branch is at %s again\n  kept:  its commit at %s\n", u.Session, u.Feature, u.Commit.Short(), u.Kept)
			return nil
		},
	}
}
