package session

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify/contract"
	"gitagent/progress"
)

// ContractView is what there is of a feature's contract.
type ContractView struct {
	Feature features.Feature
	// Current is in the last commit, Pending was agreed by a session that did
	// not land, Proposed was not taken by one, for the reasons Why. nil: none.
	Current, Pending, Proposed *contract.Contract
	Why                        []string
}

// Newest is the one that the next session would go by, or else the proposal.
func (v *ContractView) Newest() *contract.Contract {
	switch {
	case v.Current != nil:
		return v.Current
	case v.Pending != nil:
		return v.Pending
	}
	return v.Proposed
}

// revision is the highest that any of them has.
func (v *ContractView) revision() int {
	n := 0
	for _, c := range []*contract.Contract{v.Current, v.Pending} {
		if c != nil {
			n = max(n, c.Revision)
		}
	}
	return n
}

// Blank is a contract to begin with: a check of each kind, all of which cover
// every step.
func (v *ContractView) Blank() *contract.Contract {
	c := &contract.Contract{Version: contract.Version, Feature: v.Feature.ID, Revision: 1, Wording: contract.WordingOf(v.Feature)}
	c.Checks = []contract.Check{
		{ID: "c1", Kind: contract.KindPage, Page: []byte(`{"open":"/","steps":[{"click":"…"},{"see":"…"}]}`)},
		{ID: "c2", Kind: contract.KindCommand, Command: &contract.Command{Run: "…", StdoutHas: []string{"…"}}},
		{ID: "c3", Kind: contract.KindHTTP, HTTP: []contract.Exchange{{Method: "GET", Path: "/…", Expect: contract.Expect{Status: 200, JSON: map[string]stdjson.RawMessage{"$.…": []byte(`"…"`)}}}}},
	}
	for i := range v.Feature.Steps {
		for k := range c.Checks {
			c.Checks[k].Covers = append(c.Checks[k].Covers, i+1)
		}
	}
	return c
}

// Unfilled says whether something of the form is left in a contract.
func (v *ContractView) Unfilled(text []byte) bool {
	for _, open := range []string{`"…"`, `"/…"`, `"$.…"`} {
		if bytes.Contains(text, []byte(open)) {
			return true
		}
	}
	return false
}

// LoadContract reads what there is of a feature's contract at HEAD and on the
// private refs.
func LoadContract(ctx context.Context, repo *gitops.Repo, id string) (*ContractView, error) {
	list, err := ListAt(ctx, repo, "HEAD")
	if err != nil {
		return nil, err
	}
	f, err := list.Lookup(id)
	if err != nil {
		return nil, err
	}
	v := &ContractView{Feature: *f}
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	data, err := repo.ReadFile(ctx, tree, contract.Path(id))
	if err == nil {
		v.Current, err = contract.Parse(data)
	}
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w", contract.Path(id), err)
	}
	journal, err := progress.LoadJournal(ctx, repo)
	if err != nil {
		return nil, err
	}
	if data, ok := journal.File(contract.Path(id)); ok {
		if v.Pending, err = contract.Parse(data); err != nil {
			return nil, fmt.Errorf("the pending contract: %w", err)
		}
	}
	v.Proposed, v.Why, err = proposal(ctx, repo, id)
	return v, err
}

// ContractChange is a person's word on a contract.
type ContractChange struct {
	Kind     string // accept, edit or from
	Contract *contract.Contract
}

// ReplacedContract says what was committed, and what the rules say against it.
type ReplacedContract struct {
	Contract *contract.Contract
	Commit   gitops.OID
	Doubts   []string
}

