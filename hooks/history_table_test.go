package hooks

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/testenv"
)

const (
	historyCommits = 6000
	rateBound      = 1000     // commits a second
	heapBound      = 96 << 20 // bytes, whatever the length
)

// TestTableHistory checks a generated history with merges and renames, laid out
// like the tree of a large project, beside git log --raw, and this project's own
// history as if it had a list from its first commit on.
func TestTableHistory(t *testing.T) {
	tables(t)
	seed := testenv.Seed(t)
	testenv.Clean(t)
	dir := testenv.Repo(t)
	g := &generated{rng: rand.New(rand.NewPCG(seed, 1))}
	importHistory(t, dir, g.stream(historyCommits))
	t.Logf("%-28s %8s %10s %12s %12s %10s", "history", "commits", "merges", "check", "log --raw", "heap")
	measureHistory(t, "generated", dir, rateBound)

	own, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", own, "rev-parse", "--show-toplevel").Output(); err != nil || filepath.Clean(strings.TrimSpace(string(out))) != own {
		t.Log("this is no clone of the project: its own history is left out")
		return
	}
	copied := testenv.Repo(t)
	importHistory(t, copied, withList(t, own))
	measureHistory(t, "this project's own", copied, 0) // its commits are large
}

func importHistory(t *testing.T, dir string, stream io.Reader) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin = dir, stream
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v: %s", err, out)
	}
}

// measureHistory runs check and git log over a repository, one after the other.
func measureHistory(t *testing.T, name, dir string, bound float64) {
	t.Helper()
	repo, err := gitops.OpenLenient(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak.Store(max(peak.Load(), m.HeapAlloc))
			}
		}
	}()
	var merges, commits int
	started, before := time.Now(), cpuTime()
	report, err := CheckRange(t.Context(), repo, "refs/heads/main")
	took := time.Since(started)
	if used := cpuTime() - before; used > 0 { // what others do on this machine does not count
		took = min(took, used)
	}
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "log", "refs/heads/main", "-m", "--raw", "--no-renames", "--no-abbrev", "--format=%H %P")
	cmd.Dir = dir
	started = time.Now()
	out, err := cmd.Output()
	raw := time.Since(started)
	if err != nil {
		t.Fatal(err)
	}
	counted := testenv.Git(t, dir, "rev-list", "--count", "refs/heads/main") + " " + testenv.Git(t, dir, "rev-list", "--count", "--merges", "refs/heads/main")
	if _, err := fmt.Sscan(counted, &commits, &merges); err != nil {
		t.Fatal(err)
	}
	rate := float64(commits) / took.Seconds()
	t.Logf("%-28s %8d %10d %8.0f/s %10.0f/s %7.0f MB", name, commits, merges, rate, float64(commits)/raw.Seconds(), float64(peak.Load())/1e6)
	if report.Commits != commits || len(out) == 0 {
		t.Errorf("%s: check saw %d commits of %d", name, report.Commits, commits)
	}
	if rate < bound {
		t.Errorf("%s: %.0f commits a second, bound %.0f", name, rate, bound)
	}
	if peak.Load() > heapBound {
		t.Errorf("%s: %d MB of heap, bound %d", name, peak.Load()>>20, heapBound>>20)
	}
	kinds := map[string]int{}
	for _, v := range report.Violations {
		kinds[v.Code]++
	}
	t.Logf("%s: found %v", name, kinds)
}

// generated writes histories for git fast-import.
type generated struct {
	rng   *rand.Rand
	out   bytes.Buffer
	mark  int
	files map[string]string // the main line: path → content
	names []string
	clock int64
}

func (g *generated) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

// path is a new path, as a large project has them.
func (g *generated) path() string {
	dir := g.pick("", "builtin/", "t/", "refs/", "contrib/x/", "compat/win/", "Documentation/", "src/a/b/c/", "pkg/deep/er/", "web/")
	name := fmt.Sprintf("f%d%s", g.rng.IntN(100_000), g.pick(".c", ".c", ".h", ".go", ".py", ".ts", ".rs", ".md", ".sh", ".txt", "_test.go", ".test.ts"))
	return dir + name
}

func (g *generated) content(old string) string {
	lines := strings.Split(old, "\n")
	n := 3 + g.rng.IntN(12)
	at := g.rng.IntN(len(lines) + 1)
	var fresh []string
	for range n {
		fresh = append(fresh, fmt.Sprintf("\tint value_%d = call(%d, \"text %d\"); // note", g.rng.IntN(1000), g.rng.IntN(1000), g.rng.IntN(1000)))
	}
	lines = append(lines[:at:at], append(fresh, lines[at:]...)...)
	if len(lines) > 600 {
		lines = lines[:400]
	}
	return strings.Join(lines, "\n") + "\n"
}

