package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// Probe proves that the guard fires: in a scratch repository with our part of
// the hooks exactly as it is installed here, an ordinary commit passes and one
// that changes the list's goal is refused. Hooks of others are not run.
func Probe(ctx context.Context, repo *gitops.Repo) error {
	state, err := Inspect(ctx, repo)
	if err != nil {
		return err
	}
	for _, h := range state.Hooks {
		if !h.Effective {
			return hint.Errorf("git agent hooks status shows how they stand", "the hook %s does not fire: %s", h.Hook, h.Problem)
		}
	}
	dir, err := os.MkdirTemp("", "git-agent-probe-")
	if err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	defer os.RemoveAll(dir)
	s := &scratch{dir: filepath.Join(dir, "repo"), home: dir}
	if err := s.prepare(ctx, state); err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	if repo.Bare() {
		return s.tryPush(ctx)
	}
	return s.try(ctx)
}

// scratch is a repository of the probe's own.
type scratch struct{ dir, home string }

// prepare makes a repository with a list and our part of the hooks.
func (s *scratch) prepare(ctx context.Context, state State) error {
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return err
	}
	if err := s.list("a goal that stays"); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", "--template="},
		{"config", "user.name", "git agent"}, {"config", "user.email", "git-agent@localhost"}, {"config", "commit.gpgSign", "false"},
		{"add", features.Path},
		{"-c", "core.hooksPath=" + os.DevNull, "commit", "-q", "-m", "start"},
	} {
		if out, err := s.git(ctx, args...); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, plain.Line(out, 300))
		}
	}
	for _, h := range state.Hooks {
		content, err := os.ReadFile(h.Path)
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, ".git", "hooks", h.Hook)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, ourPart(content, h.Hook), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// ourPart is what of a hook is git agent's, as a script of its own.
func ourPart(content []byte, hook string) []byte {
	if p := takeApart(content); p.form != formNone {
		return append([]byte(shebang), p.section...)
	}
	script := shebang
	for line := range strings.Lines(string(content)) {
		if manual([]byte(line), hook) {
			script += line
		}
	}
	return []byte(script)
}

// try makes the two commits.
func (s *scratch) try(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(s.dir, "readme"), []byte("a file\n"), 0o644); err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	if out, err := s.commit(ctx, "readme"); err != nil {
		return fmt.Errorf("the hooks refuse an ordinary commit: %s", plain.Line(out, 300))
	}
	if err := s.list("another goal"); err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	out, err := s.commit(ctx, features.Path)
	return s.judge(out, err)
}

// judge says whether the change of the goal was refused for what it is.
func (s *scratch) judge(out string, err error) error {
	switch {
	case err == nil:
		return hint.Errorf("is git-agent on the PATH, and GIT_AGENT_HOOKS not 0?", "the hooks let a change of the goal pass: %s", orNone(plain.Line(out, 300)))
	case !strings.Contains(out, "features.goal"):
		return fmt.Errorf("the hooks fail for another reason than the guard: %s", plain.Line(out, 300))
	}
	return nil
}

// tryPush pushes the two commits to a scratch server that has our part of
// pre-receive.
func (s *scratch) tryPush(ctx context.Context) error {
	hooksDir := filepath.Join(s.dir, ".git", "hooks")
	server := filepath.Join(s.home, "server.git")
	if out, err := s.git(ctx, "init", "-q", "--bare", "--template=", server); err != nil {
		return fmt.Errorf("probe the hooks: %w: %s", err, plain.Line(out, 300))
	}
	if err := os.Rename(hooksDir, filepath.Join(server, "hooks")); err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	push := func() (string, error) { return s.git(ctx, "push", "-q", server, "HEAD:refs/heads/main") }
	if out, err := push(); err != nil {
		return fmt.Errorf("the hooks refuse an ordinary push: %s", plain.Line(out, 300))
	}
	if err := s.list("another goal"); err != nil {
		return fmt.Errorf("probe the hooks: %w", err)
	}
	if out, err := s.commit(ctx, features.Path); err != nil {
		return fmt.Errorf("probe the hooks: %w: %s", err, plain.Line(out, 300))
	}
	out, err := push()
	return s.judge(out, err)
}

func (s *scratch) commit(ctx context.Context, path string) (string, error) {
	if out, err := s.git(ctx, "add", path); err != nil {
		return out, err
	}
	return s.git(ctx, "commit", "-q", "-m", "try")
}

func (s *scratch) list(goal string) error {
	l, err := features.New("probe", goal, []features.Feature{{ID: "F001", Category: "functional", Description: "a feature", Steps: []string{"a step"}, Priority: 1}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, features.Path), l.Bytes(), 0o644)
}

// git runs git in the scratch repository, away from the user's config.
func (s *scratch) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = s.dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, envSwitch+"=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+s.home, "XDG_CONFIG_HOME="+s.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", fmt.Errorf("run git %s: %w", args[0], err)
	}
	return string(out), err
}
