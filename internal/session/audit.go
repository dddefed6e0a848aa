package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/kept"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
)

// AuditOptions say which claims are proved again.
type AuditOptions struct {
	Range        string    // as git understands it; "" = all that leads to HEAD
	Since        time.Time // only commits since then; zero = all
	AllowNetwork bool
	Again        bool // also what this clone has proved already
	Jobs         int  // claims at a time; 0 = as many as there are cores, at most 4
	Ask          func(string) bool
}

// Claim is a commit that set a flag, and what came of proving it again.
type Claim struct {
	Commit  gitops.OID `json:"commit"`
	Subject string     `json:"subject"`
	Time    time.Time  `json:"time"`
	Feature string     `json:"feature"`
	State   string     `json:"state"` // proved, carried or missing, as check says it
	Verdict string     `json:"verdict"`
	Reason  string     `json:"reason,omitempty"`
	Tests   string     `json:"tests,omitempty"` // what the project's tests said
	Kept    bool       `json:"kept,omitempty"`  // from an earlier audit of this clone
	Ms      int64      `json:"ms"`

	tree gitops.OID // product tree
}

// AuditReport is what an audit found, oldest commit first.
type AuditReport struct {
	Claims []Claim `json:"claims"`
	Holds  int     `json:"holds"`
	Fails  int     `json:"fails"`
	// Unknown could not be proved either way.
	Unknown int `json:"unverified"`
	// Claimed have their flag at HEAD and never had a proof.
	Claimed []string `json:"claimed,omitempty"`
}

// ExitCode is 1 where a claim fails, 4 where one could not be verified.
func (r AuditReport) ExitCode() int {
	switch {
	case r.Fails > 0:
		return 1
	case r.Unknown > 0:
		return Unverified.ExitCode()
	}
	return 0
}

// Audit takes each commit that set a flag, in a clean folder with a clean
// installation, and runs its contract and its tests again. The checkout and the
// history stay as they are; results are kept in this clone.
func Audit(ctx context.Context, repo *gitops.Repo, set Settings, opt AuditOptions, w Watcher) (AuditReport, error) {
	claims, err := findClaims(ctx, repo, opt)
	if err != nil {
		return AuditReport{}, err
	}
	jobs := opt.Jobs
	if jobs < 1 {
		jobs = min(runtime.NumCPU(), 4)
	}
	a := &audit{repo: repo, set: set, opt: opt, watch: &serial{w: w}}
	if err := a.run(ctx, claims, min(jobs, max(1, len(claims)))); err != nil {
		return AuditReport{}, err
	}
	rep := AuditReport{Claims: claims}
	for _, c := range claims {
		switch c.Verdict {
		case verify.Pass:
			rep.Holds++
		case verify.Fail:
			rep.Fails++
		default:
			rep.Unknown++
		}
	}
	rep.Claimed, err = neverProved(ctx, repo)
	return rep, err
}

