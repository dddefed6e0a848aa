package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/session"
	"gitagent/internal/verify"
)

func pageCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "page",
		Usage:     "run one page scenario on a folder or a running server",
		ArgsUsage: "SCENARIO.json",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "serve", Usage: "serve the folder `DIR`"},
			&cli.StringFlag{Name: "url", Usage: "open a running server at `URL`"},
			&cli.StringFlag{Name: "shots", Usage: "put screenshots and the whole result into `DIR`"},
			&cli.BoolFlag{Name: "open", Usage: "show the steps and their pictures as a page"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "SCENARIO.json, or - for standard input")
			if err != nil {
				return err
			}
			opt, err := pageOptions(t, c, name)
			if err != nil {
				return err
			}
			set, err := looseSettings(c)
			if err != nil {
				return err
			}
			res, err := session.Page(c.Context, set, opt)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = t.printJSON(res)
			} else {
				t.tellPage(res, opt.Shots)
			}
			if err == nil && c.Bool("open") {
				err = t.openPage(res, opt.Shots, name)
			}
			if err != nil {
				return err
			}
			return exit(pageCode(res.Verdict))
		},
	}
}

// pageOptions checks all that was asked for before a browser starts.
func pageOptions(t *terminal, c *cli.Context, name string) (session.PageOptions, error) {
	opt := session.PageOptions{Serve: c.String("serve"), URL: c.String("url"), Shots: c.String("shots"), Each: c.Bool("open")}
	if (opt.Serve == "") == (opt.URL == "") {
		return opt, usage("page needs one of --serve DIR and --url URL")
	}
	var err error
	if opt.Scenario, err = readFile(t, name); err != nil {
		return opt, err
	}
	if _, err := browser.ParseScenario(opt.Scenario); err != nil {
		return opt, usage("%s: %w", plain.Line(name, 200), err)
	}
	if opt.Serve != "" {
		if st, err := os.Stat(opt.Serve); err != nil || !st.IsDir() {
			return opt, usage("--serve needs a folder; there is none at %s", plain.Line(opt.Serve, 200))
		}
	}
	if opt.Each && opt.Shots == "" {
		if opt.Shots, err = os.MkdirTemp("", "git-agent-page-shots-"); err != nil {
			return opt, err
		}
	}
	return opt, nil
}

// looseSettings are the settings where no repository is needed.
func looseSettings(c *cli.Context) (session.Settings, error) {
	_, set, err := open(c, false)
	if err == nil {
		return set, nil
	}
	return session.LoadSettings(noConfig(), nil, session.Flags{})
}

// tellPage prints what a person wants to know of a run: each step, what was seen
// after it, what went wrong, and where the pictures are.
func (t *terminal) tellPage(r browser.Result, shots string) {
	t.printf("%s%s\n", r.Verdict, after(": ", plain.Line(r.Reason, 400)))
	for _, i := range r.Interactions {
		t.printf("  %s %d %s%s\n", sign(i.OK), i.N, plain.Line(i.Step, 100), after("  shows ", plain.Line(i.DisplayAfter, 120)))
		for _, e := range append(i.Dialogs, i.Errors...) {
			if strings.Contains(r.Reason, e) {
				continue // the first line says it
			}
			t.printf("      %s\n", plain.Line(e, 200))
		}
	}
	for _, e := range r.ConsoleErrors {
		if e.Step == 0 {
			t.printf("  while opening: %s: %s%s\n", plain.Line(e.Kind, 40), plain.Line(e.Text, 200), after(" at ", plain.Line(e.At, 100)))
		}
	}
	for _, f := range r.Network {
		if f.Step == 0 {
			t.printf("  while opening: %s failed %s\n", plain.Line(f.URL, 200), plain.Line(fmt.Sprint(f.Status, " ", f.Error), 100))
		}
	}
	for _, f := range r.Network {
		if f.Step > 0 && f.Status >= 400 && r.Verdict != verify.Pass {
			t.printf("  where the answer %d is wanted, put \"expect_status\":%d on step %d\n", f.Status, f.Status, f.Step)
		}
	}
	for _, n := range r.Notes {
		t.printf("  note: %s\n", plain.Line(n, 300))
	}
	for _, s := range r.Shots {
		t.printf("  screenshot: %s\n", plain.Line(filepath.Join(shots, s), 300))
	}
}

// openPage makes one file of the run and its pictures and shows it, or says
// where it is.
func (t *terminal) openPage(r browser.Result, shots, title string) error {
	file := filepath.Join(shots, "index.html")
	if err := os.WriteFile(file, r.Page(filepath.Base(title), shots), 0o644); err != nil {
		return fmt.Errorf("make the page with the pictures: %w", err)
	}
	if err := showFile(file); err != nil {
		t.notef("it is not shown by itself: %s\n", plain.Line(err.Error(), 200))
	}
	t.printf("  shown in: %s\n", plain.Line(file, 300))
	return nil
}

// showFile gives a file to whatever shows pages on this desktop.
func showFile(file string) error {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return fmt.Errorf("there is no display")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(path, file)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(3 * time.Second): // it shows the page itself
		return nil
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
