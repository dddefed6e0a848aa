package runner

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Each package with tests gets one test more, through an overlay that is not
// in the tree. It is compiled into a package of its own that sorts last, and
// its name holds the run's nonce: a package that says "ok" without having
// passed it did not run its tests to the end (os.Exit in an init, a TestMain
// without m.Run, output made to look like results). A product that is aimed at
// this could read the name in its own program, or start itself for that test
// alone: so the test also says a word that is no text in the program, and only
// under the filter of this run.
const (
	endTest = "TestGitAgentEnd_"
	endFile = "zzz_git_agent_end_test.go"
)

type goPackage struct {
	Dir, ImportPath, Name     string
	TestGoFiles, XTestGoFiles []string
}

func (p goPackage) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// goTest runs go test and reads its events.
type goTest struct{}

func (goTest) Run(ctx context.Context, r *Run) (Report, error) {
	tool, ok := r.tool("go")
	if !ok {
		return Absent("go"), nil
	}
	patterns, filter := goArgs(r.Args)
	if len(r.Only) > 0 {
		patterns, filter = goOnly(r.Only)
	}
	argv := append([]string{tool, "list", "-e", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles"}, patterns...)
	res, err := r.exec(ctx, "", reportOutput, argv...)
	if err != nil {
		return Report{}, err
	}
	rep := Report{Output: string(res.Output)}
	if rep.Interrupted(res, r.Limit, true) {
		return rep, nil
	}
	packages, err := goPackages(res.Stdout)
	if err != nil || res.ExitCode != 0 || len(packages) == 0 {
		rep.Reason = "go finds no package to test: " + lastLines(res.Output, 2)
		return rep, nil
	}
	if filter != "" {
		filter = withEnd(filter)
	}
	proof := strings.ToLower(rand.Text())
	overlay, err := r.overlay(packages, endSource(endTest+r.secret(), filter, proof))
	if err != nil {
		return Report{}, err
	}
	argv = []string{tool, "test", "-json", "-count=1", "-overlay=" + overlay}
	if filter != "" {
		argv = append(argv, "-run="+filter)
	}
	res, err = r.exec(ctx, "", reportOutput, append(argv, patterns...)...)
	if err != nil {
		return Report{}, err
	}
	rep = Report{}
	events := readGoEvents(res.Stdout, endTest+r.secret(), proof)
	rep.Output = events.text + string(stderrOf(res.Output, res.Stdout))
	rep.Results = events.results()
	if !rep.Interrupted(res, r.Limit, true) {
		rep.unfinished(events.unfinished(packages))
	}
	return rep, nil
}

// List has each package name its tests; subtests are known only when they run.
func (goTest) List(ctx context.Context, r *Run) ([]string, error) {
	tool, ok := r.tool("go")
	if !ok {
		return nil, errors.New("go is not installed")
	}
	patterns, _ := goArgs(r.Args)
	res, err := r.exec(ctx, "", reportOutput, append([]string{tool, "test", "-json", "-list=."}, patterns...)...)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, fmt.Errorf("list the tests: %s", lastLines(res.Output, 2))
	}
	var ids []string
	for line := range bytes.Lines(res.Stdout) {
		var ev goEvent
		if json.Unmarshal(line, &ev) != nil || ev.Action != "output" {
			continue
		}
		if name := strings.TrimSpace(ev.Output); goTestName.MatchString(name) {
			ids = append(ids, ev.Package+"."+name)
		}
	}
	return ids, nil
}

// goTestName is a line of -list; benchmarks do not run in go test.
var goTestName = regexp.MustCompile(`^(Test|Example|Fuzz)\w*$`)

// goOnly chooses the tests of these ids by package and by the name of the test
// itself; its subtests run with it.
func goOnly(ids []string) (patterns []string, filter string) {
	var names []string
	for _, id := range ids {
		at := goIDDot(id)
		if at < 0 {
			continue
		}
		name, _, _ := strings.Cut(id[at+1:], "/")
		patterns, names = append(patterns, id[:at]), append(names, regexp.QuoteMeta(name))
	}
	slices.Sort(patterns)
	slices.Sort(names)
	return slices.Compact(patterns), "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}

// goIDDot is where the name of the test begins in an id: after the first dot
// that such a name follows, -1 when there is none.
func goIDDot(id string) int {
	if loc := goIDName.FindStringIndex(id); loc != nil {
		return loc[0]
	}
	return -1
}

var goIDName = regexp.MustCompile(`\.(Test|Example|Fuzz)([^/.a-z][^/]*)?(/|$)`)

// goArgs splits the arguments of a test run into packages and the name filter.
func goArgs(args []string) (patterns []string, filter string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-run" && i+1 < len(args):
			i++
			filter = args[i]
		case strings.HasPrefix(a, "-run="):
			filter = a[len("-run="):]
		case !strings.HasPrefix(a, "-"):
			patterns = append(patterns, a)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	return patterns, filter
}

// withEnd lets the end test through a filter; the part after a slash is about
// subtests, which it has none of.
func withEnd(filter string) string {
	top, sub, slash := strings.Cut(filter, "/")
	out := "(" + top + ")|^" + endTest
	if slash {
		return "(" + out + ")/" + sub
	}
	return out
}

func goPackages(data []byte) ([]goPackage, error) {
	var out []goPackage
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// endSource is the end test without its package clause. Its imports have names
// that no package uses for something of its own.
func endSource(name, filter, proof string) string {
	var a, b strings.Builder
	for _, c := range []byte(proof) {
		mask := make([]byte, 1)
		rand.Read(mask) // it never fails
		fmt.Fprintf(&a, "%d, ", c^mask[0])
		fmt.Fprintf(&b, "%d, ", mask[0])
	}
	return fmt.Sprintf(`
import (
	gitAgentFlag "flag"
	gitAgentTesting "testing"
)

func %s(t *gitAgentTesting.T) {
	if f := gitAgentFlag.Lookup("test.run"); f != nil && f.Value.String() != %q {
		return
	}
	a, b := [...]byte{%s}, [...]byte{%s}
	for i := range a {
		a[i] ^= b[i]
	}
	t.Logf("%%s", a[:])
}
`, name, filter, strings.TrimSuffix(a.String(), ", "), strings.TrimSuffix(b.String(), ", "))
}

// overlay writes the end tests and the file that puts them in place.
func (r *Run) overlay(packages []goPackage, end string) (string, error) {
	replace := make(map[string]string)
	for i, p := range packages {
		if !p.hasTests() || p.Dir == "" || p.Name == "" {
			continue
		}
		file := filepath.Join(r.Own, fmt.Sprintf("end%d_test.go", i))
		source := "package " + strings.TrimSuffix(p.Name, "_test") + "_test\n" + end
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			return "", fmt.Errorf("write the test that marks the end: %w", err)
		}
		replace[filepath.Join(p.Dir, endFile)] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.Own, "overlay.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return file, nil
}

type goEvent struct {
	Action, Package, ImportPath, Test, Output string
}

// goEvents is what go test -json said, by package and by test.
type goEvents struct {
	end, proof string                       // the end test's name, and its word
	packages   map[string]string            // package → pass, fail or skip
	tests      map[string]map[string]string // package → test → last action
	proved     map[string]bool              // packages whose end test said its word
	text       string
}

func readGoEvents(data []byte, end, proof string) goEvents {
	e := goEvents{end: end, proof: proof, packages: map[string]string{}, tests: map[string]map[string]string{}, proved: map[string]bool{}}
	var text strings.Builder
	for line := range bytes.Lines(data) {
		var ev goEvent
		if json.Unmarshal(line, &ev) != nil {
			text.Write(line) // go's own words about what it could not start
			continue
		}
		e.take(ev, &text)
	}
	e.text = text.String()
	return e
}

func (e *goEvents) take(ev goEvent, text *strings.Builder) {
	switch ev.Action {
	case "output", "build-output":
		if strings.Contains(ev.Output, e.proof) {
			e.proved[ev.Package] = true
		} else if !strings.HasPrefix(strings.TrimLeft(ev.Output, " "), "=== ") && !strings.Contains(ev.Output, endTest) {
			text.WriteString(ev.Output)
		}
	case "run", "pass", "fail", "skip":
		if ev.Test == "" {
			if ev.Action != "run" {
				e.packages[ev.Package] = ev.Action
			}
			return
		}
		if e.tests[ev.Package] == nil {
			e.tests[ev.Package] = map[string]string{}
		}
		e.tests[ev.Package][ev.Test] = ev.Action
	}
}

// ended says whether the tests of a package ran to their end.
func (e *goEvents) ended(pkg string) bool { return e.tests[pkg][e.end] == "pass" && e.proved[pkg] }

// results are those of the single tests. A package that did not come to its end
// has shown no pass: what it printed may be the product's own word.
func (e *goEvents) results() map[string]string {
	out := map[string]string{}
	for pkg, tests := range e.tests {
		for test, action := range tests {
			switch {
			case test == e.end:
			case action == "run": // begun and never ended
				out[pkg+"."+test] = Fail
			case action != Pass || e.ended(pkg):
				out[pkg+"."+test] = action
			}
		}
	}
	return out
}

// unfinished names a package that claims success without having reached its
// end.
func (e *goEvents) unfinished(packages []goPackage) string {
	for _, p := range packages {
		if !p.hasTests() {
			continue
		}
		switch state := e.packages[p.ImportPath]; {
		case state == "" && e.tests[p.ImportPath] != nil:
			return "the tests of " + p.ImportPath + " stopped without a result"
		case state == "pass" && !e.ended(p.ImportPath):
			return "the tests of " + p.ImportPath + " ended early with success (an exit in the program, or a TestMain that does not run them)"
		}
	}
	if len(e.packages) == 0 {
		return "go test gave no result for any package"
	}
	return ""
}

// stderrOf gives what is in the output but not in the report.
func stderrOf(output, stdout []byte) []byte {
	var out [][]byte
	reported := map[string]bool{}
	for line := range bytes.Lines(stdout) {
		reported[string(line)] = true
	}
	for line := range bytes.Lines(output) {
		if !reported[string(line)] && len(bytes.TrimSpace(line)) > 0 {
			out = append(out, line)
		}
	}
	return slices.Concat(out...)
}
