package main

import (
	"strings"

	"github.com/urfave/cli/v2"

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
			&cli.StringSliceFlag{Name: "with", Usage: "`NAME=VALUE` for a variable of the contract instead of drawn values; repeat for each that it has"},
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
			for _, pair := range c.StringSlice("with") {
				name, value, ok := strings.Cut(pair, "=")
				if !ok || name == "" {
					return usage("--with takes a variable and its value, as in --with a=40")
				}
				if opt.With == nil {
					opt.With = map[string]string{}
				}
				opt.With[name] = value
			}
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
