package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// Installed is a model that the server has.
type Installed struct {
	Name   string
	Size   int64 // bytes
	Remote bool
}

// List gives the models that the server has, by name.
func (c *Client) List(ctx context.Context) ([]Installed, error) {
	r, err := c.api.List(ctx)
	if err != nil {
		return nil, c.explain(ctx, "", err)
	}
	var list []Installed
	for _, m := range r.Models {
		list = append(list, Installed{Name: m.Name, Size: m.Size, Remote: m.RemoteHost != ""})
	}
	slices.SortFunc(list, func(a, b Installed) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Pull downloads a model. progress, which may be nil, gets the server's words and
// the bytes of the layer at hand (total is 0 where there are none). A pull that
// was interrupted goes on where it stopped when it is begun again.
func (c *Client) Pull(ctx context.Context, model string, progress func(status string, done, total int64)) error {
	succeeded := false
	err := c.api.Pull(ctx, &api.PullRequest{Model: model}, func(p api.ProgressResponse) error {
		succeeded = succeeded || p.Status == "success"
		if progress != nil {
			progress(plain.Line(p.Status, 200), p.Completed, p.Total)
		}
		return nil
	})
	switch {
	case err != nil && strings.Contains(err.Error(), "file does not exist"):
		return hint.New(fmt.Errorf("there is no model %q to download", model), "look for its exact name at https://ollama.com/library")
	case err != nil || ctx.Err() != nil:
		if err == nil {
			err = ctx.Err()
		}
		return fmt.Errorf("downloading %q: %w", model, c.explain(ctx, model, err))
	case !succeeded:
		return fmt.Errorf("downloading %q: %w", model, ErrIncomplete)
	}
	return nil
}

// missing makes the error for a model that the server does not have.
func (c *Client) missing(ctx context.Context, model string) error {
	e := &MissingModelError{Model: model}
	if list, err := c.List(ctx); err == nil {
		var names []string
		for _, m := range list {
			names = append(names, m.Name)
		}
		e.Near = nearest(model, names)
	}
	hints := []string{"download it: ollama pull " + plain.Line(model, 100)}
	if len(e.Near) > 0 {
		hints = append(hints, "or use one that is there: git config agent.model "+plain.Line(e.Near[0], 100))
	}
	return hint.New(e, hints...)
}

// nearest gives at most three names that look like the wanted one: the same
// family, or few letters apart.
func nearest(want string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	want = strings.ToLower(want)
	family, _, _ := strings.Cut(want, ":")
	var list []scored
	for _, n := range names {
		low := strings.ToLower(n)
		fam, _, _ := strings.Cut(low, ":")
		d := min(distance(want, low), distance(family, fam))
		if fam == family || d <= max(2, len(family)/3) {
			list = append(list, scored{n, d*100 + distance(want, low)})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, s := range list[:min(3, len(list))] {
		out = append(out, s.name)
	}
	return out
}

// distance is the number of letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
