package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// Undone says how a session was undone.
type Undone struct {
	Session string     `json:"session"`
	Feature string     `json:"feature"`
	How     string     `json:"how"` // moved-back or reverted
	Kept    string     `json:"kept,omitempty"`
	Commit  gitops.OID `json:"commit"` // the branch's new tip
}

// Undo takes the last session back. An unpushed one moves the branch back and
// keeps its tip on a private ref; a pushed one has its code reverted by a new
// commit, which keeps the flag and records a regression.
// say is told what killed commands had left, a sentence each.
func Undo(ctx context.Context, repo *gitops.Repo, say func(format string, args ...any)) (Undone, error) {
	end, err := begin(ctx, repo, "undo", say)
	if err != nil {
		return Undone{}, err
	}
	defer end()
	head, err := repo.Head(ctx)
	if err != nil {
		return Undone{}, err
	}
	if head.Commit == "" {
		return Undone{}, needList(gitops.ErrNotFound)
	}
	if head.Branch == "" {
		return Undone{}, hint.Errorf("switch to the branch first", "undo needs a branch, and HEAD is detached")
	}
	tip, err := repo.Commit(ctx, string(head.Commit))
	if err != nil {
		return Undone{}, err
	}
	u := Undone{Session: trailer(tip, "Agent-Session"), Feature: trailer(tip, "Agent-Feature")}
	if u.Session == "" || len(tip.Parents) != 1 {
		return u, hint.Errorf("see what it is with: git show --stat", "the last commit (%s %s) is not of a session", tip.ID.Short(), plain.Line(tip.Subject, 60))
	}
	pushed, err := repo.OnRemote(ctx, tip.ID)
	if err != nil {
		return u, err
	}
	if pushed {
		return revert(ctx, repo, head, tip, u)
	}
	u.How, u.Commit = "moved-back", tip.Parents[0]
	u.Kept = undoneRef(u.Session)
	done, err := announce(repo, crashLine{Session: u.Session, Phase: phaseUndo, Branch: head.Branch, Base: tip.ID, To: u.Commit})
	if err != nil {
		return u, err
	}
	defer done()
	if err := keepUndone(ctx, repo, u.Kept, tip.ID); err != nil {
		return u, err
	}
	if err := repo.MoveBack(ctx, tip.Parents[0]); err != nil {
		_ = repo.DeleteRef(ctx, u.Kept, tip.ID)
		var local *gitops.LocalChangesError
		if errors.As(err, &local) {
			err = hint.New(err, "commit them, or put them aside for a moment with: git stash")
		}
		return u, err
	}
	if err := remember(context.WithoutCancel(ctx), repo, tip, u); err != nil {
		return u, fmt.Errorf("the branch is back, but the log of what was undone is only at %s: %w", u.Kept, err)
	}
	return u, nil
}

// keepUndone keeps the tip at ref. What an earlier undo of the same session kept
// there, before it was taken and undone again, keeps a name of its own.
func keepUndone(ctx context.Context, repo *gitops.Repo, ref string, tip gitops.OID) error {
	old, err := repo.Resolve(ctx, ref)
	switch {
	case errors.Is(err, gitops.ErrNotFound):
		old = ""
	case err != nil:
		return err
	case old == tip:
		return nil
	default:
		if err := repo.UpdateRef(ctx, ref+"."+old.Short(), old, "", "git agent undo"); err != nil && !errors.Is(err, gitops.ErrRefMoved) {
			return err
		}
	}
	return repo.UpdateRef(ctx, ref, tip, old, "git agent undo")
}

