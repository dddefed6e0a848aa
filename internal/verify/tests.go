package verify

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// The runners, as in project.
const (
	RunnerGo   = project.RunnerGo
	RunnerNode = project.RunnerNode
	RunnerExit = project.RunnerExit
)

// reportOutput is how many bytes of a runner's report are read; keptOutput is
// what of its text stays in a Report.
const (
	reportOutput = 60 << 20
	keptOutput   = 64 << 10
)

// skip is the result of a test that was left out; the others are verdicts.
const skip = "skip"

// Report is one run of a test command.
type Report struct {
	Runner string
	// Structured says that each test has its own result; else only Exit says
	// anything.
	Structured bool
	Results    map[string]string // id → pass, fail or skip
	Exit       int
	// Finished says that the harness saw the run's own end: an early exit
	// inside the product is not one.
	Finished bool
	TimedOut bool
	Reason   string // why it is not finished, "" when it is
	Output   string // what was printed, capped
	Elapsed  time.Duration

	missing string // a program that this machine lacks
}

// Tests runs a test command of the project on the target, with argv,
// environment and reporter owned by the harness where the runner is known. The
// error is about the context and the cell alone.
func (v *Verifier) Tests(ctx context.Context, t Target, cmd project.TestCommand) (Report, error) {
	if cmd.Runner != RunnerGo && cmd.Runner != RunnerNode {
		return v.exitTests(ctx, t, cmd.Dir, cmd.Command)
	}
	run := contract.TestRun{Runner: cmd.Runner}
	if named, ok := (&contract.Command{Run: cmd.Command}).Tests(); ok && named.Runner == cmd.Runner {
		run = named
	}
	run.Dir = filepath.Join(cmd.Dir, run.Dir)
	return v.runTests(ctx, t, run)
}

// countedScript looks behind "npm test": when the script is a run that can be counted,
// the harness runs that itself.
func countedScript(t Target, command string) (contract.TestRun, bool) {
	switch strings.Join(strings.Fields(command), " ") {
	case "npm test", "npm t", "npm run test":
	default:
		return contract.TestRun{}, false
	}
	scripts := project.ScriptsIn(os.DirFS(t.Dir))
	if scripts["pretest"] != "" || scripts["posttest"] != "" {
		return contract.TestRun{}, false
	}
	run, ok := (&contract.Command{Run: scripts["test"]}).Tests()
	return run, ok && run.Runner != RunnerExit
}

