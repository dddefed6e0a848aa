package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gitagent/internal/hint"
)

// Repo is one repository seen from one work tree. It is safe for concurrent use.
type Repo struct {
	bin        string
	top        string // "" when there is no work tree
	gitDir     string
	commonDir  string
	format     string // sha1 or sha256
	bare       bool
	index      string   // GIT_INDEX_FILE as inherited from git, "" = the repository's own
	indexErr   error    // why an inherited GIT_INDEX_FILE is not used
	quarantine []string // where a receiving server keeps objects that are not accepted yet

	mu     sync.Mutex
	fast   objectReader
	batch  *catFile
	noFast bool

	lasting atomic.Pointer[os.File] // see Outlast
}

// Open finds the repository that dir is in and refuses, with advice, what
// sessions cannot work in: no repository, bare, submodules, sparse checkouts,
// partial clones, git before 2.36. It honours GIT_DIR and GIT_WORK_TREE.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r, err := OpenLenient(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := r.checkVersion(ctx); err != nil {
		return nil, err
	}
	if r.bare {
		return nil, hint.Errorf("run it in a clone with a work tree", "%s is a bare repository", r.gitDir)
	}
	if r.top == "" {
		return nil, hint.Errorf("change to the project's folder", "%s is inside a .git folder, not in a work tree", dir)
	}
	if err := r.refuseForged(); err != nil {
		return nil, err
	}
	if err := r.refuseSpecial(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// OpenLenient is Open for hooks and commands that only read: bare
// repositories, submodules, sparse checkouts and partial clones are allowed.
// Reading gets by with an older git, so its version is not asked for, unless
// the repository cannot be found: that may be why.
func OpenLenient(ctx context.Context, dir string) (*Repo, error) {
	bin, err := exec.LookPath("git")
	if err != nil {
		return nil, hint.Errorf("install git 2.36 or later", "git is not on the PATH: %w", err)
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return nil, fmt.Errorf("locate git: %w", err)
	}
	r := &Repo{bin: bin}
	if err := r.locate(ctx, dir); err != nil {
		if old := r.checkVersion(ctx); old != nil {
			return nil, old
		}
		return nil, err
	}
	r.inherit()
	return r, nil
}

// checkVersion refuses a git that lacks what the package calls.
func (r *Repo) checkVersion(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, r.bin, "version")
	cmd.Env = cleanEnv()
	out, err := output(cmd, []string{"version"})
	if err != nil {
		return err
	}
	if !atLeast(string(out), 2, 36) {
		return hint.Errorf("install git 2.36 or later", "%s is too old", strings.TrimSpace(string(out)))
	}
	return nil
}

// atLeast reads "git version 2.39.5 (…)".
func atLeast(version string, major, minor int) bool {
	fields := strings.Fields(version)
	if len(fields) < 3 {
		return false
	}
	parts := strings.Split(fields[2], ".")
	if len(parts) < 2 {
		return false
	}
	a, err1 := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return false
	}
	return a > major || (a == major && b >= minor)
}

// locate asks git where the repository is; from then on it is pinned.
func (r *Repo) locate(ctx context.Context, dir string) error {
	var env []string
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE"} {
		value, ok := os.LookupEnv(name)
		if !ok || value == "" {
			continue
		}
		abs, err := filepath.Abs(value) // relative to our folder, which need not be dir
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		env = append(env, name+"="+abs)
	}
	args := []string{"rev-parse", "--path-format=absolute", "--is-bare-repository", "--show-object-format",
		"--git-dir", "--git-common-dir", "--show-toplevel"}
	cmd := exec.CommandContext(ctx, r.bin, append(hardened(), args...)...)
	cmd.Dir, cmd.Env = dir, cleanEnv(env...)
	out, err := output(cmd, args)
	lines := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 5)
	if len(lines) < 4 {
		return notARepository(dir, err)
	}
	r.bare, r.format = lines[0] == "true", lines[1]
	r.gitDir, r.commonDir = filepath.Clean(lines[2]), filepath.Clean(lines[3])
	if err == nil && len(lines) == 5 { // --show-toplevel fails without a work tree
		r.top = filepath.Clean(lines[4])
	}
	return nil
}

func notARepository(dir string, err error) error {
	var e *Error
	if errors.As(err, &e) && strings.Contains(e.Stderr, "not a git repository") {
		if abs, aerr := filepath.Abs(dir); aerr == nil {
			dir = abs
		}
		return hint.Errorf("run `git init` there first, or change to a repository", "%s is not in a git repository", dir)
	}
	if err == nil {
		err = errors.New("git gave an answer that is not understood")
	}
	return fmt.Errorf("find the repository of %s: %w", dir, err)
}

// inherit takes over what git hands to a hook: the index to be committed and,
// on a receiving server, the objects not yet accepted.
func (r *Repo) inherit() {
	if path := os.Getenv("GIT_INDEX_FILE"); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.base(), path)
		}
		if within(r.gitDir, path) || within(r.commonDir, path) {
			r.index = path
		} else {
			r.indexErr = hint.Errorf("unset GIT_INDEX_FILE", "GIT_INDEX_FILE points outside the repository: %s", path)
		}
	}
	if os.Getenv("GIT_QUARANTINE_PATH") != "" {
		for _, name := range []string{"GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"} {
			if v := os.Getenv(name); v != "" {
				r.quarantine = append(r.quarantine, name+"="+v)
			}
		}
	}
}

// within says whether path lies below dir, links resolved.
func within(dir, path string) bool {
	real, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		dir = d
	}
	rel, err := filepath.Rel(dir, filepath.Join(real, filepath.Base(path)))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// refuseSpecial names what the first version does not support.
func (r *Repo) refuseSpecial(ctx context.Context) error {
	conf, err := r.Config(ctx)
	if err != nil {
		return err
	}
	if sparse, err := conf.Bool("core.sparseCheckout", false); err != nil {
		return err
	} else if sparse {
		return hint.Errorf("use a full checkout, for example a second clone", "sparse checkouts are not supported yet")
	}
	for _, s := range conf.settings {
		promisor := strings.HasPrefix(s.key, "remote.") && strings.HasSuffix(s.key, ".promisor")
		if s.key == "extensions.partialclone" || (promisor && s.value != "false") {
			return hint.Errorf("use a full clone", "partial clones are not supported yet")
		}
	}
	if _, err := os.Lstat(filepath.Join(r.top, ".gitmodules")); err == nil {
		return hint.Errorf("work in a repository without submodules", "submodules are not supported yet (.gitmodules exists)")
	}
	return nil
}

// Top is the top of the work tree, "" when there is none.
func (r *Repo) Top() string { return r.top }

// GitDir is the git folder of this work tree.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git folder that all work trees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// AgentDir is where private state belongs. It is not created here.
func (r *Repo) AgentDir() string { return filepath.Join(r.commonDir, "agent") }

// Bare says whether the repository has no work tree by nature.
func (r *Repo) Bare() bool { return r.bare }

// Close ends the helper process and closes the packs, where any were opened.
// What is read after it opens them again.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	if r.fast != nil {
		errs = append(errs, r.fast.close())
		r.fast = nil
	}
	if r.batch != nil {
		errs = append(errs, r.batch.close())
		r.batch = nil
	}
	return errors.Join(errs...)
}
