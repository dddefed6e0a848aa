package hooks

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gitagent/gitops"
)

// State is how the hooks stand.
type State struct {
	Dir        string `json:"dir"`
	Configured bool   `json:"configured"`         // core.hooksPath names another folder than the usual one
	Origin     string `json:"origin,omitempty"`   // the file that sets it
	Husky      bool   `json:"husky,omitempty"`    // the hooks are husky's
	Obstacle   string `json:"obstacle,omitempty"` // why git agent does not write there
	Binary     string `json:"binary,omitempty"`   // what PATH finds
	// Bare is what a graphical client finds, which has a bare PATH: git-agent in
	// the usual places, or the path recorded in the hooks; "" for nothing.
	Bare  string      `json:"bare,omitempty"`
	Hooks []HookState `json:"hooks"`
	// ByConfig are hooks of git's own config, which run before the files where
	// git knows them (from 2.54 on).
	ByConfig []string `json:"by_config,omitempty"`
}

// HookState is how one hook stands.
type HookState struct {
	Hook       string `json:"hook"`
	Path       string `json:"path"`
	Form       string `json:"form,omitempty"` // created, section, joined, kept, by hand; "" when not installed
	Installed  bool   `json:"installed"`
	Executable bool   `json:"executable"`
	Effective  bool   `json:"effective"` // git runs it, and our part is reached
	Kept       string `json:"kept,omitempty"`
	Problem    string `json:"problem,omitempty"`
}

// OK says whether every hook is installed and effective, and finds its binary.
func (s State) OK() bool {
	for _, h := range s.Hooks {
		if !h.Effective {
			return false
		}
	}
	return len(s.Hooks) > 0 && (s.Binary != "" || s.Bare != "")
}

// Inspect says how the hooks stand. It changes nothing and runs nothing.
func Inspect(ctx context.Context, repo *gitops.Repo) (State, error) {
	t, err := find(ctx, repo)
	if err != nil {
		return State{}, err
	}
	s := State{Dir: t.dir, Configured: t.path.Configured, Origin: t.path.Origin, Husky: t.husky}
	if refusal := t.refusal(repo); refusal != nil {
		s.Obstacle = refusal.Error()
	}
	s.Binary, _ = exec.LookPath("git-agent")
	s.Bare = usualPlace()
	for _, name := range t.names {
		f := hookFile{name: name, path: filepath.Join(t.dir, name)}
		if !t.path.Disabled {
			if f, err = t.file(name); err != nil {
				s.Hooks = append(s.Hooks, HookState{Hook: name, Path: f.path, Problem: err.Error()})
				continue
			}
		}
		if s.Bare == "" {
			s.Bare = recorded(f.content)
		}
		s.Hooks = append(s.Hooks, t.state(repo, f))
	}
	s.ByConfig, err = byConfig(ctx, repo)
	return s, err
}

// state judges one hook file.
func (t target) state(repo *gitops.Repo, f hookFile) HookState {
	p := takeApart(f.content)
	h := HookState{Hook: f.name, Path: f.path, Form: string(p.form), Installed: p.form != formNone, Executable: f.exists && f.runs(t.husky)}
	if p.form == formKept {
		h.Kept = f.kept
	}
	if !h.Installed && manual(f.content, f.name) {
		h.Form, h.Installed = string(formManual), true
	}
	switch {
	case t.path.Disabled:
		h.Problem = "core.hooksPath switches all hooks off"
	case !h.Installed && t.shadowed(repo, f.name):
		h.Problem = "it is installed in " + filepath.Join(repo.CommonDir(), "hooks") + ", but core.hooksPath sends git to " + t.dir
	case !h.Installed:
		h.Problem = "it is not installed; git agent hooks install does it"
	case !h.Executable:
		h.Problem = "it has no run bit, so git does not run it"
	case t.husky && !exists(filepath.Join(t.path.Dir, f.name)):
		h.Problem = "husky's own part of it is missing; npm install makes it"
	case (p.form == formSection || p.form == formJoined) && unreached(p.user) != "":
		h.Problem = "git agent's part may not be reached: " + unreached(p.user)
	default:
		h.Effective = true
	}
	return h
}

// byConfig lists the hooks that git's own config has for a commit.
func byConfig(ctx context.Context, repo *gitops.Repo) ([]string, error) {
	conf, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for key := range conf.Section("hook.") {
		name, isEvent := strings.CutSuffix(strings.TrimPrefix(key, "hook."), ".event")
		for _, event := range conf.All(key) {
			if isEvent && (slices.Contains(hookNames(), event) || event == hookPrePush || event == hookPreReceive) {
				out = append(out, name+" ("+event+")")
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// unreached is why a section after this text may not be reached.
func unreached(user []byte) string {
	_, why := appendable(user)
	return why
}

// shadowed says whether our hook sits in the usual folder while git looks in
// another.
func (t target) shadowed(repo *gitops.Repo, name string) bool {
	if !t.path.Configured {
		return false
	}
	data, err := os.ReadFile(filepath.Join(repo.CommonDir(), "hooks", name))
	return err == nil && takeApart(data).form != formNone
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// usualPlace finds git-agent where every PATH looks.
func usualPlace() string {
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		path := filepath.Join(dir, "git-agent")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

var recordedPath = regexp.MustCompile(`(?m)^elif \[ -x ('(?:[^'\n]|'\\'')*') \]; then `)

// recorded is the path that a hook falls back to, if it can be run.
func recorded(content []byte) string {
	m := recordedPath.FindSubmatch(takeApart(content).section)
	if m == nil {
		return ""
	}
	path := strings.ReplaceAll(strings.Trim(string(m[1]), "'"), `'\''`, "'")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}
