package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestPutAndGet(t *testing.T) {
	s := Open(t.TempDir())
	var r Result
	if s.Get(Contracts, Key("t", "d"), &r) {
		t.Fatal("there is something in an empty store")
	}
	if err := s.Put(Contracts, Key("t", "d"), Result{Verdict: "pass"}); err != nil {
		t.Fatal(err)
	}
	if !s.Get(Contracts, Key("t", "d"), &r) || r.Verdict != "pass" {
		t.Fatalf("%+v", r)
	}
	if s.Get(Contracts, Key("td", ""), &r) || s.Get(Audits, Key("t", "d"), &r) {
		t.Fatal("another key or kind finds it")
	}
	if err := os.WriteFile(filepath.Join(s.dir, Contracts, Key("t", "d")+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Get(Contracts, Key("t", "d"), &r) {
		t.Fatal("a cut file was read")
	}
}

func TestOldResultsGo(t *testing.T) {
	s := Open(t.TempDir())
	dir := filepath.Join(s.dir, Audits)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxFiles {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(Audits, "newest", Result{Verdict: "pass"}); err != nil {
		t.Fatal(err)
	}
	var r Result
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > maxFiles || !s.Get(Audits, "newest", &r) {
		t.Fatalf("%d files, %v, %+v", len(entries), err, r)
	}
}
