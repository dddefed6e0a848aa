// Package kept holds what was found out about a tree in this clone's private
// state, so that nothing is proved twice on one machine. It knows names and
// files; it must never be taken for evidence, which travels with the commits.
package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is how something came out on a tree.
type Result struct {
	Time    time.Time `json:"time"`
	Verdict string    `json:"verdict"`
	Reason  string    `json:"reason,omitempty"`
	// Tests is what the project's tests said, "" when they were not run.
	Tests string `json:"tests,omitempty"`
}

// Suite is what is known of a project's tests, for people.
type Suite struct {
	Time    time.Time `json:"time"`
	Tree    string    `json:"tree"`
	Command string    `json:"command"`
	Dir     string    `json:"dir,omitempty"`
	Summary string    `json:"summary"`
	Failing []string  `json:"failing,omitempty"`
	Flaky   []string  `json:"flaky,omitempty"`
}

// The kinds of what is kept.
const (
	Contracts = "contracts" // Result, by Key(tree, digest of the contract)
	Audits    = "audits"    // Result, by Key(tree, digest of the contract)
	Baselines = "baselines" // by Key(tree, command)
	Suites    = "suites"    // []Suite, by Last
)

// Last is the key of the newest of a kind that has one only.
const Last = "last"

// maxFiles is how many results of one kind stay.
const maxFiles = 2000

// Store is a folder of results.
type Store struct{ dir string }

// Open gives the store of a clone; its folder is made when something is kept.
func Open(agentDir string) *Store { return &Store{filepath.Join(agentDir, "kept")} }

// Key names what a result is about.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n%s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Get reads what is kept into v and says whether there is something. What
// cannot be read is not there.
func (s *Store) Get(kind, key string, v any) bool {
	data, err := os.ReadFile(filepath.Join(s.dir, kind, key+".json"))
	return err == nil && json.Unmarshal(data, v) == nil
}

// Put keeps v. A failure costs a run later and nothing else.
func (s *Store) Put(kind, key string, v any) error {
	dir := filepath.Join(s.dir, kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, key+".json"))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("keep a result: %w", err)
	}
	prune(dir)
	return nil
}

// prune removes the oldest results where there are too many.
func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxFiles {
		return
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".json") {
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.at.Compare(b.at) })
	for _, f := range files[:max(0, len(files)-maxFiles*3/4)] {
		os.Remove(filepath.Join(dir, f.name))
	}
}
