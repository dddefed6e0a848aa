package session

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/kept"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
)

// slowSuite is how long a test command may take before those tests that the work
// may have touched are run first, alone.
const slowSuite = 45 * time.Second

func baselineKey(tree gitops.OID, cmd project.TestCommand) string {
	return kept.Key(string(tree), cmd.Dir, cmd.Runner, cmd.Command, cmd.Reports)
}

// baselineOf is what a test command does on the base, twice, unless that is
// known: a session that landed has run it on the same product tree.
func (s *step) baselineOf(ctx context.Context, cmd project.TestCommand) (base verify.BaselineSet, err error) {
	store, key := kept.Open(s.repo.AgentDir()), baselineKey(s.baseID, cmd)
	if store.Get(kept.Baselines, key, &base) && !base.Empty() {
		return base.Recalled(), nil
	}
	s.emit(Event{Kind: "note", Text: "running the tests that there are, twice: " + plain.Line(cmd.Command, 60)})
	var runs [2]verify.Report
	for i := range runs {
		if runs[i], err = s.ver.Tests(ctx, s.target(s.ws.CheckDir(), s.baseID), cmd); err != nil {
			return base, fmt.Errorf("tests before the work (%s): %w", plain.Line(cmd.Command, 60), err)
		}
	}
	base = verify.Baseline(runs[0], runs[1])
	if !base.Empty() {
		s.keepBaseline(s.baseID, cmd, base)
	}
	return base, nil
}