// remember puts what the undone commit had added to the log and to the status
// files back into the journal, and that a person undid it: no history is lost
// with the commit.
func remember(ctx context.Context, repo *gitops.Repo, tip gitops.CommitInfo, u Undone) error {
	before, err := repo.TreeOf(ctx, string(tip.Parents[0]))
	if err != nil {
		return err
	}
	changes, err := repo.DiffTrees(ctx, before, tip.Tree)
	if err != nil {
		return err
	}
	old, new := reader{ctx: ctx, repo: repo, tree: before}, reader{ctx: ctx, repo: repo, tree: tip.Tree}
	now := time.Now().UTC()
	var entries []progress.Entry
	events := map[string][]progress.Event{}
	for _, c := range changes {
		if id := progress.StatusOf(c.Path); id != "" {
			was, err1 := progress.ParseStatus(id, old.file(c.Path))
			is, err2 := progress.ParseStatus(id, new.file(c.Path))
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			events[id] = is.Events[min(len(was.Events), len(is.Events)):]
		}
		if c.Path == progress.Path {
			was, err1 := progress.Parse(old.file(c.Path))
			is, err2 := progress.Parse(new.file(c.Path))
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			entries = is[min(len(was), len(is)):]
		}
	}
	entries = append(entries, progress.Entry{Time: now, Kind: progress.KindNote, Session: u.Session, Feature: u.Feature, Outcome: outcomeUndone,
		Facts: []string{"a person took session " + u.Session + " back; its commit is kept at " + u.Kept}})
	events[u.Feature] = append(events[u.Feature], progress.Event{Time: now, Session: u.Session, Phase: "undo", Kind: progress.EventPerson, Detail: "undone by a person"})
	if err := errors.Join(old.err, new.err); err != nil {
		return err
	}
	return progress.RecordJournal(ctx, repo, entries, events, nil)
}

// outcomeUndone is the outcome of the log's entry about an undo.
const outcomeUndone = "undone"

// undoneRef keeps the commit of a session that was taken back.
func undoneRef(session string) string { return workspace.UndoneRef(session) }

func trailer(c gitops.CommitInfo, name string) string {
	if v := c.Trailers[name]; len(v) > 0 {
		return strings.TrimSpace(v[len(v)-1])
	}
	return ""
}

// revert commits the parent's product files on top; the harness files stay,
// with an entry that says so.
func revert(ctx context.Context, repo *gitops.Repo, head gitops.Head, tip gitops.CommitInfo, u Undone) (Undone, error) {
	parent, err := repo.TreeOf(ctx, string(tip.Parents[0]))
	if err != nil {
		return u, err
	}
	product, err := workspace.ProductTree(ctx, repo, parent)
	if err != nil {
		return u, err
	}
	log, err := repo.ReadFile(ctx, tip.Tree, progress.Path)
	if err != nil {
		return u, err
	}
	entry := progress.Entry{Time: time.Now().UTC(), Kind: "regression", Session: u.Session, Feature: u.Feature, Outcome: "regression",
		Facts: []string{"a person took the code of session " + u.Session + " back; the flag stays and the feature has to be repaired"}}
	tree, err := workspace.BuildTree(ctx, repo, tip.Tree, product, map[string][]byte{progress.Path: progress.Append(log, entry)})
	if err != nil {
		return u, err
	}
	message := fmt.Sprintf("Take back: %s\n\nThe code of session %s is reverted; %s is recorded as a regression.\n\nAgent-Undo: %s\n", plain.Line(tip.Subject, 60), u.Session, u.Feature, u.Session)
	done, err := announce(repo, crashLine{Session: "undo-" + u.Session, Phase: phaseRevert, Branch: head.Branch, Base: tip.ID})
	if err != nil {
		return u, err
	}
	defer done()
	landed, err := workspace.Land(ctx, repo, workspace.LandSpec{Branch: head.Branch, Base: tip.ID, Tree: tree, Message: message, Session: "undo-" + u.Session})
	if err != nil {
		return u, err
	}
	u.How, u.Commit = "reverted", landed.Commit
	if landed.How == workspace.Aside {
		u.Kept = landed.Ref
		return u, hint.New(fmt.Errorf("the commit that takes it back is kept aside: %s", landed.Why), landed.Next)
	}
	return u, nil
}
