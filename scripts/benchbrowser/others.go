package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitagent/internal/browser"
)

// child is a program that is asked by lines.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(dir, name string, args ...string) (*child, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &child{cmd, in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

func (c *child) line() (string, error) {
	s, err := c.out.ReadString('\n')
	return strings.TrimSpace(s), err
}

func (c *child) want(text string) error {
	got, err := c.line()
	if err == nil && got != text {
		err = fmt.Errorf("got %q", got)
	}
	return err
}

func (c *child) end() {
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	_ = c.cmd.Wait()
}

// all are the three, warm.
type all struct {
	ours *browser.Browser
	core *child
	mcp  *mcp
}

func startAll(o options) (*all, error) {
	a := &all{}
	var err error
	if a.ours, err = browser.Open(context.Background(), browser.Options{Exec: o.browser, Warm: true}); err != nil {
		return a, err
	}
	if a.core, err = start(o.modules, "node", filepath.Join(o.here, "core.mjs"), o.modules, o.browser, o.url, "warm"); err != nil {
		return a, err
	}
	if err := a.core.want("ready"); err != nil {
		return a, err
	}
	a.mcp, err = startMCP(o)
	if err == nil {
		err = a.mcp.once(o.url) // its first run starts the browser
	}
	if err != nil { // it changes often; the rest is still worth measuring
		fmt.Fprintln(os.Stderr, "benchbrowser: the MCP server is left out:", err)
		if a.mcp != nil {
			a.mcp.end()
		}
		a.mcp = nil
	}
	return a, nil
}

func (a *all) end() {
	if a.ours != nil {
		a.ours.Close()
	}
	if a.core != nil {
		a.core.end()
	}
	if a.mcp != nil {
		a.mcp.end()
	}
}

// row is one thing to measure.
type row struct {
	name  string
	times int
	do    func() error
}

// cold starts a process and ends the clock with its verdict.
func (a *all) cold(o options) []row {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	var running []*child
	run := func(name string, args ...string) func() error {
		return func() error {
			for _, c := range running { // not part of the time of the next
				c.end()
			}
			running = nil
			c, err := start(o.modules, name, args...)
			if err != nil {
				return err
			}
			running = append(running, c)
			return c.want("pass")
		}
	}
	settle := func() error {
		for _, c := range running {
			c.end()
		}
		running = nil
		return nil
	}
	return []row{
		{"git agent cold", 1, run(self, "-cold", o.url, "-browser", o.browser)},
		{"", 1, settle},
		{"playwright-core cold", 1, run("node", filepath.Join(o.here, "core.mjs"), o.modules, o.browser, o.url, "cold")},
		{"", 1, settle},
	}
}

func (a *all) warm(o options) []row {
	rows := []row{
		{"git agent warm", o.warm, func() error {
			s, err := browser.ParseScenario([]byte(scenario))
			if err != nil {
				return err
			}
			if r := a.ours.Run(context.Background(), s, o.url, ""); r.Verdict != browser.Pass {
				return errors.New(string(r.Inline()))
			}
			return nil
		}},
		{"playwright-core warm", o.warm, func() error {
			if _, err := io.WriteString(a.core.in, "go\n"); err != nil {
				return err
			}
			return a.core.want("pass")
		}},
	}
	if a.mcp != nil {
		rows = append(rows, row{"playwright mcp warm", 1, func() error { return a.mcp.once(o.url) }})
	}
	return rows
}
