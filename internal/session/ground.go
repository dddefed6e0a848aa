package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// ground is what a session stands on: the base commit and what it says. It is
// read once, and once more when the branch moved.
type ground struct {
	base    gitops.CommitInfo
	baseID  gitops.OID // product tree of base
	list    *features.List
	feature *features.Feature
	entries []progress.Entry
	journal *progress.Journal
	cfg     project.Config
}

func (s *step) readRepository(ctx context.Context) error {
	var err error
	if s.head, err = s.repo.Head(ctx); err != nil {
		return err
	}
	if s.head.Commit == "" {
		return needList(gitops.ErrNotFound)
	}
	s.out.Branch = branchName(s.head.Branch)
	return s.standOn(ctx, s.head.Commit)
}

// standOn makes commit the base.
func (s *step) standOn(ctx context.Context, commit gitops.OID) error {
	var err error
	if s.base, err = s.repo.Commit(ctx, string(commit)); err != nil {
		return err
	}
	s.baseID, err = workspace.ProductTree(ctx, s.repo, s.base.Tree)
	return err
}

// readState reads the list, the log, the journal and the settings of the base
// commit: never those of the working directory.
func (s *step) readState(ctx context.Context) error {
	data, err := s.repo.ReadFile(ctx, s.base.Tree, features.Path)
	if err != nil {
		return needList(err)
	}
	if s.list, err = features.Parse(data); err != nil {
		return hint.New(fmt.Errorf("at HEAD: %w", err), "mend it, commit it, and check with: git agent features list")
	}
	s.out.Total, s.out.Passing = len(s.list.Features), s.list.Passing()
	if err := s.readLog(ctx); err != nil {
		return err
	}
	conf, err := s.repo.ReadFile(ctx, s.base.Tree, project.ConfigPath)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return err
	}
	s.cfg, err = project.Parse(conf)
	return err
}

// readLog reads the log, and the journal without what landed since it was
// written.
func (s *step) readLog(ctx context.Context) error {
	read := s.reader(ctx)
	log := read.file(progress.Path)
	journal, err := progress.LoadJournal(ctx, s.repo)
	if err != nil {
		return err
	}
	s.journal = journal.Unlanded(log, read.file)
	if read.err != nil {
		return read.err
	}
	if s.entries, err = progress.Parse(log); err != nil {
		return fmt.Errorf("%s at HEAD: %w", progress.Path, err)
	}
	s.entries = append(s.entries, s.journal.Entries()...)
	return nil
}

// reader reads files of the base; the first error is kept.
type reader struct {
	ctx  context.Context
	repo *gitops.Repo
	tree gitops.OID
	err  error
}

func (s *step) reader(ctx context.Context) *reader {
	return &reader{ctx: ctx, repo: s.repo, tree: s.base.Tree}
}

// file returns a file's content, nil when there is none.
func (r *reader) file(path string) []byte {
	data, err := r.repo.ReadFile(r.ctx, r.tree, path)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) && r.err == nil {
		r.err = err
	}
	return data
}

// checkTrust refuses to run commands that this clone has not seen.
func (s *step) checkTrust(ctx context.Context) error {
	s.trust = project.OpenTrust(s.repo.AgentDir())
	digest, err := CommandsDigest(ctx, s.repo, s.base.Tree)
	if err != nil {
		return err
	}
	if !s.trust.Has(project.TrustCommands, digest) {
		return hint.Errorf("look at them and allow them with: git agent trust",
			"the commands of this repository (%s, %s) are not trusted in this clone", project.ConfigPath, project.InitScript)
	}
	return nil
}

// CommandsDigest names the commands that the commit's tree brings: its
// settings and its init script.
func CommandsDigest(ctx context.Context, repo *gitops.Repo, tree gitops.OID) (string, error) {
	var parts [2][]byte
	for i, path := range []string{project.ConfigPath, project.InitScript} {
		data, err := repo.ReadFile(ctx, tree, path)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return "", err
		}
		parts[i] = data
	}
	return project.Digest(parts[0], parts[1]), nil
}

// replant merges the work onto the tip of the branch that the session began on,
// wherever HEAD is now: base, lists, log, settings and tests are read anew, and
// the merged product tree has to be checked again.
func (s *step) replant(ctx context.Context, product gitops.OID) (merged gitops.OID, err error) {
	s.warn("the branch moved meanwhile; the work is checked again on its new tip")
	old := s.ground
	defer func() {
		if err != nil {
			s.ground = old // what is kept belongs on the base it was made on
		}
	}()
	tip, err := s.repo.Resolve(ctx, s.head.Branch)
	if errors.Is(err, gitops.ErrNotFound) {
		return "", ended(Incomplete, "the branch %s is gone", s.out.Branch)
	}
	if err != nil {
		return "", err
	}
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) error { return s.standOn(ctx, tip) }, s.readState, s.checkTrust,
	} {
		if err := do(ctx); err != nil {
			return "", err
		}
	}
	if err := s.sameFeature(old.feature.ID); err != nil {
		return "", err
	}
	merged, conflicts, err := s.repo.MergeTrees(ctx, old.baseID, s.baseID, product)
	if err != nil {
		return "", err
	}
	if len(conflicts) > 0 {
		return "", ended(Incomplete, "the branch moved and conflicts with the work in %s", plain.Line(strings.Join(conflicts, ", "), 300))
	}
	missing, err := s.freshCheckTree(ctx, s.baseID)
	if err != nil {
		return "", err
	}
	if missing != "" {
		return "", ended(Unverified, "on the new tip of the branch %s", missing)
	}
	s.tests = nil
	return merged, s.takeBaseline(ctx)
}

// sameFeature finds the feature in the list as it is now; its contract must
// still be one for it.
func (s *step) sameFeature(id string) error {
	f := s.list.Get(id)
	if f == nil || f.Passes && !s.mending {
		return ended(Incomplete, "feature %s was changed on the branch meanwhile", id)
	}
	if why := unfit(s.contract, *f); why != "" {
		return ended(Incomplete, "feature %s was reworded on the branch meanwhile: %s", id, why)
	}
	s.feature = f
	return nil
}

// branchName shortens a full branch name for people.
func branchName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
