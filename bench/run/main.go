// Command run lets a model build the apps of the suite, with the loop of git
// agent and without it, and judges what came of it by the suite's own contracts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitagent/bench"
	"gitagent/internal/browser"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify"
)

// options are what the command line says.
type options struct {
	model, host string
	binary      string // git-agent
	apps        []string
	ways        []string
	limit       time.Duration // for one app in one way
	keep        string        // folder for what was built, "" = none
}

func main() {
	sandbox.Dispatch()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse() (options, error) {
	var o options
	var apps, ways string
	flag.StringVar(&o.model, "model", "", "`NAME` of the model")
	flag.StringVar(&o.host, "host", "", "`URL` of the Ollama server (OLLAMA_HOST)")
	flag.StringVar(&o.binary, "git-agent", "bin/git-agent", "`PATH` of the program")
	flag.StringVar(&apps, "apps", "", "only these apps, by `NAMES` with commas between them")
	flag.StringVar(&ways, "ways", "loop,plain", "with the loop, without it, or both")
	flag.DurationVar(&o.limit, "time", 30*time.Minute, "at most so long for one app in one way")
	flag.StringVar(&o.keep, "keep", "", "keep what was built in `FOLDER`")
	flag.Parse()
	o.apps, o.ways = list(apps), list(ways)
	for _, w := range o.ways {
		if w != "loop" && w != "plain" {
			return o, fmt.Errorf("no way is called %q: loop or plain", w)
		}
	}
	var err error
	switch {
	case o.model == "":
		return o, errors.New("name the model: make bench-apps MODEL=NAME")
	case flag.NArg() > 0:
		return o, fmt.Errorf("%q is not understood", flag.Arg(0))
	}
	if o.binary, err = filepath.Abs(o.binary); err == nil {
		_, err = os.Stat(o.binary)
	}
	return o, err
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// chosen are the apps of the suite that were named, or all.
func chosen(names []string) ([]*bench.App, error) {
	all, err := bench.Apps()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var out []*bench.App
	for _, name := range names {
		i := slices.IndexFunc(all, func(a *bench.App) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("the suite has no app %q", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func run(ctx context.Context) error {
	o, err := parse()
	if err != nil {
		return err
	}
	apps, err := chosen(o.apps)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "git-agent-bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	j, err := newJudge(ctx, temp)
	if err != nil {
		return err
	}
	t := newTable(os.Stdout, o)
	for _, a := range apps {
		for _, way := range o.ways {
			res, err := build(ctx, o, a, way, temp)
			if err == nil {
				err = res.judge(ctx, j, a)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil && o.keep != "" {
				err = res.product.Write(filepath.Join(o.keep, a.Name, way))
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", a.Name, way, err)
			}
			t.add(a, way, res)
		}
	}
	t.end()
	return nil
}

func newJudge(ctx context.Context, temp string) (*bench.Judge, error) {
	exe, err := browser.Find("")
	if err != nil {
		return nil, err
	}
	s, err := sandbox.New(ctx, sandbox.Options{})
	if err != nil {
		return nil, err
	}
	v := &verify.Verifier{Sandbox: s, Browser: exe, Temp: filepath.Join(temp, "checks"), Cache: filepath.Join(temp, "cache")}
	for _, dir := range []string{v.Temp, v.Cache} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return &bench.Judge{Verifier: v, Temp: temp}, nil
}
