package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/session"
	"gitagent/internal/verify/contract"
)

func contractCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name: "contract", Usage: "show how a feature is judged; accept, edit or replace it, which is committed at once", ArgsUsage: "ID",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "accept", Usage: "take what a session proposed, as a person's word"},
			&cli.BoolFlag{Name: "edit", Usage: "change it in your editor"},
			&cli.StringFlag{Name: "from", Usage: "take the contract in `FILE`; - reads standard input"},
			jsonFlag,
		},
		Action: func(c *cli.Context) error {
			id, err := oneArg(c, "the feature's ID")
			if err != nil {
				return err
			}
			acts := 0
			for _, name := range []string{"accept", "edit", "from"} {
				if c.IsSet(name) {
					acts++
				}
			}
			switch {
			case acts > 1:
				return usage("choose one of --accept, --edit and --from")
			case acts == 1 && c.Bool("json"):
				return usage("--json shows a contract; it does not go with --accept, --edit and --from")
			case acts == 0:
				return t.showContract(c, id)
			}
			return t.replaceContract(c, id)
		},
	}
}

func (t *terminal) showContract(c *cli.Context, id string) error {
	repo, _, err := open(c, false)
	if err != nil {
		return err
	}
	v, err := session.LoadContract(c.Context, repo, id)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return t.printJSON(struct {
			Feature  string             `json:"feature"`
			Current  *contract.Contract `json:"current,omitempty"`
			Pending  *contract.Contract `json:"pending,omitempty"`
			Proposed *contract.Contract `json:"proposed,omitempty"`
			Why      []string           `json:"why,omitempty"`
		}{id, v.Current, v.Pending, v.Proposed, v.Why})
	}
	t.printf("%s %s\n", v.Feature.ID, plain.Line(v.Feature.Description, 200))
	for i, step := range v.Feature.Steps {
		t.printf("  %d. %s\n", i+1, plain.Line(step, 300))
	}
	t.tellContract("contract", v.Current)
	t.tellContract("agreed by a session that has not landed", v.Pending)
	if len(v.Why) > 0 {
		t.printf("not taken:\n")
		for _, why := range v.Why {
			t.printf("  - %s\n", plain.Line(why, 500))
		}
	}
	t.tellContract("proposed", v.Proposed)
	switch {
	case v.Proposed != nil:
		t.printf("take it: git agent contract %s --accept, or change it: git agent contract %s --edit\n", id, id)
	case v.Newest() == nil:
		t.printf("no contract yet: a session makes one, or you: git agent contract %s --edit\n", id)
	}
	return nil
}

func (t *terminal) tellContract(title string, c *contract.Contract) {
	if c == nil {
		return
	}
	t.printf("%s, revision %d%s:\n", title, c.Revision, after(", by a ", c.By))
	for _, line := range session.DescribeContract(c) {
		t.printf("  %s\n", line)
	}
}

func (t *terminal) replaceContract(c *cli.Context, id string) error {
	repo, _, err := open(c, true)
	if err != nil {
		return err
	}
	done, err := session.ReplaceContract(c.Context, repo, id, func(v *session.ContractView) (session.ContractChange, error) {
		change, err := t.chooseContract(c, v)
		if err == nil && change.Contract != nil {
			err = change.Contract.Usable(v.Feature)
		}
		if err != nil {
			err = &exitError{code: codeUsage, err: err} // what was asked cannot be done
		}
		return change, err
	}, t.warnf)
	if errors.Is(err, session.ErrSameContract) {
		return &exitError{code: codeUsage, err: err}
	}
	if err != nil {
		return err
	}
	t.printf("contract of %s, revision %d (commit %s)\n", id, done.Contract.Revision, done.Commit.Short())
	for _, doubt := range done.Doubts {
		t.warnf("taken as you say, although %s", doubt)
	}
	return nil
}

// chooseContract is the contract that the flags ask for.
func (t *terminal) chooseContract(c *cli.Context, v *session.ContractView) (session.ContractChange, error) {
	switch {
	case c.Bool("accept"):
		for _, k := range []*contract.Contract{v.Proposed, v.Pending, v.Current} {
			if k != nil {
				return session.ContractChange{Kind: "accept", Contract: k}, nil
			}
		}
		return session.ContractChange{}, hint.Errorf("write one with: git agent contract "+v.Feature.ID+" --edit", "nothing is proposed for %s", v.Feature.ID)
	case c.IsSet("from"):
		data, err := readFile(t, c.String("from"))
		if err != nil {
			return session.ContractChange{}, err
		}
		k, err := contract.Parse(data)
		if err != nil {
			err = fmt.Errorf("%s: %w", plain.Line(c.String("from"), 80), err)
		}
		return session.ContractChange{Kind: "from", Contract: k}, err
	}
	k, err := t.editContract(c, v)
	return session.ContractChange{Kind: "edit", Contract: k}, err
}

// editContract opens the contract in the person's editor, again as long as what
// was saved is none and they want to.
func (t *terminal) editContract(c *cli.Context, v *session.ContractView) (*contract.Contract, error) {
	begin := v.Newest()
	if v.Current == nil && v.Proposed != nil {
		begin = v.Proposed
	}
	blank := begin == nil
	if blank {
		begin = v.Blank()
		t.notef("the form has a check of each kind: keep those that fit, and fill in every …\n")
	}
	text := begin.Bytes()
	asGiven := text
	for {
		edited, err := t.edit(text)
		if err != nil {
			return nil, err
		}
		if blank && bytes.Equal(edited, asGiven) { // an editor that was only closed: the blank form is nobody's word
			return nil, hint.Errorf("fill in its checks: git agent contract "+v.Feature.ID+" --edit", "the form was not filled in; nothing was written")
		}
		k, err := contract.Parse(edited)
		if blank && v.Unfilled(edited) {
			err = errors.New("a … of the form is left: fill it in, or delete its check")
		}
		if err == nil {
			err = k.Usable(v.Feature)
		}
		if err == nil {
			return k, nil
		}
		if !t.person {
			return nil, err
		}
		t.warnf("%v", err)
		if t.choose(c.Context, "Edit it again?", "y/N") != "y" {
			return nil, err
		}
		text = edited
	}
}
