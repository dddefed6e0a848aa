package main

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/report"
	"gitagent/internal/verify"
	"gitagent/internal/workspace"
)

// openFeature makes one page of what was seen when the feature was checked last,
// with the pictures that were kept of it, and shows it.
func (t *terminal) openFeature(ctx context.Context, repo *gitops.Repo, v *report.FeatureView) error {
	dir, err := os.MkdirTemp("", "git-agent-show-")
	if err != nil {
		return err
	}
	res := browser.Result{Verdict: v.State, Reason: v.Description, StepsTotal: len(v.Steps)}
	for _, st := range v.Steps {
		it := browser.Interaction{N: st.N, Step: st.Text, OK: len(st.Seen) > 0}
		for _, seen := range st.Seen {
			it.OK = it.OK && seen.Verdict == verify.Pass
			it.Dialogs = append(it.Dialogs, seen.Observed...)
			if seen.Verdict != verify.Pass {
				it.Errors = append(it.Errors, seen.Check+": "+seen.Reason)
			}
		}
		if len(st.Seen) > 0 {
			res.StepsRun++
		}
		res.Interactions = append(res.Interactions, it)
	}
	for name, data := range keptPictures(ctx, repo, v) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
		res.Shots = append(res.Shots, name)
	}
	slices.Sort(res.Shots)
	if len(res.Shots) == 0 {
		res.Notes = append(res.Notes, "no pictures of it are kept in this clone; git agent verify "+v.ID+" takes new ones")
	}
	return t.openPage(res, dir, plain.Line(v.ID, 40))
}

// keptPictures are those of the newest session that kept any.
func keptPictures(ctx context.Context, repo *gitops.Repo, v *report.FeatureView) map[string][]byte {
	var sessions []string
	for _, h := range slices.Backward(v.History) {
		sessions = append(sessions, h.Session)
	}
	if v.Evidence != nil {
		sessions = append(sessions, v.Evidence.Session)
	}
	seen := map[string]bool{"": true}
	for _, s := range sessions {
		if seen[s] {
			continue
		}
		seen[s] = true
		files, err := workspace.LoadRecord(ctx, repo, s)
		if err != nil {
			continue // of long ago, or of another clone
		}
		out := map[string][]byte{}
		for name, data := range files {
			if rest, ok := strings.CutPrefix(name, "shots/"); ok && path.Ext(name) == ".png" {
				out[strings.ReplaceAll(rest, "/", "-")] = data
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
