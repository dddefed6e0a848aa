package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/verify/runner"
)

// The runners, as in project.
const (
	RunnerGo   = project.RunnerGo
	RunnerNode = project.RunnerNode
	RunnerExit = project.RunnerExit
)

// keptOutput is how many bytes of a run's text stay in a Report.
const keptOutput = 64 << 10

// skip is the result of a test that was left out; the others are verdicts.
const skip = runner.Skip

// Report is one run of a test command.
type Report = runner.Report

// Tests runs a test command of the project on the target, with argv,
// environment and reporter owned by the harness where the runner is known. The
// error is about the context and the cell alone.
func (v *Verifier) Tests(ctx context.Context, t Target, cmd project.TestCommand) (Report, error) {
	return v.SomeTests(ctx, t, cmd, nil)
}

// SomeTests runs those tests of a command that only names by their ids; nil
// runs all.
func (v *Verifier) SomeTests(ctx context.Context, t Target, cmd project.TestCommand, only []string) (Report, error) {
	if runner.For(cmd.Runner) == nil {
		return v.exitTests(ctx, t, cmd.Dir, cmd.Command)
	}
	run := suiteRun{TestRun: contract.TestRun{Runner: cmd.Runner}, only: only, command: cmd.Command, reports: cmd.Reports}
	if named, ok := (&contract.Command{Run: cmd.Command}).Tests(); ok && named.Runner == cmd.Runner {
		run.TestRun = named
	}
	run.Dir = filepath.Join(cmd.Dir, run.Dir)
	return v.runTests(ctx, t, run)
}

// ListTests names the tests of a command without running them;
// runner.ErrCannotList where its runner cannot.
func (v *Verifier) ListTests(ctx context.Context, t Target, cmd project.TestCommand) (ids []string, err error) {
	known := runner.For(cmd.Runner)
	if known == nil {
		return nil, runner.ErrCannotList
	}
	run := suiteRun{TestRun: contract.TestRun{Runner: cmd.Runner}}
	if named, ok := (&contract.Command{Run: cmd.Command}).Tests(); ok && named.Runner == cmd.Runner {
		run.TestRun = named
	}
	run.Dir = filepath.Join(cmd.Dir, run.Dir)
	_, err = v.inRunner(ctx, t, run, func(r *runner.Run) (Report, error) {
		ids, err = known.List(ctx, r)
		return Report{}, err
	})
	return ids, err
}

// Machine says what of this machine the results of a test command stand on; see
// runner.Machine.
func (v *Verifier) Machine(ctx context.Context, t Target, cmd project.TestCommand) (said string, err error) {
	run := suiteRun{TestRun: contract.TestRun{Runner: cmd.Runner, Dir: cmd.Dir}, command: cmd.Command}
	_, err = v.inRunner(ctx, t, run, func(r *runner.Run) (Report, error) {
		r.Limit = versionLimit
		said, err = runner.Machine(ctx, r, cmd.Runner)
		return Report{}, err
	})
	return said, err
}

// versionLimit is how long a program may take to tell its version.
const versionLimit = 30 * time.Second

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

// suiteRun is a run of tests that are counted by id.
type suiteRun struct {
	contract.TestRun
	only             []string
	command, reports string
}

// runTests has each test counted by id.
func (v *Verifier) runTests(ctx context.Context, t Target, run suiteRun) (Report, error) {
	start := time.Now()
	rep, err := v.inRunner(ctx, t, run, func(r *runner.Run) (Report, error) {
		deciders := runner.Deciders(run.Runner, run.command, os.DirFS(r.Dir))
		rep, err := runner.For(run.Runner).Run(ctx, r)
		rep.Deciders = deciders
		return rep, err
	})
	if err == nil {
		err = ctx.Err()
	}
	rep.Runner, rep.Structured, rep.Elapsed, rep.Only = run.Runner, true, time.Since(start), len(run.only) > 0
	rep.Output = plain.Clip(plain.Text(rep.Output), keptOutput)
	return rep, err
}

