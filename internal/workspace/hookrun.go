package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/sandbox"
)

const (
	hooksTimeout   = 10 * time.Minute
	maxReformatted = 5000     // files
	maxHookBlob    = 64 << 20 // bytes of one of them
)

// RunUserHooks lets the user's own hooks see the commit of tree on base (a
// commit, "" = none) before it is made: a real `git commit` in a throwaway
// repository, sandboxed. ours takes our section out of a hook (hooks.Ours). The
// folders installed (a check tree) lend what they have installed, for reading.
// Without hooks of the user's nothing runs.
func RunUserHooks(ctx context.Context, repo *gitops.Repo, sb *sandbox.Sandbox, base, tree gitops.OID, message string,
	ours func(content []byte) (userPart []byte, ours bool), installed ...string) (HookResult, error) {
	accepted := HookResult{Tree: tree, Message: message}
	set, err := effectiveHooks(ctx, repo, ours)
	if err != nil || set == nil {
		return accepted, err
	}
	root, err := StateRoot()
	if err != nil {
		return accepted, err
	}
	c, err := take(root, fmt.Sprintf("%s-hooks-%d-%d", repoHash(repo), os.Getpid(), time.Now().UnixNano()))
	if err != nil {
		return accepted, err
	}
	run := &hookRun{repo: repo, work: filepath.Join(c.dir, "work"), base: base, tree: tree, message: message}
	err = run.prepare(ctx, set, installed)
	if err == nil {
		err = run.inCell(ctx, sb, installed)
	}
	if err = errors.Join(err, c.release()); err != nil {
		return accepted, fmt.Errorf("run the user's hooks: %w", err)
	}
	return run.result, nil
}

// hookRun is one commit tried out. After the hooks ran, the repository in work
// is foreign: it is only asked from inside the cell.
type hookRun struct {
	repo       *gitops.Repo
	work       string
	base, tree gitops.OID
	message    string
	cell       *sandbox.Cell
	result     HookResult
}

// prepare makes the throwaway repository.
func (h *hookRun) prepare(ctx context.Context, set *hookSet, installed []string) error {
	if err := os.MkdirAll(h.work, 0o700); err != nil {
		return err
	}
	head, err := h.repo.Head(ctx)
	if err != nil {
		return err
	}
	conf, err := h.repo.Config(ctx)
	if err != nil {
		return err
	}
	spec := gitops.ThrowawaySpec{Branch: head.Branch, Base: h.base, Tree: h.tree, Settings: conf.Section("hooks.")}
	for k, v := range set.config {
		spec.Settings[k] = v
	}
	if set.inTree != "" {
		spec.Settings["core.hooksPath"] = filepath.ToSlash(set.inTree)
	}
	lent, err := h.lend(ctx, installed)
	if err != nil {
		return err
	}
	for name := range lent {
		spec.Excludes = append(spec.Excludes, "/"+name)
	}
	if set.inTree != "" {
		spec.Excludes = append(spec.Excludes, "/"+filepath.ToSlash(set.inTree)+"/")
	}
	if err := h.repo.Throwaway(ctx, h.work, spec); err != nil {
		return err
	}
	for name, target := range lent {
		if err := os.Symlink(target, filepath.Join(h.work, name)); err != nil {
			return err
		}
	}
	return set.place(h.work)
}

// lend finds what lies at the top of the installed folders and not in the
// tree, such as node_modules.
func (h *hookRun) lend(ctx context.Context, installed []string) (map[string]string, error) {
	lent := map[string]string{}
	for _, dir := range installed {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			_, err := h.repo.EntryAt(ctx, h.tree, e.Name())
			if errors.Is(err, gitops.ErrNotFound) && e.IsDir() && e.Name() != ".git" {
				lent[e.Name()] = filepath.Join(dir, e.Name())
			} else if err != nil && !errors.Is(err, gitops.ErrNotFound) {
				return nil, err
			}
		}
	}
	return lent, nil
}

