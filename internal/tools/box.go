package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/plain"
)

// Env is what the tools work on. Only Root is always needed; a tool whose
// function is nil answers that it is not available.
type Env struct {
	Root *os.Root // the session tree
	// Static is the folder that pages are served from, a slash path; "" looks in
	// the root and the usual folders.
	Static    string
	Run       func(ctx context.Context, command string, timeout time.Duration) (CommandResult, error)
	CheckPage func(ctx context.Context, scenario json.RawMessage) (string, error)
	// LastPage is all that the last CheckPage found, where its answer left
	// something out: read_file shows it under the name PageResult, unless the
	// project has a file of that name. It lies in no tree.
	LastPage func() string
	// Protected says why a path may not be written; "" when it may. It comes on
	// top of Forbidden: ignored paths, the contract's own tests and so on.
	Protected func(path string) (reason string)
	ReadLimit int // bytes of one answer: a quarter of the context; 0 means 32 KiB
}

// PageResult is the name under which the whole of a page's result is read.
const PageResult = "check_page_result.json"

// CommandResult is what became of one command.
type CommandResult struct {
	ExitCode int
	Output   string // both streams, possibly cut already
	Dropped  int64  // bytes that the caller cut away
	TimedOut bool
	Limit    time.Duration // the timeout that held, when it is not the one asked for
	Signal   string        // name of the signal that ended it, "" for none
	Exceeded string        // what it was ended for using too much of: "memory", "disk" or "processes"
	Flooded  bool          // it was ended for writing too much output
	Kept     []string      // paths that were copied back: lockfiles, manifests
	Lost     []string      // paths it created or changed that do not stay
}

// End is how a role ended its session.
type End struct{ Status, Reason string }

// Statuses of End.
const (
	Done         = "done"
	CannotVerify = "cannot_verify"
	Blocked      = "blocked"
)

// Result answers one call. OK is false when the call was refused, failed, or
// ran a command that did not exit with 0. Touched are the paths changed. Note is
// the answer in a few words for a person who looks on; it may be empty.
type Result struct {
	Text    string
	Note    string
	OK      bool
	Touched []string
	End     *End
}

// Box is the set of tools of one role.
type Box struct {
	env   Env
	tools []tool // sorted by name
}

// tool is one entry of a Box.
type tool struct {
	name, about string
	params      []param
	run         func(ctx context.Context, env *Env, a values) Result
}

const defaultReadLimit = 32 << 10

// all lists every tool there is, sorted by name.
func all() []tool {
	list := []tool{
		calculateTool(), checkPageTool(), editFileTool(), endSessionTool(), listFilesTool(),
		readFileTool(), runCommandTool(), searchTextTool(), writeFileTool(),
	}
	slices.SortFunc(list, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return list
}

// NewBox makes a box of the named tools, or of all when none is named. Names
// that do not exist are left out.
func NewBox(env Env, names ...string) *Box {
	if env.ReadLimit <= 0 {
		env.ReadLimit = defaultReadLimit
	}
	b := &Box{env: env}
	for _, t := range all() {
		if len(names) == 0 || slices.Contains(names, t.name) {
			b.tools = append(b.tools, t)
		}
	}
	return b
}

// Names lists the tools of the box, sorted.
func (b *Box) Names() []string {
	var names []string
	for _, t := range b.tools {
		names = append(names, t.name)
	}
	return names
}

// Schemas describes the tools to a model: sorted, the same bytes every time.
func (b *Box) Schemas() []api.Tool {
	var out []api.Tool
	for _, t := range b.tools {
		out = append(out, t.schema())
	}
	return out
}

// Call runs one tool. It never panics and never returns an error: whatever goes
// wrong is in the answer, since the model has to read it. The answer is plain
// text.
func (b *Box) Call(ctx context.Context, name string, args map[string]any) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res = refuse("internal fault in %s: %v. Try another way.", name, p)
		}
		res.Text, res.Note = plain.Text(res.Text), plain.Line(res.Note, 300)
	}()
	t, ok := b.find(name)
	if !ok {
		return refuse("There is no tool %q. Tools: %s.", name, strings.Join(b.Names(), ", "))
	}
	a, err := t.accept(args)
	if err != nil {
		return refuse("%s", err)
	}
	if err := ctx.Err(); err != nil {
		return refuse("Not run: the session is ending (%v).", err)
	}
	return t.run(ctx, &b.env, a)
}

// find looks a tool up by its name or by what other harnesses call it.
func (b *Box) find(name string) (tool, bool) {
	plain := squash(name)
	for _, t := range b.tools {
		if squash(t.name) == plain || slices.Contains(otherNames(t.name), plain) {
			return t, true
		}
	}
	return tool{}, false
}

// otherNames lists what models trained elsewhere call a tool, squashed.
func otherNames(name string) []string {
	switch name {
	case "read_file":
		return []string{"read", "cat", "viewfile", "view", "openfile", "getfile", "fileread"}
	case "list_files":
		return []string{"ls", "list", "listdir", "listdirectory", "listfile", "glob"}
	case "search_text":
		return []string{"grep", "search", "searchfiles", "searchcode", "find", "ripgrep", "rg"}
	case "write_file":
		return []string{"write", "createfile", "savefile", "filewrite", "create"}
	case "edit_file":
		return []string{"edit", "strreplace", "replace", "replaceinfile", "searchreplace", "editfiles"}
	case "run_command":
		return []string{"bash", "run", "shell", "sh", "exec", "execute", "executecommand", "terminal", "runshellcommand"}
	case "check_page":
		return []string{"page", "browser", "checkpages", "testpage"}
	case "calculate":
		return []string{"calc", "calculator", "eval", "math"}
	case "end_session":
		return []string{"finish", "done", "end", "complete", "submit", "endsession", "finishsession", "attemptcompletion"}
	}
	return nil
}

// refuse answers a call that was not carried out.
func refuse(format string, args ...any) Result {
	text := fmt.Sprintf(format, args...)
	note, _, _ := strings.Cut(text, "\n")
	if i := strings.LastIndex(note, ". "); i > 0 && strings.HasSuffix(note, ":") {
		note = note[:i+1] // what the colon announces is left out
	}
	return Result{Text: text, Note: note}
}
