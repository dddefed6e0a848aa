package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify"
	"gitagent/internal/verify/evidence"
)

// check runs, on exactly this tree in the check tree, the contract, its bite,
// the tests that passed before and older contracts. An error is the
// environment's fault; what the work lacks comes back as defects.
func (s *step) check(ctx context.Context, tree gitops.OID) (verdict, error) {
	if tree == s.baseID && !s.already {
		return verdict{defects: []string{"no file was changed"}}, nil
	}
	if missing, err := s.freshCheckTree(ctx, tree); err != nil || missing != "" {
		return verdict{defects: []string{missing}, unverified: true}, err
	}
	clean, err := s.ws.Sealed(ctx)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{clean: clean, record: evidence.Record{
		Version: evidence.Version, Feature: s.feature.ID, Session: s.id, Model: s.loaded.Name, Tree: string(tree),
		Contract: s.contract.Digest(), Time: time.Now().UTC().Truncate(time.Second), AlreadyMet: s.already, Bite: s.bite,
	}}
	for _, part := range []func(context.Context, gitops.OID, *verdict) error{
		s.checkContract, s.checkBite, s.checkTests, s.checkOlder, s.checkClean, s.checkHollow,
	} {
		if err := part(ctx, tree, &v); err != nil {
			return verdict{}, err
		}
		if len(v.defects) > 0 {
			return v, nil
		}
	}
	v.record.Verdict = verify.Pass
	return v, nil
}

// halfInstalled stands for dependencies whose installation failed half-way.
const halfInstalled = "half-installed"

// freshCheckTree makes the check tree equal to tree; where its dependency files
// are not those of the last installation, the harness installs again. That this
// fails is no fault of the environment: the session may have named them. missing
// says so in words for the executor.
func (s *step) freshCheckTree(ctx context.Context, tree gitops.OID) (missing string, err error) {
	if err := s.ws.SyncCheck(ctx, tree); err != nil {
		return "", err
	}
	same := project.LockDigest(os.DirFS(s.ws.CheckDir())) == s.installed
	if same && s.sb.Level() >= sandbox.Landlock {
		return "", nil
	}
	// At the lower levels a command of the model could have reached it.
	intact, err := s.ws.Unseal(ctx)
	if err != nil || same && intact {
		return "", err
	}
	if missing, err = s.install(ctx, tree); err != nil || missing != "" {
		return missing, err
	}
	return "", s.seal(ctx)
}

// install runs the project's set-up in the check tree, which holds tree.
func (s *step) install(ctx context.Context, tree gitops.OID) (missing string, err error) {
	digest := project.LockDigest(os.DirFS(s.ws.CheckDir()))
	network, err := s.network(nil)
	if err != nil {
		return "", err
	}
	own, err := s.runsAtInstall(ctx, tree)
	if err != nil {
		return "", err
	}
	if own != "" && network {
		network = false
		s.warn("%s changes what runs at an installation, so this one had no network", plain.Line(own, 80))
	}
	s.installed = halfInstalled
	if _, err := s.ver.Setup(ctx, s.target(s.ws.CheckDir(), tree), network); err != nil {
		if !network && own == "" {
			s.warn("new dependencies were tried without the network; allow it with: git agent step --allow-network")
		}
		return "the dependencies could not be installed, so nothing could be checked: " + plain.Clip(plain.Text(err.Error()), 1500), ctx.Err()
	}
	s.installed = digest
	if err := s.ws.KeepInstalled(ctx); err != nil {
		return "", err
	}
	return "", s.ws.SyncCheck(ctx, tree)
}

func (s *step) checkContract(ctx context.Context, tree gitops.OID, v *verdict) error {
	out, err := s.ver.Contract(ctx, s.contract, s.ownTarget(tree), s.shots)
	if err != nil {
		return err
	}
	v.record.Checks, v.acted = out.Checks, out
	if out.NoMeans != "" {
		return ended(Unverified, "%s", out.NoMeans)
	}
	s.emit(Event{Kind: "check", OK: out.Verdict == verify.Pass, Text: "contract: " + out.Verdict, Detail: firstReason(out.Checks)})
	if out.Verdict == verify.Pass {
		return s.ws.SyncCheck(ctx, tree)
	}
	v.unverified = out.Verdict == verify.Unverified
	for _, c := range out.Checks {
		if c.Verdict != verify.Pass {
			v.defects = append(v.defects, describe(c))
		}
		for _, d := range c.Draws { // what was shown is not drawn again
			s.contract = s.contract.Avoiding(d.Values)
		}
	}
	return nil
}

// describe says what a check observed, in words for the executor.
func describe(c evidence.Check) string {
	how := "failed"
	if c.Verdict != verify.Fail {
		how = "could not be verified"
	}
	text := fmt.Sprintf("check %s (%s) %s: %s", c.ID, stepNumbers(c.Covers), how, c.Reason)
	for _, o := range c.Observed {
		text += "\n  " + o
	}
	return plain.Clip(text, 2000)
}

// checkBite runs the contract without its actions on the finished tree: where
// that passes, the actions prove nothing.
func (s *step) checkBite(ctx context.Context, tree gitops.OID, v *verdict) error {
	passed, why, err := s.ver.BiteWithoutActions(ctx, s.contract, s.target(s.ws.CheckDir(), tree), v.acted)
	if err != nil {
		return err
	}
	if passed {
		v.defects = append(v.defects, "the checks pass although nothing was clicked or typed: "+why+
			". The page must show the result only after the person's action.")
	}
	return s.ws.SyncCheck(ctx, tree)
}

// olderBudget bounds the share of older contracts that one check replays.
const olderBudget = 2 * time.Minute

// checkOlder replays contracts of features that pass: a new feature may not
// break an old one.
func (s *step) checkOlder(ctx context.Context, tree gitops.OID, v *verdict) error {
	if tree == s.baseID {
		return nil
	}
	deadline := time.Now().Add(olderBudget)
	for _, f := range s.list.Features {
		if !f.Passes || s.broken[f.ID] || f.ID == s.feature.ID {
			continue
		}
		if time.Now().After(deadline) {
			s.warn("not every older feature could be replayed in %s", olderBudget)
			return nil
		}
		c, _ := s.provedHere(ctx, f.ID)
		if c == nil || !s.trust.Has(project.TrustContract, c.Digest()) {
			continue
		}
		if err := s.ws.SyncCheck(ctx, tree); err != nil {
			return err
		}
		out, err := s.ver.Contract(ctx, c, s.target(s.ws.CheckDir(), tree), "")
		if err != nil {
			return err
		}
		s.emit(Event{Kind: "check", OK: out.Verdict == verify.Pass, Text: "still holds: " + f.ID + ": " + out.Verdict})
		s.keepResult(c, tree, out)
		if out.Verdict == verify.Pass || out.NoMeans != "" {
			continue
		}
		how := "fails now"
		if out.Verdict == verify.Unverified {
			how = "cannot be verified now"
		}
		v.unverified = out.Verdict == verify.Unverified && (v.unverified || len(v.defects) == 0)
		v.defects = append(v.defects, fmt.Sprintf("feature %s (%s), which passed before, %s: %s", f.ID, plain.Line(f.Description, 100), how, firstReason(out.Checks)))
	}
	return nil
}
