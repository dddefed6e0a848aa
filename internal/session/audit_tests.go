package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/verify/evidence"
)

// The evidence is a part of the commit that it speaks for, so it has no say in
// which tests are run again: all are that the commit's own settings name, or
// that its files show. What the evidence says of them is held against it; what
// fails and is not told there is compared with the commit before.

// claimedTests is a test command of a claim's tree, with what the evidence tells
// of it, nil where it tells nothing.
type claimedTests struct {
	cmd  project.TestCommand
	told *evidence.Tests
}

// worse lowers a claim's verdict; what is worse already stays.
func (c *Claim) worse(verdict, reason string) {
	if now := evidence.Worst(c.Verdict, verdict); now != c.Verdict {
		c.Verdict, c.Reason = now, plain.Line(reason, 400)
	}
}

// auditTests runs the project's tests again and compares them with what the
// evidence says.
func (s *step) auditTests(ctx context.Context, c *Claim) error {
	rec := s.recordOf(ctx, c.Feature)
	if rec == nil {
		return nil
	}
	tests, gone, err := s.claimedTests(ctx, rec)
	if err != nil {
		return err
	}
	for _, told := range gone {
		c.worse(verify.Unverified, fmt.Sprintf("its evidence names tests (%s) that are not known at this commit", plain.Line(told.Command, 60)))
	}
	var said []string
	for _, t := range tests {
		rep, err := s.ver.Tests(ctx, s.target(s.ws.CheckDir(), s.baseID), t.cmd)
		if err != nil {
			return err
		}
		if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
			return err
		}
		said = append(said, s.sayTests(t, rep))
		verdict, reason := t.judgeTold(rep)
		if verdict == verify.Pass && failed(rep) {
			if verdict, reason, err = s.judgeFailures(ctx, t, rep); err != nil {
				return err
			}
		}
		c.worse(verdict, reason)
	}
	c.Tests = strings.Join(said, "; ")
	return nil
}

func (s *step) sayTests(t claimedTests, rep verify.Report) string {
	text := fmt.Sprintf("%s: %d pass, %d fail", plain.Line(t.cmd.Command, 40), rep.Count(verify.Pass), rep.Count(verify.Fail))
	if !rep.Structured {
		text = fmt.Sprintf("%s: exit code %d", plain.Line(t.cmd.Command, 40), rep.Exit)
	}
	if t.told == nil {
		text += ", not named by its evidence"
	}
	return text
}

// judgeTold holds a run against what the evidence tells of it.
func (t claimedTests) judgeTold(rep verify.Report) (verdict, reason string) {
	if t.told == nil || verify.HeldNothing(*t.told) && t.told.Passed == 0 {
		return verify.Pass, ""
	}
	now := verify.TestsEvidence(rep, "", "")
	switch {
	case rep.Missing != "" || rep.TimedOut:
		return verify.Unverified, rep.Reason
	case !rep.Finished && !verify.WasCut(*t.told):
		return verify.Fail, "its tests: " + rep.Reason
	case now.Passed < t.told.Passed || now.Failed > t.told.Failed:
		return verify.Fail, fmt.Sprintf("its tests: %d pass and %d fail; the evidence says %d and %d", now.Passed, now.Failed, t.told.Passed, t.told.Failed)
	case t.told.Counted == evidence.ByExitCode && t.told.Failed == 0 && rep.Exit != 0 && !verify.HeldNothing(*t.told):
		return verify.Fail, fmt.Sprintf("its tests end with exit code %d", rep.Exit)
	}
	return verify.Pass, ""
}

func failed(rep verify.Report) bool {
	return !rep.Finished || rep.Exit != 0 || rep.Count(verify.Fail) > 0
}

// judgeFailures asks the commit before about a run that shows failures: what
// passed twice there and fails twice here the commit broke, what failed there
// too is none of its doing. What the evidence does not tell and nobody knows is
// unverified.
func (s *step) judgeFailures(ctx context.Context, t claimedTests, rep verify.Report) (verdict, reason string, err error) {
	name := plain.Line(t.cmd.Command, 60)
	unknown := fmt.Sprintf("its evidence does not name the tests of %s: %s", name, whatFails(rep))
	if t.told != nil {
		unknown = fmt.Sprintf("its tests (%s): %s", name, whatFails(rep))
	}
	if rep.Missing != "" || rep.TimedOut {
		return verify.Unverified, unknown, nil
	}
	base, known, broken, err := s.brokenSince(ctx, t.cmd, rep)
	if err != nil {
		return "", "", err
	}
	if broken != "" {
		return verify.Fail, fmt.Sprintf("its tests (%s) that pass on the commit before: %s", name, broken), nil
	}
	fresh := slices.ContainsFunc(rep.With(verify.Fail, 0), func(id string) bool { return !slices.Contains(base.Failing, id) && !slices.Contains(base.Flaky, id) })
	if t.told != nil || known && rep.Finished && !fresh && (rep.Structured || base.Empty()) {
		return verify.Pass, "", nil
	}
	return verify.Unverified, unknown, nil
}

func whatFails(rep verify.Report) string {
	switch {
	case !rep.Finished:
		return rep.Reason
	case rep.Count(verify.Fail) > 0:
		return fmt.Sprintf("%d fail", rep.Count(verify.Fail))
	}
	return fmt.Sprintf("exit code %d", rep.Exit)
}

