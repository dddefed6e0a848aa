package progress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"gitagent/gitops"
)

// JournalRef holds what sessions that did not land have learned. Its tree has
// the same files as a branch, with what is pending alone: a log, status files,
// contracts.
const JournalRef = "refs/agent/journal"

const recordTries = 20

// Journal is what waits to land with the next verified commit.
type Journal struct {
	tip     gitops.OID
	entries []Entry
	events  map[string][]Event // by feature
	files   map[string][]byte
}

// LoadJournal reads the journal; without one it is empty.
func LoadJournal(ctx context.Context, repo *gitops.Repo) (*Journal, error) {
	refs, err := repo.Refs(ctx, JournalRef)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		if r.Name == JournalRef {
			return loadJournal(ctx, repo, r.OID)
		}
	}
	return newJournal(), nil
}

func newJournal() *Journal {
	return &Journal{events: map[string][]Event{}, files: map[string][]byte{}}
}

func loadJournal(ctx context.Context, repo *gitops.Repo, tip gitops.OID) (*Journal, error) {
	j := newJournal()
	if tip == "" {
		return j, nil
	}
	j.tip = tip
	commit, err := repo.Commit(ctx, string(tip))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", JournalRef, err)
	}
	entries, err := repo.ListTree(ctx, commit.Tree)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", JournalRef, err)
	}
	for _, e := range entries {
		data, err := repo.ReadBlob(ctx, e.OID)
		if err == nil {
			err = j.take(e.Path, data)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", JournalRef, e.Path, err)
		}
	}
	return j, nil
}

// take reads one file of the journal's tree.
func (j *Journal) take(name string, data []byte) (err error) {
	feature := StatusOf(name)
	switch {
	case name == Path:
		j.entries, err = Parse(data)
	case feature != "":
		var s *Status
		if s, err = ParseStatus(feature, data); err == nil {
			j.events[feature] = s.Events
		}
	case proofFor(name) != "":
		j.files[name] = data // a contract; nothing else was ever put there by us
	}
	return err
}

// Tip is the commit that was read, "" when there was none.
func (j *Journal) Tip() gitops.OID { return j.tip }

// Entries returns the pending entries of the log, oldest first.
func (j *Journal) Entries() []Entry { return slices.Clone(j.entries) }

// Events returns the pending events of a feature, oldest first.
func (j *Journal) Events(feature string) []Event { return slices.Clone(j.events[feature]) }

// Features returns the ids that have pending events, sorted.
func (j *Journal) Features() []string { return slices.Sorted(maps.Keys(j.events)) }

// Empty says whether nothing is pending.
func (j *Journal) Empty() bool { return len(j.tree()) == 0 }

// File returns a pending file, such as a contract.
func (j *Journal) File(name string) ([]byte, bool) {
	data, ok := j.files[name]
	return bytes.Clone(data), ok
}

// RecordJournal adds entries, events by feature and contracts (path to content,
// nil to forget it) in one commit on the ref. It starts over when another
// process was faster.
func RecordJournal(ctx context.Context, repo *gitops.Repo, entries []Entry, events map[string][]Event, files map[string][]byte) error {
	for name := range files {
		if proofFor(name) == "" {
			return fmt.Errorf("record in the journal: %s is no contract", name)
		}
	}
	for range recordTries {
		j, err := LoadJournal(ctx, repo)
		if err != nil {
			return err
		}
		old := j.tip
		j.add(entries, events, files)
		err = j.write(ctx, repo, old, old)
		if !errors.Is(err, gitops.ErrRefMoved) {
			return err
		}
	}
	return fmt.Errorf("record in the journal: %w, %d times", gitops.ErrRefMoved, recordTries)
}

func (j *Journal) add(entries []Entry, events map[string][]Event, files map[string][]byte) {
	j.entries = append(j.entries, entries...)
	for feature, list := range events {
		j.events[feature] = append(j.events[feature], list...)
	}
	for name, data := range files {
		if data == nil {
			delete(j.files, name)
		} else {
			j.files[name] = data
		}
	}
}

// write commits the journal and moves the ref from old; parent "" makes a
// commit without history.
func (j *Journal) write(ctx context.Context, repo *gitops.Repo, parent, old gitops.OID) error {
	var edits []gitops.Edit
	for name, data := range j.tree() {
		edits = append(edits, gitops.Edit{Path: name, Mode: gitops.ModeFile, Data: data})
	}
	slices.SortFunc(edits, func(a, b gitops.Edit) int { return strings.Compare(a.Path, b.Path) })
	tree, err := repo.EditTree(ctx, "", edits)
	if err != nil {
		return fmt.Errorf("record in the journal: %w", err)
	}
	spec := gitops.CommitSpec{Tree: tree, Message: j.subject() + "\n", Internal: true}
	if parent != "" {
		spec.Parents = []gitops.OID{parent}
	}
	commit, err := repo.CommitTree(ctx, spec)
	if err != nil {
		return fmt.Errorf("record in the journal: %w", err)
	}
	return repo.UpdateRef(ctx, JournalRef, commit, old, "git agent: journal")
}

