package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"gitagent/internal/verify/contract"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// keep saves what did not land: the tree under refs/agent/attempts, the
// transcript beside it, and what was learned in the journal.
func (s *step) keep(ctx context.Context) error {
	if s.feature == nil || s.script == nil {
		return nil // nothing was begun
	}
	var lost error
	if s.ws != nil {
		tree, err := s.ws.Snapshot(ctx)
		if err != nil {
			tree, err = s.ws.Rescue(ctx)
		}
		if err != nil {
			lost = err // the last tree is kept for now
		} else {
			s.tree = tree
		}
	}
	s.mark("stop")
	s.out.Tree = s.tree
	var err error
	switch {
	case s.tree != "" && s.tree != s.baseID:
		s.out.Kept, _, err = workspace.Keep(ctx, s.repo, s.id, s.base.ID, s.tree, s.attachments(), "attempt at "+s.feature.ID+": "+string(s.out.End))
	case s.out.Receipt.Turns > 0: // it changed nothing: there is no more to keep than what was said
		err = workspace.KeepRecord(ctx, s.repo, s.id, "", s.attachments())
	}
	lost = errors.Join(lost, err)
	if lost != nil {
		return lost // and nothing is booked: the next command keeps it and books it
	}
	s.events = append(s.events, progress.Event{Time: time.Now().UTC(), Phase: "stop", Session: s.id, Attempt: s.attempt, Kind: string(s.out.End), Detail: s.out.Reason})
	files := map[string][]byte{}
	switch {
	case s.voidContract:
		files[contract.Path(s.feature.ID)] = nil
	case s.compiled && s.contract != nil:
		files[contract.Path(s.feature.ID)] = s.contract.Bytes()
	}
	entries := append(append([]progress.Entry{}, s.noted...), s.entry(s.out.End, s.out.Reason))
	return progress.RecordJournal(ctx, s.repo, entries, map[string][]progress.Event{s.feature.ID: s.events}, files)
}

// keepRecord keeps the transcript of a session that landed.
func (s *step) keepRecord(ctx context.Context) {
	if err := workspace.KeepRecord(ctx, s.repo, s.id, s.out.Commit, s.attachments()); err != nil {
		s.warn("the transcript could not be kept: %v", err)
	}
}

// attachments are the transcript, the receipt and the screenshots.
func (s *step) attachments() map[string][]byte {
	files := map[string][]byte{"transcript.jsonl": s.script.bytes()}
	if data, err := json.MarshalIndent(s.out.Receipt, "", "  "); err == nil {
		files["receipt.json"] = append(data, '\n')
	}
	shots, _ := filepath.Glob(filepath.Join(s.shots, "*", "*.png")) // a folder for each check
	for _, path := range shots {
		if data, err := os.ReadFile(path); err == nil && len(data) < 4<<20 {
			files["shots/"+filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)] = data
		}
	}
	return files
}