// inRunner opens a cell for a runner. What the harness adds to a run lies
// outside the tree and is read-only in the cell.
func (v *Verifier) inRunner(ctx context.Context, t Target, run suiteRun, do func(*runner.Run) (Report, error)) (Report, error) {
	dir, err := inside(t.Dir, run.Dir)
	if err != nil {
		return Report{Exit: -1, Reason: err.Error()}, nil
	}
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
	return do(&runner.Run{
		Cell: cell.Cell, Root: t.Dir, Dir: dir, Own: own, Temp: cell.temp, Args: run.Args, Only: run.only,
		Command: run.command, Reports: run.reports, Limit: v.suiteLimit(),
	})
}

func (v *Verifier) suiteLimit() time.Duration {
	if v.Suite > 0 {
		return v.Suite
	}
	return 10 * time.Minute
}

// exitTests runs any other command; its exit code is all that is known.
func (v *Verifier) exitTests(ctx context.Context, t Target, dir, command string) (Report, error) {
	rep := Report{Runner: RunnerExit, Exit: -1}
	at, err := inside(t.Dir, dir)
	if err != nil {
		rep.Reason = err.Error()
		return rep, nil
	}
	rep.Deciders = runner.Deciders(RunnerExit, command, os.DirFS(at))
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
	if rep.Interrupted(res, v.suiteLimit(), false) {
		return rep, nil
	}
	if rep.Missing = missingProgram(command, res); rep.Missing != "" {
		rep.Reason = rep.Missing + " is not installed on this machine"
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

// counted says how far a run can be believed: single results that the tested
// process wrote itself are worth its exit code.
func counted(rep Report) string {
	if rep.Structured && !rep.OwnWord {
		return evidence.ByID
	}
	return evidence.ByExitCode
}

func summary(rep Report) string {
	if !rep.Structured {
		return fmt.Sprintf("exit code %d (results of single tests are not known)", rep.Exit)
	}
	text := fmt.Sprintf("%d tests passed, %d failed, %d skipped", rep.Count(Pass), rep.Count(Fail), rep.Count(skip))
	if rep.OwnWord {
		text = fmt.Sprintf("exit code %d; by their own report %s", rep.Exit, text)
	}
	return text
}

// Alone judges a run by itself, as a check of a contract: everything passed,
// and something ran.
func Alone(rep Report) (verdict, reason string) {
	switch {
	case rep.Missing != "" || rep.TimedOut:
		return Unverified, rep.Reason
	case !rep.Finished:
		return Fail, rep.Reason
	case rep.Count(Fail) > 0:
		return Fail, fmt.Sprintf("%d of %d tests failed: %s", rep.Count(Fail), len(rep.Results), strings.Join(rep.With(Fail, 4), ", "))
	case rep.Structured && rep.Count(Pass) == 0:
		return Fail, "no test ran"
	case rep.Exit != 0:
		return Fail, fmt.Sprintf("the test run ended with exit code %d", rep.Exit)
	}
	return Pass, ""
}

// nothingToHold ends the reason of a verdict on tests that held nothing before
// the work.
const nothingToHold = "nothing to hold"

// HeldNothing says whether the evidence tells that the tests held nothing before
// the work.
func HeldNothing(told evidence.Tests) bool { return strings.HasSuffix(told.Reason, nothingToHold) }

// cutBefore is how a verdict says that runs did not end before the work either.
const cutBefore = "in a run that does not come to its end, as before the work"

// WasCut says whether the evidence tells of a run that did not come to its end
// before the work either.
func WasCut(told evidence.Tests) bool { return strings.HasSuffix(told.Reason, cutBefore) }

// TestsEvidence is the entry of a record for this run.
func TestsEvidence(rep Report, verdict, reason string) evidence.Tests {
	return evidence.Tests{
		Runner: rep.Runner, Counted: counted(rep), Verdict: verdict, Reason: plain.Line(reason, 400),
		Passed: rep.Count(Pass), Failed: rep.Count(Fail), Skipped: rep.Count(skip),
	}
}
