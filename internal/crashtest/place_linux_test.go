package crashtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/sandbox"
	"gitagent/internal/testenv"
	"gitagent/progress"
)

// place is a machine with one repository, in which somebody is at work.
type place struct{ root, repo string }

// env is the environment of everything that runs in the place; git is ours,
// which waits where a trap is set.
func (p *place) env() []string {
	in := func(parts ...string) string { return filepath.Join(append([]string{p.root}, parts...)...) }
	return []string{
		"HOME=" + in("home"), "XDG_CONFIG_HOME=" + in("home", ".config"), "XDG_STATE_HOME=" + in("state"), "XDG_CACHE_HOME=" + in("home", ".cache"),
		"TMPDIR=" + in("tmp"), "PATH=" + in("bin") + string(os.PathListSeparator) + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TERM=dumb", "OLLAMA_HOST=http://127.0.0.1:1", "TRAP_HIT=" + in("hit"),
	}
}

// git runs the real git as the person.
func (p *place) git(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.repo, append(p.env(), "PATH="+os.Getenv("PATH"), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// wrapper is a git that waits, or that says that it has done what it should.
// Whoever waits too long goes on.
const wrapper = `#!/bin/sh
if [ -n "$TRAP_COUNT" ]; then printf x >>"$TRAP_COUNT"; fi
if [ -n "$TRAP_BEFORE" ]; then case "$*" in *$TRAP_BEFORE*) : >"$TRAP_HIT"; sleep "$TRAP_SLEEP" ;; esac; fi
if [ -n "$TRAP_AFTER" ]; then case "$*" in *$TRAP_AFTER*) '@GIT@' "$@"; code=$?; : >"$TRAP_HIT"; sleep "$TRAP_SLEEP"; exit $code ;; esac; fi
exec '@GIT@' "$@"
`

// slowFilter waits in the middle of a checkout.
const slowFilter = `#!/bin/sh
if [ -n "$TRAP_SMUDGE" ]; then : >"$TRAP_HIT"; sleep "$TRAP_SLEEP"; fi
cat
`

// barePlace makes a place with an empty repository.
func barePlace(t testing.TB) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{root: root, repo: filepath.Join(root, "repo")}
	for _, dir := range []string{"home", "state", "tmp", "bin", "repo"} {
		must(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	real, err := exec.LookPath("git")
	must(t, err)
	script(t, root, "bin/git", strings.ReplaceAll(wrapper, "@GIT@", real))
	script(t, root, "home/slow", slowFilter)
	sandboxed := ""
	if sb, err := sandbox.New(context.Background(), sandbox.Options{}); err != nil || sb.Level() < sandbox.Namespaces {
		sandboxed = "[agent]\n\tsandbox = processes\n"
	}
	testenv.Write(t, root, "home/.gitconfig", sandboxed+"[user]\n\tname = A Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n[filter \"slow\"]\n\tsmudge = "+filepath.Join(root, "home", "slow")+"\n")
	testenv.Write(t, root, "home/.config/git/attributes", "lib.txt filter=slow\n")
	testenv.Write(t, root, "list.json", list)
	p.git(t, "init", "-q")
	return p
}

// newPlace makes a place with a list of two features and one session that came
// to nothing behind it, so that the journal holds something. The person has
// staged, changed, deleted, stashed, ignored and left untracked files.
func newPlace(t testing.TB, hook string) *place {
	t.Helper()
	p := barePlace(t)
	for path, text := range map[string]string{
		"README.md": "A project.\n", "lib.txt": "one\ntwo\n", "both.txt": "1\n", "gone.txt": "1\n", "ü ñ.txt": "odd\n", "dir/file.txt": "1\n",
		".gitignore": "build/\n*.log\n",
	} {
		testenv.Write(t, p.repo, path, text)
	}
	script(t, p.repo, "tool.sh", "#!/bin/sh\nexit 0\n")
	must(t, os.Symlink("README.md", filepath.Join(p.repo, "link")))
	p.git(t, "add", "-A")
	p.git(t, "commit", "-q", "-m", "Start")
	if hook != "" {
		script(t, p.repo, ".git/hooks/pre-commit", hook)
	}
	if code, out := p.run(t, nil, "init", "--features", filepath.Join(p.root, "list.json")); code != 0 {
		t.Fatalf("init: %d\n%s", code, out)
	}
	// A person's work.
	p.git(t, "branch", "other")
	p.git(t, "tag", "-m", "a tag", "v1")
	testenv.Write(t, p.repo, "dir/file.txt", "stashed\n")
	p.git(t, "stash", "push", "-q")
	testenv.Write(t, p.repo, "README.md", "A project, changed.\n")
	testenv.Write(t, p.repo, "both.txt", "2\n")
	testenv.Write(t, p.repo, "staged.txt", "new\n")
	p.git(t, "add", "both.txt", "staged.txt")
	testenv.Write(t, p.repo, "both.txt", "3\n")
	must(t, os.Remove(filepath.Join(p.repo, "gone.txt")))
	testenv.Write(t, p.repo, "untracked.txt", "mine\n")
	testenv.Write(t, p.repo, "build/out.o", "built\n")
	testenv.Write(t, p.repo, "dir/some.log", "log\n")
	must(t, os.Mkdir(filepath.Join(p.repo, "empty"), 0o755))
	m := newMind(t, giveUp)
	if code, out := p.run(t, m.env(), "step"); code != 5 {
		t.Fatalf("the session that comes to nothing: %d\n%s", code, out)
	}
	return p
}

// clone is a second place just like p.
func (p *place) clone(t testing.TB) *place {
	t.Helper()
	root := filepath.Join(t.TempDir(), "place")
	if out, err := exec.Command("cp", "-a", p.root, root).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	conf := filepath.Join(root, "home", ".gitconfig")
	data, err := os.ReadFile(conf)
	must(t, err)
	must(t, os.WriteFile(conf, []byte(strings.ReplaceAll(string(data), p.root, root)), 0o644))
	return &place{root: root, repo: filepath.Join(root, "repo")}
}

func script(t testing.TB, dir, path, text string) {
	t.Helper()
	testenv.Write(t, dir, path, text)
	must(t, os.Chmod(filepath.Join(dir, filepath.FromSlash(path)), 0o755))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wal is the crash log as it stands.
func (p *place) wal() string {
	data, _ := os.ReadFile(filepath.Join(p.repo, ".git", "agent", "session.wal"))
	return string(data)
}

// session is the session that holds, or held, the lock.
func (p *place) session(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.repo, ".git", "agent", "lock"))
	must(t, err)
	for line := range strings.Lines(string(data)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "session "); ok {
			return id
		}
	}
	t.Fatalf("the lock names no session: %q", data)
	return ""
}

// booked counts the entries about a session's end, in the log at HEAD and in
// the journal.
func (p *place) booked(t testing.TB, session string) (outcomes []string) {
	t.Helper()
	repo, err := gitops.Open(context.Background(), p.repo)
	must(t, err)
	defer repo.Close()
	log, err := progress.Parse([]byte(p.git(t, "show", "HEAD:progress.md") + "\n"))
	must(t, err)
	journal, err := progress.LoadJournal(context.Background(), repo)
	must(t, err)
	for _, e := range append(log, journal.Entries()...) {
		if e.Session == session && e.Kind == progress.KindSession {
			outcomes = append(outcomes, e.Outcome)
		}
	}
	return outcomes
}
