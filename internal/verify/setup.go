package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
)

// setupLimit ends a set-up that hangs.
const setupLimit = 15 * time.Minute

// SetupResult is one run of the project's set-up.
type SetupResult struct {
	Ran     string // the command, "" when the project has none
	Exit    int
	Output  string
	Elapsed time.Duration
}

// Setup installs what the target needs: the configured command, else init.sh
// where there is one. Without network it has the caches alone. A failure is an
// error that names what is missing; the result is filled all the same.
func (v *Verifier) Setup(ctx context.Context, t Target, network bool) (SetupResult, error) {
	command := t.Config.Setup
	if command == "" {
		st, err := os.Lstat(filepath.Join(t.Dir, project.InitScript))
		if err != nil || !st.Mode().IsRegular() {
			return SetupResult{}, nil
		}
		command = "/bin/sh ./" + project.InitScript
	}
	res := SetupResult{Ran: command, Exit: -1}
	cell, err := v.open(ctx, t, func(p *sandbox.Policy) {
		if network {
			p.Network = sandbox.Host
		}
	})
	if err != nil {
		return res, err
	}
	defer cell.close()
	r, err := cell.Run(ctx, sandbox.Spec{Argv: []string{"/bin/sh", "-c", command}, Timeout: setupLimit, MaxOutput: keptOutput})
	if err != nil {
		return res, fmt.Errorf("run %s: %w", plain.Line(command, 80), err)
	}
	res.Exit, res.Output, res.Elapsed = r.ExitCode, plain.Text(string(r.Output)), r.Elapsed
	return res, setupError(command, r, network)
}

// offline is how package managers say that they could not reach the network.
var offline = regexp.MustCompile(`(?i)ENOTCACHED|EAI_AGAIN|ENOTFOUND|ENETUNREACH|network is unreachable|could not resolve|name or service not known|temporary failure in name resolution|` +
	`no such host|module lookup disabled|connection refused|offline mode|no matching distribution|only-if-cached|proxy\.golang\.org`)

func setupError(command string, r sandbox.Result, network bool) error {
	name := plain.Line(command, 80)
	missing := missingPackages(plain.Text(string(r.Output)))
	tail := strings.Join(lastLines(r.Output, 4), " / ")
	switch {
	case r.TimedOut:
		return fmt.Errorf("%s did not end within %s: %s", name, setupLimit, tail)
	case r.ExitCode == 0 && r.Signal == "":
		return nil
	case missingProgram(string(r.Output), sandbox.Result{ExitCode: 127, Output: r.Output}) != "":
		program := missingProgram(string(r.Output), sandbox.Result{ExitCode: 127, Output: r.Output})
		return hint.Errorf("install "+program, "%s failed: %s is not installed on this machine", name, program)
	case !network && len(missing) > 0:
		return hint.Errorf("allow set-up to use the network once", "%s needs packages that are not in the cache, and had no network: %s", name, strings.Join(missing, ", "))
	case len(missing) > 0:
		return fmt.Errorf("%s could not get %s: %s", name, strings.Join(missing, ", "), tail)
	case !network && offline.Match(r.Output):
		return hint.Errorf("allow set-up to use the network once", "%s needs packages that are not in the cache, and had no network: %s", name, tail)
	}
	return fmt.Errorf("%s ended with exit code %d: %s", name, r.ExitCode, tail)
}
