package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func checkCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "hold the rules against every commit of a range", ArgsUsage: "[RANGE]",
		Description: "Exit code 0: every rule held and every flip is proved. 1: a rule was broken. 4: a flip is\ncarried, that is proved on another tree (after a rebase or a squash), which verify proves again;\nor a commit at the edge of a shallow clone could not be judged.",
		Flags:       []cli.Flag{jsonFlag, &cli.BoolFlag{Name: "moved", Usage: "check what is new on every branch and tag since the last session"}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 || c.NArg() == 1 && c.Bool("moved") {
				return usage("check takes one range, for example main..HEAD, or --moved")
			}
			repo, _, err := open(c, false)
			if err != nil {
				return err
			}
			rng := c.Args().First()
			rep, err := checkWhat(c, repo, rng)
			var git *gitops.Error
			if rng != "" && errors.As(err, &git) {
				return hint.New(err, "give commits that are there, for example: git agent check main..HEAD")
			}
			if err != nil {
				return err
			}
			if c.Bool("json") {
				if err := t.printJSON(rep); err != nil {
					return err
				}
			} else {
				t.tellCheck(rep)
			}
			return exit(checkCode(rep))
		},
	}
}

// checkWhat runs the check that was asked for. Without a range, what misleads
// git in this clone is looked for as well.
func checkWhat(c *cli.Context, repo *gitops.Repo, rng string) (hooks.Report, error) {
	if c.Bool("moved") {
		return hooks.CheckMoved(c.Context, repo)
	}
	rep, err := hooks.CheckRange(c.Context, repo, rng)
	if err != nil || rng != "" {
		return rep, err
	}
	if rep.Local, err = hooks.CheckClone(c.Context, repo); err != nil {
		return rep, err
	}
	return rep, hooks.CaughtUp(repo)
}

func (t *terminal) tellCheck(rep hooks.Report) {
	for _, v := range rep.Violations {
		t.printf("%s %s\n", v.Commit.Short(), plain.Line(v.Subject, 60))
		hooks.Print(t.stdout, []hooks.Violation{v.Violation})
	}
	for _, o := range rep.Overrides {
		t.printf("%s allowed by a person (%s): %s\n", o.Commit.Short(), o.Guard, plain.Line(o.Reason, 200))
	}
	hooks.Print(t.stdout, rep.Local)
	for _, m := range rep.Moved {
		t.printf("%s %s: %s %s\n", m.How, plain.Line(m.Ref, 120), m.Old.Short(), m.New.Short())
	}
	states := map[string]int{}
	for _, f := range rep.Flips {
		states[f.State]++
		if f.State != hooks.Proved {
			t.printf("%s flips %s: %s%s\n", f.Commit.Short(), f.Feature, f.State, after(", ", plain.Line(f.Why, 200)))
		}
	}
	if n := len(rep.Edge); n > 0 {
		t.printf("%s at the edge of this shallow clone cannot be judged; git fetch --unshallow gets what was before\n", plain.Count(n, "commit"))
	}
	t.printf("%s, %s; flips: %d proved, %d carried, %d missing\n", plain.Count(rep.Commits, "commit"), plain.Count(len(rep.Violations), "violation"), states[hooks.Proved], states[hooks.Carried], states[hooks.Missing])
}

func checkCode(rep hooks.Report) int {
	for _, v := range rep.Violations {
		if !v.Warn {
			return codeViolation
		}
	}
	for _, f := range rep.Flips {
		if f.State == hooks.Carried {
			return session.Unverified.ExitCode()
		}
	}
	if len(rep.Edge) > 0 {
		return session.Unverified.ExitCode()
	}
	return 0
}
