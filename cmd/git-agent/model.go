package main

import (
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"gitagent/internal/model"
)

func modelCommand(t *terminal) *cli.Command {
	listen := &cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "`ADDRESS` to listen on"}
	return &cli.Command{
		Name: "model", Usage: "record a model's replies, or play them back where Ollama would be",
		Subcommands: []*cli.Command{
			{
				Name: "record", Usage: "stand between the tool and a model server and write down what is said", ArgsUsage: "FILE",
				Flags: []cli.Flag{listen,
					&cli.StringFlag{Name: "upstream", Usage: "`URL` of the real server (git config agent.host, OLLAMA_HOST)"},
					&cli.StringFlag{Name: "label", Usage: "where the replies come from, for example the model's `NAME`"},
				},
				Action: func(c *cli.Context) error { return record(c, t) },
			},
			{
				Name: "replay", Usage: "play a recording back; fails where a tool's result differs", ArgsUsage: "FILE",
				Flags:  []cli.Flag{listen},
				Action: func(c *cli.Context) error { return replay(c, t) },
			},
		},
	}
}

func record(c *cli.Context, t *terminal) error {
	name, err := oneArg(c, "the file to write")
	if err != nil {
		return err
	}
	upstream := c.String("upstream")
	if upstream == "" {
		set, err := looseSettings(c)
		if err != nil {
			return err
		}
		upstream = set.Host
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return &exitError{code: codeUsage, err: err}
	}
	defer f.Close()
	rec, err := model.NewRecorder(upstream, f, c.String("label"))
	if err != nil {
		return err
	}
	if err := serve(c, t, rec, "recording; use it with: OLLAMA_HOST="); err != nil {
		return err
	}
	return rec.Err()
}

func replay(c *cli.Context, t *terminal) error {
	name, err := oneArg(c, "the recording")
	if err != nil {
		return err
	}
	srv, err := model.NewReplay(name)
	if err != nil {
		return &exitError{code: codeUsage, err: err}
	}
	if err := serve(c, t, srv, "replaying ("+srv.Label()+"); use it with: OLLAMA_HOST="); err != nil {
		return err
	}
	return srv.Err()
}

// serve answers requests until the program is interrupted.
func serve(c *cli.Context, t *terminal, h http.Handler, words string) error {
	ln, err := net.Listen("tcp", c.String("listen"))
	if err != nil {
		return &exitError{code: codeUsage, err: err}
	}
	t.printf("%s%s\n", words, ln.Addr())
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err = <-done:
	case <-c.Context.Done():
		err = srv.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}
