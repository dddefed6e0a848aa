package main

import (
	"context"
	"strings"
	"testing"

	"gitagent/bench"
	"gitagent/internal/model/modeltest"
)

// TestPlain has made-up models: one that writes a page, and ones that say done
// and have written nothing.
func TestPlain(t *testing.T) {
	apps, err := chosen([]string{"calculator"})
	if err != nil {
		t.Fatal(err)
	}
	a := apps[0]
	for name, c := range map[string]struct {
		policy  modeltest.Policy
		claimed bool
		files   int
	}{
		"writes": {modeltest.Script(modeltest.Use("write_file", "path", "index.html", "content", string(a.Right["index.html"])), modeltest.Say("done")), true, 1},
		"talks":  {modeltest.Script(modeltest.Say("It is all done.")), false, 0},
		"wrong":  {modeltest.Script(modeltest.Use("write_file", "path", "../x", "content", "x"), modeltest.Say("done")), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			srv := modeltest.New(t, c.policy)
			dir := t.TempDir()
			res := &result{claimed: map[string]bool{}}
			if err := plainly(context.Background(), options{model: srv.Models[0], host: srv.URL}, a, dir, res); err != nil {
				t.Fatal(err)
			}
			got, err := bench.Product(dir)
			if err != nil || len(got) != c.files || res.claimed["F001"] != c.claimed || res.tokensIn == 0 {
				t.Errorf("%d files, %v, %+v", len(got), err, res)
			}
		})
	}
}

func TestTable(t *testing.T) {
	apps, err := chosen([]string{"calculator"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	tab := newTable(&out, options{model: "m", ways: []string{"plain"}})
	tab.add(apps[0], "plain", &result{
		claimed: map[string]bool{"F001": true, "F002": true}, solved: map[string]bool{"F001": true}, tokensIn: 5, tokensOut: 7,
	})
	tab.end()
	if want := "without it: 0 of 1 apps and 1 of 2 features solved, 1 features falsely accepted, 5 tokens in, 7 out"; !strings.Contains(out.String(), want) {
		t.Error(out.String())
	}
	if _, err := chosen([]string{"nothing"}); err == nil {
		t.Error("an unknown app is no error")
	}
}
