package main

import (
	"errors"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/session"
	"gitagent/internal/verify"
)

func auditCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "prove again what the commits of a range claim", ArgsUsage: "[RANGE]",
		Description: "Takes each commit that set a flag into a clean folder, installs anew, and runs its contract and its\ntests. Exit code 0: every claim holds. 1: one does not. 4: one could not be verified. What was proved\nonce in this clone is not proved again.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only commits since `TIME` (2026-11-30, or 14d, 36h)"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "`N` claims at a time", DefaultText: "one for each core, at most 4"},
			&cli.BoolFlag{Name: "again", Usage: "also what this clone has proved already"},
			&cli.BoolFlag{Name: "allow-network", Usage: "set-up may use the network"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show everything"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("audit takes one range, for example main..HEAD")
			}
			if c.IsSet("jobs") && c.Int("jobs") < 1 {
				return usage("--jobs takes a number above zero, not %d", c.Int("jobs"))
			}
			since, err := sinceTime(c.String("since"), time.Now())
			if err != nil {
				return err
			}
			repo, set, err := open(c, true)
			if err != nil {
				return err
			}
			rng := c.Args().First()
			rep, err := session.Audit(c.Context, repo, set, session.AuditOptions{
				Range: rng, Since: since, Again: c.Bool("again"), Jobs: c.Int("jobs"), AllowNetwork: c.Bool("allow-network"), Ask: t.ask(c.Context),
			}, &liveView{t: t, verbose: c.Bool("verbose")})
			var git *gitops.Error
			if rng != "" && errors.As(err, &git) {
				return hint.New(err, "give commits that are there, for example: git agent audit main..HEAD")
			}
			if err != nil {
				return err
			}
			if c.Bool("json") {
				if err := t.printJSON(rep); err != nil {
					return err
				}
			} else {
				t.tellAudit(rep)
			}
			return exit(rep.ExitCode())
		},
	}
}

// sinceTime reads a day, a time, or how long ago it was.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	ago := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err != nil || d < 0 {
			return time.Time{}, usage("--since takes a day such as 2026-11-30, or how long ago such as 14d, not %q", text)
		}
		return now.Add(-24 * d), nil
	}
	d, err := time.ParseDuration(ago)
	if err != nil || d < 0 {
		return time.Time{}, usage("--since takes a day such as 2026-11-30, or how long ago such as 14d, not %q", text)
	}
	return now.Add(-d), nil
}

func (t *terminal) tellAudit(rep session.AuditReport) {
	for _, c := range rep.Claims {
		word := map[string]string{verify.Pass: "holds", verify.Fail: "fails"}[c.Verdict]
		if word == "" {
			word = "unverified"
		}
		t.printf("%s %s %s %s%s%s\n", sign(c.Verdict == verify.Pass), c.Commit.Short(), c.Feature, word, after(": ", plain.Line(c.Reason, 200)), also(c.Kept, " (proved before)"))
		if c.Tests != "" {
			t.printf("    tests: %s\n", plain.Line(c.Tests, 160))
		}
	}
	for _, id := range rep.Claimed {
		t.printf("  %s has its flag and never had a proof\n", id)
	}
	t.printf("%s: %d hold, %d fail, %d unverified\n", plain.Count(len(rep.Claims), "claim"), rep.Holds, rep.Fails, rep.Unknown)
}
