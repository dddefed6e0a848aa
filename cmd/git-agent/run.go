package main

import (
	"github.com/urfave/cli/v2"

	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func runCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "repeat step until all features pass or something stands in the way",
		Flags: append(sessionFlags(),
			&cli.IntFlag{Name: "max-steps", Usage: "end after `N` sessions", DefaultText: "no limit"},
			&cli.DurationFlag{Name: "max-time", Usage: "end after `DURATION`, for example 8h", DefaultText: "no limit"},
		),
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, set, err := open(c, true)
			if err != nil {
				return err
			}
			opt := session.RunOptions{Step: stepOptions(c, t), MaxSteps: c.Int("max-steps"), MaxTime: c.Duration("max-time")}
			if !c.Bool("json") {
				opt.Each = t.tellOutcome
			}
			var res session.RunResult
			err = withModel(c, t, set, func() (err error) {
				res, err = session.Run(c.Context, repo, set, opt, &liveView{t: t, verbose: c.Bool("verbose")})
				return err
			})
			if c.Bool("json") {
				if jerr := t.printJSON(res); jerr != nil {
					return jerr
				}
			} else {
				reason := res.Reason
				if err != nil {
					reason = "" // it is shown as the error
				}
				t.printf("%s: %d of %d features pass, %s, %d verified%s\n", res.Stopped, res.Passing, res.Total, plain.Count(res.Steps, "session"), res.Verified, after("; ", plain.Line(reason, 300)))
				t.tellRegressed(res.Regressed)
			}
			return ending(err, res.ExitCode())
		},
	}
}
