package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"gitagent/gitops"
	"gitagent/internal/kept"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
)

// suite is one test command with what passed before the work.
type suite struct {
	cmd  project.TestCommand
	base verify.BaselineSet
	// recalled says that an earlier session found that out: the machine may have
	// changed since.
	recalled bool
}

// takeBaseline has each test command run twice on the base, where nothing is
// known of it yet: what passes twice must go on passing.
func (s *step) takeBaseline(ctx context.Context) error {
	s.cfg.Tests = s.cfg.WithDetected(os.DirFS(s.ws.CheckDir())).Tests
	for _, cmd := range s.cfg.Tests {
		t, err := s.baselineOf(ctx, s.baseID, cmd)
		if err != nil {
			return err
		}
		s.tests = append(s.tests, t)
		s.emit(Event{Kind: "check", OK: true, Text: "tests before the work: " + t.base.String()})
	}
	s.keepSuites()
	return s.ws.SyncCheck(ctx, s.baseID)
}

// baselineOf is what a test command does on tree, which the check tree holds,
// twice, unless that is known: a session that landed has run it on the same
// product tree and on the same machine.
func (s *step) baselineOf(ctx context.Context, tree gitops.OID, cmd project.TestCommand) (suite, error) {
	t := suite{cmd: cmd}
	key, err := s.baselineKey(ctx, tree, cmd)
	if err != nil {
		return t, err
	}
	if kept.Open(s.repo.AgentDir()).Get(kept.Baselines, key, &t.base) && !t.base.Empty() {
		t.base, t.recalled = t.base.Recalled(), true
		return t, nil
	}
	return s.measured(ctx, tree, cmd)
}

// measured is what a test command does on tree, which the check tree holds,
// twice, today.
func (s *step) measured(ctx context.Context, tree gitops.OID, cmd project.TestCommand) (t suite, err error) {
	t.cmd = cmd
	s.emit(Event{Kind: "note", Text: "running the tests that there are, twice: " + plain.Line(cmd.Command, 60)})
	var runs [2]verify.Report
	for i := range runs {
		if runs[i], err = s.ver.Tests(ctx, s.target(s.ws.CheckDir(), tree), cmd); err != nil {
			return t, fmt.Errorf("tests before the work (%s): %w", plain.Line(cmd.Command, 60), err)
		}
	}
	t.base = verify.Baseline(runs[0], runs[1])
	if !t.base.Empty() {
		return t, s.keepBaseline(ctx, tree, cmd, t.base)
	}
	return t, nil
}

// baselineKey names what a test command did on a tree: with another runner it
// may do something else.
func (s *step) baselineKey(ctx context.Context, tree gitops.OID, cmd project.TestCommand) (string, error) {
	asked := kept.Key(s.installed, cmd.Dir, cmd.Runner, cmd.Command)
	machine, known := s.machine[asked]
	if !known {
		var err error
		if machine, err = s.ver.Machine(ctx, s.target(s.ws.CheckDir(), tree), cmd); err != nil {
			return "", fmt.Errorf("versions of what runs the tests (%s): %w", plain.Line(cmd.Command, 60), err)
		}
		if s.machine == nil {
			s.machine = map[string]string{}
		}
		s.machine[asked] = machine
	}
	return kept.Key(string(tree), cmd.Dir, cmd.Runner, cmd.Command, cmd.Reports, s.sb.Level().String(), machine), nil
}

func (s *step) keepBaseline(ctx context.Context, tree gitops.OID, cmd project.TestCommand, base verify.BaselineSet) error {
	key, err := s.baselineKey(ctx, tree, cmd)
	if err != nil {
		return err
	}
	if err := kept.Open(s.repo.AgentDir()).Put(kept.Baselines, key, base); err != nil {
		s.emit(Event{Kind: "detail", Text: err.Error()})
	}
	return nil
}

// twice runs what passes for the first time once more: luck would block the
// session that begins there. What the tests did is kept for that session.
func (s *step) twice(ctx context.Context, t *suite, tree gitops.OID, report verify.Report) (second verify.Report, err error) {
	if unsure := t.base.Unsure(report); len(unsure) > 0 {
		if second, err = s.ver.SomeTests(ctx, s.target(s.ws.CheckDir(), tree), t.cmd, unsure); err != nil {
			return second, err
		}
		if err := s.ws.SyncCheck(ctx, tree); err != nil {
			return second, err
		}
	}
	if next, ok := t.base.After(report, second); ok {
		err = s.keepBaseline(ctx, tree, t.cmd, next)
	}
	return second, err
}

// baseAgain runs the tests once more on the base, with nothing beside it that
// the work left, before something that an earlier session found out is held
// against the work. The check tree holds tree again afterwards.
func (s *step) baseAgain(ctx context.Context, t *suite, tree gitops.OID) error {
	if !t.recalled {
		return nil
	}
	t.recalled = false
	missing, err := s.cleanBase(ctx)
	if err != nil {
		return err
	}
	if missing == "" {
		report, err := s.ver.Tests(ctx, s.target(s.ws.CheckDir(), s.baseID), t.cmd)
		if err != nil {
			return err
		}
		if report.TimedOut {
			s.emit(Event{Kind: "note", Text: "what the tests do on the base today could not be found out, so what an earlier session found there is held: " + plain.Line(report.Reason, 200)})
		}
		if err := s.takeAgain(ctx, t, t.base.Again(report)); err != nil {
			return err
		}
	}
	if missing, err = s.freshCheckTree(ctx, tree); err != nil {
		return err
	}
	if missing != "" {
		return ended(Unverified, "%s", missing)
	}
	return nil
}

// takeAgain holds from now on what the base does today.
func (s *step) takeAgain(ctx context.Context, t *suite, now verify.BaselineSet) error {
	if now.String() == t.base.String() {
		t.base = now
		return nil
	}
	s.emit(Event{Kind: "note", Text: fmt.Sprintf("the tests (%s) do on the base what they did not do in an earlier session, which is no fault of the work: %s; they were: %s",
		plain.Line(t.cmd.Command, 60), now.String(), t.base.String())})
	t.base = now
	s.keepSuites()
	return s.keepBaseline(ctx, s.baseID, t.cmd, now)
}

// cleanBase makes the check tree hold the base with what was installed for it,
// without what runs of the work left beside it.
func (s *step) cleanBase(ctx context.Context) (missing string, err error) {
	if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
		return "", err
	}
	intact, err := s.ws.Unseal(ctx)
	if err != nil {
		return "", err
	}
	if intact && project.LockDigest(os.DirFS(s.ws.CheckDir())) == s.installed {
		return "", nil
	}
	return s.install(ctx, s.baseID)
}

// keepSuites keeps for status which tests fail or are flaky: they block nothing,
// and are named.
func (s *step) keepSuites() {
	var all []kept.Suite
	for _, t := range s.tests {
		all = append(all, kept.Suite{
			Time: time.Now().UTC(), Tree: string(s.baseID), Command: t.cmd.Command, Dir: t.cmd.Dir, Summary: t.base.String(),
			Failing: t.base.Failing, Flaky: t.base.Flaky,
		})
	}
	if err := kept.Open(s.repo.AgentDir()).Put(kept.Suites, kept.Last, all); err != nil {
		s.emit(Event{Kind: "detail", Text: err.Error()})
	}
}
