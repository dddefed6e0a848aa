package session

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
)

// slowSuite is how long a test command may take before those tests that the work
// may have touched are run first, alone.
const slowSuite = 45 * time.Second

// checkTests runs the project's own tests: what passed twice before the work has
// to pass again.
func (s *step) checkTests(ctx context.Context, tree gitops.OID, v *verdict) error {
	for i := range s.tests {
		t := &s.tests[i]
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

func (s *step) checkSuite(ctx context.Context, t *suite, tree gitops.OID, v *verdict) error {
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
	if result == verify.Fail {
		if err := s.baseAgain(ctx, t, tree); err != nil {
			return err
		}
		result, why = t.base.Judge(report)
	}
	s.emit(Event{Kind: "check", OK: result == verify.Pass, Text: "tests: " + result + ": " + plain.Line(why, 120), Detail: report.Output})
	rec := verify.TestsEvidence(report, result, why)
	if result != verify.Pass {
		v.record.AddTests(t.cmd.Command, rec)
		v.unverified = result == verify.Unverified && (v.unverified || len(v.defects) == 0)
		v.defects = append(v.defects, "tests that passed before the work ("+name+"): "+why+"\n"+plain.Clip(plain.Text(report.Output), 1500))
		return nil
	}
	second, err := s.twice(ctx, t, tree, report)
	if err != nil {
		return err
	}
	if !report.OwnWord { // else nothing but the exit code is sure
		if rec.Proving, rec.Characterization, err = s.newTests(ctx, t, tree, t.base.Fresh(report), second); err != nil {
			return err
		}
	}
	v.record.AddTests(t.cmd.Command, rec)
	return nil
}

// affectedFirst runs, where a suite is slow, those tests first that the changed
// files may concern: a failure among them is known early.
func (s *step) affectedFirst(ctx context.Context, t *suite, tree gitops.OID) (broken []string, output string, err error) {
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
	broken = failing(report, some)
	if len(broken) > 0 {
		if err := s.baseAgain(ctx, t, tree); err != nil {
			return nil, "", err
		}
		broken = slices.DeleteFunc(broken, func(id string) bool { return !slices.Contains(t.base.Passing, id) })
	}
	return broken, plain.Text(report.Output), s.ws.SyncCheck(ctx, tree)
}

// failing are those of ids that fail in a run.
func failing(report verify.Report, ids []string) (bad []string) {
	for _, id := range ids {
		if report.Results[id] == verify.Fail {
			bad = append(bad, id)
		}
	}
	return bad
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
func (s *step) newTests(ctx context.Context, t *suite, tree gitops.OID, fresh []string, second verify.Report) (proving, other []string, err error) {
	if flaky := failing(second, fresh); len(flaky) > 0 {
		s.emit(Event{Kind: "note", Text: "new tests that passed and then failed on the same files show nothing: " + plain.Line(strings.Join(flaky, ", "), 300)})
		fresh = slices.DeleteFunc(fresh, func(id string) bool { return slices.Contains(flaky, id) })
	}
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
	t.Measured, t.First = s.measuredBefore(tree), true
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