// subject names the newest entry.
func (j *Journal) subject() string {
	if len(j.entries) == 0 {
		return "journal"
	}
	e := tidy(j.entries[len(j.entries)-1])
	return strings.Join(strings.Fields("journal: "+e.Kind+" "+e.Feature+" "+e.Outcome), " ")
}

func (j *Journal) tree() map[string][]byte {
	out := maps.Clone(j.files)
	for _, e := range j.entries {
		out[Path] = Append(out[Path], e)
	}
	for feature, list := range j.events {
		name := StatusPath(feature)
		for _, e := range list {
			out[name] = AppendEvent(out[name], feature, e)
		}
	}
	return out
}

// Unlanded is j without what has landed: after a landing whose journal was not
// cleared, or when a commit that waited aside was taken. log is the log as it
// stands, read gives any other file as it stands, nil when there is none. The
// contract of a feature with evidence stays as it is, so a pending one counts
// as landed.
func (j *Journal) Unlanded(log []byte, read func(path string) []byte) *Journal {
	out := newJournal()
	out.tip = j.tip
	for _, e := range j.entries {
		if rest, ok := cutFrom(log, []byte("\n"+e.format())); ok {
			log = rest
		} else {
			out.entries = append(out.entries, e)
		}
	}
	for feature, events := range j.events {
		there := read(StatusPath(feature))
		for _, e := range events {
			if rest, ok := cutFrom(there, []byte("\n"+e.row())); ok {
				there = rest
			} else {
				out.events[feature] = append(out.events[feature], e)
			}
		}
	}
	for name, data := range j.files {
		if proof := proofFor(name); proof != "" && read(proof) != nil {
			continue
		}
		if !bytes.Equal(read(name), data) {
			out.files[name] = data
		}
	}
	return out
}

// Fold returns, by path, what the log, the status files and other files become
// when what is unlanded is added. log and read are as for Unlanded. The map is
// never nil and holds nothing that would not change.
func (j *Journal) Fold(log []byte, read func(path string) []byte) map[string][]byte {
	out := map[string][]byte{}
	j = j.Unlanded(log, read)
	for _, e := range j.entries {
		log = Append(log, e)
		out[Path] = log
	}
	for feature, events := range j.events {
		name := StatusPath(feature)
		out[name] = read(name)
		for _, e := range events {
			out[name] = AppendEvent(out[name], feature, e)
		}
	}
	for name, data := range j.files {
		out[name] = bytes.Clone(data)
	}
	return out
}

// cutFrom finds block in data and returns what follows, its last newline
// included, since the next block starts with one.
func cutFrom(data, block []byte) ([]byte, bool) {
	i := bytes.Index(data, block)
	if i < 0 {
		return data, false
	}
	return data[i+len(block)-1:], true
}

// proofFor is the evidence that locks the contract at name, "" for others.
func proofFor(name string) string {
	if path.Dir(name) != ".agent/contracts" {
		return ""
	}
	return ".agent/evidence/" + path.Base(name)
}

// ClearJournal removes what was seen at tip seen, because it has landed. What
// another session recorded meanwhile stays.
func ClearJournal(ctx context.Context, repo *gitops.Repo, seen gitops.OID) error {
	if seen == "" {
		return nil
	}
	for range recordTries {
		now, err := LoadJournal(ctx, repo)
		if err != nil || now.tip == "" {
			return err
		}
		if now.tip == seen {
			err = repo.DeleteRef(ctx, JournalRef, seen)
		} else {
			var landed *Journal
			if landed, err = loadJournal(ctx, repo, seen); err != nil {
				return err
			}
			if rest := now.since(landed); len(rest.tree()) > 0 {
				err = rest.write(ctx, repo, "", now.tip)
			} else {
				err = repo.DeleteRef(ctx, JournalRef, now.tip)
			}
		}
		if !errors.Is(err, gitops.ErrRefMoved) {
			return err
		}
	}
	return fmt.Errorf("clear the journal: %w, %d times", gitops.ErrRefMoved, recordTries)
}

// since is what j holds beyond an earlier state of it.
func (j *Journal) since(old *Journal) *Journal {
	out := newJournal()
	out.tip = j.tip
	out.entries = j.entries[min(len(old.entries), len(j.entries)):]
	for feature, events := range j.events {
		if rest := events[min(len(old.events[feature]), len(events)):]; len(rest) > 0 {
			out.events[feature] = rest
		}
	}
	for name, data := range j.files {
		if was, ok := old.files[name]; !ok || !bytes.Equal(was, data) {
			out.files[name] = data
		}
	}
	return out
}
