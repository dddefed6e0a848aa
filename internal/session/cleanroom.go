package session

import (
	"context"
	"path/filepath"

	"gitagent/gitops"
	"gitagent/internal/verify"
)

// seal takes what lies beside the check tree now, installs and caches, for the
// harness's own. It is done when nothing of the work has run yet.
func (s *step) seal(ctx context.Context) error {
	return s.ws.Seal(ctx, s.checkCache())
}

func (s *step) checkCache() string { return filepath.Join(s.ws.CacheDir(), "check") }

// checkClean runs the contract once more without what earlier runs of the work
// left in ignored files and caches, where they left any: evidence that rests on
// such things holds on this machine and in this hour alone.
func (s *step) checkClean(ctx context.Context, tree gitops.OID, v *verdict) error {
	if v.clean {
		return nil
	}
	intact, err := s.ws.Unseal(ctx)
	if err != nil {
		return err
	}
	if !intact { // something that was installed was changed: install it again
		if missing, err := s.install(ctx, tree); err != nil || missing != "" {
			v.defects = append(v.defects, missing)
			return err
		}
	}
	out, err := s.ver.Contract(ctx, s.contract, s.ownTarget(tree), "")
	if err != nil {
		return err
	}
	s.emit(Event{Kind: "check", OK: out.Verdict == verify.Pass, Text: "contract without leftovers: " + out.Verdict, Detail: firstReason(out.Checks)})
	if out.NoMeans != "" {
		return ended(Unverified, "%s", out.NoMeans)
	}
	if out.Verdict != verify.Pass {
		v.unverified = out.Verdict == verify.Unverified
		v.defects = append(v.defects, "the contract passes only with what earlier runs left in ignored files or caches; without them: "+firstReason(out.Checks))
	}
	return s.ws.SyncCheck(ctx, tree)
}
