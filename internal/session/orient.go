package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/browser"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// orient is the harness's own reading of where the project stands; it costs no
// tokens. The cheap refusals come first.
func (s *step) orient(ctx context.Context) error {
	for _, do := range []func(context.Context) error{
		s.repo.Identity, s.readRepository, s.readState, s.checkPast, s.checkTrust, s.findAttempt, s.choose,
		s.openSandbox, s.loadModel, s.openTrees, s.setUp, s.takeBaseline, s.replay, s.stillBroken, s.goOn,
	} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// statusOf reads a feature's history: what is committed and what waits in the
// journal.
func (s *step) statusOf(ctx context.Context, id string) (*progress.Status, error) {
	read := s.reader(ctx)
	data := read.file(progress.StatusPath(id))
	if read.err != nil {
		return nil, read.err
	}
	for _, e := range s.journal.Events(id) {
		data = progress.AppendEvent(data, id, e)
	}
	st, err := progress.ParseStatus(id, data)
	if err == nil {
		st.Heed(s.entries)
	}
	return st, err
}

// choose picks one feature; a person's ID also takes a parked one.
func (s *step) choose(ctx context.Context) error {
	if err := s.pick(ctx); err != nil {
		return err
	}
	var err error
	if s.status, err = s.statusOf(ctx, s.feature.ID); err != nil {
		return err
	}
	s.out.Feature = s.feature.ID
	if s.crash, err = openCrashLog(s.repo.AgentDir()); err != nil {
		return err
	}
	s.script = &transcript{}
	if (s.opt.ID != "" || s.opt.Hint != "") && !s.opt.again {
		s.record("orient", progress.EventPerson, plain.Line(s.opt.Hint, 300))
	}
	s.mark("orient")
	s.emit(Event{Kind: "note", Text: fmt.Sprintf("%s %s", s.feature.ID, plain.Line(s.feature.Description, 100))})
	return nil
}

func (s *step) pick(ctx context.Context) error {
	if s.opt.ID != "" {
		f, err := s.list.Lookup(s.opt.ID)
		if err != nil {
			return err
		}
		s.claimed = f.Passes && s.recordOf(ctx, f.ID) == nil
		if s.mending = s.claimed || f.Passes && s.knownBroken(f.ID); s.mending {
			s.feature = f
			return nil
		}
		if f.Passes {
			return hint.Errorf("prove it again with: git agent verify "+f.ID, "%w: %s", features.ErrPasses, f.ID)
		}
		for _, d := range f.DependsOn {
			if dep := s.list.Get(d); dep != nil && !dep.Passes {
				return ended(Blocked, "%s depends on %s, which does not pass yet", f.ID, d)
			}
		}
		s.feature = f
		return nil
	}
	if broken, err := s.toMend(ctx); err != nil || broken != nil {
		s.feature, s.mending = broken, broken != nil
		return err
	}
	waiting, failed := workspace.Waiting(ctx, s.repo)
	if failed != nil {
		return failed
	}
	f, skipped := s.list.Next(func(id string) string {
		if w, ok := waiting[id]; ok {
			return "is verified, and its commit waits to be taken (git agent take " + w.Session + "); git agent step " + id + " builds it anew"
		}
		st, err := s.statusOf(ctx, id)
		if err != nil {
			failed = err
			return ""
		}
		if st.Parked(s.set.Park) {
			return "parked after " + plain.Count(st.Incomplete, "session") + " without a proof"
		}
		return ""
	})
	if failed != nil {
		return failed
	}
	if f == nil {
		return s.nothingLeft(ctx, skipped)
	}
	s.feature = f
	return nil
}

// ErrAllPassing says that there is nothing to do.
var ErrAllPassing = errors.New("all features pass")

func (s *step) nothingLeft(ctx context.Context, skipped []features.Skipped) error {
	switch s.out.Total {
	case 0:
		return ended(Blocked, "the list is empty: git agent features add")
	case s.out.Passing:
		if err := s.lookAgain(ctx); err != nil {
			return err
		}
		return ErrAllPassing
	}
	reasons := make([]string, 0, len(skipped))
	for _, k := range skipped {
		reasons = append(reasons, k.ID+" "+k.Reason)
	}
	return ended(Blocked, "no feature can be worked on: %s", plain.Line(strings.Join(reasons, "; "), 400))
}

func (s *step) loadModel(ctx context.Context) error {
	var err error
	kind := "note"
	s.loaded, err = openModel(ctx, s.set, model.Cheap, func(text string) {
		s.emit(Event{Kind: "note", Text: text})
		kind = "detail" // the model was named
	})
	if err != nil {
		return err
	}
	s.emit(Event{Kind: kind, Text: fmt.Sprintf("model %s, context %d tokens", s.loaded.Name, s.loaded.Context)})
	return nil
}

func (s *step) openTrees(ctx context.Context) error {
	root, err := workspace.StateRoot()
	if err != nil {
		return err
	}
	if s.ws, err = workspace.Create(ctx, s.repo, root, s.id, s.base.ID); err != nil {
		return hint.New(err, "see that you may write to "+root+" and that its disk has room")
	}
	if s.script != nil { // this is a session, not a replay
		if err := errors.Join(s.ws.Outlive(s.base.ID), s.script.writeTo(s.ws.TranscriptFile())); err != nil {
			return err
		}
	}
	s.tree = s.baseID
	s.shots = filepath.Join(s.ws.TempDir(), "shots")
	for _, dir := range []string{s.shots, filepath.Join(s.ws.TempDir(), "check")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	exe, err := browser.Find(s.set.Browser)
	if err != nil {
		s.warn("no browser: pages cannot be verified (%v)", err)
	}
	s.ver = &verify.Verifier{Sandbox: s.sb, Browser: exe, Hidden: s.hidden(), Cache: filepath.Join(s.ws.CacheDir(), "check"), Temp: filepath.Join(s.ws.TempDir(), "check")}
	s.ver.Keep()
	if _, err := s.ws.SyncScratch(ctx); err != nil { // set-up needs the files there
		return err
	}
	return s.ws.SyncCheck(ctx, s.baseID)
}

// hidden lists the folders that nothing started by a session may see.
func (s *step) hidden() []string {
	dirs := []string{s.repo.Top(), s.repo.CommonDir()}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	return dirs
}

// target is a folder that holds tree. Where the shared settings leave open how
// the app is served, the tree itself says; the tests are those of the base.
func (s *step) target(dir string, tree gitops.OID) verify.Target {
	cfg := s.cfg.WithDetected(os.DirFS(dir))
	cfg.Tests = s.cfg.Tests
	t := verify.Target{Dir: dir, Tree: string(tree), Config: cfg}
	if dir == s.ws.CheckDir() {
		t.Reset = func(ctx context.Context) error { return s.ws.SyncCheck(ctx, tree) }
	}
	return t
}

// setUp installs what the app needs, in the scratch and the check tree, each
// by the harness's own run.
func (s *step) setUp(ctx context.Context) error {
	network, err := s.network(s.opt.Ask)
	if err != nil {
		return err
	}
	if s.cfg.Setup != "" || project.LockDigest(os.DirFS(s.ws.CheckDir())) != "" {
		s.emit(Event{Kind: "note", Text: "installing what the app needs"})
	}
	dirs := []string{s.ws.CheckDir()}
	if s.script != nil { // only a session runs commands of a model
		dirs = append(dirs, s.ws.ScratchDir())
	}
	for _, dir := range dirs {
		if _, err := s.ver.Setup(ctx, s.target(dir, s.baseID), network); err != nil {
			if !network {
				err = hint.New(err, "if it needs the network, allow it once with: git agent step --allow-network")
			}
			return fmt.Errorf("set-up: %w", err)
		}
	}
	s.installed = project.LockDigest(os.DirFS(s.ws.CheckDir()))
	return s.ws.KeepInstalled(ctx)
}

// network says whether set-up may use the network for these lockfiles. ask may
// be nil: in the middle of a session nobody may be there to answer.
func (s *step) network(ask func(string) bool) (bool, error) {
	digest := project.LockDigest(os.DirFS(s.ws.CheckDir()))
	if digest == "" { // nothing to install
		return s.opt.AllowNetwork, nil
	}
	if s.trust.Has(project.TrustNetwork, digest) {
		return true, nil
	}
	if !s.opt.AllowNetwork && (ask == nil || !ask("Set-up may need the network to install dependencies. Allow it for these lockfiles?")) {
		return false, nil
	}
	return true, s.trust.Grant(project.TrustNetwork, digest)
}

// mark writes the state reached to the crash log.
func (s *step) mark(phase string) {
	if s.crash == nil {
		return
	}
	line := crashLine{Time: time.Now().UTC(), Session: s.id, Phase: phase, Branch: s.head.Branch, Base: s.base.ID, Tree: s.tree}
	if s.feature != nil {
		line.Feature = s.feature.ID
	}
	if err := s.crash.note(line); err != nil {
		s.warn("%v", err)
	}
}
