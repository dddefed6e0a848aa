package session_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gitagent/internal/hint"
	"gitagent/internal/sandbox"
	"gitagent/internal/session"
	"gitagent/internal/testenv"
)

// TestNetworkIsAllowedForTheLockfilesAsTheyAre: set-up has no network until a
// person allows it, once for one state of the dependency files.
func TestNetworkIsAllowedForTheLockfilesAsTheyAre(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	if sb, err := sandbox.New(context.Background(), sandbox.Options{}); err != nil || sb.Level() < sandbox.Seccomp {
		t.Skipf("the network cannot be kept away here: %v", err)
	}
	repo, dir := project(t, sumList)
	world := listen(t)
	testenv.Write(t, dir, "setup.sh", fmt.Sprintf("bash -c 'echo x > /dev/tcp/%s/%d' || { echo 'npm error request to https://registry.example/left-pad failed'; exit 1; }\n", world.host, world.port))
	testenv.Write(t, dir, "package.json", `{"name":"x"}`)
	testenv.Write(t, dir, "package-lock.json", `{"name":"x","lockfileVersion":3}`)
	testenv.Write(t, dir, ".agent/config", "[agent]\n\tsetup = sh setup.sh\n")
	testenv.Git(t, dir, "add", "-A")
	testenv.Git(t, dir, "commit", "-q", "-m", "Needs the network")
	trustAll(t, repo)
	asked := 0
	step := func(opt session.Options) (session.Outcome, error) {
		asked = 0
		world.seen.Store(0)
		set := settings(t, sumContract, rest(done))
		set.Park, set.Attempts = 100, 1
		return session.Step(context.Background(), repo, set, opt, watching{t})
	}
	says := func(yes bool) func(string) bool {
		return func(q string) bool { asked++; return yes && strings.Contains(q, "these lockfiles") }
	}
	// Nobody is there, or says no.
	for _, opt := range []session.Options{{}, {Ask: says(false)}} {
		out, err := step(opt)
		if err == nil || out.End != session.Environment || world.seen.Load() > 0 || !strings.Contains(err.Error(), "had no network: left-pad") ||
			!strings.Contains(strings.Join(hint.Of(err), "\n"), "git agent step --allow-network") {
			t.Fatalf("%+v, %v, %q, seen %d", out, err, hint.Of(err), world.seen.Load())
		}
	}
	// Said yes to once, it is not asked again.
	for i, want := range []int{1, 0} {
		if out, err := step(session.Options{Ask: says(true)}); err != nil || asked != want || world.seen.Load() == 0 {
			t.Fatalf("time %d: %+v, %v, asked %d times, seen %d", i, out, err, asked, world.seen.Load())
		}
	}
	// Other lockfiles are another question, and the flag is an answer.
	commitFile(t, dir, "package-lock.json", `{"name":"x","lockfileVersion":3,"packages":{}}`)
	if _, err := step(session.Options{Ask: says(false)}); err == nil || asked != 1 || world.seen.Load() > 0 {
		t.Fatalf("%v, asked %d times, seen %d", err, asked, world.seen.Load())
	}
	for _, opt := range []session.Options{{AllowNetwork: true}, {Ask: says(false)}} {
		if out, err := step(opt); err != nil || asked != 0 || world.seen.Load() == 0 {
			t.Fatalf("%+v, %v, asked %d times, seen %d", out, err, asked, world.seen.Load())
		}
	}
}
