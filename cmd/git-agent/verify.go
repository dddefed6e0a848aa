package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/session"
	"gitagent/internal/verify"
)

func verifyCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "run a feature's contract again, outside the checkout",
		ArgsUsage: "[ID…]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "tree", Usage: "on the tree of `REV` (default HEAD)"},
			&cli.BoolFlag{Name: "allow-network", Usage: "set-up may use the network"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show everything"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			repo, set, err := open(c, true)
			if err != nil {
				return err
			}
			opt := session.Options{AllowNetwork: c.Bool("allow-network"), Ask: t.ask(c.Context)}
			proofs, err := session.Prove(c.Context, repo, set, c.Args().Slice(), c.String("tree"), opt, &liveView{t: t, verbose: c.Bool("verbose")})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				if err := t.printJSON(proofs); err != nil {
					return err
				}
			} else {
				t.tellProofs(proofs)
			}
			return exit(proofCode(proofs))
		},
	}
}

func (t *terminal) tellProofs(proofs []session.Proof) {
	if len(proofs) == 0 {
		t.printf("no feature passes there yet; nothing to verify\n")
	}
	for _, p := range proofs {
		t.printf("%s %s on %s (tree %s)%s\n", p.Feature, p.Verdict, plain.Line(p.Rev, 40), p.Tree.Short(), after(": ", plain.Line(p.Reason, 300)))
		for _, k := range p.Checks {
			t.printf("  %s %s%s\n", sign(k.Verdict == verify.Pass), k.ID, after(" ", plain.Line(k.Reason, 200)))
			for _, o := range k.Observed {
				t.printf("      %s\n", plain.Line(o, 200))
			}
		}
		if p.Shots != "" {
			t.printf("  screenshots: %s\n", p.Shots)
		}
	}
}

// proofCode is the worst verdict's exit code.
func proofCode(proofs []session.Proof) int {
	code := 0
	for _, p := range proofs {
		switch p.Verdict {
		case verify.Fail:
			return codeViolation
		case verify.Unverified:
			code = session.Unverified.ExitCode()
		}
	}
	return code
}

func pageCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "page",
		Usage:     "run one page scenario on a folder or a running server",
		ArgsUsage: "SCENARIO.json",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "serve", Usage: "serve the folder `DIR`"},
			&cli.StringFlag{Name: "url", Usage: "open a running server at `URL`"},
			&cli.StringFlag{Name: "shots", Usage: "put screenshots into `DIR`"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "SCENARIO.json, or - for standard input")
			if err != nil {
				return err
			}
			if (c.String("serve") == "") == (c.String("url") == "") {
				return usage("page needs one of --serve DIR and --url URL")
			}
			scenario, err := readFile(t, name)
			if err != nil {
				return err
			}
			if _, err := browser.ParseScenario(scenario); err != nil {
				return usage("%s: %w", plain.Line(name, 200), err)
			}
			if dir := c.String("serve"); dir != "" {
				if st, err := os.Stat(dir); err != nil || !st.IsDir() {
					return usage("--serve needs a folder; there is none at %s", plain.Line(dir, 200))
				}
			}
			set, err := looseSettings(c)
			if err != nil {
				return err
			}
			res, err := session.Page(c.Context, set, session.PageOptions{Scenario: scenario, Serve: c.String("serve"), URL: c.String("url"), Shots: c.String("shots")})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				if err := t.printJSON(res); err != nil {
					return err
				}
			} else {
				t.tellPage(res)
			}
			return exit(pageCode(res.Verdict))
		},
	}
}

// looseSettings are the settings where no repository is needed.
func looseSettings(c *cli.Context) (session.Settings, error) {
	_, set, err := open(c, false)
	if err == nil {
		return set, nil
	}
	return session.LoadSettings(noConfig(), nil, session.Flags{})
}

func (t *terminal) tellPage(r browser.Result) {
	t.printf("%s%s\n", r.Verdict, after(": ", plain.Line(r.Reason, 400)))
	for _, i := range r.Interactions {
		t.printf("  %s %d %s%s\n", sign(i.OK), i.N, plain.Line(i.Step, 100), after("  shows ", plain.Line(i.DisplayAfter, 120)))
		for _, e := range append(i.Dialogs, i.Errors...) {
			t.printf("      %s\n", plain.Line(e, 200))
		}
	}
	for _, s := range r.Shots {
		t.printf("  screenshot: %s\n", s)
	}
}

func pageCode(verdict string) int {
	switch verdict {
	case verify.Pass:
		return 0
	case verify.Fail:
		return codeViolation
	default:
		return session.Unverified.ExitCode()
	}
}
