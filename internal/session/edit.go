package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/progress"
)

// Change is a person's change of the list.
type Change struct {
	Kind string // add, edit, split, retire
	IDs  []string
	Data []byte // the new features.json
	Fact string // for the log
}

// ListEditor computes a change; used are the ids that were ever given out.
type ListEditor func(l *features.List, used []string) (Change, error)

// EditList changes the list as a person asked, writes the log and commits
// both, with a trailer that names the change.
// say is told what killed commands had left, a sentence each.
func EditList(ctx context.Context, repo *gitops.Repo, edit ListEditor, say func(format string, args ...any)) (Change, gitops.OID, error) {
	end, err := begin(ctx, repo, "a change of the list", say)
	if err != nil {
		return Change{}, "", err
	}
	defer end()
	if err := repo.Identity(ctx); err != nil {
		return Change{}, "", err
	}
	list, log, err := cleanList(ctx, repo)
	if err != nil {
		return Change{}, "", err
	}
	used, err := usedIDs(list, log)
	if err != nil {
		return Change{}, "", err
	}
	c, err := edit(list, used)
	if err != nil {
		return c, "", err
	}
	entry := progress.Entry{Time: time.Now().UTC(), Kind: progress.KindFeatures, Outcome: c.Kind, Facts: []string{c.Fact}}
	if len(c.IDs) == 1 {
		entry.Feature = c.IDs[0]
	}
	files := map[string][]byte{features.Path: c.Data, progress.Path: progress.Append(log, entry)}
	old := map[string][]byte{features.Path: list.Bytes(), progress.Path: log}
	done, err := announceEdit(ctx, repo, files)
	if err != nil {
		return c, "", err
	}
	defer done()
	if err := replaceAll(repo.Top(), files); err != nil {
		return c, "", err
	}
	subject := fmt.Sprintf("Features: %s", c.Fact)
	trailer := "Agent-Features: " + c.Kind
	for _, id := range c.IDs {
		trailer += " " + id
	}
	id, err := repo.CommitPaths(ctx, subject+"\n\n"+trailer+"\n", []string{features.Path, progress.Path})
	if err != nil {
		if rerr := replaceAll(repo.Top(), old); rerr != nil {
			return c, "", fmt.Errorf("%w (and the files could not be put back: %v)", err, rerr)
		}
		return c, "", err
	}
	return c, id, recordAct(context.WithoutCancel(ctx), repo, c, entry)
}

// recordAct tells the history of a feature, where it has any, that a person
// reworded it: the times in the log cannot, once the clock was set back.
func recordAct(ctx context.Context, repo *gitops.Repo, c Change, entry progress.Entry) error {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return err
	}
	journal, err := progress.LoadJournal(ctx, repo)
	if err != nil {
		return err
	}
	events := map[string][]progress.Event{}
	for _, id := range c.IDs {
		_, err := repo.EntryAt(ctx, tree, progress.StatusPath(id))
		if err == nil || len(journal.Events(id)) > 0 {
			events[id] = []progress.Event{{Time: entry.Time, Phase: "list", Kind: progress.EventPerson, Detail: c.Fact}}
		}
	}
	if len(events) == 0 {
		return nil
	}
	return progress.RecordJournal(ctx, repo, nil, events, nil)
}

// announceEdit tells the crash log of files that are about to be written.
func announceEdit(ctx context.Context, repo *gitops.Repo, files map[string][]byte) (done func(), err error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	wrote := map[string]string{}
	for path, data := range files {
		wrote[path] = digestOf(data)
	}
	return announce(repo, crashLine{Session: "list-" + newID(time.Now()), Phase: phaseEdit, Branch: head.Branch, Base: head.Commit, Wrote: wrote})
}

// cleanList reads list and log and refuses when either differs in the checkout:
// the change would take the difference along.
func cleanList(ctx context.Context, repo *gitops.Repo) (*features.List, []byte, error) {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err != nil {
		return nil, nil, err
	}
	changed, err := repo.LocalChanges(ctx, features.Path, progress.Path)
	if err != nil {
		return nil, nil, err
	}
	if len(changed) > 0 {
		return nil, nil, hint.Errorf("commit the difference or put it back first: git diff HEAD "+changed[0], "%s differs from the last commit", changed[0])
	}
	var got [2][]byte
	for i, path := range []string{features.Path, progress.Path} {
		if got[i], err = repo.ReadFile(ctx, tree, path); err != nil {
			return nil, nil, needList(err)
		}
	}
	list, err := features.Parse(got[0])
	return list, got[1], err
}

// usedIDs are the ids in the list and those that the log ever named, so that a
// retired one is never given out again.
func usedIDs(list *features.List, log []byte) ([]string, error) {
	entries, err := progress.Parse(log)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range list.Features {
		ids = append(ids, f.ID)
	}
	for _, e := range entries {
		if e.Feature != "" {
			ids = append(ids, e.Feature)
		}
		if e.Kind == progress.KindFeatures {
			for _, fact := range e.Facts {
				ids = append(ids, strings.FieldsFunc(fact, notOfID)...)
			}
		}
	}
	return ids, nil
}

// notOfID separates ids from the words around them.
func notOfID(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

func replaceAll(dir string, files map[string][]byte) error {
	for path, data := range files {
		if err := writeFile(filepath.Join(dir, path), data, false); err != nil {
			return err
		}
	}
	return nil
}
