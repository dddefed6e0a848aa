package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"gitagent/internal/plain"
)

const (
	maxListed = 300   // lines of a listing
	maxWalked = 50000 // files looked at in one walk
)

func listFilesTool() tool {
	p := pathParam()
	p.optional = true
	p.aliases = append(p.aliases, "dir", "directory", "folder", "dirpath")
	return tool{name: "list_files", about: "List files below a folder.", params: []param{p}, run: listFiles}
}

// listFiles lists every file below a folder; when these are too many, deep
// folders are shown as one line with their number of files.
func listFiles(ctx context.Context, env *Env, a values) Result {
	dir, err := cleanPath(rootless(a.text("path")))
	if err != nil {
		return refuse("list_files: %s.", err)
	}
	info, err := env.Root.Stat(dir)
	if err != nil {
		return refuse("list_files: %s.%s", plainError(dir, err), similar(env.Root, dir, err))
	}
	if !info.IsDir() {
		return Result{Text: fmt.Sprintf("%s is a file of %d bytes.", dir, info.Size()), OK: true}
	}
	var files []string
	complete, err := walk(ctx, env.Root, dir, func(name string, _ fs.DirEntry) { files = append(files, name) })
	if err != nil {
		return refuse("list_files: %s.", err)
	}
	if len(files) == 0 {
		return Result{Text: "No files.", OK: true}
	}
	slices.Sort(files)
	lines := collapse(files, dir)
	var b strings.Builder
	shown := 0
	for _, l := range lines {
		if shown == maxListed || b.Len()+len(l) > env.ReadLimit {
			break
		}
		b.WriteString(plain.Line(l, maxPath) + "\n")
		shown++
	}
	if shown < len(lines) {
		fmt.Fprintf(&b, "(%d more; list a folder)\n", len(lines)-shown)
	}
	if !complete {
		fmt.Fprintf(&b, "(more than %d files; the rest was not looked at)\n", maxWalked)
	}
	return Result{Text: b.String(), OK: true}
}

// collapse reduces the depth until the listing fits, one level at the least.
func collapse(files []string, dir string) []string {
	base := 0
	if dir != "." {
		base = strings.Count(dir, "/") + 1
	}
	deepest := 0
	for _, f := range files {
		deepest = max(deepest, strings.Count(f, "/")-base)
	}
	for depth := deepest; ; depth-- {
		lines := atDepth(files, base+depth)
		if len(lines) <= maxListed || depth <= 0 {
			return lines
		}
	}
}

// atDepth lists files with at most depth slashes, and the folders below that
// with the number of files in them.
func atDepth(files []string, depth int) []string {
	var lines []string
	counts := map[string]int{}
	for _, f := range files {
		parts := strings.Split(f, "/")
		if len(parts)-1 <= depth {
			lines = append(lines, f)
			continue
		}
		counts[strings.Join(parts[:depth+1], "/")]++
	}
	for folder, n := range counts {
		lines = append(lines, fmt.Sprintf("%s/ (%d files)", folder, n))
	}
	slices.Sort(lines)
	return lines
}

// walk visits the regular files and links below dir that no .gitignore of the
// tree leaves out; it says whether it saw all. It follows no links.
func walk(ctx context.Context, root *os.Root, dir string, visit func(name string, e fs.DirEntry)) (bool, error) {
	w := walker{ctx: ctx, root: root, visit: visit}
	var patterns []gitignore.Pattern
	// The rules of the folders above count as well.
	for i, parts := 0, components(dir); i < len(parts); i++ {
		patterns = append(patterns, ignoreRules(root, parts[:i])...)
	}
	err := w.folder(dir, patterns, w.list(dir))
	return w.seen < maxWalked, err
}

type walker struct {
	ctx   context.Context
	root  *os.Root
	visit func(string, fs.DirEntry)
	seen  int
}

// contents is what a folder holds.
type contents struct {
	entries []fs.DirEntry
	err     error
}

func (w *walker) list(dir string) contents {
	entries, err := fs.ReadDir(w.root.FS(), dir)
	return contents{entries, err}
}

// ahead is how many folders are read while the first of them is awaited.
const ahead = 16

// lists reads folders side by side.
func (w *walker) lists(dirs []string) map[string]contents {
	read := make([]contents, len(dirs))
	var wg sync.WaitGroup
	for from := range min(searchers, len(dirs)) {
		wg.Go(func() {
			for i := from; i < len(dirs); i += searchers {
				read[i] = w.list(dirs[i])
			}
		})
	}
	wg.Wait()
	out := make(map[string]contents, len(dirs))
	for i, dir := range dirs {
		out[dir] = read[i]
	}
	return out
}

func (w *walker) folder(dir string, patterns []gitignore.Pattern, held contents) error {
	if held.err != nil {
		return plainError(dir, held.err)
	}
	parts := components(dir)
	if slices.ContainsFunc(held.entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		patterns = append(slices.Clip(patterns), ignoreRules(w.root, parts)...)
	}
	matcher := gitignore.NewMatcher(patterns)
	left := slices.DeleteFunc(held.entries, func(e fs.DirEntry) bool {
		return isGitDir(e.Name()) || matcher.Match(append(slices.Clip(parts), e.Name()), e.IsDir())
	})
	var next map[string]contents
	for i, e := range left {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.seen >= maxWalked {
			return nil
		}
		name := path.Join(dir, e.Name())
		if !e.IsDir() {
			w.seen++
			w.visit(name, e)
			continue
		}
		if _, ok := next[name]; !ok {
			next = w.lists(folders(dir, left[i:]))
		}
		if err := w.folder(name, patterns, next[name]); err != nil {
			return err
		}
	}
	return nil
}

// folders are the first of some entries that are folders.
func folders(dir string, entries []fs.DirEntry) []string {
	var out []string
	for _, e := range entries {
		if e.IsDir() && len(out) < ahead {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

func components(dir string) []string {
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}

// ignoreRules reads one folder's .gitignore; without one there are no rules.
func ignoreRules(root *os.Root, folder []string) []gitignore.Pattern {
	data, err := readText(root, path.Join(append(slices.Clip(folder), ".gitignore")...))
	if err != nil {
		return nil
	}
	var out []gitignore.Pattern
	for _, line := range splitLines(string(data)) {
		if line = strings.TrimRight(line, "\r"); line != "" && line[0] != '#' {
			out = append(out, gitignore.ParsePattern(line, folder))
		}
	}
	return out
}

// similar names a file with the same base name, when err says there is no such
// path: small models often guess the folder wrongly.
func similar(root *os.Root, name string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(err.Error(), "does not exist") {
		return ""
	}
	var found []string
	base := strings.ToLower(path.Base(name))
	if _, err := walk(context.Background(), root, ".", func(n string, _ fs.DirEntry) {
		if strings.ToLower(path.Base(n)) == base && len(found) < 3 {
			found = append(found, n)
		}
	}); err != nil || len(found) == 0 {
		return ""
	}
	return " There is " + plain.Line(strings.Join(found, ", "), 300) + "."
}
