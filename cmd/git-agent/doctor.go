package main

import (
	"github.com/urfave/cli/v2"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func doctorCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "look at everything that a session needs",
		Flags: append(modelFlags(), jsonFlag),
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, set, repoErr := open(c, true)
			if repoErr != nil {
				var err error
				if set, err = session.LoadSettings(noConfig(), nil, session.Flags{Host: c.String("host"), Model: c.String("model")}); err != nil {
					return err
				}
			}
			found := session.Diagnose(c.Context, repo, repoErr, set)
			code := 0
			for _, f := range found {
				if !f.OK {
					code = session.Environment.ExitCode()
				}
			}
			if c.Bool("json") {
				if err := t.printJSON(found); err != nil {
					return err
				}
				return exit(code)
			}
			for _, f := range found {
				t.printf("%s %-11s %s\n", sign(f.OK), f.Name, plain.Line(f.Text, 400))
				for _, d := range f.Do {
					t.printf("              %s\n", plain.Line(d, 300))
				}
			}
			return exit(code)
		},
	}
}

// noConfig is git config where there is no repository.
func noConfig() gitops.Config { return gitops.Config{} }
