package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Paths that no file tool may take, whatever they stand for on some system.
func TestPathsThatAreRefused(t *testing.T) {
	bad := []string{
		"../x", "a/../../x", "..", "a/..", "/etc/passwd", `\etc\passwd`, "~/x", "~root/x", "C:/x", `c:\x`, "C:x", `\\?\C:\x`, "//host/share",
		".git/config", ".GIT/config", ".Git/hooks/pre-commit", "sub/.git/config", ".git", ".git./x", ".git /x", ".git.. ./x",
		"git~1/x", "GIT~1", "GIT~12/config", ".git::$INDEX_ALLOCATION/config", "a.txt::$DATA", "a.txt:stream",
		".g\u200cit/config", ".gi\u200dt/x", "\uff0egit/x", ".ｇｉｔ/x", ".g\u0131t\u202e/../x", ".git\u2060/x", "\ufeff.git/x",
		"con", "CON", "aux.txt", "nul", "NUL.tar.gz", "com1", "LPT9.txt", "com¹", "conin$", "a/prn/b", "con .txt",
		"trailing.", "trailing ", "dir./x", "dir /x", "GITATT~1", "PROGRA~1/x", "a\x00b", "a\nb", "a\x1bb", "\xff\xfe",
		strings.Repeat("a", 300), strings.Repeat("a/", 600) + "x",
	}
	for _, p := range bad {
		env, dir := newEnv(t, map[string]string{"a.txt": "x\n"})
		for _, c := range []struct {
			tool string
			args map[string]any
		}{
			{"read_file", map[string]any{"path": p}},
			{"list_files", map[string]any{"path": p}},
			{"write_file", map[string]any{"path": p, "content": "x"}},
			{"edit_file", map[string]any{"path": p, "old_text": "x", "new_text": "y"}},
			{"search_text", map[string]any{"pattern": "x", "path": p}},
		} {
			// A space at the very end is a slip of the model, not a name.
			if strings.TrimSpace(p) == "trailing" {
				continue
			}
			if res := call(t, env, c.tool, c.args); res.OK || res.Touched != nil {
				t.Errorf("%s took the path %q: %s", c.tool, p, res.Text)
			}
		}
		if got := listing(t, dir); got != "a.txt" {
			t.Errorf("%q left %s", p, got)
		}
	}
	for _, p := range []string{"a.txt", "./a.txt", "a//b", "[id].tsx", "$route.ts", "a b/c d", "Zoë.txt", "...x", ".gitignore", "git", "a~b", "console.js", "common/x", "auxiliary.c", "x/.github/workflows/ci.yml", "null.js"} {
		if _, err := cleanPath(p); err != nil {
			t.Errorf("cleanPath(%q): %v", p, err)
		}
	}
}