// brokenSince says what passes on the commit before and fails here. What is kept
// of the commit before may be of another state of the machine, so it is found
// out anew before it is held against anybody.
func (s *step) brokenSince(ctx context.Context, cmd project.TestCommand, rep verify.Report) (base verify.BaselineSet, known bool, broken string, err error) {
	for _, by := range []func(context.Context, gitops.OID, project.TestCommand) (suite, error){s.baselineOf, s.measured} {
		var t suite
		if t, known, err = s.testsBefore(ctx, cmd, by); err != nil || !known || t.base.Empty() {
			return t.base, known, "", err
		}
		base = t.base
		if broken, err = s.brokenHere(ctx, cmd, base, rep); err != nil || broken == "" || !t.recalled {
			break
		}
	}
	return base, known, broken, err
}

// testsBefore is what a test command does on the commit before, as by says;
// known is false where that cannot be found out. The check tree holds the base
// again afterwards.
func (s *step) testsBefore(ctx context.Context, cmd project.TestCommand, by func(context.Context, gitops.OID, project.TestCommand) (suite, error)) (t suite, known bool, err error) {
	before, err := productBefore(ctx, s.repo, s.base)
	if err != nil || before == "" {
		return t, false, err
	}
	missing, err := s.installedFor(ctx, before)
	if err == nil && missing == "" {
		t, err = by(ctx, before, cmd)
		known = true
	}
	if err != nil {
		return t, false, err
	}
	return t, known, s.backToBase(ctx)
}

// brokenHere says what passes in base and fails here, when it is run again.
func (s *step) brokenHere(ctx context.Context, cmd project.TestCommand, base verify.BaselineSet, rep verify.Report) (string, error) {
	ids := slices.DeleteFunc(rep.With(verify.Fail, 0), func(id string) bool { return !slices.Contains(base.Passing, id) })
	wholly := base.Green && rep.Count(verify.Fail) == 0 // no test stands for what is wrong
	if len(ids) == 0 && !wholly {
		return "", nil
	}
	again, err := s.ver.SomeTests(ctx, s.target(s.ws.CheckDir(), s.baseID), cmd, ids)
	if err != nil {
		return "", err
	}
	if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
		return "", err
	}
	if ids = failing(again, ids); len(ids) > 0 {
		return "failed: " + plain.Line(strings.Join(ids, ", "), 200), nil
	}
	if wholly && failed(again) {
		return whatFails(again), nil
	}
	return "", nil
}

// claimedTests are the test commands of the claim's commit, each with what the
// evidence tells of it; gone are those that it tells of and nobody knows.
func (s *step) claimedTests(ctx context.Context, rec *evidence.Record) (tests []claimedTests, gone []evidence.Tests, err error) {
	cmds, err := s.testCommands(ctx, s.baseID)
	if err != nil {
		return nil, nil, err
	}
	for _, cmd := range cmds {
		tests = append(tests, claimedTests{cmd: cmd})
	}
	for _, told := range rec.Tests {
		if !takeTold(tests, &told) {
			gone = append(gone, told)
		}
	}
	if len(gone) == 0 {
		return tests, nil, nil
	}
	// A session runs the tests that its base shows, which its work may show no
	// more: a manifest of the root's hides those of folders.
	if cmds, err = s.testCommandsBefore(ctx); err != nil {
		return nil, nil, err
	}
	gone = slices.DeleteFunc(gone, func(told evidence.Tests) bool {
		at := slices.IndexFunc(cmds, func(cmd project.TestCommand) bool { return cmd.Command == told.Command })
		if at < 0 {
			return false
		}
		tests = append(tests, claimedTests{cmd: cmds[at], told: &told})
		cmds = slices.Delete(cmds, at, at+1)
		return true
	})
	return tests, gone, nil
}

// takeTold gives told to the first of tests with its command and none yet.
func takeTold(tests []claimedTests, told *evidence.Tests) bool {
	at := slices.IndexFunc(tests, func(t claimedTests) bool { return t.told == nil && t.cmd.Command == told.Command })
	if at >= 0 {
		tests[at].told = told
	}
	return at >= 0
}

// testCommands are those that a tree's settings name, or that its files show.
// The check tree holds tree afterwards.
func (s *step) testCommands(ctx context.Context, tree gitops.OID) ([]project.TestCommand, error) {
	if err := s.ws.SyncCheck(ctx, tree); err != nil {
		return nil, err
	}
	conf, err := s.repo.ReadFile(ctx, tree, project.ConfigPath)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return nil, err
	}
	cfg, err := project.Parse(conf)
	if err != nil {
		return nil, nil //nolint:nilerr // settings of the past that nobody can read name nothing
	}
	return cfg.WithDetected(os.DirFS(s.ws.CheckDir())).Tests, nil
}

// testCommandsBefore are those of the commit before, where its settings are
// these, or trusted in this clone.
func (s *step) testCommandsBefore(ctx context.Context) ([]project.TestCommand, error) {
	before, err := productBefore(ctx, s.repo, s.base)
	if err != nil || before == "" {
		return nil, err
	}
	same, err := s.sameSettings(ctx, before)
	if err != nil {
		return nil, err
	}
	digest, err := CommandsDigest(ctx, s.repo, before)
	if err != nil || !same && !s.trust.Has(project.TrustCommands, digest) {
		return nil, err
	}
	cmds, err := s.testCommands(ctx, before)
	if err != nil {
		return nil, err
	}
	return cmds, s.ws.SyncCheck(ctx, s.baseID)
}
