package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/workspace"
)

// maxProduct is how many bytes of a folder are judged; a product of the suite is
// a thousand times smaller.
const maxProduct = 64 << 20

// Judge runs the contracts of an app on a product, each in a folder of its own.
type Judge struct {
	Verifier *verify.Verifier
	Temp     string // where the folders are made
}

// Judge gives what each feature's contract says about the product.
func (j *Judge) Judge(ctx context.Context, a *App, product Tree) (map[string]verify.Outcome, error) {
	out := map[string]verify.Outcome{}
	for _, f := range a.Features {
		o, err := j.Feature(ctx, a, f.ID, product)
		if err != nil {
			return nil, err
		}
		out[f.ID] = o
	}
	return out, nil
}

// Feature gives what one feature's contract says about the product. A contract
// that passes although nothing is done on its pages proves nothing, which is
// unverified here as in a session.
func (j *Judge) Feature(ctx context.Context, a *App, id string, product Tree) (verify.Outcome, error) {
	var out verify.Outcome
	err := j.in(a, product, func(t verify.Target) error {
		var err error
		if out, err = j.Verifier.Contract(ctx, a.Contracts[id], t, ""); err != nil || out.Verdict != verify.Pass {
			return err
		}
		if err := t.Reset(ctx); err != nil {
			return err
		}
		hollow, why, err := j.Verifier.BiteWithoutActions(ctx, a.Contracts[id], t, out)
		if hollow {
			out.Verdict = verify.Unverified
			for i := range out.Checks {
				out.Checks[i].Reason = why
			}
		}
		return err
	})
	return out, err
}

// Once tries one feature's contract with the values of its steps alone.
func (j *Judge) Once(ctx context.Context, a *App, id string, product Tree) (verify.Outcome, error) {
	var out verify.Outcome
	literal, err := a.Contracts[id].Literal()
	if err != nil {
		return out, err
	}
	err = j.in(a, product, func(t verify.Target) error {
		out, err = j.Verifier.Contract(ctx, literal, t, "")
		return err
	})
	return out, err
}

// in lets do look at a folder that holds the product.
func (j *Judge) in(a *App, product Tree, do func(verify.Target) error) error {
	dir, err := os.MkdirTemp(j.Temp, "product")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := product.Write(dir); err != nil {
		return err
	}
	return do(verify.Target{
		Dir: dir, Tree: a.Name, Config: a.config(dir),
		Reset: func(context.Context) error { return product.Write(dir) },
		First: true, // as in the session that builds it
	})
}

// config is how a product is started: as the app's own settings say, or, where a
// page is not where it should be, as it looks.
func (a *App) config(dir string) project.Config {
	if a.Settings == nil {
		if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
			c, _ := project.Detect(os.DirFS(dir))
			return c
		}
	}
	return a.Config
}

// Write makes dir hold exactly the tree.
func (t Tree) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range old {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	for name, data := range t {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Product reads a folder that somebody worked in: its plain files, without git's
// and the harness's own.
func Product(dir string) (Tree, error) {
	out, size := Tree{}, int64(0)
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules"):
			return fs.SkipDir
		case !e.Type().IsRegular() || workspace.IsHarnessFile(name):
			return nil
		}
		data, err := os.ReadFile(p)
		if size += int64(len(data)); size > maxProduct {
			return fmt.Errorf("%s holds more than %d bytes", dir, maxProduct)
		}
		out[name] = data
		return err
	})
	return out, err
}
