package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gitagent/features"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/session"
)

func initCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "turn a wish into a list of features that all say \"passes\": false",
		ArgsUsage: "[WISH]",
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "spec", Usage: "take the wish from a written specification in `FILE`"},
			&cli.StringFlag{Name: "features", Usage: "take a list made by hand from `FILE`; needs no model"},
			&cli.IntFlag{Name: "count", Usage: "about `N` features", Value: 20},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "write the list without showing it first"},
			jsonFlag,
		),
		Action: func(c *cli.Context) error {
			repo, set, err := open(c, true)
			if err != nil {
				return err
			}
			opt, err := initOptions(c, t)
			if err != nil {
				return err
			}
			var res session.InitResult
			err = withModel(c, t, set, func() (err error) {
				res, err = session.Init(c.Context, repo, set, opt, &liveView{t: t})
				return err
			})
			if errors.Is(err, session.ErrDeclined) {
				t.printf("nothing was written\n")
				return exit(refusal(c.Context))
			}
			if errors.Is(err, session.ErrNoWish) {
				return &exitError{code: codeUsage, err: err}
			}
			if err != nil && c.Context.Err() != nil {
				t.notef("interrupted; nothing is set up yet, and the next init begins anew\n")
				return exit(refusal(c.Context))
			}
			var nobody *model.UnreachableError
			if errors.As(err, &nobody) {
				return hint.New(errors.New(err.Error()), append(hint.Of(err), "a list written by hand needs no model: git agent init --features FILE (man git-agent shows one)")...)
			}
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return t.printJSON(res)
			}
			t.tellInit(res)
			if res.Already {
				t.tellMissingHooks(c.Context, repo)
			}
			return nil
		},
	}
}

func initOptions(c *cli.Context, t *terminal) (session.InitOptions, error) {
	opt := session.InitOptions{Wish: strings.TrimSpace(strings.Join(c.Args().Slice(), " ")), Count: c.Int("count")}
	if opt.Count < 1 || opt.Count > 10000 {
		return opt, usage("--count takes a number from 1 to 10000")
	}
	given := 0
	for _, said := range []bool{opt.Wish != "", c.String("spec") != "", c.String("features") != ""} {
		if said {
			given++
		}
	}
	if given > 1 {
		return opt, usage("give one of a wish, --spec and --features")
	}
	if name := c.String("spec"); name != "" {
		data, err := readFile(t, name)
		if err != nil {
			return opt, err
		}
		opt.Spec = string(data)
	}
	if name := c.String("features"); name != "" {
		data, err := readFile(t, name)
		if err != nil {
			return opt, err
		}
		if _, err := features.Import(data, "list", ""); err != nil {
			return opt, usage("%s: %w", plain.Line(name, 200), err)
		}
		opt.List = data
	}
	if exe, err := os.Executable(); err == nil {
		opt.Binary = exe
	}
	if t.person && !c.Bool("yes") && !c.Bool("json") {
		opt.Confirm = func(l *features.List) (*features.List, bool, error) { return t.confirmList(c.Context, l) }
	}
	return opt, nil
}

// readFile reads a file named on the command line; "-" is standard input.
func readFile(t *terminal, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(t.stdin)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &exitError{code: codeUsage, err: err}
	}
	return data, nil
}

// confirmList shows a list for a yes, an edit or a no. What was edited into
// something that cannot be read is kept for the next edit.
func (t *terminal) confirmList(ctx context.Context, list *features.List) (*features.List, bool, error) {
	text := list.Bytes()
	for {
		t.notef("\n%s\n", plain.Line(list.Goal, 200))
		for _, f := range list.Features {
			t.notef("  %s  %s\n", f.ID, plain.Line(f.Description, 100))
			for _, s := range f.Steps {
				t.notef("        - %s\n", plain.Line(s, 120))
			}
		}
		switch t.choose(ctx, plain.Count(len(list.Features), "feature")+". Write them?", "y/e(dit)/N") {
		case "y":
			return list, true, nil
		case "e":
			edited, err := t.edit(text)
			if err == nil {
				text = edited
				var read *features.List
				if read, err = features.Parse(edited); err == nil {
					list = read
					continue
				}
			}
			t.notef("error: %s\n", plain.Text(err.Error()))
			for _, h := range hint.Of(err) {
				t.notef("hint: %s\n", plain.Text(h))
			}
			t.notef("hint: e opens your text again; y takes the list below, as it was before\n")
		default:
			return nil, false, nil
		}
	}
}

// edit opens a list's text in the person's editor, as git would.
func (t *terminal) edit(text []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "git-agent-list-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, features.Path)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	editor, err := exec.Command("git", "var", "GIT_EDITOR").Output()
	if err != nil {
		return nil, fmt.Errorf("git knows no editor: %w", err)
	}
	cmd := exec.Command("sh", "-c", strings.TrimSpace(string(editor))+` "$1"`, "editor", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.stdin, t.stdout, t.stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the editor: %w", err)
	}
	return os.ReadFile(path)
}

// listed is how many features init shows after it wrote them.
const listed = 20

// tellInit says what was written and what to type next.
func (t *terminal) tellInit(r session.InitResult) {
	if r.Already {
		t.printf("git agent is set up here already: %s; nothing was changed\n  next:  git agent status\n", plain.Count(r.Features, "feature"))
		return
	}
	t.printf("%s, none proved yet\n", plain.Count(r.Features, "feature"))
	for i, f := range r.List.Features {
		if i == listed {
			t.printf("  … and %d more (git agent features list)\n", r.Features-listed)
			break
		}
		t.printf("  %s  %s\n", f.ID, plain.Line(f.Description, 100))
	}
	t.printf("  wrote: %s\n  kept:  commit %s holds exactly these files\n", strings.Join(r.Files, ", "), r.Commit.Short())
	if r.Claimed > 0 {
		t.printf("  note:  %s said to pass already: a claim without a proof, and shown as one\n", plain.Count(r.Claimed, "feature"))
	}
	t.tellHooks(r.Hooks)
	for _, a := range r.HookAdvice {
		t.printf("  hooks: %s\n", plain.Line(a, 300))
	}
	if r.Config.Setup == "" && r.Config.Start == "" && r.Config.Static == "" && len(r.Config.Tests) == 0 {
		t.printf("  note:  nothing to start or to test yet; what sessions build is found, or .agent/config says how\n")
	}
	t.printf("  next:  git agent step\n")
}
