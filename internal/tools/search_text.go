package tools

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"gitagent/internal/plain"
)

const (
	maxHits       = 100     // lines of a search answer
	maxHitLine    = 240     // runes of one line shown
	maxSearchFile = 2 << 20 // bytes of a file that is searched
)

func searchTextTool() tool {
	p := pathParam()
	p.optional = true
	p.about = "file, folder or glob"
	p.aliases = append(p.aliases, "dir", "directory", "folder", "glob", "include")
	return tool{
		name:  "search_text",
		about: "Find lines that match a regular expression.",
		params: []param{
			{name: "pattern", kind: text, aliases: []string{"query", "regex", "regexp", "search", "searchtext", "text", "q"}},
			p,
		},
		run: searchText,
	}
}

// search is one run of search_text, or a part of one.
type search struct {
	env     *Env
	re      matcher
	anyRe   matcher // ignores case
	hits    []string
	more    int // hits beyond the cap
	near    int // lines that match but for case, where none matches
	files   int
	skipped int // too large
	from    reader
}

func searchText(ctx context.Context, env *Env, a values) Result {
	pattern := a.text("pattern")
	if pattern == "" {
		return refuse("search_text needs a pattern.")
	}
	s := &search{env: env}
	note := s.compile(pattern)
	targets, err := s.targets(ctx, a.text("path"))
	if err != nil {
		return refuse("search_text: %s.%s", err, similar(env.Root, a.text("path"), err))
	}
	s.each(ctx, targets, (*search).file)
	if s.anyRe.lower == nil && len(s.hits) == 0 {
		s.each(ctx, targets, (*search).nearly)
	}
	if ctx.Err() != nil {
		return refuse("search_text: interrupted.")
	}
	return Result{Text: s.answer(note), OK: true}
}

// compile takes the pattern as a regular expression, or as plain text when it
// is none.
func (s *search) compile(pattern string) (note string) {
	if _, err := regexp.Compile(pattern); err != nil {
		pattern = regexp.QuoteMeta(pattern)
		note = "(not a regular expression, so searched as plain text)\n"
	}
	s.re = newMatcher(pattern)
	s.anyRe = s.re
	if _, err := regexp.Compile("(?i:" + pattern + ")"); err == nil {
		s.anyRe = newMatcher("(?i:" + pattern + ")")
		if regexp.QuoteMeta(pattern) == pattern && ascii([]byte(pattern)) {
			s.anyRe.lower = bytes.ToLower([]byte(pattern))
		}
	}
	return note
}

// targets lists the files to search, sorted.
func (s *search) targets(ctx context.Context, sent string) ([]string, error) {
	glob := ""
	if strings.ContainsAny(sent, "*?{[") && !strings.ContainsAny(sent, `\:`) && doublestar.ValidatePattern(sent) {
		if _, err := s.env.Root.Lstat(sent); err != nil {
			glob, sent = strings.TrimPrefix(sent, "./"), "."
		}
	}
	name, err := cleanPath(rootless(sent))
	if err != nil {
		return nil, err
	}
	info, err := s.env.Root.Stat(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var names []string
	_, err = walk(ctx, s.env.Root, name, func(n string, _ fs.DirEntry) {
		if glob == "" || globMatch(glob, n) {
			names = append(names, n)
		}
	})
	slices.Sort(names)
	return names, err
}

// globMatch takes a glob without a slash as a file name at any depth.
func globMatch(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		name = path.Base(name)
	}
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

// searchers is how many files are looked at at once.
const searchers = 4

// each does something with every target, several at a time, and adds up what
// was found in their order.
func (s *search) each(ctx context.Context, targets []string, do func(*search, string)) {
	parts := make([]search, searchers)
	var wg sync.WaitGroup
	for i := range parts {
		part := &parts[i]
		*part = search{env: s.env, re: s.re.own(), anyRe: s.anyRe.own(), from: reader{root: s.env.Root}}
		mine := targets[len(targets)*i/searchers : len(targets)*(i+1)/searchers]
		wg.Go(func() {
			defer part.from.close()
			for _, name := range mine {
				if ctx.Err() != nil {
					return
				}
				do(part, name)
			}
		})
	}
	wg.Wait()
	for _, part := range parts {
		room := min(maxHits-len(s.hits), len(part.hits))
		s.hits = append(s.hits, part.hits[:room]...)
		s.more += part.more + len(part.hits) - room
		s.near += part.near
		s.files += part.files
		s.skipped += part.from.tooLarge
	}
}

// file looks for lines that match.
func (s *search) file(name string) {
	data, ok := s.from.text(name)
	if !ok {
		return // too large, binary, or gone: nothing to show
	}
	found := s.re.lines(data)
	if len(found) == 0 {
		if len(s.hits) == 0 && s.anyRe.lower != nil {
			s.near += len(s.anyRe.lines(data)) // at little cost
		}
		return
	}
	s.files++
	for _, l := range found {
		if len(s.hits) >= maxHits {
			s.more++
			continue
		}
		s.hits = append(s.hits, fmt.Sprintf("%s:%d: %s", plain.Line(name, maxPath), l.number, clipLine(l.text, maxHitLine)))
	}
}

// nearly counts the lines that match but for case.
func (s *search) nearly(name string) {
	if data, ok := s.from.text(name); ok {
		s.near += len(s.anyRe.lines(data))
	}
	s.from.tooLarge = 0 // counted before
}

// clipLine keeps the indent, which edit_file needs.
func clipLine(line string, max int) string {
	line = strings.TrimRight(oneLine(line), " \t")
	if r := []rune(line); len(r) > max {
		return string(r[:max]) + "…"
	}
	return line
}

func (s *search) answer(note string) string {
	var b strings.Builder
	b.WriteString(note)
	if len(s.hits) == 0 {
		b.WriteString("No line matches.")
		if s.near > 0 {
			fmt.Fprintf(&b, " %d match when case is ignored: put (?i) in front.", s.near)
		}
	} else {
		total := len(s.hits) + s.more
		fmt.Fprintf(&b, "%s in %s\n", plain.Count(total, "line"), plain.Count(s.files, "file"))
		for i, h := range s.hits {
			if b.Len()+len(h) > s.env.ReadLimit {
				s.more += len(s.hits) - i
				break
			}
			b.WriteString(h + "\n")
		}
		if s.more > 0 {
			fmt.Fprintf(&b, "(%d more lines match; narrow the pattern or the path)", s.more)
		}
	}
	if s.skipped > 0 {
		fmt.Fprintf(&b, "\n(%d files larger than %d bytes were not searched)", s.skipped, maxSearchFile)
	}
	return strings.TrimRight(b.String(), "\n")
}
