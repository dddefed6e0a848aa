package main

import (
	"context"
	"errors"
	"os"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/plain"
)

func hooksCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "hooks", Usage: "install, remove or look at the hooks",
		Subcommands: []*cli.Command{
			{Name: "install", Usage: "install the hooks beside those that are there (in a bare repository: pre-receive)", Flags: []cli.Flag{&cli.BoolFlag{Name: "pre-push", Usage: "also check what is pushed, before it is"}}, Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				repo, _, err := open(c, false)
				if err != nil {
					return err
				}
				exe, err := os.Executable()
				if err != nil {
					return err
				}
				var more []string
				if c.Bool("pre-push") {
					more = append(more, "pre-push")
				}
				done, err := hooks.Install(c.Context, repo, exe, more...)
				if err != nil {
					return err
				}
				t.tellHooks(done)
				return nil
			}},
			{Name: "uninstall", Usage: "remove what was installed, and nothing else", Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				repo, _, err := open(c, false)
				if err != nil {
					return err
				}
				done, err := hooks.Uninstall(c.Context, repo)
				if err != nil {
					return err
				}
				t.tellHooks(done)
				return nil
			}},
			{Name: "ci", Usage: "print what a pipeline or a server needs to hold the rules", Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				t.printf("%s", hooks.CI)
				return nil
			}},
			{Name: "status", Usage: "say whether the hooks can fire", Flags: []cli.Flag{jsonFlag}, Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				repo, _, err := open(c, false)
				if err != nil {
					return err
				}
				return t.hooksStatus(c, repo)
			}},
		},
	}
}

// tellHooks says what happened to each hook.
func (t *terminal) tellHooks(done hooks.Installed) {
	for _, h := range done.Hooks {
		t.printf("  hook:  %s %s%s%s\n", h.Done, h.Path, after(", the former one runs first as ", h.Kept), after(": ", plain.Line(h.Why, 300)))
	}
}

// tellMissingHooks says when they do not fire here, as in a new clone.
func (t *terminal) tellMissingHooks(ctx context.Context, repo *gitops.Repo) {
	if st, err := hooks.Inspect(ctx, repo); err == nil && !st.OK() {
		t.printf("  hooks: they do not fire in this clone; git agent hooks status shows why, git agent hooks install sets them\n")
	}
}

func (t *terminal) hooksStatus(c *cli.Context, repo *gitops.Repo) error {
	st, err := hooks.Inspect(c.Context, repo)
	if err != nil {
		return err
	}
	code := 0
	fires := errors.New("they are not all in place")
	if st.OK() {
		fires = hooks.Probe(c.Context, repo)
	}
	why := ""
	if fires != nil {
		code, why = codeViolation, plain.Line(fires.Error(), 300)
	}
	if c.Bool("json") {
		if err := t.printJSON(struct {
			hooks.State
			Fires bool   `json:"fires"` // a trial commit in a scratch clone was refused as it should be
			Why   string `json:"why,omitempty"`
		}{st, fires == nil, why}); err != nil {
			return err
		}
		return exit(code)
	}
	t.printf("hooks run from %s%s%s\n", st.Dir, after(", set in ", st.Origin), after(": ", st.Obstacle))
	for _, h := range st.Hooks {
		t.printf("%s %-10s %s\n", sign(h.Effective), h.Hook, plain.Line(h.Path+after(": ", h.Problem), 300))
	}
	if len(st.ByConfig) > 0 {
		t.printf("  git's own config has, where git knows it (from 2.54 on): %s\n", plain.Line(strings.Join(st.ByConfig, ", "), 300))
	}
	t.printf("%s binary     %s\n", sign(st.Binary != "" || st.Bare != ""), plain.Line(st.Binary+after("; with a bare PATH: ", st.Bare), 300))
	if st.OK() {
		said := "a trial commit in a scratch clone was refused as it should be"
		if fires != nil {
			said = why
		}
		t.printf("%s trial      %s\n", sign(fires == nil), said)
	}
	return exit(code)
}

// hookCommand is what the installed hooks call.
func hookCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "hook", Hidden: true, SkipFlagParsing: true,
		Usage: "called by the hooks: git agent hook NAME [ARGS]",
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usage("hook needs the hook's name")
			}
			return exit(hooks.Run(c.Context, ".", c.Args().First(), c.Args().Tail(), t.stdin, t.stderr))
		},
	}
}

// mergeCommand is what git calls to merge the harness's files.
func mergeCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "merge-driver", Hidden: true,
		Usage: "called by git: git agent merge-driver KIND BASE OURS THEIRS",
		Action: func(c *cli.Context) error {
			if c.NArg() != 4 {
				return usage("merge-driver takes a kind and three files")
			}
			a := c.Args().Slice()
			merged, err := hooks.Merge(c.Context, a[0], a[1], a[2], a[3])
			if err != nil {
				t.notef("git agent: %s\n", plain.Line(err.Error(), 300))
			}
			if !merged {
				return exit(codeViolation)
			}
			return nil
		},
	}
}

func allowCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "allow", Usage: "let the next commit pass one guard", ArgsUsage: "GUARD",
		Flags: []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`WHY`, recorded in the commit"}},
		Action: func(c *cli.Context) error {
			guard, err := oneArg(c, "the guard: "+strings.Join(hooks.Guards(), ", "))
			if err != nil {
				return err
			}
			if strings.TrimSpace(c.String("reason")) == "" {
				return usage("say why: git agent allow %s --reason \"…\"", plain.Line(guard, 20))
			}
			known := hooks.Guards()
			sort.Strings(known)
			if i := sort.SearchStrings(known, guard); i == len(known) || known[i] != guard {
				return usage("there is no guard %q; there are: %s", plain.Line(guard, 20), strings.Join(known, ", "))
			}
			repo, _, err := open(c, false)
			if err != nil {
				return err
			}
			if err := hooks.Permit(c.Context, repo, guard, c.String("reason")); err != nil {
				return err
			}
			t.printf("the next commit may pass the guard %q once; the reason is recorded in it\n", guard)
			return nil
		},
	}
}
