package tools

import (
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// use is how a file refers to another; it decides what may stand in for it.
type use int

const (
	asset  use = iota // loaded as it is: script, style sheet, picture
	link              // followed or fetched: may be a route of a server
	module            // imported: bundlers add extensions
	fetch             // relative to the page rather than to the script
)

// ref is one reference found in a file.
type ref struct {
	to   string
	kind use
}

// checkRefs lists the local references of a file, and those of them that do
// not exist, in the order of the file.
func checkRefs(env *Env, name, content string) (refs, missing []string) {
	r := resolver{root: env.Root, from: name, roots: staticRoots(env.Static)}
	for _, found := range references(name, content) {
		target, ok := local(found.to)
		if !ok || slices.Contains(refs, target) {
			continue
		}
		if found.kind == link && path.Ext(target) == "" && !r.exists(target, found.kind) {
			continue // a route that a server or a script answers
		}
		refs = append(refs, target)
		if !r.exists(target, found.kind) {
			missing = append(missing, target)
		}
	}
	return refs, missing
}

// references finds what a file refers to, by the kind of file.
func references(name, content string) []ref {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return htmlRefs(content)
	case ".css":
		return cssRefs(content)
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return jsRefs(content)
	}
	return nil
}

var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// local says whether a reference names a file of the project, and returns it
// without query and fragment. Templates that a program fills are not names.
func local(to string) (string, bool) {
	to = strings.TrimSpace(to)
	if to == "" || strings.HasPrefix(to, "//") || strings.HasPrefix(to, "#") || scheme.MatchString(to) ||
		strings.ContainsAny(to, "{}<>\x00\n") || strings.Contains(to, "${") || len(to) > maxPath {
		return "", false
	}
	if i := strings.IndexAny(to, "?#"); i >= 0 {
		to = to[:i]
	}
	return to, to != ""
}

// staticRoots are the folders that root-relative references may start from.
func staticRoots(static string) []string {
	if static != "" {
		return []string{static}
	}
	return []string{".", "public", "static", "www", "src", "assets"}
}

// resolver looks for the files behind the references of one file.
type resolver struct {
	root  *os.Root
	from  string
	roots []string
}

func (r resolver) exists(target string, kind use) bool {
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	for _, base := range r.bases(target, kind) {
		p := path.Join(base, strings.TrimLeft(target, "/"))
		if p == ".." || strings.HasPrefix(p, "../") {
			continue
		}
		if r.file(p, kind) {
			return true
		}
	}
	return false
}

// bases are the folders that a reference may be relative to. What a script
// fetches is relative to the page, which may lie in any folder above it.
func (r resolver) bases(target string, kind use) []string {
	dir := path.Dir(r.from)
	switch {
	case strings.HasPrefix(target, "/"):
		return r.roots
	case kind != fetch:
		return []string{dir}
	}
	bases := append([]string{dir}, r.roots...)
	for dir != "." {
		dir = path.Dir(dir)
		bases = append(bases, dir)
	}
	return bases
}

func (r resolver) file(p string, kind use) bool {
	info, err := r.root.Stat(p)
	if err == nil && info.Mode().IsRegular() {
		return true
	}
	if err == nil && info.IsDir() && kind != module {
		info, err = r.root.Stat(path.Join(p, "index.html"))
		return err == nil && info.Mode().IsRegular()
	}
	if kind == link && path.Ext(p) == "" {
		info, err = r.root.Stat(p + ".html")
		return err == nil && info.Mode().IsRegular()
	}
	return kind == module && r.bundled(p)
}

// bundled tries what a bundler or node tries; in plain pages a module's name is
// complete, so it takes a package.json or a source that browsers cannot load.
func (r resolver) bundled(p string) bool {
	switch path.Ext(r.from) {
	case ".ts", ".tsx", ".jsx", ".mts", ".cts", ".cjs":
	default:
		if _, err := r.root.Stat("package.json"); err != nil {
			return false
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(p, ".js"), ".mjs") // TypeScript imports ./a.ts as ./a.js
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".json", ".vue", ".svelte"} {
		for _, candidate := range []string{p + ext, stem + ext, path.Join(p, "index"+ext)} {
			if info, err := r.root.Stat(candidate); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}
