package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/sandbox"
	"gitagent/internal/testenv"
	"gitagent/internal/workspace"
)

// ours cuts a section between markers, as the hooks package does.
func ours(content []byte) ([]byte, bool) {
	text := string(content)
	i, j := strings.Index(text, "# ours\n"), strings.Index(text, "# /ours\n")
	if i < 0 || j < 0 {
		return content, false
	}
	text = text[:i] + text[j+len("# /ours\n"):]
	if strings.TrimSpace(text) == "#!/bin/sh" {
		return nil, true
	}
	return []byte(text), true
}

func hookFile(t *testing.T, path, body string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
}

// levels are the sandbox levels that this machine allows.
func levels(t *testing.T) map[string]*sandbox.Sandbox {
	t.Helper()
	found := map[string]*sandbox.Sandbox{}
	for _, level := range []sandbox.Level{sandbox.Processes, sandbox.Namespaces} {
		sb, err := sandbox.New(t.Context(), sandbox.Options{ForceLevel: level})
		if err != nil {
			t.Logf("level %s: %v", level, err)
			continue
		}
		found[level.String()] = sb
	}
	return found
}

func TestUsersHooksJudgeTheCommit(t *testing.T) {
	cases := map[string]struct {
		hooks   map[string]string // below .git/hooks
		setup   func(t *testing.T, dir string)
		changed map[string]string // files that hooks made of the tree
		message string            // "" = as given
		refused string            // part of what is said

		everywhere bool // at the lowest level too
	}{
		"none":      {},
		"only ours": {hooks: map[string]string{"pre-commit": "# ours\necho must not run; exit 1\n# /ours\n"}},
		"ours left out, theirs runs": {hooks: map[string]string{"pre-commit": "# ours\necho ours >&2; exit 1\n# /ours\necho theirs >&2; exit 1\n"},
			refused: "theirs"},
		"refuses":                {hooks: map[string]string{"pre-commit": "echo no console.log >&2\nexit 3\n"}, refused: "no console.log", everywhere: true},
		"refuses without a word": {hooks: map[string]string{"commit-msg": "exit 1\n"}, refused: "without a word"},
		"formats and stages": {hooks: map[string]string{"pre-commit": "for f in $(git diff --cached --name-only --diff-filter=ACM -- '*.js'); do tr a-z A-Z <$f >t && cat t >$f && rm t && git add $f; done\n"},
			changed: map[string]string{"app.js": "LET X\n"}, everywhere: true},
		"formats and refuses": {hooks: map[string]string{"pre-commit": "grep -q LET app.js && exit 0\ntr a-z A-Z <app.js >t; cat t >app.js; rm t\necho files were modified >&2; exit 1\n"},
			changed: map[string]string{"app.js": "LET X\n"}},
		"formats the list of features": {hooks: map[string]string{"pre-commit": "echo '{ }' >features.json; git add features.json\n"}},
		"adds and removes": {hooks: map[string]string{"pre-commit": "echo g >gen.txt; git add gen.txt; git rm -q --cached old.txt\n"},
			changed: map[string]string{"gen.txt": "g\n", "old.txt": ""}},
		"edits the message":  {hooks: map[string]string{"commit-msg": "echo 'Refs: #1' >>\"$1\"\n"}, message: "add it\n\nAgent-Feature: F001\nRefs: #1\n"},
		"judges the message": {hooks: map[string]string{"commit-msg": "grep -q '^feat:' \"$1\" || { echo 'use feat:' >&2; exit 1; }\n"}, refused: "use feat:"},
		"sees base and index": {hooks: map[string]string{"pre-commit": "test \"$(git show HEAD:app.js)\" = old && test \"$(git diff --cached --name-only)\" = \"app.js\nfeatures.json\" && " +
			"test \"$(git symbolic-ref --short HEAD)\" = main && test \"$(git config user.email)\" = person@example.org && test \"$(git log --format=%s)\" = change || { git status >&2; exit 1; }\n"}},
		"helper beside it": {hooks: map[string]string{"pre-commit": "exec \"$(dirname \"$0\")/helper\"\n", "helper": "echo helped >&2; exit 1\n"}, refused: "helped"},
		"husky": {setup: func(t *testing.T, dir string) {
			testenv.Git(t, dir, "config", "core.hooksPath", ".husky/_")
			hookFile(t, filepath.Join(dir, ".husky/_/pre-commit"), ". \"$(dirname \"$0\")/h\"\n")
			hookFile(t, filepath.Join(dir, ".husky/_/h"), "exec sh \"$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\"\n")
			testenv.Write(t, dir, ".husky/_/.gitignore", "*\n")
		}, refused: "husky says no"},
		"switched off":   {hooks: map[string]string{"pre-commit": "exit 1\n"}, setup: func(t *testing.T, dir string) { testenv.Git(t, dir, "config", "core.hooksPath", "/dev/null") }},
		"not executable": {hooks: map[string]string{"pre-commit": "exit 1\n"}, setup: func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, ".git/hooks/pre-commit"), 0o644)) }},
	}
	testenv.Clean(t)
	all := levels(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for level, sb := range all {
				if level == "processes" && len(all) > 1 && !c.everywhere {
					continue
				}
				dir := testenv.Repo(t)
				base := commit(t, dir, "app.js", "old\n", "old.txt", "o\n", ".husky/pre-commit", "echo husky says no >&2\nexit 1\n")
				r := open(t, dir)
				tree := with(t, r, treeOf(t, r, base), "app.js", "let x\n", "features.json", "{}\n")
				for hook, body := range c.hooks {
					hookFile(t, filepath.Join(dir, ".git", "hooks", hook), body)
				}
				if c.setup != nil {
					c.setup(t, dir)
				}
				before, refs := files(t, dir), testenv.Git(t, dir, "for-each-ref")
				const message = "add it\n\nAgent-Feature: F001\n"
				res, err := workspace.RunUserHooks(t.Context(), r, sb, base, tree, message, ours)
				if err != nil {
					t.Fatalf("%s: %v", level, err)
				}
				if (c.refused == "") != (res.Refused == "") || !strings.Contains(res.Refused, c.refused) {
					t.Errorf("%s: refused %q, want %q", level, res.Refused, c.refused)
				}
				var edits []string
				for path, content := range c.changed {
					edits = append(edits, path, content)
				}
				if want := with(t, r, tree, edits...); res.Tree != want {
					text, _ := r.DiffText(t.Context(), want, res.Tree)
					t.Errorf("%s: the tree differs:\n%s", level, text)
				}
				want := message
				if c.message != "" {
					want = c.message
				}
				if res.Message != want {
					t.Errorf("%s: message %q", level, res.Message)
				}
				if after := files(t, dir); len(after) != len(before) || testenv.Git(t, dir, "for-each-ref") != refs {
					t.Errorf("%s: the user's repository changed", level)
				}
				root, err := workspace.StateRoot()
				must(t, err)
				if left, _ := os.ReadDir(filepath.Join(root, "trees")); len(left) != 0 {
					t.Errorf("%s: left over: %v", level, left)
				}
			}
		})
	}
}

