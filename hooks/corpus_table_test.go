package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/gitops"
)

// tables skips what is only run by make tables.
func tables(t *testing.T) {
	t.Helper()
	if os.Getenv("GIT_AGENT_TABLES") == "" {
		t.Skip("it takes long; make tables runs it")
	}
}

// TestTableCorpus plays the corpus through the real hook (the index of a commit
// that is about to be made) and through check (the commit that was made all the
// same), and prints what each says.
func TestTableCorpus(t *testing.T) {
	tables(t)
	c := newCorpus(t)
	index := filepath.Join(c.dir, ".git", "corpus-index")
	t.Setenv("GIT_INDEX_FILE", index)
	attacks, twins := corpusCases(t, "attacks-*.txt"), corpusCases(t, "twins-*.txt")
	var made []gitops.OID
	more := 0 // commits that cases begin from
	hookSays := map[string][]string{}
	for _, k := range append(append([]corpusCase{}, attacks...), twins...) {
		from, tree, err := c.play(k)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		id, err := c.commit(from, tree, k.name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := c.repo.Commit(t.Context(), string(id))
		if err != nil {
			t.Fatal(err)
		}
		c.git("update-ref", "HEAD", string(info.Parents[0]))
		if info.Parents[0] != c.head {
			more++
		}
		hookSays[k.name] = c.hook(tree)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, id)
	}
	report, err := CheckRange(t.Context(), c.repo, revisions(made)+" ^"+string(c.head))
	if err != nil {
		t.Fatal(err)
	}
	checkSays := map[string][]string{}
	for _, v := range report.Violations {
		checkSays[v.Subject] = append(checkSays[v.Subject], v.Code)
	}
	for _, f := range report.Flips {
		if f.State == Carried {
			subject := c.git("show", "-s", "--format=%s", string(f.Commit))
			checkSays[subject] = append(checkSays[subject], "flags.carried")
		}
	}
	t.Logf("%-34s %8s %8s %8s", "corpus", "cases", "hook", "check")
	c.rows(t, "attacks caught", attacks, hookSays, checkSays, func(want, got []string) bool { return len(want) > 0 && len(absent(want, got)) == 0 })
	c.rows(t, "innocent twins let pass", twins, hookSays, checkSays, func(_, got []string) bool { return len(got) == 0 })
	if report.Commits != len(made)+more {
		t.Errorf("check saw %d commits of %d", report.Commits, len(made)+more)
	}
}

func revisions(ids []gitops.OID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(id)
	}
	return strings.Join(words, " ")
}

func absent(want, got []string) []string {
	var out []string
	for _, w := range want {
		if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w+" ") {
			out = append(out, w)
		}
	}
	return out
}

// rows prints one line for each group, and names each miss.
func (c *corpus) rows(t *testing.T, title string, cases []corpusCase, hook, check map[string][]string, ok func(want, got []string) bool) {
	count := map[string][3]int{}
	var groups []string
	for _, k := range cases {
		group, _, _ := strings.Cut(k.name, " ")
		group = strings.TrimSuffix(strings.TrimRight(group, "0123456789"), ":")
		if len(k.want) == 0 {
			group = strings.TrimSuffix(strings.TrimPrefix(k.file, "twins-"), ".txt")
		}
		if _, known := count[group]; !known {
			groups = append(groups, group)
		}
		n := count[group]
		n[0]++
		for i, says := range [][]string{hook[k.name], check[k.name]} {
			want := k.want
			if ok(want, says) {
				n[i+1]++
				continue
			}
			t.Errorf("missed by %s: %s: wants %v, says %v", []string{"the hook", "check"}[i], k.name, k.want, says)
		}
		count[group] = n
	}
	var total [3]int
	for _, g := range groups {
		t.Logf("%-34s %8d %8d %8d", title+", "+g, count[g][0], count[g][1], count[g][2])
		for i := range total {
			total[i] += count[g][i]
		}
	}
	t.Logf("%-34s %8d %8d %8d", title, total[0], total[1], total[2])
}

// hook runs pre-commit and commit-msg on an index, as git commit would, and
// returns the codes that they print.
func (c *corpus) hook(tree gitops.OID) []string {
	c.t.Helper()
	cmd := exec.Command("git", "-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", "read-tree", string(tree))
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("read-tree: %v: %s", err, out)
	}
	message := filepath.Join(c.dir, ".git", "COMMIT_EDITMSG")
	if err := os.WriteFile(message, []byte("a change\n"), 0o644); err != nil {
		c.t.Fatal(err)
	}
	var said bytes.Buffer
	code := Run(context.Background(), c.dir, "pre-commit", nil, nil, &said)
	if code == 0 {
		code = Run(context.Background(), c.dir, "commit-msg", []string{message}, nil, &said)
	}
	var codes []string
	for line := range strings.Lines(said.String()) {
		for _, kind := range []string{"git agent: refused: ", "git agent: warning: "} {
			if rest, ok := strings.CutPrefix(line, kind); ok {
				word, _, _ := strings.Cut(rest, ":")
				codes = append(codes, word)
			}
		}
	}
	if code != 0 && len(codes) == 0 {
		c.t.Errorf("refused without a code: %s", said.String())
	}
	if code == 0 && strings.Contains(said.String(), "could not check") {
		codes = append(codes, fmt.Sprintf("fault: %s", strings.TrimSpace(said.String())))
	}
	return codes
}
