package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

const (
	// envSwitch set to 0 turns the hooks off for one command.
	envSwitch = "GIT_AGENT_HOOKS"
	// envInside marks what a hook of ours starts: no hook runs inside itself.
	envInside = "GIT_AGENT_IN_HOOK"
	// timeLimit bounds what a hook may cost a person.
	timeLimit = 20 * time.Second
)

// Run is `git agent hook NAME ARGS…`: the exit code for git. It blocks on
// violations alone; a fault of its own is one line of warning, and what it
// missed is found by CheckRange. It says nothing when nothing guarded changed.
//
// pre-commit refuses what no message could allow. What a person can allow is
// left to commit-msg, where the message, with its trailers, can be read.
func Run(ctx context.Context, dir, hook string, args []string, stdin io.Reader, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = unchecked(stderr, hook, fmt.Errorf("internal fault: %v", r))
		}
	}()
	switch {
	case switchedOff(hook):
		return 0
	case hook == hookPrePush || hook == hookPreReceive:
		return push(ctx, dir, hook, args, stdin, stderr)
	case hook != "pre-commit" && hook != "commit-msg":
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	r := &run{dir: dir, hook: hook, stderr: stderr}
	if hook == "commit-msg" {
		if len(args) == 0 {
			return unchecked(stderr, hook, fmt.Errorf("git named no message file"))
		}
		r.message = args[0]
		if !filepath.IsAbs(r.message) {
			r.message = filepath.Join(dir, r.message)
		}
	}
	refused, err := r.run(ctx)
	if err != nil {
		return unchecked(stderr, hook, err)
	}
	if refused {
		return 1
	}
	return 0
}

// unchecked is the one line that a fault costs.
func unchecked(stderr io.Writer, hook string, err error) int {
	fmt.Fprintf(stderr, "git agent: warning: %s could not check this commit: %s (git agent check HEAD does it later)\n", hook, plain.Line(err.Error(), 300))
	return 0
}

// run is one call of a hook.
type run struct {
	dir, hook string
	message   string // the file with the message, in commit-msg
	stderr    io.Writer

	repo *gitops.Repo
}

func (r *run) run(ctx context.Context) (refused bool, err error) {
	r.repo, err = gitops.OpenLenient(ctx, r.dir)
	if err != nil {
		return false, err
	}
	defer r.repo.Close()
	r.repo.ReadThroughGit()
	staged, err := r.repo.DiffIndex(ctx)
	if err != nil || (len(staged) == 0 && !r.merging()) {
		return false, err
	}
	found, err := r.judge(ctx, staged)
	if err != nil || len(found) == 0 {
		return false, err
	}
	policy, err := r.policy(ctx)
	if err != nil {
		return false, err
	}
	if r.hook == "pre-commit" {
		return r.tell(policy.settle(final(found))), nil
	}
	return r.decide(ctx, policy, found)
}

// judge runs the guards over what is about to be committed.
func (r *run) judge(ctx context.Context, staged []gitops.Change) ([]Violation, error) {
	c := &commit{repo: r.repo, diffs: []changes{byPath(staged)}, makeNew: r.repo.IndexTree, exact: true, gather: r.hook == "commit-msg"}
	base, err := r.repo.HeadTree(ctx)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) { // not found: before the first commit
		return nil, err
	}
	c.parents = append(c.parents, &tree{repo: r.repo, id: base})
	if err := r.addMerged(ctx, c); err != nil {
		return nil, err
	}
	found, err := c.judge(ctx)
	if err == nil {
		found = append(found, gitleaks(ctx, c.text)...)
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	operation, err := r.repo.Operation(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case operation == "rebase" || operation == "am":
		return nil, nil // the same commits again, on another base: history is judged by CheckRange
	case operation == "cherry-pick" || operation == "revert" || r.exists("SQUASH_MSG"):
		c.exact, c.flips = false, nil // proved where it comes from
		return c.judge(ctx)
	}
	return found, nil
}

// addMerged adds the other parents of a merge that is about to be committed.
func (r *run) addMerged(ctx context.Context, c *commit) error {
	data, err := os.ReadFile(filepath.Join(r.repo.GitDir(), "MERGE_HEAD"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the merged commits: %w", err)
	}
	head, err := r.repo.Head(ctx)
	if err != nil {
		return err
	}
	c.parents[0].commit = head.Commit
	for _, id := range strings.Fields(string(data)) {
		base, err := r.repo.TreeOf(ctx, id)
		if err != nil {
			return err
		}
		if c.new == nil {
			index, err := c.makeNew(ctx)
			if err != nil {
				return err
			}
			c.new = &tree{repo: r.repo, id: index}
		}
		diff, err := r.repo.DiffTrees(ctx, base, c.new.id)
		if err != nil {
			return err
		}
		c.parents = append(c.parents, &tree{repo: r.repo, id: base, commit: gitops.OID(id)})
		c.diffs = append(c.diffs, byPath(diff))
	}
	return nil
}

func (r *run) merging() bool { return r.exists("MERGE_HEAD") }

func (r *run) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(r.repo.GitDir(), name))
	return err == nil
}

// policy is that for people.
func (r *run) policy(ctx context.Context) (Policy, error) {
	conf, err := r.repo.Config(ctx)
	if err != nil {
		return Policy{}, err
	}
	people, _ := conf.Get("agent.people")
	return Policy{WarnOnly: strings.EqualFold(people, "warn")}, nil
}

// decide lets pass what the message or a permit allows, writes a used permit
// into the message, and reports the rest.
func (r *run) decide(ctx context.Context, p Policy, found []Violation) (refused bool, err error) {
	trailers, err := messageTrailers(ctx, r.message)
	if err != nil {
		return false, err
	}
	written := allowances(trailers)
	head, err := r.repo.Head(ctx)
	if err != nil {
		return false, err
	}
	held := permits(r.repo, head.Commit)
	p.Allow = map[string]string{trailerContract: written[trailerContract]}
	for _, guard := range Guards() {
		if p.Allow[guard] = written[guard]; p.Allow[guard] == "" {
			p.Allow[guard] = held[guard]
		}
	}
	left := p.settle(found)
	if p.WarnOnly && !r.merging() { // pre-commit has told the rest
		left = overridable(left)
	}
	if blocking(left) > 0 {
		return r.tell(left), nil
	}
	used := map[string]string{}
	for _, v := range found {
		guard := p.liftedBy(v)
		if guard != "" && written[guard] == "" {
			used[guard] = held[guard]
		}
	}
	if err := record(ctx, r.message, used); err != nil {
		return false, err
	}
	return r.tell(left), nil
}

// tell prints violations and says whether they block.
func (r *run) tell(vs []Violation) bool {
	if len(vs) == 0 {
		return false
	}
	Print(r.stderr, vs)
	if blocking(vs) == 0 {
		return false
	}
	fmt.Fprintln(r.stderr, "git agent: nothing was committed")
	return true
}

// final are the violations that nothing can allow.
func final(vs []Violation) []Violation {
	var out []Violation
	for _, v := range vs {
		if v.Override == "" {
			out = append(out, v)
		}
	}
	return out
}

// overridable are the violations that a person can allow.
func overridable(vs []Violation) []Violation {
	var out []Violation
	for _, v := range vs {
		if v.Override != "" {
			out = append(out, v)
		}
	}
	return out
}
