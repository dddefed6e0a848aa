package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gitagent/gitops"
)

// ErrBranchMoved says that the branch no longer ends at the base: the work has
// to be replayed on its new tip.
var ErrBranchMoved = errors.New("the branch moved meanwhile")

// How a commit landed.
const (
	Moved = "moved" // the branch holds it
	Aside = "aside" // it waits under a name of its own
)

// LandSpec is a commit to land: Tree on top of Base, which Branch
// ("refs/heads/x", "" = HEAD was detached) ended at when the session began.
type LandSpec struct {
	Branch     string
	Base, Tree gitops.OID // Base "" = the branch has no commit yet
	Message    string
	Session    string
}

// Landed says where the commit is. Ref is the branch or the name it waits
// under; Why and Next say, when it waits, why and by which command it is taken.
type Landed struct {
	Commit         gitops.OID
	How            string
	Ref, Why, Next string
}

// Land makes the commit and moves the branch to it: with the user's work tree
// where the branch is checked out here, alone where it is checked out nowhere.
// Where anything of the user's is in the way, nothing is touched and the commit
// waits aside. It fails with ErrBranchMoved when the branch moved.
func Land(ctx context.Context, repo *gitops.Repo, spec LandSpec) (Landed, error) {
	if err := checkSession(spec.Session); err != nil {
		return Landed{}, err
	}
	if err := unmoved(ctx, repo, spec); err != nil {
		return Landed{}, err
	}
	l := &landing{repo: repo, spec: spec, ref: landingRefs + spec.Session}
	if err := l.makeCommit(ctx); err != nil {
		return Landed{}, err
	}
	return l.settle(ctx)
}

// settle finds the commit's place.
func (l *landing) settle(ctx context.Context) (Landed, error) {
	if l.unsigned != "" {
		return l.aside(ctx, "the commit could not be signed without asking you ("+l.unsigned+")", "git cherry-pick "+l.ref)
	}
	// Whatever ends this process from here on, the next one finds the commit.
	if err := setRef(ctx, l.repo, l.moving(), l.commit, "git agent: land session "+l.spec.Session); err != nil {
		return Landed{}, fmt.Errorf("keep the commit while it lands: %w", err)
	}
	landed, err := l.move(ctx)
	if err == nil || errors.Is(err, ErrBranchMoved) {
		err = errors.Join(err, l.repo.DeleteRef(context.WithoutCancel(ctx), l.moving(), l.commit))
	}
	return landed, err
}

// moving holds the commit from when it is made to when it has its place.
func (l *landing) moving() string { return movingRefs + l.spec.Session }

// FinishLanding goes on with a landing that was cut short by the death of its
// process. found is false where none was. Where the branch has moved on the
// commit waits aside. The caller makes sure that nothing works here.
func FinishLanding(ctx context.Context, repo *gitops.Repo, branch, session string) (landed Landed, found bool, err error) {
	if err := checkSession(session); err != nil {
		return Landed{}, false, err
	}
	l := &landing{repo: repo, spec: LandSpec{Branch: branch, Session: session}, ref: landingRefs + session}
	if l.commit, err = repo.Resolve(ctx, l.moving()); errors.Is(err, gitops.ErrNotFound) {
		return Landed{}, false, nil
	}
	if err != nil {
		return Landed{}, false, err
	}
	info, err := repo.Commit(ctx, string(l.commit))
	if err != nil {
		return Landed{}, false, err
	}
	l.spec.Tree = info.Tree
	if len(info.Parents) > 0 {
		l.spec.Base = info.Parents[0]
	}
	landed, err = l.finish(ctx)
	return landed, true, err
}

func (l *landing) finish(ctx context.Context) (Landed, error) {
	if l.spec.Branch != "" {
		moved, err := l.repo.SettleMove(ctx, l.spec.Branch, l.spec.Base, l.commit)
		if err == nil && !moved {
			moved, err = l.repo.IsAncestor(ctx, l.commit, l.spec.Branch)
		}
		if err != nil {
			return Landed{}, err
		}
		if moved {
			return Landed{Commit: l.commit, How: Moved, Ref: l.spec.Branch}, l.repo.DeleteRef(ctx, l.moving(), l.commit)
		}
	}
	landed, err := Landed{}, unmoved(ctx, l.repo, l.spec)
	if err == nil {
		landed, err = l.settle(ctx)
	}
	if errors.Is(err, ErrBranchMoved) {
		if landed, err = l.aside(ctx, "the branch moved meanwhile", "git cherry-pick "+l.ref); err == nil {
			err = dropRef(ctx, l.repo, l.moving())
		}
	}
	return landed, err
}

// dropRef removes one of our own refs, if it is there.
func dropRef(ctx context.Context, repo *gitops.Repo, ref string) error {
	old, err := repo.Resolve(ctx, ref)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return repo.DeleteRef(ctx, ref, old)
}

// unmoved checks that the branch still ends at the base.
func unmoved(ctx context.Context, repo *gitops.Repo, spec LandSpec) error {
	if spec.Branch == "" {
		return nil
	}
	tip, err := repo.Resolve(ctx, spec.Branch)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return err
	}
	if tip != spec.Base {
		return ErrBranchMoved
	}
	return nil
}

type landing struct {
	repo     *gitops.Repo
	spec     LandSpec
	ref      string
	commit   gitops.OID
	unsigned string // why the commit lacks the signature that it should have
}

