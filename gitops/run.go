package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mode says how much of the user's setting a call sees.
type mode int

const (
	internal mode = iota // nothing of it: no hook, filter, monitor, excludes or attributes of the user's
	settings             // reads config as it is: no -c of ours, and nothing that runs anything
	checkout             // a change in the user's work tree: their excludes, attributes, line ends and filters count
	asUser               // exactly as if the user had typed it
)

// call is one run of git.
type call struct {
	mode  mode
	args  []string
	stdin []byte
	flags []string // more -c settings, before args
	env   []string // added last
	dir   string   // "" = the top of the work tree
	noTTY bool     // in a session of its own, so that nothing can ask on the terminal
}

// hardened is what no internal call goes without.
func hardened() []string {
	return []string{
		"--no-pager", "--literal-pathspecs", "--no-replace-objects",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false",
		"-c", "core.checkStat=default", "-c", "core.trustctime=true", "-c", "core.quotePath=false",
		"-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "log.showSignature=false",
		"-c", "i18n.commitEncoding=UTF-8", "-c", "core.sshCommand=false", "-c", "core.askPass=",
	}
}

// kept says which GIT_* variables an internal call inherits: where config is,
// what the user said on the command line, and who they are.
func kept(name string) bool {
	switch name {
	case "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM":
		return true
	}
	for _, prefix := range []string{"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_AUTHOR_", "GIT_COMMITTER_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// cleanEnv is the environment of internal calls.
func cleanEnv(extra ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !kept(name) {
			continue
		}
		if strings.HasPrefix(name, "LC_") || name == "LANGUAGE" {
			continue
		}
		env = append(env, kv)
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_ASKPASS=")
	return append(env, extra...)
}

// pinned names the repository outright, so that nothing is discovered twice.
func (r *Repo) pinned() []string {
	env := []string{"GIT_DIR=" + r.gitDir, "GIT_COMMON_DIR=" + r.commonDir}
	if r.top != "" {
		env = append(env, "GIT_WORK_TREE="+r.top)
	}
	return append(env, r.quarantine...)
}

// command prepares one call.
func (r *Repo) command(ctx context.Context, c call) *exec.Cmd {
	var args []string
	env := cleanEnv(r.pinned()...)
	switch c.mode {
	case internal:
		args = append(hardened(), "-c", "core.attributesFile=", "-c", "core.excludesFile=")
	case checkout:
		args = hardened()
	case asUser:
		args = []string{"--literal-pathspecs"}
		env = r.userEnv()
	}
	args = append(args, c.flags...)
	args = append(args, c.args...)
	cmd := exec.CommandContext(ctx, r.bin, args...)
	cmd.Dir = c.dir
	if cmd.Dir == "" {
		cmd.Dir = r.base()
	}
	cmd.Env = append(env, c.env...)
	cmd.Stdin = bytes.NewReader(c.stdin)
	detach(cmd, c.mode == asUser, c.noTTY)
	if f := r.lasting.Load(); f != nil && c.mode != asUser && !c.noTTY {
		inherit(cmd, f)
	}
	// TERM lets git remove its lock files.
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// base is where calls run: the top of the work tree, or the bare repository.
func (r *Repo) base() string {
	if r.top != "" {
		return r.top
	}
	return r.gitDir
}

// userEnv is the environment of a command the user might have typed, with the
// relative paths in it resolved, since it runs in another folder.
func (r *Repo) userEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR":
			kv = "GIT_DIR=" + r.gitDir
		case "GIT_WORK_TREE":
			kv = "GIT_WORK_TREE=" + r.top
		case "GIT_INDEX_FILE":
			if !filepath.IsAbs(value) {
				kv = "GIT_INDEX_FILE=" + filepath.Join(r.base(), value)
			}
		case "GIT_PREFIX":
			continue
		}
		env = append(env, kv)
	}
	return env
}

// run runs one call and returns its output.
func (r *Repo) run(ctx context.Context, c call) ([]byte, error) {
	// A lock that someone else holds for a moment is waited for, never removed.
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		out, err := output(r.command(ctx, c), c.args)
		if !lockBusy(err) || wait > time.Second {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, err
		case <-time.After(wait):
		}
	}
}

func lockBusy(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.Contains(e.Stderr, "index.lock") && strings.Contains(e.Stderr, "File exists")
}

// output runs cmd and turns a failure into an Error.
func output(cmd *exec.Cmd, args []string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err == nil || (errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success()) {
		return out.Bytes(), nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, fmt.Errorf("run git %s: %w", args[0], err)
	}
	return out.Bytes(), &Error{Args: args, ExitCode: exit.ExitCode(), Stderr: errs.String()}
}

// line runs one plumbing call whose answer is a single line.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, call{args: args})
	return strings.TrimRight(string(out), "\n"), err
}

// records splits NUL-terminated output.
func records(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// exitCode is that of a failed git call, -1 for any other error.
func exitCode(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.ExitCode
	}
	return -1
}
