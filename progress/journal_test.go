package progress

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gitagent/gitops"
	"gitagent/internal/testenv"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, dir string) *gitops.Repo {
	t.Helper()
	repo, err := gitops.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func load(t *testing.T, repo *gitops.Repo) *Journal {
	t.Helper()
	j, err := LoadJournal(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func incomplete(i int) (Entry, Event) {
	at := day.Add(time.Duration(i) * time.Minute)
	session := fmt.Sprintf("s%d", i)
	return Entry{Time: at, Kind: KindSession, Session: session, Feature: "F001", Outcome: EventIncomplete, Note: "I tried."},
		Event{Time: at, Session: session, Phase: "stop", Kind: EventIncomplete, Detail: "3 attempts"}
}

func TestJournalFromFirstSessionToLanding(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	repo, ctx := open(t, dir), context.Background()
	if j := load(t, repo); j.Tip() != "" || len(j.Entries()) != 0 || len(j.Fold(nil, func(string) []byte { return nil })) != 0 {
		t.Fatalf("a journal before the first session: %+v", j)
	}
	if err := ClearJournal(ctx, repo, ""); err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for i := range 3 {
		e, ev := incomplete(i)
		entries = append(entries, tidy(e))
		files := map[string][]byte{".agent/contracts/F001.json": []byte(fmt.Sprintf("{\"revision\":%d}\n", i+1))}
		if err := RecordJournal(ctx, repo, []Entry{e}, map[string][]Event{"F001": {ev}}, files); err != nil {
			t.Fatal(err)
		}
	}
	j := load(t, repo)
	if diff := cmp.Diff(entries, j.Entries()); diff != "" {
		t.Error(diff)
	}
	if c, ok := j.File(".agent/contracts/F001.json"); !ok || string(c) != "{\"revision\":3}\n" {
		t.Errorf("the contract is %q", c)
	}
	if len(j.Events("F001")) != 3 || len(j.Events("F002")) != 0 || !cmp.Equal(j.Features(), []string{"F001"}) {
		t.Errorf("events: %+v", j.Events("F001"))
	}
	if got := testenv.Git(t, dir, "log", "--format=%s %an", JournalRef); got != strings.Repeat("journal: session F001 incomplete git agent\n", 2)+"journal: session F001 incomplete git agent" {
		t.Errorf("the ref's history:\n%s", got)
	}
	if out := testenv.Git(t, dir, "status", "--porcelain"); out != "" {
		t.Errorf("the checkout changed: %s", out)
	}

	log := New("p", "g", day)
	files := map[string][]byte{Path: log}
	read := func(path string) []byte { return files[path] }
	folded := j.Fold(log, read)
	if !IsPrefix(log, folded[Path]) || len(folded) != 3 {
		t.Fatalf("folded: %v", folded)
	}
	got, err := Parse(folded[Path])
	if err != nil || !cmp.Equal(got[1:], entries) {
		t.Errorf("%v %v", got, err)
	}
	s, err := ParseStatus("F001", folded[StatusPath("F001")])
	if err != nil || !s.Parked(3) {
		t.Errorf("%+v, %v", s, err)
	}
	for path, data := range folded {
		files[path] = data
	}
	if again := j.Fold(files[Path], read); len(again) != 0 {
		t.Errorf("folded twice: %v", again)
	}
	if err := ClearJournal(ctx, repo, j.Tip()); err != nil {
		t.Fatal(err)
	}
	if j := load(t, repo); j.Tip() != "" {
		t.Error("the journal is still there")
	}
}

// A contract whose feature passes is locked: a pending one from an earlier
// session must not come over it.
func TestFoldLeavesProvedContractsAlone(t *testing.T) {
	j := newJournal()
	j.add(nil, nil, map[string][]byte{".agent/contracts/F001.json": []byte("old"), ".agent/contracts/F002.json": []byte("new")})
	out := j.Fold(nil, func(path string) []byte {
		return map[string][]byte{".agent/contracts/F001.json": []byte("proved"), ".agent/evidence/F001.json": []byte("{}")}[path]
	})
	if len(out) != 1 || string(out[".agent/contracts/F002.json"]) != "new" {
		t.Errorf("got %v", out)
	}
}

func TestClearKeepsWhatCameMeanwhile(t *testing.T) {
	testenv.Clean(t)
	repo, ctx := open(t, testenv.Repo(t)), context.Background()
	record := func(i int, files map[string][]byte) {
		t.Helper()
		e, ev := incomplete(i)
		if err := RecordJournal(ctx, repo, []Entry{e}, map[string][]Event{"F001": {ev}}, files); err != nil {
			t.Fatal(err)
		}
	}
	const fileA, fileB = ".agent/contracts/F001.json", ".agent/contracts/F002.json"
	record(1, map[string][]byte{fileA: []byte("1"), fileB: []byte("1")})
	seen := load(t, repo).Tip()
	record(2, map[string][]byte{fileB: []byte("2")})
	if err := ClearJournal(ctx, repo, seen); err != nil {
		t.Fatal(err)
	}
	j := load(t, repo)
	_, hasA := j.File(fileA)
	b, _ := j.File(fileB)
	if e := j.Entries(); len(e) != 1 || e[0].Session != "s2" || len(j.Events("F001")) != 1 || hasA || string(b) != "2" {
		t.Errorf("left: %+v, %v, %q", e, hasA, b)
	}
	if err := RecordJournal(ctx, repo, nil, nil, map[string][]byte{Path: nil}); err == nil {
		t.Error("the log was recorded as a file")
	}
	record(3, map[string][]byte{fileB: nil})
	if _, has := load(t, repo).File(fileB); has {
		t.Error("a contract that was taken out is still there")
	}
}

// A journal may come from elsewhere: what is no contract in it is left alone.
func TestForeignFilesInTheJournal(t *testing.T) {
	testenv.Clean(t)
	repo, ctx := open(t, testenv.Repo(t)), context.Background()
	tree, err := repo.EditTree(ctx, "", []gitops.Edit{
		{Path: ".agent/contracts/F001.json", Data: []byte("c")}, {Path: ".agent/evidence/F001.json", Data: []byte("e")},
		{Path: ".agent/config", Data: []byte("c")}, {Path: "features.json", Data: []byte("f")}, {Path: "src/x.sh", Data: []byte("x")},
	})
	if err != nil {
		t.Fatal(err)
	}
	commit, err := repo.CommitTree(ctx, gitops.CommitSpec{Tree: tree, Message: "journal\n", Internal: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.UpdateRef(ctx, JournalRef, commit, "", "test"); err != nil {
		t.Fatal(err)
	}
	files := load(t, repo).Fold(nil, func(string) []byte { return nil })
	if len(files) != 1 || string(files[".agent/contracts/F001.json"]) != "c" {
		t.Errorf("landing would write %v", files)
	}
}

func TestSessionsRecordAtTheSameTime(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	var group sync.WaitGroup
	const n = 4
	errs := make([]error, n)
	for i := range n {
		repo := open(t, dir)
		group.Go(func() {
			e, ev := incomplete(i)
			errs[i] = RecordJournal(context.Background(), repo, []Entry{e}, map[string][]Event{fmt.Sprintf("F%03d", i): {ev}}, nil)
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if j := load(t, open(t, dir)); len(j.Entries()) != n || len(j.Features()) != n {
		t.Errorf("%d entries, %v", len(j.Entries()), j.Features())
	}
}