func (s *step) keepBaseline(tree gitops.OID, cmd project.TestCommand, base verify.BaselineSet) {
	if err := kept.Open(s.repo.AgentDir()).Put(kept.Baselines, baselineKey(tree, cmd), base); err != nil {
		s.emit(Event{Kind: "detail", Text: err.Error()})
	}
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

// checkTests runs the project's own tests: what passed twice before the work has
// to pass again.
func (s *step) checkTests(ctx context.Context, tree gitops.OID, v *verdict) error {
	for _, t := range s.tests {
		changed, err := s.changedScripts(ctx, t.cmd, tree)
		if err != nil {
			return err
		}
		if changed != "" {
			v.defects = append(v.defects, fmt.Sprintf("package.json: the script %s decides how the existing tests run (%s) and may not be changed in a session", changed, plain.Line(t.cmd.Command, 60)))
			continue
		}
		if err := s.checkSuite(ctx, t, tree, v); err != nil {
			return err
		}
	}
	return s.ws.SyncCheck(ctx, tree)
}

func (s *step) checkSuite(ctx context.Context, t suite, tree gitops.OID, v *verdict) error {
	name := plain.Line(t.cmd.Command, 60)
	if broken, output, err := s.affectedFirst(ctx, t, tree); err != nil {
		return err
	} else if len(broken) > 0 {
		v.defects = append(v.defects, "tests that passed before the work ("+name+") fail: "+plain.Line(strings.Join(broken, ", "), 300)+"\n"+plain.Clip(output, 1500))
		return nil
	}
	report, err := s.ver.Tests(ctx, s.target(s.ws.CheckDir(), tree), t.cmd)
	if err != nil {
		return err
	}
	result, why := t.base.Judge(report)
	s.emit(Event{Kind: "check", OK: result == verify.Pass, Text: "tests: " + result + ": " + plain.Line(why, 120), Detail: report.Output})
	rec := verify.TestsEvidence(report, result, why)
	if result != verify.Pass {
		v.record.AddTests(t.cmd.Command, rec)
		v.unverified = result == verify.Unverified && (v.unverified || len(v.defects) == 0)
		v.defects = append(v.defects, "tests that passed before the work ("+name+"): "+why+"\n"+plain.Clip(plain.Text(report.Output), 1500))
		return nil
	}
	if rec.Proving, rec.Characterization, err = s.newTests(ctx, t, tree, report); err != nil {
		return err
	}
	v.record.AddTests(t.cmd.Command, rec)
	if report.Finished {
		s.keepBaseline(tree, t.cmd, t.base.After(report))
	}
	return nil
}

// affectedFirst runs, where a suite is slow, those tests first that the changed
// files may concern: a failure among them is known early.
func (s *step) affectedFirst(ctx context.Context, t suite, tree gitops.OID) (broken []string, output string, err error) {
	if t.base.Elapsed < slowSuite {
		return nil, "", nil
	}
	changed, err := s.changedPaths(ctx, tree)
	if err != nil {
		return nil, "", err
	}
	some := verify.Affected(t.base.Passing, changed)
	if len(some) == 0 || len(some) > len(t.base.Passing)/2 {
		return nil, "", nil
	}
	report, err := s.ver.SomeTests(ctx, s.target(s.ws.CheckDir(), tree), t.cmd, some)
	if err != nil {
		return nil, "", err
	}
	for _, id := range some {
		if report.Results[id] == verify.Fail {
			broken = append(broken, id)
		}
	}
	return broken, plain.Text(report.Output), s.ws.SyncCheck(ctx, tree)
}

func (s *step) changedPaths(ctx context.Context, tree gitops.OID) (paths []string, err error) {
	changes, err := s.repo.DiffTrees(ctx, s.baseID, tree)
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, err
}

// newTests tries the tests that the work added on the files from before it: one
// that fails there shows something of the work, one that passes there only
// writes down what was so already.
func (s *step) newTests(ctx context.Context, t suite, tree gitops.OID, report verify.Report) (proving, other []string, err error) {
	fresh := t.base.Fresh(report)
	if len(fresh) == 0 {
		return nil, nil, nil
	}
	mixed, err := s.onlyTests(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	if err := s.ws.SyncCheck(ctx, mixed); err != nil {
		return nil, nil, err
	}
	before, err := s.ver.SomeTests(ctx, s.target(s.ws.CheckDir(), mixed), t.cmd, fresh)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range fresh {
		if before.Results[id] == verify.Pass {
			other = append(other, id)
		} else {
			proving = append(proving, id)
		}
	}
	s.emit(Event{Kind: "check", OK: true, Text: fmt.Sprintf("new tests: %d fail before the work and pass now, %d pass on both", len(proving), len(other))})
	return few(proving), few(other), s.ws.SyncCheck(ctx, tree)
}

// few bounds what a record names.
func few(ids []string) []string {
	const most = 40
	if len(ids) <= most {
		return ids
	}
	return append(ids[:most:most], fmt.Sprintf("and %d more", len(ids)-most))
}

// onlyTests is the base with the test files of the work.
func (s *step) onlyTests(ctx context.Context, tree gitops.OID) (gitops.OID, error) {
	changes, err := s.repo.DiffTrees(ctx, s.baseID, tree)
	if err != nil {
		return "", err
	}
	var edits []gitops.Edit
	for _, c := range changes {
		if c.Status != 'D' && project.IsTestPath(c.Path, s.cfg.TestPatterns) {
			edits = append(edits, gitops.Edit{Path: c.Path, Mode: c.NewMode, Blob: c.NewOID})
		}
	}
	return s.repo.EditTree(ctx, s.baseID, edits)
}

// changedScripts names a script of package.json that a test command goes through
// and that the work changed: what is tested has no say in how.
func (s *step) changedScripts(ctx context.Context, cmd project.TestCommand, tree gitops.OID) (string, error) {
	var scripts [2]map[string]string
	for i, from := range []gitops.OID{s.baseID, tree} {
		data, err := s.repo.ReadFile(ctx, from, path.Join(cmd.Dir, "package.json"))
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return "", err
		}
		scripts[i] = project.NpmScripts(data)
	}
	return project.ChangedTestScript(cmd.Command, scripts[0], scripts[1]), nil
}

// ownTarget is the check tree as the session's own contract is run on it.
func (s *step) ownTarget(tree gitops.OID) verify.Target {
	t := s.target(s.ws.CheckDir(), tree)
	t.Measured = s.measuredBefore(tree)
	return t
}

// measuredBefore are the numbers of the contract's metrics on the base, for any
// other tree; nil before they were measured.
func (s *step) measuredBefore(tree gitops.OID) map[string]float64 {
	if tree == s.baseID || s.biteTree != s.baseID || s.biteTree == "" {
		return nil
	}
	out := map[string]float64{}
	for _, c := range s.bite {
		if c.Metric != nil {
			out[c.ID] = c.Metric.Value
		}
	}
	return out
}