func (g *generated) data(text string) { fmt.Fprintf(&g.out, "data %d\n%s\n", len(text), text) }

// commit begins a commit and returns its mark.
func (g *generated) commit(ref string, from ...int) int {
	g.mark++
	g.clock += 60
	fmt.Fprintf(&g.out, "commit %s\nmark :%d\ncommitter A <a@example.org> %d +0000\n", ref, g.mark, 1_600_000_000+g.clock)
	g.data(fmt.Sprintf("Change %d\n\nSome words about it.\n", g.mark))
	for i, f := range from {
		fmt.Fprintf(&g.out, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], f)
	}
	return g.mark
}

func (g *generated) write(path, content string) {
	if _, ok := g.files[path]; !ok {
		g.names = append(g.names, path)
	}
	g.files[path] = content
	g.put(path, content)
}

// put writes a file in this commit alone.
func (g *generated) put(path, content string) {
	fmt.Fprintf(&g.out, "M 100644 inline %s\n", path)
	g.data(content)
}

func (g *generated) some() string {
	for range 20 {
		if p := g.names[g.rng.IntN(len(g.names))]; g.files[p] != "" && p != features.Path {
			return p
		}
	}
	return ""
}

// change edits, adds, renames or removes files, as ordinary commits do.
func (g *generated) change() {
	for range 1 + g.rng.IntN(3) {
		p := g.some()
		switch k := g.rng.IntN(100); {
		case p == "" || k < 15:
			g.write(g.path(), g.content(""))
		case k < 90:
			g.write(p, g.content(g.files[p]))
		case k < 96:
			to := g.path()
			fmt.Fprintf(&g.out, "R %s %s\n", p, to)
			g.names = append(g.names, to)
			g.files[to], g.files[p] = g.files[p], ""
		default:
			fmt.Fprintf(&g.out, "D %s\n", p)
			g.files[p] = ""
		}
	}
}

func (g *generated) stream(n int) io.Reader {
	g.files = map[string]string{}
	list, err := features.New("generated", "a history", []features.Feature{{ID: "F001", Category: "functional", Description: "d", Steps: []string{"s"}, Priority: 1}})
	if err != nil {
		panic(err)
	}
	tip := g.commit("refs/heads/main")
	g.write(features.Path, string(list.Bytes()))
	for range 300 {
		g.write(g.path(), g.content(""))
	}
	for g.mark < n {
		if g.rng.IntN(100) >= 8 {
			tip = g.commit("refs/heads/main", tip)
			g.change()
			continue
		}
		// A side branch with files of its own, and its merge.
		side := tip
		dir := fmt.Sprintf("topic/%d/", g.mark)
		made := map[string]string{} // unknown to the main line until the merge
		for i := range 1 + g.rng.IntN(3) {
			side = g.commit("refs/heads/side", side)
			p := fmt.Sprintf("%sx%d.go", dir, i)
			made[p] = g.content("")
			g.put(p, made[p])
		}
		tip = g.commit("refs/heads/main", tip)
		g.change()
		tip = g.commit("refs/heads/main", tip, side)
		for _, p := range slices.Sorted(maps.Keys(made)) {
			g.write(p, made[p])
		}
	}
	return &g.out
}

// withList is a repository's history as a stream in which every first commit
// also has a list.
func withList(t *testing.T, dir string) io.Reader {
	t.Helper()
	list, err := features.New("own", "a history", []features.Feature{{ID: "F001", Category: "functional", Description: "d", Steps: []string{"s"}, Priority: 1}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "-C", dir, "fast-export", "--signed-tags=strip", "--no-data", "HEAD")
	cmd.Args = []string{"git", "-C", dir, "fast-export", "--signed-tags=strip", "HEAD"}
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte("commit refs/heads/"+branchOf(t, dir)+"\n"), []byte("commit refs/heads/main\n"))
	in := bufio.NewReader(bytes.NewReader(raw))
	var out bytes.Buffer
	inCommit := false
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return &out
		}
		if strings.HasPrefix(line, "commit ") {
			inCommit = true
		}
		out.WriteString(line)
		size, ok := strings.CutPrefix(strings.TrimSpace(line), "data ")
		if !ok {
			continue
		}
		n, _ := strconv.Atoi(size)
		if _, err := io.CopyN(&out, in, int64(n)); err != nil {
			t.Fatal(err)
		}
		if next, _ := in.Peek(5); inCommit && string(next) != "from " && string(next[:1]) != "\n" {
			fmt.Fprintf(&out, "M 100644 inline %s\ndata %d\n%s\n", features.Path, len(list.Bytes()), list.Bytes())
		}
		inCommit = false
	}
}

func branchOf(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", dir, "rev-parse", "--abbrev-ref", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
