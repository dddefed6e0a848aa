package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"gitagent/bench"
	"gitagent/internal/model"
	"gitagent/internal/tools"
)

// maxTurns is how many replies the model may give without the loop.
const maxTurns = 60

const system = `You build a small program in an empty folder. Write its files with write_file, each of them whole. ` +
	`It is complete when every feature holds as its steps say. Then answer "done" and call nothing.`

// plainly is one chat in which the model writes files until it says that it is
// done. Nothing is tried.
func plainly(ctx context.Context, o options, a *bench.App, work string, res *result) error {
	client, err := model.New(model.Settings{Host: o.host, Models: map[model.Tier]string{model.Medium: o.model}})
	if err != nil {
		return err
	}
	loaded, err := client.Load(ctx, model.Medium, func(string) {})
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(work)
	if err != nil {
		return err
	}
	defer root.Close()
	box := tools.NewBox(tools.Env{Root: root}, "write_file")
	chat := loaded.NewChat(system, box.Schemas())
	chat.User(wish(a))
	defer func() {
		use := chat.Usage()
		res.tokensIn, res.tokensOut = use.TokensIn, use.TokensOut
	}()
	wrote := false
	for range maxTurns {
		reply, err := chat.Next(ctx, func(model.Delta) {})
		switch {
		case errors.Is(err, model.ErrContextFull), errors.Is(err, model.ErrIncomplete):
			res.note = err.Error()
			return nil
		case err != nil:
			return err
		}
		if len(reply.Calls) == 0 {
			res.note = "said done"
			for _, f := range a.Features {
				res.claimed[f.ID] = wrote
			}
			return nil
		}
		for _, call := range reply.Calls {
			if call.Err != "" {
				chat.Result(call, call.Err)
				continue
			}
			out := box.Call(ctx, call.Name, call.Args)
			wrote = wrote || out.OK
			chat.Result(call, out.Text)
		}
	}
	res.note = fmt.Sprintf("no end after %d replies", maxTurns)
	return nil
}

// wish is the app as a person asks for it, with its features.
func wish(a *bench.App) string {
	var b strings.Builder
	b.WriteString(a.About + "\n")
	for _, f := range a.Features {
		fmt.Fprintf(&b, "\n%s. %s\n", f.ID, f.Description)
		for i, s := range f.Steps {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, s)
		}
	}
	return b.String()
}