// ReplaceContract makes the contract that choose gives the feature's, as a
// person's act: a new revision, an entry in the log, one commit with a trailer.
// What keeps a contract from being one is refused; what only speaks against it
// comes back as doubts.
func ReplaceContract(ctx context.Context, repo *gitops.Repo, id string, choose func(*ContractView) (ContractChange, error), say func(format string, args ...any)) (ReplacedContract, error) {
	var out ReplacedContract
	end, err := begin(ctx, repo, "a change of a contract", say)
	if err != nil {
		return out, err
	}
	defer end()
	if err := repo.Identity(ctx); err != nil {
		return out, err
	}
	_, log, err := cleanList(ctx, repo)
	if err != nil {
		return out, err
	}
	view, err := LoadContract(ctx, repo, id)
	if err != nil {
		return out, err
	}
	change, err := choose(view)
	if err != nil {
		return out, err
	}
	if out.Contract, out.Doubts, err = given(view, change.Contract); err != nil {
		return out, err
	}
	entry := progress.Entry{Time: time.Now().UTC(), Kind: progress.KindFeatures, Feature: id, Outcome: "contract",
		Facts: []string{fmt.Sprintf("%s contract of %s, revision %d", change.Kind, id, out.Contract.Revision)}}
	// What is killed after the commit is brought to this end by the next command.
	after := func() error {
		ctx := context.WithoutCancel(ctx)
		if err := project.OpenTrust(repo.AgentDir()).Grant(project.TrustContract, out.Contract.Digest()); err != nil {
			return err
		}
		return errors.Join(
			recordAct(ctx, repo, Change{IDs: []string{id}, Fact: entry.Facts[0]}, entry),
			forgetPending(ctx, repo, view),
			dropProposal(ctx, repo, id))
	}
	out.Commit, err = commitContract(ctx, repo, out.Contract, change.Kind, log, entry, after)
	return out, err
}

// ErrSameContract says that a replacement would replace nothing.
var ErrSameContract = errors.New("that is the contract already")

// given makes a contract the person's.
func given(view *ContractView, c *contract.Contract) (*contract.Contract, []string, error) {
	if c == nil {
		return nil, nil, hint.Errorf("write one with: git agent contract "+view.Feature.ID+" --edit", "there is no contract of %s to take", view.Feature.ID)
	}
	next := c.Next(view.revision() + 1)
	next.Version, next.By = contract.Version, contract.ByPerson
	if next.Wording == "" {
		next.Wording = contract.WordingOf(view.Feature)
	}
	if err := next.Usable(view.Feature); err != nil {
		return nil, nil, err
	}
	if view.Current != nil && view.Current.Next(next.Revision).Digest() == next.Digest() {
		return nil, nil, fmt.Errorf("%w: %s", ErrSameContract, view.Feature.ID)
	}
	var doubts []string
	for _, p := range next.Validate(view.Feature) {
		doubts = append(doubts, plain.Line(p.Text, 300))
	}
	return next, doubts, nil
}

// commitContract writes contract and log into the checkout and commits them, then
// does what follows from it.
func commitContract(ctx context.Context, repo *gitops.Repo, c *contract.Contract, kind string, log []byte, entry progress.Entry, after func() error) (gitops.OID, error) {
	path := contract.Path(c.Feature)
	changed, err := repo.LocalChanges(ctx, path)
	if err != nil {
		return "", err
	}
	if len(changed) > 0 {
		return "", hint.Errorf("commit the difference or put it back first: git diff HEAD "+path, "%s differs from the last commit", path)
	}
	files := map[string][]byte{path: c.Bytes(), progress.Path: progress.Append(log, entry)}
	done, err := announceEdit(ctx, repo, files)
	if err != nil {
		return "", err
	}
	defer done()
	if err := replaceAll(repo.Top(), files); err != nil {
		return "", err
	}
	message := fmt.Sprintf("Contract: %s\n\n%s: %s %s\n", entry.Facts[0], trailerContract, kind, c.Feature)
	id, err := repo.CommitPaths(ctx, message, []string{path, progress.Path})
	if err != nil {
		if rerr := putBack(context.WithoutCancel(ctx), repo, []string{path, progress.Path}); rerr != nil {
			return "", fmt.Errorf("%w (and the files could not be put back: %v)", err, rerr)
		}
		return "", err
	}
	return id, after()
}

// trailerContract is known to the guard of contracts.
const trailerContract = "Agent-Contract"

// forgetPending drops what a session agreed on and a person has replaced.
func forgetPending(ctx context.Context, repo *gitops.Repo, view *ContractView) error {
	if view.Pending == nil {
		return nil
	}
	return progress.RecordJournal(ctx, repo, nil, nil, map[string][]byte{contract.Path(view.Feature.ID): nil})
}