// inCell commits in the sandbox and takes the outcome back.
func (h *hookRun) inCell(ctx context.Context, sb *sandbox.Sandbox, installed []string) (err error) {
	policy := sandbox.Policy{
		Dir: h.work, Writable: []string{h.work}, Hidden: []string{h.repo.Top(), h.repo.CommonDir()},
		ReadOnly: append(h.repo.ObjectDirs(), installed...),
		Env:      []string{"GIT_AGENT_HOOKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "GIT_CONFIG_NOSYSTEM=1"},
	}
	if h.cell, err = sb.Open(ctx, policy); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.cell.Close()) }()
	output, ok, err := h.commit(ctx)
	if err != nil {
		return err
	}
	if !ok {
		// Some formatters change files and refuse, so that a person looks and
		// commits again. That is done once.
		res, err := h.git(ctx, "diff", "--quiet")
		if err != nil {
			return err
		}
		if res.ExitCode == 1 {
			if _, err := h.git(ctx, "add", "-u"); err != nil {
				return err
			}
			if output, ok, err = h.commit(ctx); err != nil {
				return err
			}
		}
	}
	h.result = HookResult{Tree: h.tree, Message: h.message}
	if !ok {
		h.result.Refused = output
		return nil
	}
	return h.takeBack(ctx)
}

func (h *hookRun) git(ctx context.Context, args ...string) (sandbox.Result, error) {
	res, err := h.cell.Run(ctx, sandbox.Spec{Argv: append([]string{"git"}, args...), Timeout: hooksTimeout, MaxOutput: maxHookBlob})
	if err != nil {
		return res, fmt.Errorf("git %s: %w", args[0], err)
	}
	return res, nil
}

// commit tries the commit; its output never is empty when it is refused.
func (h *hookRun) commit(ctx context.Context) (output string, ok bool, err error) {
	res, err := h.cell.Run(ctx, sandbox.Spec{Argv: []string{"git", "commit", "-q", "-F", "-"}, Stdin: strings.NewReader(h.message), Timeout: hooksTimeout})
	if err != nil {
		return "", false, fmt.Errorf("git commit: %w", err)
	}
	output = strings.TrimSpace(string(res.Output))
	switch {
	case res.TimedOut:
		output = fmt.Sprintf("the hooks did not end within %s\n%s", hooksTimeout, output)
	case res.ExitCode != 0 && output == "":
		output = fmt.Sprintf("a hook refused without a word (exit code %d)", res.ExitCode)
	}
	return output, res.ExitCode == 0 && !res.TimedOut, nil
}

// takeBack reads what the hooks made of tree and message, from inside the cell,
// and rebuilds it here blob by blob: ids that do not match are refused.
func (h *hookRun) takeBack(ctx context.Context) error {
	res, err := h.git(ctx, "log", "-1", "--format=%B")
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(res.Stdout)); res.ExitCode == 0 && text != "" {
		h.result.Message = text + "\n"
	}
	if strings.TrimSpace(h.result.Message) == strings.TrimSpace(h.message) {
		h.result.Message = h.message
	}
	res, err = h.git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", string(h.tree), "HEAD")
	if err != nil {
		return err
	}
	if res.ExitCode != 0 || res.Dropped > 0 {
		return errors.New("what the hooks changed could not be read")
	}
	changes, err := gitops.ParseRaw(res.Stdout)
	if err != nil {
		return err
	}
	if len(changes) > maxReformatted {
		return fmt.Errorf("the hooks changed %d files", len(changes))
	}
	var edits []gitops.Edit
	for _, c := range changes {
		if IsHarnessFile(c.Path) {
			continue // only the harness writes those
		}
		edit, err := h.edit(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		edits = append(edits, edit)
	}
	if len(edits) > 0 {
		h.result.Tree, err = h.repo.EditTree(ctx, h.tree, edits)
	}
	return err
}

func (h *hookRun) edit(ctx context.Context, c gitops.Change) (gitops.Edit, error) {
	if c.Status == 'D' {
		return gitops.Edit{Path: c.Path, Delete: true}, nil
	}
	res, err := h.git(ctx, "cat-file", "blob", string(c.NewOID))
	if err != nil {
		return gitops.Edit{}, err
	}
	if res.ExitCode != 0 || res.Dropped > 0 {
		return gitops.Edit{}, errors.New("what a hook made of it could not be read")
	}
	id, err := h.repo.WriteBlob(ctx, res.Stdout)
	if err != nil {
		return gitops.Edit{}, err
	}
	if id != c.NewOID {
		return gitops.Edit{}, errors.New("its content does not match its id")
	}
	return gitops.Edit{Path: c.Path, Mode: c.NewMode, Blob: id}, nil
}