// findClaims reads the flips of a range.
func findClaims(ctx context.Context, repo *gitops.Repo, opt AuditOptions) ([]Claim, error) {
	checked, err := hooks.CheckRange(ctx, repo, opt.Range)
	if err != nil {
		return nil, err
	}
	claims := []Claim{}
	for _, f := range checked.Flips {
		commit, err := repo.Commit(ctx, string(f.Commit))
		if err != nil {
			return nil, err
		}
		if !opt.Since.IsZero() && commit.Time.Before(opt.Since) {
			continue
		}
		c := Claim{Commit: f.Commit, Subject: commit.Subject, Time: commit.Time, Feature: f.Feature, State: f.State, Verdict: verify.Unverified}
		if c.tree, err = workspace.ProductTree(ctx, repo, commit.Tree); err != nil {
			return nil, err
		}
		if f.State == hooks.Missing {
			c.Verdict, c.Reason = verify.Fail, plain.Line(f.Why, 300)
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// neverProved are the features that pass at HEAD without any evidence.
func neverProved(ctx context.Context, repo *gitops.Repo) (ids []string, err error) {
	list, err := ListAt(ctx, repo, "HEAD")
	if err != nil {
		return nil, nil //nolint:nilerr // a HEAD without a list claims nothing
	}
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	for _, f := range list.Features {
		if !f.Passes {
			continue
		}
		_, err := repo.EntryAt(ctx, tree, evidence.Path(f.ID))
		if errors.Is(err, gitops.ErrNotFound) {
			ids = append(ids, f.ID)
		} else if err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// audit is one run over claims.
type audit struct {
	repo  *gitops.Repo
	set   Settings
	opt   AuditOptions
	watch *serial
	ask   sync.Mutex
}

// serial lets several sessions talk to one watcher.
type serial struct {
	mu sync.Mutex
	w  Watcher
}

func (s *serial) On(e Event) {
	if s.w != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.w.On(e)
	}
}

func (a *audit) run(ctx context.Context, claims []Claim, jobs int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan *Claim)
	errs := make([]error, jobs)
	var workers sync.WaitGroup
	for i := range jobs {
		workers.Go(func() {
			for c := range next {
				if err := a.prove(ctx, c); err != nil {
					errs[i] = fmt.Errorf("%s of %s: %w", c.Feature, c.Commit.Short(), err)
					cancel()
					return
				}
			}
		})
	}
	for i := range claims {
		if claims[i].Verdict == verify.Fail {
			continue // nothing to run
		}
		select {
		case next <- &claims[i]:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return errors.Join(append(errs, context.Cause(ctx))[:jobs]...)
}

// prove runs one claim, unless its result is kept.
func (a *audit) prove(ctx context.Context, c *Claim) error {
	start := time.Now()
	defer func() { c.Ms = time.Since(start).Milliseconds() }()
	commit, err := a.repo.Commit(ctx, string(c.Commit))
	if err != nil {
		return err
	}
	agreed, err := contractAt(ctx, a.repo, commit.Tree, c.Feature)
	if err != nil {
		c.Reason = plain.Line(err.Error(), 300)
		return ctx.Err()
	}
	store := kept.Open(a.repo.AgentDir())
	key, err := a.keyOf(ctx, c, commit, agreed)
	if err != nil {
		return err
	}
	var old kept.Result
	if !a.opt.Again && store.Get(kept.Audits, key, &old) {
		c.Verdict, c.Reason, c.Tests, c.Kept = old.Verdict, old.Reason, old.Tests, true
		return nil
	}
	s := &step{repo: a.repo, set: a.set, watch: a.watch, started: start, opt: Options{AllowNetwork: a.opt.AllowNetwork, Ask: a.asking()}}
	s.id = "audit-" + newID(start)
	defer s.cleanUp()
	if err := s.openForProof(ctx, string(c.Commit)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Reason = plain.Line(err.Error(), 300) // not trusted, not installable: unverified
		return nil
	}
	if err := s.auditClaim(ctx, agreed, c); err != nil {
		return err
	}
	s.emit(Event{Kind: "check", OK: c.Verdict == verify.Pass, Text: fmt.Sprintf("%s %s: %s", c.Commit.Short(), c.Feature, c.Verdict), Detail: c.Reason})
	if c.Verdict == verify.Unverified {
		return nil
	}
	return store.Put(kept.Audits, key, kept.Result{Time: time.Now().UTC(), Verdict: c.Verdict, Reason: c.Reason, Tests: c.Tests})
}

// keyOf names all that decides what comes of a claim: the files, the contract,
// what the evidence says, the settings that name the tests, and the files of the
// commit before, which tests are compared with.
func (a *audit) keyOf(ctx context.Context, c *Claim, commit gitops.CommitInfo, agreed *contract.Contract) (string, error) {
	parts := []string{"2", string(c.tree), agreed.Digest()}
	for _, path := range []string{evidence.Path(c.Feature), project.ConfigPath} {
		e, err := a.repo.EntryAt(ctx, commit.Tree, path)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return "", err
		}
		parts = append(parts, string(e.OID))
	}
	before, err := productBefore(ctx, a.repo, commit)
	return kept.Key(append(parts, string(before))...), err
}

// productBefore is the product tree of a commit's first parent, "" where it has
// none.
func productBefore(ctx context.Context, repo *gitops.Repo, commit gitops.CommitInfo) (gitops.OID, error) {
	if len(commit.Parents) == 0 {
		return "", nil
	}
	tree, err := repo.TreeOf(ctx, string(commit.Parents[0]))
	if err != nil {
		return "", err
	}
	return workspace.ProductTree(ctx, repo, tree)
}

// asking puts one question at a time.
func (a *audit) asking() func(string) bool {
	if a.opt.Ask == nil {
		return nil
	}
	return func(q string) bool {
		a.ask.Lock()
		defer a.ask.Unlock()
		return a.opt.Ask(q)
	}
}

func contractAt(ctx context.Context, repo *gitops.Repo, tree gitops.OID, id string) (*contract.Contract, error) {
	data, err := repo.ReadFile(ctx, tree, contract.Path(id))
	if err != nil {
		return nil, err
	}
	return contract.Parse(data)
}

// auditClaim runs a claim's contract and the project's tests on its tree.
func (s *step) auditClaim(ctx context.Context, agreed *contract.Contract, c *Claim) error {
	if !s.trust.Has(project.TrustContract, agreed.Digest()) {
		c.Reason = "its contract is not trusted in this clone: git agent trust shows it"
		return nil
	}
	out, err := s.ver.Contract(ctx, agreed, s.target(s.ws.CheckDir(), s.baseID), "")
	if err != nil {
		return err
	}
	c.Verdict, c.Reason = out.Verdict, firstReason(out.Checks)
	if out.NoMeans != "" {
		c.Verdict, c.Reason = verify.Unverified, out.NoMeans
	}
	s.keepResult(agreed, s.baseID, out)
	if c.Verdict != verify.Pass {
		return nil
	}
	if err := s.ws.SyncCheck(ctx, s.baseID); err != nil {
		return err
	}
	return s.auditTests(ctx, c)
}