// runTests has each test counted by id.
func (v *Verifier) runTests(ctx context.Context, t Target, run contract.TestRun) (Report, error) {
	dir, err := inside(t.Dir, run.Dir)
	if err != nil {
		return Report{Runner: run.Runner, Structured: true, Exit: -1, Reason: err.Error()}, nil
	}
	// What the harness adds to a run lies outside the tree and is read-only
	// in the cell.
	own, err := os.MkdirTemp(v.Temp, "runner-")
	if err != nil {
		return Report{}, fmt.Errorf("make a folder for the test runner: %w", err)
	}
	defer os.RemoveAll(own)
	cell, err := v.open(ctx, t, func(p *sandbox.Policy) { p.ReadOnly = append(p.ReadOnly, own) })
	if err != nil {
		return Report{}, err
	}
	defer cell.close()
	r := testRun{v: v, cell: cell.Cell, dir: dir, own: own, args: run.Args, nonce: strings.ToLower(rand.Text())}
	start := time.Now()
	var rep Report
	if run.Runner == RunnerGo {
		rep, err = r.golang(ctx)
	} else {
		rep, err = r.node(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	rep.Runner, rep.Structured, rep.Elapsed = run.Runner, true, time.Since(start)
	rep.Output = plain.Clip(rep.Output, keptOutput)
	return rep, err
}

// testRun is one run in its cell.
type testRun struct {
	v     *Verifier
	cell  *sandbox.Cell
	dir   string // where the runner works
	own   string // the harness's files
	args  []string
	nonce string // what only this run knows
}

func (r *testRun) run(ctx context.Context, argv ...string) (sandbox.Result, error) {
	return r.cell.Run(ctx, sandbox.Spec{
		Argv: argv, Dir: r.dir, Timeout: r.v.suiteLimit(), MaxOutput: reportOutput,
		// Nothing of the environment may choose, filter or preload.
		Env: []string{"GOFLAGS=-modcacherw", "GOENV=off", "NODE_OPTIONS=", "NODE_PATH=", "NODE_ENV="},
	})
}

func (v *Verifier) suiteLimit() time.Duration {
	if v.Suite > 0 {
		return v.Suite
	}
	return 10 * time.Minute
}

// interrupted fills a report that cannot be finished, whatever was printed.
func (rep *Report) interrupted(res sandbox.Result, limit time.Duration) bool {
	rep.Exit, rep.TimedOut = res.ExitCode, res.TimedOut
	switch {
	case res.TimedOut:
		rep.Reason = fmt.Sprintf("the tests did not end within %s", limit)
	case res.Flooded:
		rep.Reason = "the tests were ended because their output did not stop"
	case res.Signal != "":
		rep.Reason = "the test runner was ended by " + res.Signal
	case res.Dropped > 0:
		rep.Reason = "the report of the tests is too long to be read"
	default:
		return false
	}
	return true
}

// exitTests runs any other command; its exit code is all that is known.
func (v *Verifier) exitTests(ctx context.Context, t Target, dir, command string) (Report, error) {
	rep := Report{Runner: RunnerExit, Exit: -1}
	at, err := inside(t.Dir, dir)
	if err != nil {
		rep.Reason = err.Error()
		return rep, nil
	}
	cell, err := v.open(ctx, t, nil)
	if err != nil {
		return rep, err
	}
	defer cell.close()
	res, err := cell.Run(ctx, sandbox.Spec{Argv: []string{"/bin/sh", "-c", command}, Dir: at, Timeout: v.suiteLimit(), MaxOutput: keptOutput})
	if err != nil {
		return rep, err
	}
	rep.Output, rep.Elapsed = plain.Text(string(res.Output)), res.Elapsed
	res.Dropped = 0 // the text is not the report here
	if rep.interrupted(res, v.suiteLimit()) {
		return rep, nil
	}
	if rep.missing = missingProgram(command, res); rep.missing != "" {
		rep.Reason = rep.missing + " is not installed on this machine"
		return rep, nil
	}
	if m := noTests.FindString(rep.Output); m != "" && res.ExitCode == 0 {
		rep.Reason = fmt.Sprintf("no test ran (%q)", plain.Line(m, 60))
		return rep, nil
	}
	rep.Finished = true
	return rep, nil
}

// noTests is how runners say that they found nothing to do and are content.
var noTests = regexp.MustCompile(`(?im)^.*(\bran 0 tests\b|\bno tests? (found|ran|to run|specified)\b|\bno test files\b|\bcollected 0 items\b|^\s*0 passing\b|\btests:\s+0 total\b|^running 0 tests$).*$`)

// inside joins a folder of the project to its root.
func inside(root, dir string) (string, error) {
	if dir == "" || dir == "." {
		return root, nil
	}
	if !filepath.IsLocal(dir) {
		return "", fmt.Errorf("the folder %q is outside the project", dir)
	}
	at := filepath.Join(root, dir)
	if st, err := os.Stat(at); err != nil || !st.IsDir() {
		return "", fmt.Errorf("there is no folder %q", dir)
	}
	return at, nil
}

// tool finds a program by the cell's PATH, which holds no folder that the
// product can write to, and gives its absolute path.
func (r *testRun) tool(name string) (string, bool) {
	for _, kv := range r.cell.Env() {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, true
			}
		}
	}
	return "", false
}

func absent(name string) Report {
	return Report{Exit: -1, missing: name, Reason: name + " is not installed on this machine"}
}

// with gives at most max ids with this result, in order.
func (rep Report) with(result string, max int) []string {
	var ids []string
	for id, r := range rep.Results {
		if r == result {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if max > 0 && len(ids) > max {
		ids = ids[:max]
	}
	return ids
}

func (rep Report) count(result string) (n int) {
	for _, r := range rep.Results {
		if r == result {
			n++
		}
	}
	return n
}

func (rep Report) counted() string {
	if rep.Structured {
		return evidence.ByID
	}
	return evidence.ByExitCode
}

func (rep Report) summary() string {
	if !rep.Structured {
		return fmt.Sprintf("exit code %d (results of single tests are not known)", rep.Exit)
	}
	return fmt.Sprintf("%d tests passed, %d failed, %d skipped", rep.count(Pass), rep.count(Fail), rep.count(skip))
}

// alone judges a run by itself, as a check of a contract: everything passed,
// and something ran.
func (rep Report) alone() (verdict, reason string) {
	switch {
	case rep.missing != "" || rep.TimedOut:
		return Unverified, rep.Reason
	case !rep.Finished:
		return Fail, rep.Reason
	case rep.count(Fail) > 0:
		return Fail, fmt.Sprintf("%d of %d tests failed: %s", rep.count(Fail), len(rep.Results), strings.Join(rep.with(Fail, 4), ", "))
	case rep.Exit != 0:
		return Fail, fmt.Sprintf("the test run ended with exit code %d", rep.Exit)
	case rep.Structured && rep.count(Pass) == 0:
		return Fail, "no test ran"
	}
	return Pass, ""
}

// Evidence is the entry of a record for this run.
func (rep Report) Evidence(verdict, reason string) evidence.Tests {
	return evidence.Tests{
		Runner: rep.Runner, Counted: rep.counted(), Verdict: verdict, Reason: plain.Line(reason, 400),
		Passed: rep.count(Pass), Failed: rep.count(Fail), Skipped: rep.count(skip),
	}
}
