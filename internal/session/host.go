package session

import (
	"context"
	"strings"

	"gitagent/internal/hint"
	"gitagent/internal/model"
)

// openModel loads the model of a tier. Where none is configured it takes the
// only one that the host has.
func openModel(ctx context.Context, set Settings, tier model.Tier, note func(string)) (*model.Loaded, error) {
	client, err := model.New(set.ModelSettings())
	if err != nil {
		return nil, err
	}
	if _, err := client.Model(tier); err == nil {
		return client.Load(ctx, tier, note)
	}
	name, err := onlyModel(ctx, client)
	if err != nil {
		return nil, err
	}
	note("no model is configured; " + name + " is the only one there (git config agent.model)")
	set.Models = map[model.Tier]string{tier: name}
	if client, err = model.New(set.ModelSettings()); err != nil {
		return nil, err
	}
	return client.Load(ctx, tier, note)
}

// onlyModel is the name of the one model that the host has.
func onlyModel(ctx context.Context, client *model.Client) (string, error) {
	list, err := client.List(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	switch len(names) {
	case 0:
		return "", hint.New(hint.Errorf("then name it: git config agent.model qwen3.5:9b", "the host %s has no model", client.Host()), "get one, for example: ollama pull qwen3.5:9b")
	case 1:
		return names[0], nil
	}
	return "", hint.Errorf("choose one: git config agent.model NAME", "no model is configured, and %s has several: %s", client.Host(), strings.Join(names, ", "))
}
