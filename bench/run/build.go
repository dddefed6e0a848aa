package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitagent/bench"
	"gitagent/features"
	"gitagent/internal/plain"
	"gitagent/internal/session"
	"gitagent/internal/verify"
)

// result is what came of one app in one way.
type result struct {
	product             bench.Tree
	claimed             map[string]bool // features that are said to be done
	solved              map[string]bool // features whose contract passes
	tokensIn, tokensOut int
	took                time.Duration
	note                string // why it ended
}

// build lets the model work in a folder of its own.
func build(ctx context.Context, o options, a *bench.App, way, temp string) (*result, error) {
	dir, err := os.MkdirTemp(temp, a.Name)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, a.Name)
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, err
	}
	res := &result{claimed: map[string]bool{}, solved: map[string]bool{}}
	limited, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	start := time.Now()
	if way == "loop" {
		err = loop(limited, o, a, work, dir, res)
	} else {
		err = plainly(limited, o, a, work, res)
	}
	res.took = time.Since(start)
	if limited.Err() != nil && ctx.Err() == nil {
		res.note, err = "the time was up", nil
	}
	if err != nil {
		return nil, err
	}
	res.product, err = bench.Product(work)
	return res, err
}

// judge tries the suite's contracts on the product.
func (r *result) judge(ctx context.Context, j *bench.Judge, a *bench.App) error {
	out, err := j.Judge(ctx, a, r.product)
	for id, o := range out {
		if o.NoMeans != "" {
			return errors.New(o.NoMeans)
		}
		r.solved[id] = o.Verdict == verify.Pass
	}
	return err
}

// loop is init with the app's list, and run.
func loop(ctx context.Context, o options, a *bench.App, work, dir string, res *result) error {
	whole, err := features.New(a.Name, a.About, a.Features)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "list.json")
	if err := os.WriteFile(file, whole.Bytes(), 0o644); err != nil {
		return err
	}
	c := commander{dir: work, env: environment(dir)}
	if _, err := c.do(ctx, "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	with := []string{"--model", o.model}
	if o.host != "" {
		with = append(with, "--host", o.host)
	}
	if _, err := c.do(ctx, o.binary, append([]string{"init", "--features", file, "--yes"}, with...)...); err != nil {
		return err
	}
	out, err := c.do(ctx, o.binary, append([]string{"run", "--json", "--max-time", o.limit.String()}, with...)...)
	var said session.RunResult
	if jerr := json.Unmarshal(out, &said); jerr != nil {
		if err == nil {
			err = jerr
		}
		return err // no result at all
	}
	for _, s := range said.Sessions {
		sum := s.Receipt.Totals()
		res.tokensIn += sum.TokensIn
		res.tokensOut += sum.TokensOut
	}
	res.note = plain.Line(string(said.Stopped)+" "+said.Reason, 80)
	data, err := os.ReadFile(filepath.Join(work, features.Path))
	if err != nil {
		return err
	}
	l, err := features.Parse(data)
	if err != nil {
		return err
	}
	for _, f := range l.Features {
		res.claimed[f.ID] = f.Passes
	}
	return nil
}

// commander runs programs in a folder.
type commander struct {
	dir string
	env []string
}

// do gives the standard output of a command, also where it fails.
func (c commander) do(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, bad bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env, &out, &bad
	// What it has started ends with an interrupted git-agent.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, plain.Line(bad.String(), 600))
	}
	return out.Bytes(), nil
}

// environment leaves out what the user has set for git and for git agent.
func environment(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || name == "HOME"
	})
	return append(env, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A Person", "GIT_AUTHOR_EMAIL=person@example.org",
		"GIT_COMMITTER_NAME=A Person", "GIT_COMMITTER_EMAIL=person@example.org")
}
