package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/browser"
	"gitagent/internal/hint"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
)

// Proof is what replaying one feature's contract on one tree showed.
type Proof struct {
	Feature string           `json:"feature"`
	Rev     string           `json:"rev"`
	Tree    gitops.OID       `json:"tree"` // product tree
	Verdict string           `json:"verdict"`
	Reason  string           `json:"reason,omitempty"`
	Checks  []evidence.Check `json:"checks,omitempty"`
	Shots   string           `json:"shots,omitempty"` // folder of screenshots
}

// Prove runs the contracts of the features on rev's tree, outside the
// checkout. No ids means every feature that passes there. Nothing is written
// to the repository.
func Prove(ctx context.Context, repo *gitops.Repo, set Settings, ids []string, rev string, opt Options, w Watcher) ([]Proof, error) {
	if rev == "" {
		rev = "HEAD"
	}
	s := &step{repo: repo, set: set, opt: opt, watch: w, started: time.Now()}
	s.id = "verify-" + newID(s.started)
	defer s.cleanUp()
	if err := s.openForProof(ctx, rev); err != nil {
		return nil, err
	}
	s.ver.Given = opt.With
	if len(ids) == 0 {
		for _, f := range s.list.Features {
			if f.Passes {
				ids = append(ids, f.ID)
			}
		}
	}
	var proofs []Proof
	for _, id := range ids {
		p, err := s.proveOne(ctx, id)
		if err != nil {
			return proofs, err
		}
		p.Rev = rev
		proofs = append(proofs, p)
		s.emit(Event{Kind: "check", OK: p.Verdict == verify.Pass, Text: id + ": " + p.Verdict, Detail: p.Reason})
	}
	return proofs, nil
}

// openForProof reads rev's state and makes the trees for it.
func (s *step) openForProof(ctx context.Context, rev string) error {
	commit, err := s.repo.Resolve(ctx, rev)
	if err != nil {
		return lacking(rev, err)
	}
	if s.base, err = s.repo.Commit(ctx, string(commit)); err != nil {
		return err
	}
	if s.baseID, err = workspace.ProductTree(ctx, s.repo, s.base.Tree); err != nil {
		return err
	}
	for _, do := range []func(context.Context) error{s.readState, s.checkTrust, s.openSandbox, s.openTrees, s.setUp} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *step) proveOne(ctx context.Context, id string) (Proof, error) {
	p := Proof{Feature: id, Tree: s.baseID, Verdict: verify.Unverified}
	if _, err := s.list.Lookup(id); err != nil {
		return p, err
	}
	data, err := s.repo.ReadFile(ctx, s.base.Tree, contract.Path(id))
	if errors.Is(err, gitops.ErrNotFound) {
		p.Reason = "it has no contract yet: git agent step " + id + " has one made"
		return p, nil
	}
	if err != nil {
		return p, err
	}
	c, err := contract.Parse(data)
	if err != nil {
		return p, brokenContract(contract.Path(id), err)
	}
	if !s.trust.Has(project.TrustContract, c.Digest()) {
		return p, hint.Errorf("look at it and allow it with: git agent trust", "the contract of %s is not trusted in this clone", id)
	}
	shots, err := verify.TempRoom()
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(shots)
	out, err := s.ver.Contract(ctx, c, s.target(s.ws.CheckDir(), s.baseID), shots)
	if err == nil && out.Verdict != verify.Pass {
		p.Shots, err = keepShots(shots) // a person looks at what went wrong
	}
	if err != nil {
		return p, err
	}
	p.Verdict, p.Checks, p.Reason = out.Verdict, out.Checks, firstReason(out.Checks)
	if out.NoMeans != "" {
		p.Reason = out.NoMeans
	}
	return p, s.ws.SyncCheck(ctx, s.baseID)
}

// keepShots takes the screenshots out of a folder that goes with this process;
// "" where there are none.
func keepShots(room string) (string, error) {
	if taken, err := os.ReadDir(room); err != nil || len(taken) == 0 {
		return "", err
	}
	kept := filepath.Join(filepath.Dir(room), "git-agent-shots-"+filepath.Base(room))
	if err := os.Rename(room, kept); err != nil {
		return "", fmt.Errorf("keep the screenshots: %w", err)
	}
	return kept, nil
}

// PageOptions say what a page check looks at: a folder or a running server.
type PageOptions struct {
	Scenario []byte
	Serve    string // folder
	URL      string
	Shots    string // folder for screenshots
	Each     bool   // one after every step
}

// Page runs one page scenario on anything; no repository is needed. A server
// given by URL runs outside the sandbox, so the browser does too.
func Page(ctx context.Context, set Settings, opt PageOptions) (browser.Result, error) {
	scenario, err := browser.ParseScenario(opt.Scenario)
	if err != nil {
		return browser.Result{}, err
	}
	exe, err := browser.Find(set.Browser)
	if err != nil {
		return browser.Result{Verdict: verify.Unverified, Reason: err.Error()}, err
	}
	temp, err := verify.TempRoom()
	if err != nil {
		return browser.Result{}, err
	}
	defer os.RemoveAll(temp)
	var cell *sandbox.Cell
	url := opt.URL
	if url == "" {
		if cell, err = pageCell(ctx, temp); err != nil {
			return browser.Result{}, err
		}
		defer cell.Close()
		ln, err := cell.Listen(ctx)
		if err != nil {
			return browser.Result{}, err
		}
		srv := browser.ServeStatic(ln, opt.Serve)
		defer srv.Close()
		url = srv.URL()
	}
	b, err := browser.Open(ctx, browser.Options{Exec: exe, Cell: cell, Temp: temp})
	if err != nil {
		return browser.UnverifiedResult(scenario, err.Error()), nil
	}
	defer b.Close()
	return b.Play(ctx, scenario, browser.Stage{URL: url, Shots: opt.Shots, Each: opt.Each, Alone: opt.Serve != ""}), nil
}

// pageCell is where the browser of a page check runs; the folder is served by
// this process, so nothing in the cell needs to see it.
func pageCell(ctx context.Context, temp string) (*sandbox.Cell, error) {
	sb, err := sandbox.New(ctx, sandbox.Options{})
	if err != nil {
		return nil, err
	}
	var hidden []string
	if home, err := os.UserHomeDir(); err == nil {
		hidden = append(hidden, home)
	}
	return sb.Open(ctx, sandbox.Policy{Dir: temp, Writable: []string{temp}, Hidden: hidden, Home: filepath.Join(temp, "home"), Temp: temp})
}

// ListAt reads and checks the list of a commit.
func ListAt(ctx context.Context, repo *gitops.Repo, rev string) (*features.List, error) {
	tree, err := repo.TreeOf(ctx, rev)
	if err != nil {
		return nil, lacking(rev, err)
	}
	data, err := repo.ReadFile(ctx, tree, features.Path)
	if err != nil {
		return nil, needList(err)
	}
	return features.Parse(data)
}
