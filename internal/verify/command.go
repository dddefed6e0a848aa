package verify

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// commandOutput is how many bytes of a command's output are looked at.
const commandOutput = 4 << 20

// asksServer says that a command talks to the product's server, which then has
// to run while the command does.
var asksServer = regexp.MustCompile(`\$\{?PORT\b|localhost|127\.0\.0\.1`)

func (v *Verifier) commandCheck(ctx context.Context, cmd *contract.Command, t Target, tr *trial) {
	if run, ok := cmd.Tests(); ok && cmd.Metric == nil {
		v.testCheck(ctx, cmd, run, t, tr)
		return
	}
	cell, err := v.open(ctx, t, nil)
	if err != nil {
		tr.without("the check could not be isolated: %v", err)
		return
	}
	defer cell.close()
	var env []string
	if t.Config.Start != "" && asksServer.MatchString(cmd.Run) {
		app, err := v.serve(ctx, cell, t)
		if err != nil {
			notServed(err, tr)
			return
		}
		defer app.stop()
		env = append(env, "PORT="+strconv.Itoa(app.port))
	}
	limit := v.Command
	if limit == 0 {
		limit = time.Minute
	}
	res, err := cell.Run(ctx, sandbox.Spec{
		Argv: []string{"/bin/sh", "-c", cmd.Run}, Env: env, Stdin: strings.NewReader(cmd.Stdin), Timeout: limit, MaxOutput: commandOutput,
	})
	if err != nil {
		tr.without("the command could not be started: %v", err)
		return
	}
	tr.measured = t.Measured
	judgeCommand(cmd, res, limit, tr)
}

// judgeCommand compares what a command did with what was expected of it.
func judgeCommand(cmd *contract.Command, res sandbox.Result, limit time.Duration, tr *trial) {
	tr.see("ran: %s", cmd.Run)
	if cmd.Stdin != "" {
		tr.see("input: %s", cmd.Stdin)
	}
	switch {
	case res.TimedOut:
		tr.end(Fail, "the command did not end within %s", limit)
	case res.Flooded:
		tr.end(Fail, "the command was ended because its output did not stop")
	case res.Signal != "":
		tr.end(Fail, "the command was ended by %s", res.Signal)
	case missingProgram(cmd.Run, res) != "":
		tr.without("%s is not installed on this machine", missingProgram(cmd.Run, res))
	default:
		judgeOutput(cmd, res, tr)
	}
	if !res.TimedOut {
		tr.see("exit code: %d", res.ExitCode)
	}
	if tr.Verdict == Pass {
		tr.see("output: %s", plain.Line(string(res.Output), 200))
		return
	}
	lines := lastLines(res.Output, 12)
	if len(lines) == 0 {
		tr.see("output: nothing")
	}
	for _, line := range lines {
		tr.see("output: %s", line)
	}
}

func judgeOutput(cmd *contract.Command, res sandbox.Result, tr *trial) {
	if res.ExitCode != cmd.Exit {
		tr.started = res.ExitCode == 0
		tr.end(Fail, "the exit code was %d, expected %d", res.ExitCode, cmd.Exit)
		return
	}
	stdout, output := plain.Text(string(res.Stdout)), plain.Text(string(res.Output))
	var missing []string
	for _, want := range cmd.StdoutHas {
		if !contract.Holds(stdout, want) {
			missing = append(missing, fmt.Sprintf("standard output does not hold %q", want))
		}
		tr.met(want, func(f string) bool { return contract.Holds(stdout, f) })
	}
	for _, want := range cmd.OutputHas {
		if !contract.Holds(output, want) && !contract.Holds(stdout, want) {
			missing = append(missing, fmt.Sprintf("the output does not hold %q", want))
		}
		tr.met(want, func(f string) bool { return contract.Holds(output, f) })
	}
	if wrong := judgeMetric(cmd.Metric, stdout, tr); wrong != "" {
		missing = append(missing, wrong)
	}
	if cmd.StdoutIs != nil && trimEnd(stdout) != trimEnd(*cmd.StdoutIs) {
		missing = append(missing, fmt.Sprintf("standard output is not %q", *cmd.StdoutIs))
	}
	tr.started = len(missing) > 0 && (res.ExitCode == 0 || !lacksProgram.Match(res.Output))
	switch {
	case len(missing) > 0 && res.Dropped > 0:
		tr.end(Unverified, "%s in the first and last part of the output; %d bytes of it were not kept", strings.Join(missing, "; "), res.Dropped)
	case len(missing) > 0:
		tr.end(Fail, "%s", strings.Join(missing, "; "))
	default:
		tr.end(Pass, "")
	}
}

// judgeMetric reads the number of a command that is there for one.
func judgeMetric(m *contract.Metric, stdout string, tr *trial) (wrong string) {
	if m == nil {
		return ""
	}
	tr.How = evidence.HowMetric
	value, ok := m.Read(stdout)
	if !ok {
		return fmt.Sprintf("standard output holds no number after %q", m.After)
	}
	tr.Metric = &evidence.Metric{Value: value}
	tr.see("measured: %v", value)
	if before, ok := tr.measured[tr.ID]; ok && m.Relative() {
		tr.Metric.Base = &before
		tr.see("before the work: %v", before)
	} else if m.Relative() && tr.measured != nil {
		return "the number could not be measured before the work, so it cannot be compared"
	}
	return m.Judge(value, tr.Metric.Base)
}

// lacksProgram is what shells and interpreters say of a program that is not
// there.
var lacksProgram = regexp.MustCompile(`(?i)not found|cannot open|can't open|no such file|cannot find module|could not find|no such module|no module named|error: module|cannot find package|directory not found`)

func trimEnd(s string) string { return strings.TrimRight(s, " \t\r\n") }

// testCheck runs a check that is a test run: counted by id where the runner
// allows it, by exit code otherwise, and the evidence says which.
func (v *Verifier) testCheck(ctx context.Context, cmd *contract.Command, run contract.TestRun, t Target, tr *trial) {
	tr.How = evidence.HowTests
	if script, ok := countedScript(t, cmd.Run); ok {
		run = script
	}
	var rep Report
	var err error
	if run.Runner == RunnerExit {
		rep, err = v.exitTests(ctx, t, "", cmd.Run)
	} else {
		rep, err = v.runTests(ctx, t, suiteRun{TestRun: run})
	}
	if err != nil {
		tr.without("the tests could not be started: %v", err)
		return
	}
	tr.Counted = counted(rep)
	verdict, reason := Alone(rep)
	tr.end(verdict, "%s", reason)
	if rep.Missing != "" {
		tr.noMeans = tr.Reason
	}
	tr.see("ran: %s", cmd.Run)
	tr.see("%s", summary(rep))
	for _, id := range rep.With(Fail, 6) {
		tr.see("failed: %s", id)
	}
	if verdict != Pass {
		for _, line := range lastLines([]byte(rep.Output), 10) {
			tr.see("output: %s", line)
		}
	}
}
