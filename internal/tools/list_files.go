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
	err := w.folder(dir, patterns)
	return w.seen < maxWalked, err
}

type walker struct {
	ctx   context.Context
	root  *os.Root
	visit func(string, fs.DirEntry)
	seen  int
}

func (w *walker) folder(dir string, patterns []gitignore.Pattern) error {
	parts := components(dir)
	patterns = append(slices.Clip(patterns), ignoreRules(w.root, parts)...)
	matcher := gitignore.NewMatcher(patterns)
	entries, err := fs.ReadDir(w.root.FS(), dir)
	if err != nil {
		return plainError(dir, err)
	}
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		name := e.Name()
		if w.seen >= maxWalked {
			return nil
		}
		if isGitDir(name) || matcher.Match(append(slices.Clip(parts), name), e.IsDir()) {
			continue
		}
		if !e.IsDir() {
			w.seen++
			w.visit(path.Join(dir, name), e)
			continue
		}
		if err := w.folder(path.Join(dir, name), patterns); err != nil {
			return err
		}
	}
	return nil
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
