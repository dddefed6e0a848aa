package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

func TestEditTree(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n", "d/b", "2\n", "d/e/c", "3\n")
	r := open(t, dir)
	base, err := r.TreeOf(t.Context(), "HEAD")
	must(t, err)
	file := func(path, data string) gitops.Edit { return gitops.Edit{Path: path, Data: []byte(data)} }
	gone := func(path string) gitops.Edit { return gitops.Edit{Path: path, Delete: true} }
	cases := map[string]struct {
		edits []gitops.Edit
		want  string
	}{
		"nothing":               {nil, "a d/b d/e/c"},
		"add":                   {[]gitops.Edit{file("x/y/z", "")}, "a d/b d/e/c x/y/z"},
		"replace":               {[]gitops.Edit{file("d/b", "new")}, "a d/b d/e/c"},
		"delete file":           {[]gitops.Edit{gone("a")}, "d/b d/e/c"},
		"delete folder":         {[]gitops.Edit{gone("d")}, "a"},
		"last file of a folder": {[]gitops.Edit{gone("d/e/c")}, "a d/b"},
		"absent":                {[]gitops.Edit{gone("q"), gone("q/r/s"), gone("a/b")}, "a d/b d/e/c"},
		"file over folder":      {[]gitops.Edit{file("d", "f")}, "a d"},
		"folder over file":      {[]gitops.Edit{file("a/x", "f")}, "a/x d/b d/e/c"},
		"in order":              {[]gitops.Edit{file("q", "1"), gone("q"), gone("d"), file("d/n", "1")}, "a d/n"},
		"everything":            {[]gitops.Edit{gone("a"), gone("d")}, ""},
	}
	for name, c := range cases {
		tree, err := r.EditTree(t.Context(), base, c.edits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := strings.Fields(testenv.Git(t, dir, "ls-tree", "-r", "--name-only", string(tree)))
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		testenv.Git(t, dir, "fsck", "--strict", string(tree))
	}
	for _, path := range []string{"", "/a", "a//b", "../a", "a/.", "a/.GIT/x", ".git", "a\x00b"} {
		if _, err := r.EditTree(t.Context(), base, []gitops.Edit{file(path, "")}); err == nil {
			t.Errorf("the path %q was written", path)
		}
	}
	if _, err := r.EditTree(t.Context(), base, []gitops.Edit{{Path: "m", Mode: "160000", Blob: base}}); err == nil {
		t.Error("a gitlink was written")
	}
}

func TestFilterTree(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n", "d/b", "2\n", "d/c", "3\n")
	r := open(t, dir)
	base, err := r.TreeOf(t.Context(), "HEAD")
	must(t, err)
	all, err := r.FilterTree(t.Context(), base, func(string) bool { return true })
	if err != nil || all != base {
		t.Errorf("keep all: %s, %v", all, err)
	}
	some, err := r.FilterTree(t.Context(), base, func(p string) bool { return !strings.HasPrefix(p, "d/") })
	must(t, err)
	if got := testenv.Git(t, dir, "ls-tree", "-r", "--name-only", string(some)); got != "a" {
		t.Errorf("kept %q", got)
	}
	empty, _ := r.EmptyTree(t.Context())
	if got, err := r.FilterTree(t.Context(), base, func(string) bool { return false }); err != nil || got != empty {
		t.Errorf("keep none: %s, %v", got, err)
	}
	if got, err := r.FilterTree(t.Context(), "", func(string) bool { return true }); err != nil || got != empty {
		t.Errorf("of nothing: %s, %v", got, err)
	}
}

func TestRefsMoveByCompareAndSwap(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	one := commit(t, dir, "a", "1\n")
	two := commit(t, dir, "a", "2\n")
	r, ctx := open(t, dir), t.Context()
	const ref = "refs/agent/test"
	must(t, r.UpdateRef(ctx, ref, one, "", "create"))
	if err := r.UpdateRef(ctx, ref, two, "", "create again"); !errors.Is(err, gitops.ErrRefMoved) {
		t.Errorf("create over an existing ref: %v", err)
	}
	if err := r.UpdateRef(ctx, ref, one, two, "from elsewhere"); !errors.Is(err, gitops.ErrRefMoved) {
		t.Errorf("from another value: %v", err)
	}
	must(t, r.UpdateRef(ctx, ref, two, one, "move"))
	if err := r.DeleteRef(ctx, ref, one); !errors.Is(err, gitops.ErrRefMoved) {
		t.Errorf("delete another value: %v", err)
	}
	refs, err := r.Refs(ctx, "refs/agent/")
	must(t, err)
	if diff := cmp.Diff([]gitops.Ref{{Name: ref, OID: two}}, refs); diff != "" {
		t.Error(diff)
	}
	must(t, r.DeleteRef(ctx, ref, two))
	if err := r.UpdateRef(ctx, "not/a ref", one, "", "bad name"); err == nil || errors.Is(err, gitops.ErrRefMoved) {
		t.Errorf("bad name: %v", err)
	}
}

// Tags count by what they are on, and what is no commit is left out.
func TestCommitsOfRefs(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	one := commit(t, dir, "a", "1\n")
	r, ctx := open(t, dir), t.Context()
	testenv.Git(t, dir, "tag", "-m", "t", "annotated")
	testenv.Git(t, dir, "tag", "-m", "t", "of-a-tag", "annotated")
	testenv.Git(t, dir, "tag", "light")
	testenv.Git(t, dir, "tag", "on-a-tree", "HEAD^{tree}")
	testenv.Git(t, dir, "tag", "-m", "t", "tag-of-a-tree", "on-a-tree")
	testenv.Git(t, dir, "tag", "-m", "t", "tag-of-that", "tag-of-a-tree")
	refs, err := r.Commits(ctx, "refs/heads/", "refs/tags/", "refs/none")
	must(t, err)
	var names []string
	for _, ref := range refs {
		if ref.OID != one {
			t.Errorf("%s is at %s, want %s", ref.Name, ref.OID, one)
		}
		names = append(names, strings.TrimPrefix(ref.Name, "refs/"))
	}
	if got := strings.Join(names, " "); got != "heads/main tags/annotated tags/light tags/of-a-tag" {
		t.Errorf("listed: %s", got)
	}
}

func TestCommitTreeIdentities(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n")
	r, ctx := open(t, dir), t.Context()
	tree, err := r.TreeOf(ctx, "HEAD")
	must(t, err)
	for internal, want := range map[bool]string{true: "git agent <git-agent@localhost>", false: "A Person <person@example.org>"} {
		id, err := r.CommitTree(ctx, gitops.CommitSpec{Tree: tree, Message: "s\n", Internal: internal})
		must(t, err)
		c, err := r.Commit(ctx, string(id))
		must(t, err)
		if c.Author != want || c.Time.IsZero() {
			t.Errorf("internal %v: author %q at %s", internal, c.Author, c.Time)
		}
	}
}

func TestSigningNeverAsks(t *testing.T) {
	home := testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "a", "1\n")
	script := func(name, body string) string {
		p := filepath.Join(home, name)
		must(t, os.WriteFile(p, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
		return p
	}
	good := script("good", `cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo '-----BEGIN PGP SIGNATURE-----'; echo x; echo '-----END PGP SIGNATURE-----'`)
	asks := script("asks", `if read line </dev/tty; then echo '[GNUPG:] SIG_CREATED ' >&2; echo signed; else exit 2; fi`)
	gpg := script("gpg", `case "$*" in *"--pinentry-mode error"*) echo "No pinentry" >&2; exit 2;; esac; exec `+good)
	cases := map[string]struct {
		scope, program string
		signs          bool
	}{
		"signer of the user":       {"--global", good, true},
		"signer that asks":         {"--global", asks, false},
		"gpg with a passphrase":    {"--global", gpg, false},
		"signer of the repository": {"--local", good, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\nname=A\nemail=a@b\n[commit]\ngpgSign=true\n"), 0o600))
			d := t.TempDir()
			testenv.Git(t, d, "clone", "-q", dir, ".")
			testenv.Git(t, d, "config", c.scope, "gpg.program", c.program)
			r := open(t, d)
			tree, err := r.TreeOf(t.Context(), "HEAD")
			must(t, err)
			id, err := r.CommitTree(t.Context(), gitops.CommitSpec{Tree: tree, Message: "s", Sign: gitops.SignAsConfigured})
			if c.signs != (err == nil) || (err != nil && !errors.Is(err, gitops.ErrSigning)) {
				t.Fatalf("CommitTree: %v", err)
			}
			if c.signs && !strings.Contains(testenv.Git(t, d, "cat-file", "-p", string(id)), "BEGIN PGP SIGNATURE") {
				t.Error("not signed")
			}
			if _, err := r.CommitTree(t.Context(), gitops.CommitSpec{Tree: tree, Message: "s", Sign: gitops.SignNever}); err != nil {
				t.Errorf("unsigned: %v", err)
			}
		})
	}
}

func TestConfigAndHooksPath(t *testing.T) {
	home := testenv.Clean(t)
	dir := real(t, testenv.Repo(t))
	commit(t, dir, ".githooks/pre-commit", "#!/bin/sh\n")
	r, ctx := open(t, dir), t.Context()
	must(t, r.SetConfig(ctx, "agent.maxTurns", "2k"))
	testenv.Git(t, dir, "config", "--global", "agent.Flag", "yes")
	testenv.Git(t, dir, "config", "--add", "remote.One.url", "u1")
	testenv.Git(t, dir, "config", "--add", "remote.One.url", "u2\nnext")
	c, err := r.Config(ctx)
	must(t, err)
	if n, err := c.Int("AGENT.MAXTURNS", 0); n != 2048 || err != nil {
		t.Errorf("Int = %d, %v", n, err)
	}
	if b, err := c.Bool("agent.flag", false); !b || err != nil {
		t.Errorf("Bool = %v, %v", b, err)
	}
	if _, err := c.Bool("agent.maxTurns", false); err != nil {
		t.Errorf("a number as boolean: %v", err)
	}
	if _, err := c.Bool("remote.One.url", false); err == nil {
		t.Error("u1 is taken for a boolean")
	}
	if diff := cmp.Diff([]string{"u1", "u2\nnext"}, c.All("Remote.One.URL")); diff != "" {
		t.Error(diff)
	}
	if _, ok := c.Get("remote.one.url"); ok {
		t.Error("the case of a subsection does not count")
	}
	if s := c.Scope("agent.flag"); s != "global" {
		t.Errorf("Scope = %q", s)
	}
	def := filepath.Join(dir, ".git", "hooks")
	cases := map[string]gitops.HooksPath{
		"":            {Dir: def},
		def:           {Dir: def},
		".git/hooks":  {Dir: def},
		".githooks":   {Dir: filepath.Join(dir, ".githooks"), Configured: true, Scope: "local", Origin: "file:.git/config", InWorktree: true, Tracked: true},
		".husky/_":    {Dir: filepath.Join(dir, ".husky/_"), Configured: true, Scope: "local", Origin: "file:.git/config", InWorktree: true},
		"/dev/null":   {Dir: "/dev/null", Configured: true, Scope: "local", Origin: "file:.git/config", Disabled: true},
		"~/all-hooks": {Dir: filepath.Join(home, "all-hooks"), Configured: true, Scope: "local", Origin: "file:.git/config"},
	}
	for value, want := range cases {
		if value != "" {
			testenv.Git(t, dir, "config", "core.hooksPath", value)
		}
		got, err := r.HooksPath(ctx)
		if err != nil {
			t.Errorf("%q: %v", value, err)
		}
		if strings.HasSuffix(got.Origin, ".git/config") {
			got.Origin = "file:.git/config"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", value, diff)
		}
		if value != "" {
			testenv.Git(t, dir, "config", "--unset", "core.hooksPath")
		}
	}
}

func TestThrowawayCarriesItsSettings(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	base := commit(t, dir, "a", "1\n")
	r := open(t, dir)
	tree, err := r.EditTree(t.Context(), "", []gitops.Edit{{Path: "a", Data: []byte("2\n")}, {Path: "run", Mode: "100755"}})
	must(t, err)
	odd := "say \"hi\" \\ ; # done\n\tnext"
	to := t.TempDir()
	must(t, r.Throwaway(t.Context(), to, gitops.ThrowawaySpec{Branch: "refs/heads/a/b", Base: base, Tree: tree,
		Settings: map[string]string{"hook.my \"own\".hook.command": odd, "hooks.limit": "5"}, Excludes: []string{"/lent"}}))
	for args, want := range map[string]string{
		"config hook.my \"own\".hook.command": odd, "config hooks.limit": "5", "config user.email": "person@example.org",
		"symbolic-ref HEAD": "refs/heads/a/b", "rev-parse HEAD": string(base), "diff --cached --name-status": "M\ta\nA\trun", "status --porcelain lent": "",
	} {
		cmd, rest, _ := strings.Cut(args, " ")
		list := strings.Fields(rest)
		if cmd == "config" {
			list = []string{rest}
		}
		if got := testenv.Git(t, to, append([]string{cmd}, list...)...); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if dirs := r.ObjectDirs(); len(dirs) != 1 || dirs[0] != filepath.Join(r.CommonDir(), "objects") {
		t.Errorf("ObjectDirs = %v", dirs)
	}
}
