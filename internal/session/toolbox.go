package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/tools"
)

// toolBox gives the executor its rights: the session tree through the file
// tools, the scratch tree through commands and page trials.
func (s *step) toolBox() (*tools.Box, func() error, error) {
	root, err := os.OpenRoot(s.ws.SessionDir())
	if err != nil {
		return nil, nil, fmt.Errorf("session tree: %w", err)
	}
	env := tools.Env{
		Root:      root,
		Run:       s.runCommand,
		CheckPage: s.checkPage,
		LastPage:  func() string { return s.lastPage },
		Protected: s.protected(),
		Static:    s.cfg.Static,
		ReadLimit: s.loaded.Context * 3 / 4, // a quarter of the context at three bytes a token
	}
	return tools.NewBox(env, ExecutorTools()...), root.Close, nil
}

// protected refuses what the rules of this repository protect: tests that
// existed before the work, and paths that would not be kept.
func (s *step) protected() func(string) string {
	old := map[string]bool{}
	entries, err := s.repo.ListTree(context.Background(), s.baseID)
	patterns := s.cfg.Protected()
	for _, e := range entries {
		if project.IsTestPath(e.Path, patterns) {
			old[e.Path] = true
		}
	}
	hooks, herr := s.repo.HooksPath(context.Background())
	err = errors.Join(err, herr)
	return func(path string) string {
		switch {
		case err != nil:
			return "what is protected could not be read: " + err.Error()
		case hooks.InWorktree && within(s.repo.Top(), hooks.Dir, path):
			return "git hooks belong to the person"
		case old[path]:
			return "it is an existing test or fixture; tests that exist may not be changed. Add a new file instead"
		case s.ws.Ignored(path):
			return "it is an ignored path (.gitignore), so it would not be kept"
		}
		return ""
	}
}

// within says whether a path of the tree at top lies in dir, in any spelling.
// Of the whole tree as a folder of hooks only what is named like a hook does.
func within(top, dir, name string) bool {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return true
	}
	if rel == "." {
		base, _, _ := strings.Cut(strings.ToLower(name), ".")
		return hookName.MatchString(base)
	}
	rel, name = strings.ToLower(filepath.ToSlash(rel)), strings.ToLower(name)
	return name == rel || strings.HasPrefix(name, rel+"/")
}

// hookName matches the names of git's hooks.
var hookName = regexp.MustCompile(`^((pre|post|prepare|commit|update|push|proc|fsmonitor|reference|applypatch|sendemail|p4)-[a-z0-9-]+|update)$`)

// runCommand runs a command of the model in the scratch tree, on exactly the
// files of the session tree.
func (s *step) runCommand(ctx context.Context, command string, timeout time.Duration) (tools.CommandResult, error) {
	tree, err := s.ws.SyncScratch(ctx)
	if err != nil {
		return tools.CommandResult{}, err
	}
	s.tree = tree
	s.mark("do")
	if timeout <= 0 || timeout > s.set.Command {
		timeout = s.set.Command
	}
	res, err := s.inScratch(ctx, command, timeout)
	if err != nil {
		return tools.CommandResult{}, err
	}
	protected := s.protected()
	kept, err := s.ws.AfterCommand(ctx, tree, func(path string) bool { return tools.Forbidden(path) != "" || protected(path) != "" })
	if err != nil {
		return tools.CommandResult{}, err
	}
	return tools.CommandResult{
		ExitCode: res.ExitCode, Output: plain.Text(string(res.Output)), Dropped: res.Dropped,
		TimedOut: res.TimedOut, Limit: timeout, Signal: res.Signal, Exceeded: res.Exceeded, Flooded: res.Flooded, Kept: kept.Kept, Lost: kept.Lost,
	}, nil
}

// inScratch runs a command in a cell that has ended, with all that was started
// in it, when it returns.
func (s *step) inScratch(ctx context.Context, command string, timeout time.Duration) (sandbox.Result, error) {
	cell, err := s.sb.Open(ctx, s.policy(s.ws.ScratchDir()))
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := cell.Run(ctx, sandbox.Spec{Argv: []string{"/bin/sh", "-c", command}, Timeout: timeout, MaxOutput: 16 << 10})
	return res, errors.Join(err, cell.Close())
}

// policy is what the model's commands may do. Their home and their caches are
// their own: nothing they leave there is ever seen by a check.
func (s *step) policy(dir string) sandbox.Policy {
	return sandbox.Policy{
		Dir: dir, Writable: []string{dir}, Hidden: s.hidden(),
		Home: filepath.Join(s.ws.TempDir(), "command", "home"), Temp: filepath.Join(s.ws.TempDir(), "command", "tmp"),
		Cache: filepath.Join(s.ws.CacheDir(), "command"),
	}
}

// checkPage is the executor's own trial of a page, with the same driver that
// judges, in the scratch tree.
func (s *step) checkPage(ctx context.Context, scenario json.RawMessage) (string, error) {
	tree, err := s.ws.SyncScratch(ctx)
	if err != nil {
		return "", err
	}
	s.tree = tree
	res, err := s.ver.Page(ctx, scenario, s.target(s.ws.ScratchDir(), tree))
	if err != nil {
		return "", err
	}
	return s.told(res), nil
}

// told is what the model is told of a page; what that leaves out can be read as
// a file that lies in none of the trees.
func (s *step) told(res browser.Result) string {
	if s.lastPage = string(res.Whole()); s.lastPage != "" {
		res.Full = tools.PageResult + " (read it with read_file)"
	}
	return string(res.Inline())
}

// take reads a file of the session tree for a prompt; what is not there is
// empty.
func (s *step) take(ctx context.Context, tree gitops.OID, path string, max int) string {
	data, err := s.repo.ReadFile(ctx, tree, path)
	if err != nil {
		return ""
	}
	return plain.Clip(plain.Text(string(data)), max)
}
