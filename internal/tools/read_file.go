package tools

import (
	"context"
	"fmt"
	"strings"

	"gitagent/internal/plain"
)

func readFileTool() tool {
	return tool{
		name:  "read_file",
		about: "Read a whole file, with line numbers.",
		params: []param{
			pathParam(),
			{name: "start_line", kind: number, optional: true, aliases: []string{"start", "from", "linestart", "firstline", "offset", "line"}},
			{name: "end_line", kind: number, optional: true, aliases: []string{"end", "to", "lineend", "lastline"}},
		},
		run: readFile,
	}
}

// pathParam is the path parameter that most tools share.
func pathParam() param {
	return param{name: "path", kind: text, aliases: []string{"filepath", "filename", "file", "relativepath", "targetfile", "target", "name"}}
}

// readFile shows lines with their numbers, never more than the limit at once,
// and says what it left out.
func readFile(_ context.Context, env *Env, a values) Result {
	name, err := cleanPath(a.text("path"))
	if err != nil {
		return refuse("read_file: %s.", err)
	}
	data, err := readText(env.Root, name)
	if err != nil && name == PageResult && env.LastPage != nil && env.LastPage() != "" {
		data, err = []byte(env.LastPage()), nil
	}
	if err != nil {
		return refuse("read_file: %s.%s", err, similar(env.Root, name, err))
	}
	if len(data) == 0 {
		return Result{Text: name + " is empty.", OK: true}
	}
	lines := splitLines(string(data))
	from, to := max(a.number("start_line", 1), 1), a.number("end_line", len(lines))
	if to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > len(lines) {
		return refuse("read_file: %s has only %d lines.", name, len(lines))
	}
	if to < from {
		return refuse("read_file: end_line %d is before start_line %d.", to, from)
	}
	body, last := numbered(lines, from, to, env.ReadLimit)
	head := fmt.Sprintf("%s: %d lines", name, len(lines))
	if from > 1 || last < len(lines) {
		head += fmt.Sprintf(", %d bytes; lines %d-%d", len(data), from, last)
	}
	if last < to {
		body += fmt.Sprintf("(too long to show at once; go on with start_line %d)\n", last+1)
	}
	return Result{Text: head + "\n" + body, OK: true}
}

// numbered writes lines from..to as "12|text" until limit bytes are full, at
// least one; it returns the last line shown.
func numbered(lines []string, from, to, limit int) (string, int) {
	var b strings.Builder
	last := from
	for n := from; n <= to; n++ {
		line := plain.Clip(oneLine(lines[n-1]), limit)
		if n > from && b.Len()+len(line) > limit {
			break
		}
		fmt.Fprintf(&b, "%d|%s\n", n, line)
		last = n
	}
	return b.String(), last
}

// splitLines cuts text into lines without their ends; a last line end opens no
// further line.
func splitLines(s string) []string {
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	return strings.Split(s, "\n")
}

// oneLine cleans a line; a carriage return inside it must not start another.
func oneLine(s string) string {
	return plain.Text(strings.ReplaceAll(s, "\r", " "))
}