func listing(t testing.TB, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestForbidden(t *testing.T) {
	for _, p := range []string{
		".git/config", ".GIT/x", "sub/.git", "git~1", ".git./x", ".husky/pre-commit", "web/.husky/_/h", ".githooks/x", ".GitHooks/x",
		"lefthook.yml", ".lefthook.toml", "lefthook-local.yaml", ".lefthook/pre-commit/x", ".pre-commit-config.yaml", ".overcommit.yml", ".lintstagedrc.json", "lint-staged.config.js",
		".gitattributes", "a/b/.gitattributes", ".GITATTRIBUTES", ".gitattributes.", ".gitmodules", ".lfsconfig",
		".npmrc", "web/.npmrc", ".NPMRC", ".yarnrc", ".yarnrc.yml", ".yarn/releases/y.cjs", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml", ".cargo/config.toml", ".mvn/jvm.config", ".netrc",
		"node_modules/.bin/node", "web/Node_Modules/x/index.js", ".venv/bin/python3", "venv/x", "lib/__pycache__/x.pyc",
		"unittest/__main__.py", "unittest.py", "Pytest.py", "sitecustomize.py", "usercustomize.py",
		".envrc", "mise.toml", ".mise.local.toml",
		".vscode/tasks.json", ".VSCode/settings.json", ".idea/x", ".zed/x", ".devcontainer/devcontainer.json", "x.code-workspace", ".vimrc",
		".claude/settings.json", ".cursor/rules", ".cursorrules", "AGENTS.md", "agents.md", "web/AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".mcp.json",
		".aider.conf.yml", ".clinerules", ".windsurfrules", ".github/copilot-instructions.md", ".github/instructions/x.md", "opencode.json",
		"init.sh", "INIT.SH", "features.json", "Features.JSON", "feature\u017f.json", "progress.md", "./progress.md", ".agent/config", ".agent/contracts/F001.json", ".AGENT/x", ".agent", ".agents/x",
	} {
		if Forbidden(p) == "" {
			t.Errorf("Forbidden(%q) lets it through", p)
		}
		env, dir := newEnv(t, nil)
		if res := call(t, env, "write_file", map[string]any{"path": p, "content": "x"}); res.OK {
			t.Errorf("write_file wrote %q", p)
		}
		if got := listing(t, dir); got != "" {
			t.Errorf("%q left %s", p, got)
		}
	}
	for _, p := range []string{
		"index.html", "src/features.json", "docs/progress.md", "scripts/init.sh", ".gitignore", ".env.example", ".editorconfig", "package.json",
		".github/workflows/ci.yml", "src/agents.ts", "agent/main.go", "hooks/useTimer.js", "src/hooks/x.ts", "claude.ts", "README.md", "vscode/x", "cargo.toml", "rules/x", "src/unittest/x.py", "unittests.py", "tests/conftest.py", "user-agents.md", ".eslintrc.json",
	} {
		if why := Forbidden(p); why != "" {
			t.Errorf("Forbidden(%q) = %q", p, why)
		}
	}
}

func TestTheCallersRulesHold(t *testing.T) {
	env, dir := newEnv(t, map[string]string{"dist/a.js": "x\n"})
	env.Protected = func(p string) string {
		if strings.HasPrefix(p, "dist/") {
			return "it is ignored by git"
		}
		return ""
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"write_file", map[string]any{"path": "./dist//b.js", "content": "y"}},
		{"edit_file", map[string]any{"path": "dist/a.js", "old_text": "x", "new_text": "y"}},
	} {
		if res := call(t, env, c.tool, c.args); res.OK || !strings.Contains(res.Text, "ignored by git") {
			t.Errorf("%s: %+v", c.tool, res)
		}
	}
	if listing(t, dir) != "dist/a.js" || get(t, dir, "dist/a.js") != "x\n" {
		t.Error("a protected file changed")
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	env, dir := newEnv(t, map[string]string{"real/a.txt": "inside\n"})
	outside := t.TempDir()
	put(t, outside, "secret.txt", "secret\n")
	for from, to := range map[string]string{
		"out": outside, "file": filepath.Join(outside, "secret.txt"), "up": "../" + filepath.Base(outside), "in": "real", "infile": "real/a.txt", "dangling": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"out/secret.txt", "file", "up/secret.txt", "out/new.txt", "in/new.txt", "infile", "dangling"} {
		res := call(t, env, "write_file", map[string]any{"path": p, "content": "owned"})
		if res.OK || !strings.Contains(res.Text, "symbolic link") {
			t.Errorf("write_file through %s: %+v", p, res)
		}
	}
	for _, p := range []string{"out/secret.txt", "file", "up/secret.txt", "out"} {
		for _, tool := range []string{"read_file", "list_files"} {
			if res := call(t, env, tool, map[string]any{"path": p}); res.OK {
				t.Errorf("%s %s: %+v", tool, p, res)
			}
		}
	}
	if res := call(t, env, "search_text", map[string]any{"pattern": "secret"}); strings.Contains(res.Text, "file:1") {
		t.Errorf("search_text left the tree: %s", res.Text)
	}
	if res := call(t, env, "read_file", map[string]any{"path": "in/a.txt"}); !res.OK || !strings.Contains(res.Text, "1|inside") {
		t.Errorf("a link inside the tree: %+v", res)
	}
	if got := get(t, outside, "secret.txt"); got != "secret\n" || listing(t, outside) != "secret.txt" {
		t.Errorf("outside changed: %q, %s", got, listing(t, outside))
	}
	if get(t, dir, "real/a.txt") != "inside\n" || strings.Contains(listing(t, dir), ".tmp-") {
		t.Error("the tree changed")
	}
}

func TestHardLinksKeepTheirOtherContent(t *testing.T) {
	env, dir := newEnv(t, nil)
	outside := t.TempDir()
	put(t, outside, "shared.txt", "old\n")
	if err := os.Link(filepath.Join(outside, "shared.txt"), filepath.Join(dir, "a.txt")); err != nil {
		t.Skip(err)
	}
	if res := call(t, env, "edit_file", map[string]any{"path": "a.txt", "old_text": "old", "new_text": "new"}); !res.OK {
		t.Fatal(res.Text)
	}
	if get(t, outside, "shared.txt") != "old\n" || get(t, dir, "a.txt") != "new\n" {
		t.Error("the write went through the hard link")
	}
}

// Random paths made of dangerous parts never touch anything outside, nor
// anything that a session may not write.
func TestRandomPathsStayInside(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	parent := t.TempDir()
	dir := filepath.Join(parent, "tree")
	put(t, parent, "outside.txt", "outside\n")
	put(t, dir, "src/a.txt", "a\n")
	put(t, dir, ".git/config", "config\n")
	for from, to := range map[string]string{"up": "..", "abs": parent, "self": ".", "src/out": "../../outside.txt", "g": ".git"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	box := NewBox(Env{Root: root})
	parts := []string{"..", ".", "", "src", "a.txt", "up", "abs", "self", "out", "g", ".git", ".GIT", "git~1", "config", "outside.txt", "tree", "~", "C:", "new",
		".git ", ".git.", ".g\u200cit", "hooks", "features.json", ".agent", "AGENTS.md", "/", `\`, "\x00", ":$DATA"}
	seps := []string{"/", "/", "/", `\`, "//", ""}
	for range 1500 {
		var p strings.Builder
		for n := rnd.IntN(5) + 1; n > 0; n-- {
			fmt.Fprint(&p, parts[rnd.IntN(len(parts))], seps[rnd.IntN(len(seps))])
		}
		path := p.String()
		res := box.Call(t.Context(), "write_file", map[string]any{"path": path, "content": "owned"})
		if res.OK && Forbidden(touched(res)) != "" {
			t.Fatalf("wrote %q as %q", path, res.Touched)
		}
		if res := box.Call(t.Context(), "read_file", map[string]any{"path": path}); res.OK && strings.Contains(res.Text, "|outside") {
			t.Fatalf("read %q: %s", path, res.Text)
		}
	}
	if get(t, parent, "outside.txt") != "outside\n" || get(t, dir, ".git/config") != "config\n" {
		t.Fatal("a file that was out of bounds changed")
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 2 {
		t.Fatalf("the folder above holds %v (%v)", entries, err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".git")); err != nil || len(entries) != 1 {
		t.Fatalf(".git holds %v (%v)", entries, err)
	}
	for _, name := range []string{"features.json", ".agent", "AGENTS.md"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was made", name)
		}
	}
}

// touched is the one path that a write changed; "." when it changed none.
func touched(r Result) string {
	if len(r.Touched) == 0 {
		return "."
	}
	return r.Touched[0]
}

func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"a/b", "../x", ".git/x", "GIT~1", "a:b", "con", `a\..\b`, "\u212A/x", "ﬁle", ".g\u0049\u0307t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := cleanPath(s)
		if err != nil {
			return
		}
		if strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") || strings.Contains(p, `\`) || strings.Contains(p, ":") {
			t.Fatalf("cleanPath(%q) = %q", s, p)
		}
		if again, err := cleanPath(p); !strings.ContainsAny(p, " \"'`\u00a0") && (err != nil || again != p) {
			t.Fatalf("cleanPath(%q) = %q, then %q, %v", s, p, again, err)
		}
		for _, part := range strings.Split(p, "/") {
			if strings.EqualFold(strings.TrimRight(part, ". "), ".git") {
				t.Fatalf("cleanPath(%q) = %q", s, p)
			}
		}
	})
}