func TestHooksReachNothingOfTheUsers(t *testing.T) {
	home := testenv.Clean(t)
	sb, ok := levels(t)["namespaces"]
	if !ok {
		t.Skip("this system refuses namespaces")
	}
	testenv.Write(t, home, "secret", "s\n")
	dir := testenv.Repo(t)
	base := commit(t, dir, "app.js", "old\n")
	r := open(t, dir)
	tree := with(t, r, treeOf(t, r, base), "app.js", "new\n")
	objects := filepath.Join(dir, ".git", "objects")
	checks := strings.Join([]string{
		"test ! -e '" + home + "/secret' || { echo home >&2; exit 1; }",
		"test ! -e '" + dir + "/app.js' || { echo checkout >&2; exit 1; }",
		"test ! -e '" + dir + "/.git/config' || { echo git config >&2; exit 1; }",
		"! touch '" + objects + "/x' 2>/dev/null || { echo objects writable >&2; exit 1; }",
		"git cat-file -e HEAD:app.js || { echo objects not readable >&2; exit 1; }",
		"env | grep '^GIT_CONFIG_GLOBAL' && exit 1",
		"exit 0",
	}, "\n") + "\n"
	hookFile(t, filepath.Join(dir, ".git/hooks/pre-commit"), checks)
	res, err := workspace.RunUserHooks(t.Context(), r, sb, base, tree, "m\n", ours)
	if err != nil || res.Refused != "" || res.Tree != tree {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestHooksUseWhatIsInstalled(t *testing.T) {
	testenv.Clean(t)
	for level, sb := range levels(t) {
		dir := testenv.Repo(t)
		base := commit(t, dir, "app.js", "old\n", ".gitignore", "node_modules/\n")
		r := open(t, dir)
		w := create(t, r, base)
		tree := with(t, r, treeOf(t, r, base), "app.js", "new\n")
		must(t, w.SyncCheck(t.Context(), tree))
		hookFile(t, filepath.Join(w.CheckDir(), "node_modules/.bin/lint"), "echo linted \"$1\" >&2; exit 1\n")
		hookFile(t, filepath.Join(dir, ".git/hooks/pre-commit"), "test -z \"$(git status --porcelain node_modules)\" || exit 9\nnode_modules/.bin/lint app.js\n")
		res, err := workspace.RunUserHooks(t.Context(), r, sb, base, tree, "m\n", ours, w.CheckDir())
		if err != nil || !strings.Contains(res.Refused, "linted app.js") {
			t.Errorf("%s: %+v, %v", level, res, err)
		}
		must(t, w.Close())
	}
}

func TestHooksBeforeTheFirstCommit(t *testing.T) {
	testenv.Clean(t)
	for level, sb := range levels(t) {
		dir := testenv.Repo(t)
		r := open(t, dir)
		hookFile(t, filepath.Join(dir, ".git/hooks/pre-commit"), "echo x >b; git add b\n")
		var none gitops.OID
		res, err := workspace.RunUserHooks(t.Context(), r, sb, none, with(t, r, "", "a", "1"), "m\n", ours)
		if err != nil || names(t, r, res.Tree) != "a b" {
			t.Errorf("%s: %+v, %v", level, res, err)
		}
	}
}
