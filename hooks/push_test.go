package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

// server is a bare repository with our pre-receive, and the project's remote.
func (p *fixture) server(bin string) string {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "server.git")
	p.git("init", "-q", "--bare", dir)
	repo, err := gitops.OpenLenient(p.t.Context(), dir)
	if err != nil {
		p.t.Fatal(err)
	}
	defer repo.Close()
	done, err := Install(p.t.Context(), repo, bin)
	if err != nil || len(done.Hooks) != 1 || done.Hooks[0].Hook != "pre-receive" {
		p.t.Fatalf("%+v, %v", done, err)
	}
	if err := Probe(p.t.Context(), repo); err != nil {
		p.t.Fatal(err)
	}
	p.git("remote", "add", "origin", dir)
	return dir
}

func TestPreReceive(t *testing.T) {
	p := newProject(t)
	dir := p.server(agentOnPath(t))
	p.quiet("push", "-q", "origin", "main")
	p.write("calc_test.go", "package calc // weaker\n")
	p.git("commit", "-qnam", "weaken")
	p.git("branch", "other")
	out := p.refused("tests.changed", "push", "-q", "origin", "main", "other")
	if !strings.Contains(out, "weaken") {
		t.Errorf("the commit is not named: %s", out)
	}
	p.git("commit", "-qn", "--amend", "-m", "weaken\n\nAllow-Tests: the API was renamed")
	p.quiet("push", "-q", "origin", "main")
	p.quiet("push", "-q", "origin", "main:refs/heads/copy")
	p.quiet("push", "-q", "origin", ":refs/heads/copy")
	t.Setenv("GIT_AGENT_HOOKS", "0") // no switch of the sender's reaches a server
	p.write("testdata/in.txt", "9\n")
	p.git("commit", "-qnam", "again")
	p.refused("tests.changed", "push", "-q", "origin", "main")
	if got := testenv.Git(t, dir, "log", "-1", "--format=%s", "main"); got != "weaken" {
		t.Errorf("the server has %q", got)
	}
}

func TestPrePush(t *testing.T) {
	p := newProject(t)
	bin := agentOnPath(t)
	dir := filepath.Join(t.TempDir(), "plain.git")
	p.git("init", "-q", "--bare", dir)
	p.git("remote", "add", "origin", dir)
	seen := filepath.Join(t.TempDir(), "seen")
	hook := filepath.Join(p.dir, ".git", "hooks", "pre-push")
	for name, user := range map[string]string{
		"alone": "", "beside one that reads what git says": "#!/bin/sh\ncat >" + seen + "\n", "beside one that leaves early": "#!/bin/sh\ncat >" + seen + "\nexit 0\n",
	} {
		os.Remove(hook)
		if user != "" {
			write(t, hook, user, 0o755)
		}
		if _, err := Install(t.Context(), p.repo, bin, "pre-push"); err != nil {
			t.Fatal(err)
		}
		p.git("checkout", "-q", "-B", "try", "main")
		p.quiet("push", "-q", "-f", "origin", "try")
		p.write("calc_test.go", "package calc // "+name+"\n")
		p.git("commit", "-qnam", "weaken")
		p.refused("tests.changed", "push", "-q", "origin", "try")
		if data, _ := os.ReadFile(seen); user != "" && !strings.Contains(string(data), "refs/heads/try") {
			t.Errorf("%s: the user's hook read %q", name, data)
		}
		if _, err := Uninstall(t.Context(), p.repo); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadFile(hook); string(left) != user || (user == "") != os.IsNotExist(err) {
			t.Errorf("%s: left %q, %v", name, left, err)
		}
	}
}
