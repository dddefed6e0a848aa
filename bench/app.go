package bench

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"gitagent/features"
	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
)

//go:embed apps/*.txtar
var stored embed.FS

// App is one app of the suite.
type App struct {
	Name      string
	About     string // in the words of the person who asks for it
	List      []byte // features.json, as a person gives it to init
	Features  []features.Feature
	Settings  []byte // .agent/config; nil where a static page needs none
	Config    project.Config
	Contracts map[string]*contract.Contract // by feature
	Right     Tree
	Wrong     []Wrong
}

// Tree is a product: its files by their slash paths.
type Tree map[string][]byte

// Wrong is a solution that looks right.
type Wrong struct {
	Name, Why string
	// Fails is the verdict that each of the features named gets; all others
	// pass.
	Fails map[string]string
	Tree  Tree
}

// Apps loads the suite, in order of the names.
func Apps() ([]*App, error) {
	names, err := fs.Glob(stored, "apps/*.txtar")
	if err != nil {
		return nil, err
	}
	var out []*App
	for _, name := range names {
		data, err := stored.ReadFile(name)
		if err != nil {
			return nil, err
		}
		app, err := Parse(strings.TrimSuffix(path.Base(name), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, app)
	}
	return out, nil
}

// Parse reads the file of one app. Whether a contract is a good one for its
// feature is contract.Validate's business.
func Parse(name string, data []byte) (*App, error) {
	ar := txtar.Parse(data)
	a := &App{Name: name, About: strings.TrimSpace(string(ar.Comment)), Right: Tree{}}
	if a.About == "" {
		return nil, errors.New("nobody says what the app is")
	}
	files := Tree{}
	for _, f := range ar.Files {
		if _, twice := files[f.Name]; twice || !fs.ValidPath(f.Name) {
			return nil, fmt.Errorf("file %q is there twice or has no proper path", f.Name)
		}
		files[f.Name] = f.Data
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		rest, isRight := strings.CutPrefix(p, "right/")
		switch {
		case isRight:
			a.Right[rest] = files[p]
		case strings.HasPrefix(p, "wrong/"):
		case !slices.Contains([]string{"features.json", "config", "contracts.json"}, p):
			return nil, fmt.Errorf("file %s has no place in the suite", p)
		}
	}
	if err := a.read(files); err != nil {
		return nil, err
	}
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "wrong/")
		if !ok {
			continue
		}
		w, err := a.parseWrong(name, string(f.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		a.Wrong = append(a.Wrong, w)
	}
	if len(a.Right) == 0 || len(a.Wrong) < 3 {
		return nil, fmt.Errorf("%d files of a right solution and %d wrong ones; at least 1 and 3", len(a.Right), len(a.Wrong))
	}
	return a, nil
}

// read takes the parts of the app that are not its solutions.
func (a *App) read(files Tree) error {
	a.List = files["features.json"]
	list, err := features.Import(a.List, a.Name, a.About)
	if err != nil {
		return fmt.Errorf("features.json: %w", err)
	}
	a.Features = list.Features
	if a.Settings = files["config"]; a.Settings != nil {
		if a.Config, err = project.Parse(a.Settings); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	a.Contracts, err = parseContracts(files["contracts.json"])
	if err != nil {
		return fmt.Errorf("contracts.json: %w", err)
	}
	for _, f := range a.Features {
		if a.Contracts[f.ID] == nil {
			return fmt.Errorf("contracts.json has no contract for %s", f.ID)
		}
	}
	if len(a.Contracts) != len(a.Features) {
		return fmt.Errorf("%d contracts for %d features", len(a.Contracts), len(a.Features))
	}
	return nil
}

// parseContracts reads contracts by their features. What every contract says of
// itself is left out in a suite file.
func parseContracts(data []byte) (map[string]*contract.Contract, error) {
	var raw map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	out := map[string]*contract.Contract{}
	for id, fields := range raw {
		fields["version"] = json.RawMessage(fmt.Sprint(contract.Version))
		fields["revision"] = json.RawMessage("1")
		fields["feature"] = json.RawMessage(`"` + id + `"`)
		one, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		if out[id], err = contract.Parse(one); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return out, nil
}
