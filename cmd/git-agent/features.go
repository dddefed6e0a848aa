package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"gitagent/features"
	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func featuresCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:  "features",
		Usage: "list, add, edit, split or retire features; a person's act, committed at once",
		Subcommands: []*cli.Command{
			featuresList(t), featuresAdd(t), featuresEdit(t), featuresSplit(t), featuresRetire(t),
		},
	}
}

func featuresList(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "check features.json of the last commit and list it",
		Flags: []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, _, err := open(c, false)
			if err != nil {
				return err
			}
			list, err := session.ListAt(c.Context, repo, "HEAD")
			if err != nil {
				return err
			}
			if c.Bool("json") {
				t.printf("%s", list.Bytes())
				return nil
			}
			for _, f := range list.Features {
				t.printf("%s %s  %s%s\n", sign(f.Passes), f.ID, plain.Line(f.Description, 100), after("  needs ", strings.Join(f.DependsOn, ", ")))
			}
			return nil
		},
	}
}

// featureFlags say what a feature is; priority is what holds where none is given.
func featureFlags(priority string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "description", Aliases: []string{"d"}, Usage: "`TEXT` of the feature"},
		&cli.StringSliceFlag{Name: "step", Aliases: []string{"s"}, Usage: "one `STEP`, as a person would try it; repeat for all of them"},
		&cli.StringFlag{Name: "category", Usage: "`NAME` of the kind of feature, functional for a new one"},
		&cli.StringSliceFlag{Name: "depends-on", Usage: "`ID` of a feature that must pass first; repeat for more"},
		&cli.IntFlag{Name: "priority", Usage: "`N`, lower is earlier", DefaultText: priority},
	}
}

func featuresAdd(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "add", Usage: "add a feature", Flags: featureFlags("after all others"),
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return editList(c, t, func(l *features.List, used []string) (session.Change, error) {
				f := features.Feature{Category: "functional", Priority: len(l.Features) + 1}
				apply(c, &f)
				data, id, err := l.Add(f, used)
				return session.Change{Kind: "add", IDs: []string{id}, Data: data, Fact: "add " + id + ": " + plain.Line(f.Description, 60)}, err
			})
		},
	}
}

// apply sets what was said on the command line.
func apply(c *cli.Context, f *features.Feature) {
	if c.IsSet("description") {
		f.Description = c.String("description")
	}
	if c.IsSet("step") {
		f.Steps = c.StringSlice("step")
	}
	if c.IsSet("category") {
		f.Category = c.String("category")
	}
	if c.IsSet("depends-on") {
		f.DependsOn = c.StringSlice("depends-on")
	}
	if c.IsSet("priority") {
		f.Priority = c.Int("priority")
	}
}

func featuresEdit(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "reword a feature that does not pass yet", ArgsUsage: "ID", Flags: featureFlags("what it is now"),
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the feature's ID")
			if err != nil {
				return err
			}
			if c.NumFlags() == 0 {
				return usage("say what to change: --description, --step, --category, --depends-on or --priority")
			}
			return editList(c, t, func(l *features.List, _ []string) (session.Change, error) {
				data, err := l.Edit(id, func(f *features.Feature) { apply(c, f) })
				return session.Change{Kind: "edit", IDs: []string{id}, Data: data, Fact: "edit " + id}, err
			})
		},
	}
}

func featuresSplit(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "split", Usage: "replace a feature by smaller ones", ArgsUsage: "ID",
		Flags: []cli.Flag{&cli.StringFlag{Name: "into", Usage: "`FILE` with a JSON array of {description, steps}; - reads standard input"}},
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the feature's ID")
			if err != nil {
				return err
			}
			if !c.IsSet("into") {
				return usage("say what it becomes: git agent features split %s --into FILE", plain.Line(id, 40))
			}
			data, err := readFile(t, c.String("into"))
			if err != nil {
				return err
			}
			var parts []features.Feature
			if err := json.Unmarshal(data, &parts); err != nil {
				return usage("%s: %v", c.String("into"), err)
			}
			return editList(c, t, func(l *features.List, used []string) (session.Change, error) {
				out, ids, err := l.Split(id, parts, used)
				return session.Change{Kind: "split", IDs: append([]string{id}, ids...), Data: out, Fact: fmt.Sprintf("split %s into %s", id, strings.Join(ids, ", "))}, err
			})
		},
	}
}

func featuresRetire(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "retire", Usage: "take a feature out of the list; its id is never used again", ArgsUsage: "ID",
		Flags: []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the log"}},
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the feature's ID")
			if err != nil {
				return err
			}
			return editList(c, t, func(l *features.List, _ []string) (session.Change, error) {
				data, err := l.Retire(id)
				return session.Change{Kind: "retire", IDs: []string{id}, Data: data, Fact: "retire " + id + after(": ", plain.Line(c.String("reason"), 200))}, err
			})
		},
	}
}

func editList(c *cli.Context, t *terminal, edit session.ListEditor) error {
	repo, _, err := open(c, true)
	if err != nil {
		return err
	}
	change, commit, err := session.EditList(c.Context, repo, func(l *features.List, used []string) (session.Change, error) {
		change, err := edit(l, used)
		if err != nil {
			err = &exitError{code: codeUsage, err: err} // what was asked cannot be done
		}
		return change, err
	}, t.warnf)
	if err != nil {
		return err
	}
	t.printf("%s (commit %s)\n", change.Fact, commit.Short())
	return nil
}