func (l *landing) makeCommit(ctx context.Context) error {
	c := gitops.CommitSpec{Tree: l.spec.Tree, Message: l.spec.Message, Sign: gitops.SignAsConfigured}
	if l.spec.Base != "" {
		c.Parents = []gitops.OID{l.spec.Base}
	}
	id, err := l.repo.CommitTree(ctx, c)
	if errors.Is(err, gitops.ErrSigning) {
		l.unsigned = oneLine(err)
		c.Sign = gitops.SignNever
		id, err = l.repo.CommitTree(ctx, c)
	}
	l.commit = id
	return err
}

// oneLine is the cause of a signing error in one line.
func oneLine(err error) string {
	text := strings.TrimPrefix(err.Error(), gitops.ErrSigning.Error()+": ")
	return strings.Join(strings.Fields(text), " ")
}

// move finds out how the branch can be moved without touching the user's work.
func (l *landing) move(ctx context.Context) (Landed, error) {
	here := "git cherry-pick --ff " + l.ref
	if l.spec.Branch == "" {
		return l.aside(ctx, "HEAD is not on a branch", here)
	}
	head, err := l.repo.Head(ctx)
	if err != nil {
		return Landed{}, err
	}
	if head.Branch == l.spec.Branch {
		op, err := l.repo.Operation(ctx)
		if err != nil {
			return Landed{}, err
		}
		if op != "" {
			return l.aside(ctx, "a "+op+" is under way here; finish it first", here)
		}
		return l.fastForward(ctx, here)
	}
	dir, checkedOut, err := l.repo.CheckedOutAt(ctx, l.spec.Branch)
	if err != nil {
		return Landed{}, err
	}
	if checkedOut {
		why := fmt.Sprintf("%s is checked out, or being rebased, in %s", l.short(), dir)
		return l.aside(ctx, why, "git -C "+shellQuote(dir)+" cherry-pick --ff "+l.ref)
	}
	return l.swap(ctx)
}

// fastForward moves branch, index and work tree together.
func (l *landing) fastForward(ctx context.Context, next string) (Landed, error) {
	if l.spec.Base == "" {
		next = "git merge --ff-only " + l.ref
	}
	err := l.repo.FastForward(ctx, l.commit)
	var local *gitops.LocalChangesError
	var filter *gitops.LocalFilterError
	switch {
	case err == nil:
		return l.confirm(ctx)
	case errors.As(err, &local):
		return l.aside(ctx, local.Error(), next)
	case errors.As(err, &filter):
		return l.aside(ctx, filter.Error(), next)
	}
	if moved := unmoved(ctx, l.repo, l.spec); moved != nil {
		return Landed{}, moved
	}
	return l.aside(ctx, "git would not move the branch: "+strings.Join(strings.Fields(err.Error()), " "), next)
}

// confirm makes sure that it was this branch that moved. Where a person went to
// another one at that very moment, that one is given back what it was, and the
// branch is moved alone.
func (l *landing) confirm(ctx context.Context) (Landed, error) {
	ctx = context.WithoutCancel(ctx)
	tip, err := l.repo.Resolve(ctx, l.spec.Branch)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return Landed{}, err
	}
	if tip == l.commit {
		return Landed{Commit: l.commit, How: Moved, Ref: l.spec.Branch}, nil
	}
	const why = "another branch was checked out at that moment"
	if err := l.giveBack(ctx); err != nil {
		return l.aside(ctx, why+", and could not be given back what it was: "+strings.Join(strings.Fields(err.Error()), " "), l.fetchCommand())
	}
	if tip != l.spec.Base {
		return Landed{}, ErrBranchMoved
	}
	if _, checkedOut, err := l.repo.CheckedOutAt(ctx, l.spec.Branch); err != nil || checkedOut {
		return l.aside(ctx, why, l.fetchCommand())
	}
	return l.swap(ctx)
}

// giveBack moves what is checked out now, and is not our branch, from our commit
// to where it was: as an undo does, so that no local change is lost.
func (l *landing) giveBack(ctx context.Context) error {
	head, err := l.repo.Head(ctx)
	if err != nil || head.Branch == l.spec.Branch || head.Commit != l.commit {
		return err // they are elsewhere by now
	}
	before, err := l.repo.Before(ctx, head)
	if err != nil {
		return err
	}
	return l.repo.MoveBack(ctx, before)
}

// swap moves a branch that is checked out nowhere. Once begun it is not cut
// short: git may have moved the ref and not have said so yet.
func (l *landing) swap(ctx context.Context) (Landed, error) {
	if ctx.Err() != nil {
		return Landed{}, ctx.Err()
	}
	err := l.repo.UpdateRef(context.WithoutCancel(ctx), l.spec.Branch, l.commit, l.spec.Base, "git agent: land session "+l.spec.Session)
	if errors.Is(err, gitops.ErrRefMoved) {
		return Landed{}, ErrBranchMoved
	}
	if err != nil {
		return Landed{}, err
	}
	return Landed{Commit: l.commit, How: Moved, Ref: l.spec.Branch}, nil
}

// fetchCommand takes the commit without a checkout, as a fast-forward only.
func (l *landing) fetchCommand() string {
	return "git fetch . " + l.ref + ":" + shellQuote(l.spec.Branch)
}

func (l *landing) short() string { return strings.TrimPrefix(l.spec.Branch, "refs/heads/") }

// aside gives the commit a name of its own.
func (l *landing) aside(ctx context.Context, why, next string) (Landed, error) {
	if err := setRef(ctx, l.repo, l.ref, l.commit, "git agent: kept aside"); err != nil {
		return Landed{}, fmt.Errorf("keep the commit aside: %w", err)
	}
	return Landed{Commit: l.commit, How: Aside, Ref: l.ref, Why: why, Next: next}, nil
}

// shellQuote makes s one word of a command that a person copies.
func shellQuote(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:=,", r)
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
