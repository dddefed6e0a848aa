package runner

import (
	"bytes"
	"context"
	_ "embed" // the two files that node loads
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed nodereport.mjs
var nodeReporter string

//go:embed nodeend.mjs
var nodeEnd string

// nodeTest runs node --test with a reporter of the harness. Only the runner writes
// to its standard output; the test files run in processes of their own, whose
// output it carries as events.
type nodeTest struct{}

func (nodeTest) List(context.Context, *Run) ([]string, error) { return nil, ErrCannotList }

func (nodeTest) Run(ctx context.Context, r *Run) (Report, error) {
	tool, ok := r.tool("node")
	if !ok {
		return Absent("node"), nil
	}
	reporter, err := r.place("report.mjs", strings.ReplaceAll(nodeReporter, "@NONCE@", r.secret()))
	if err != nil {
		return Report{}, err
	}
	end, err := r.place("end.mjs", strings.ReplaceAll(nodeEnd, "@NONCE@", r.secret()))
	if err != nil {
		return Report{}, err
	}
	argv := []string{tool, "--test", "--import=" + fileURL(end), "--test-reporter=" + fileURL(reporter), "--test-reporter-destination=stdout"}
	if len(r.Only) > 0 {
		argv = append(argv, nodeOnly(r.Only)...)
	} else {
		argv = append(argv, r.Args...)
	}
	res, err := r.exec(ctx, "", reportOutput, argv...)
	if err != nil {
		return Report{}, err
	}
	events := readNodeEvents(res.Stdout, r.Dir, r.secret())
	rep := Report{Results: events.results, Output: events.text.String() + string(stderrOf(res.Output, res.Stdout))}
	if !rep.Interrupted(res, r.Limit, true) {
		rep.unfinished(events.unfinished())
	}
	return rep, nil
}

// fileURL names a file as node reads it whatever its path holds.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// nodeOnly chooses the tests of these ids: their files, and their names.
func nodeOnly(ids []string) (args []string) {
	var files []string
	for _, id := range ids {
		parts := strings.Split(id, " > ")
		if !contains(files, parts[0]) {
			files = append(files, parts[0])
		}
		for _, name := range parts[1:] {
			args = append(args, "--test-name-pattern=^"+regexp.QuoteMeta(duplicate.ReplaceAllString(name, ""))+"$")
		}
	}
	return append(args, files...)
}

// duplicate is what an id gets when it is not the first of its name.
var duplicate = regexp.MustCompile(` #\d+$`)

type nodeEvent struct {
	T       string `json:"t"`
	File    string `json:"file"`
	Name    string `json:"name"`
	Nesting int    `json:"nesting"`
	Suite   bool   `json:"suite"`
	Result  string `json:"result"`
	Message string `json:"message"`
	Text    string `json:"text"`
	Nonce   string `json:"nonce"`
	Word    string `json:"word"`
}

type nodeEvents struct {
	root     string
	results  map[string]string
	files    []string            // in order
	failed   map[string]bool     // files with a failure
	natural  map[string]bool     // files whose process came to its own end
	stack    map[string][]string // file → names of the tests that are open
	disarmed string              // what of the assertions does not fail any more
	done     bool
	text     strings.Builder
}

func readNodeEvents(data []byte, root, nonce string) *nodeEvents {
	e := &nodeEvents{root: root, results: map[string]string{}, failed: map[string]bool{}, natural: map[string]bool{}, stack: map[string][]string{}}
	for line := range bytes.Lines(data) {
		var ev nodeEvent
		if json.Unmarshal(line, &ev) != nil {
			e.text.Write(line)
			continue
		}
		switch ev.T {
		case "file":
			if ev.File != "" && !e.natural[ev.File] && !contains(e.files, ev.File) {
				e.files = append(e.files, ev.File)
			}
		case "start":
			e.open(ev)
		case "end":
			e.end(ev)
		case "natural":
			e.natural[ev.File] = true
			e.disarmed = orElse(e.disarmed, ev.Word)
		case "text":
			if !strings.Contains(ev.Text, nonce) {
				e.text.WriteString(ev.Text)
			}
		case "done":
			e.done = ev.Nonce == nonce
		}
	}
	return e
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (e *nodeEvents) open(ev nodeEvent) {
	names := e.stack[ev.File]
	if ev.Nesting < 0 || ev.Nesting > len(names) {
		return
	}
	e.stack[ev.File] = append(names[:ev.Nesting:ev.Nesting], ev.Name)
}

// end takes one result. A file stands for itself as a test when it defines
// none; such a success says only that its process exited with 0.
func (e *nodeEvents) end(ev nodeEvent) {
	file := e.relative(ev.File)
	if ev.Result == Fail {
		e.failed[ev.File] = true
		fmt.Fprintf(&e.text, "failed: %s > %s\n%s\n", file, ev.Name, ev.Message)
	}
	if ev.Nesting == 0 && (ev.Name == ev.File || ev.Name == file) {
		if ev.Result == Fail {
			e.results[file] = Fail
		}
		return
	}
	if ev.Suite && ev.Result != Fail {
		return
	}
	names := e.stack[ev.File]
	if ev.Nesting <= len(names) {
		names = names[:ev.Nesting]
	}
	id := strings.Join(append(append([]string{file}, names...), ev.Name), " > ")
	for base, n := id, 2; e.results[id] != ""; n++ {
		id = fmt.Sprintf("%s #%d", base, n)
	}
	e.results[id] = ev.Result
}

func (e *nodeEvents) relative(file string) string {
	if rel, err := filepath.Rel(e.root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

func (e *nodeEvents) unfinished() string {
	if !e.done {
		return "node --test did not come to its end: " + lastLines([]byte(e.text.String()), 2)
	}
	if e.disarmed != "" {
		return "the results say nothing: " + e.disarmed + " does not fail any more"
	}
	for _, f := range e.files {
		if !e.natural[f] && !e.failed[f] {
			return "the tests of " + e.relative(f) + " ended early with success (process.exit in the program or in a test)"
		}
	}
	return ""
}
