package main

import (
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"gitagent/gitops"
	"gitagent/internal/report"
	"gitagent/internal/session"
)

// toRead opens the repository for a command that reads, prints and ends: it is
// over before collecting garbage would pay.
func toRead(c *cli.Context) (*gitops.Repo, error) {
	debug.SetGCPercent(400)
	return gitops.OpenLenient(c.Context, ".")
}

func statusCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "what passes, what waits, what comes next; runs nothing",
		Flags: []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, err := toRead(c)
			if err != nil {
				return err
			}
			view, err := report.Gather(c.Context, repo)
			if err != nil {
				return err
			}
			view.Running = session.Running(repo)
			return t.show(c, view)
		},
	}
}

func logCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "what was done, newest first",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "max", Aliases: []string{"n"}, Usage: "at most `N` entries", DefaultText: "all"},
			&cli.StringFlag{Name: "feature", Usage: "only those of feature `ID`"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			repo, err := toRead(c)
			if err != nil {
				return err
			}
			view, err := report.GatherLog(c.Context, repo, report.LogQuery{Max: c.Int("max"), Feature: c.String("feature")})
			if err != nil {
				return err
			}
			return t.show(c, view)
		},
	}
}

func showCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "one feature: its steps, what was observed, its attempts", ArgsUsage: "ID",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "open", Usage: "show it as a page, with the pictures that are kept"}, jsonFlag},
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the feature's ID")
			if err != nil {
				return err
			}
			repo, err := toRead(c)
			if err != nil {
				return err
			}
			view, err := report.GatherFeature(c.Context, repo, id)
			if err != nil {
				return err
			}
			if err := t.show(c, view); err != nil || !c.Bool("open") {
				return err
			}
			return t.openFeature(c.Context, repo, view)
		},
	}
}

// show prints a view as text, or as JSON where that was asked for.
func (t *terminal) show(c *cli.Context, view interface {
	JSON() ([]byte, error)
	Text(w io.Writer, style report.Style) error
}) error {
	if c.Bool("json") {
		data, err := view.JSON()
		if err != nil {
			return err
		}
		_, err = t.stdout.Write(data)
		return err
	}
	return view.Text(t.stdout, t.style())
}

// style is as git itself decides: its colour settings, and the width of the
// terminal.
func (t *terminal) style() report.Style {
	s := report.Style{Zone: time.Local}
	f, ok := t.stdout.(*os.File)
	if !ok {
		return s
	}
	tty := "false"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.Width, tty = width, "true"
	}
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return s
	}
	out, err := exec.Command("git", "config", "--get-colorbool", "color.agent", tty).Output()
	s.Color = err == nil && strings.TrimSpace(string(out)) == "true"
	return s
}
