package main

import (
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"gitagent/internal/model"
	"gitagent/internal/session"
)

// withModel runs do; where the model is missing it offers a person to pull it
// and runs do once more.
func withModel(c *cli.Context, t *terminal, set session.Settings, do func() error) error {
	err := do()
	var missing *model.MissingModelError
	if !errors.As(err, &missing) || !t.person || missing.Model == "" {
		return err
	}
	if t.choose(c.Context, fmt.Sprintf("The model %s is not on this machine. Pull it now?", missing.Model), "y/N") != "y" {
		return err
	}
	if err := pull(c, t, set, missing.Model); err != nil {
		return err
	}
	return do()
}

// pull downloads a model with a progress bar a layer.
func pull(c *cli.Context, t *terminal, set session.Settings, name string) error {
	client, err := model.New(set.ModelSettings())
	if err != nil {
		return err
	}
	var bar *progressbar.ProgressBar
	last := ""
	err = client.Pull(c.Context, name, func(status string, done, total int64) {
		if status != last {
			last = status
			if bar != nil {
				_ = bar.Finish()
				bar = nil
			}
			if total > 0 {
				bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(t.stderr), progressbar.OptionShowBytes(true), progressbar.OptionSetDescription(status))
			} else {
				t.notef("%s\n", status)
			}
		}
		if bar != nil {
			_ = bar.Set64(done)
		}
	})
	if bar != nil {
		_ = bar.Finish()
		t.notef("\n")
	}
	return err
}
