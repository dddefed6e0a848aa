package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gitagent/internal/plain"
)

func editFileTool() tool {
	return tool{
		name:  "edit_file",
		about: "Replace one exact passage of a file. old_text must occur exactly once.",
		params: []param{
			pathParam(),
			{name: "old_text", kind: text, aliases: []string{"oldstring", "oldstr", "old", "search", "find", "original", "searchtext", "before", "oldcontent"}},
			{name: "new_text", kind: text, aliases: []string{"newstring", "newstr", "new", "replace", "replacement", "replacetext", "replacewith", "after", "newcontent"}},
		},
		run: editFile,
	}
}

// editFile replaces one passage, forgiving blanks where the place is still
// certain, and says so when it did.
func editFile(_ context.Context, env *Env, a values) Result {
	name, err := cleanPath(a.text("path"))
	if err != nil {
		return refuse("edit_file: %s.", err)
	}
	if err := writable(env, name); err != nil {
		return refuse("edit_file: %s.", err)
	}
	data, err := readText(env.Root, name)
	if err != nil {
		advice := similar(env.Root, name, err)
		if advice == "" && strings.HasSuffix(err.Error(), "does not exist") {
			advice = " write_file creates a file."
		}
		return refuse("edit_file: %s.%s", err, advice)
	}
	crlf := isCRLF(data)
	old, oldText, newText := string(data), a.text("old_text"), a.text("new_text")
	if crlf || !strings.Contains(old, "\r") {
		old = strings.ReplaceAll(old, "\r\n", "\n")
		oldText = strings.ReplaceAll(oldText, "\r\n", "\n")
		newText = strings.ReplaceAll(newText, "\r\n", "\n")
	}
	e, problem := planEdit(name, old, oldText, newText)
	if problem != "" {
		return refuse("edit_file: %s", problem)
	}
	after := old[:e.start] + e.text + old[e.end:]
	if line := placeholder(e.text, old); line != "" && len(after) < len(old) {
		return refuse("edit_file: not changed. The line %q leaves out code that %s has now.", line, name)
	}
	stored := after
	if crlf {
		stored = strings.ReplaceAll(after, "\n", "\r\n")
	}
	if err := replace(env, name, []byte(stored)); err != nil {
		return refuse("edit_file: %s.", err)
	}
	return Result{Text: editAnswer(env, name, old, after, e), OK: true, Touched: []string{name}}
}

// editAnswer says where the change is, how it was found, and which references
// are missing.
func editAnswer(env *Env, name, old, after string, e edit) string {
	first := strings.Count(old[:e.start], "\n") + 1
	var b strings.Builder
	fmt.Fprintf(&b, "%s changed at line %d: %s became %d.", name, first,
		plain.Count(countLines([]byte(old[e.start:e.end])), "line"), countLines([]byte(e.text)))
	if len(e.how) > 0 {
		b.WriteString(" Found only by " + strings.Join(e.how, " and ") + "; check the result.")
	}
	if len(after)*2 < len(old) {
		fmt.Fprintf(&b, " The file shrank from %d to %d lines.", countLines([]byte(old)), countLines([]byte(after)))
	}
	if _, missing := checkRefs(env, name, after); len(missing) > 0 {
		b.WriteString(" missing_refs: " + strings.Join(capList(missing), ", "))
	}
	return b.String()
}

// edit is one replacement: bytes start..end of the old text become text.
type edit struct {
	start, end int
	text       string
	how        []string // what had to be forgiven
}

// planEdit finds the one place that is meant, or says what is wrong.
func planEdit(name, old, oldText, newText string) (edit, string) {
	switch {
	case !utf8.ValidString(newText) || strings.ContainsRune(newText, 0):
		return edit{}, "new_text is not text."
	case strings.TrimSpace(oldText) == "":
		return edit{}, "old_text is empty. Copy the lines to replace from read_file, or use write_file for the whole file."
	case oldText == newText:
		return edit{}, "old_text and new_text are the same; nothing would change."
	}
	e, places := ladder(old, oldText, newText)
	if len(places) == 0 {
		// Numbers are taken off only when the text as sent is nowhere.
		if stripped, ok := stripNumbers(oldText); ok {
			if s, ok := stripNumbers(newText); ok {
				newText = s
			}
			oldText = stripped
			e, places = ladder(old, oldText, newText)
			e.how = append([]string{"taking line numbers off"}, e.how...)
		}
	}
	switch {
	case len(places) > 1:
		return edit{}, fmt.Sprintf("old_text occurs %d times in %s, at lines %s. Add lines around it so that it is unique.", len(places), name, lineList(places))
	case len(places) == 1 && old[e.start:e.end] == e.text:
		return edit{}, "that would change nothing."
	case len(places) == 1:
		return e, ""
	}
	if strings.TrimSpace(newText) != "" && strings.Contains(old, newText) {
		line := strings.Count(old[:strings.Index(old, newText)], "\n") + 1
		return edit{}, fmt.Sprintf("old_text is not in %s, but new_text is already there, at line %d.", name, line)
	}
	return edit{}, fmt.Sprintf("old_text is not in %s. %s", name, nearMiss(old, oldText))
}

func lineList(lines []int) string {
	var s []string
	for _, n := range lines[:min(len(lines), 10)] {
		s = append(s, fmt.Sprint(n))
	}
	if len(lines) > 10 {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

// nearMiss shows the lines that look most like what was searched for.
func nearMiss(old, oldText string) string {
	lines, want := splitLines(old), splitLines(strings.Trim(oldText, "\n"))
	at, score := closest(lines, want)
	if score < 0.4 {
		return "Nothing in it looks like it; read the file again."
	}
	from, to := max(at-1, 1), min(at+len(want)+1, len(lines))
	body, _ := numbered(lines, from, min(to, from+40), 3000)
	return "The nearest lines are:\n" + body + "Copy old_text from there, without the numbers."
}

// closest finds the window of lines that is most like want: its first line,
// from 1, and a score from 0 to 1.
func closest(lines, want []string) (int, float64) {
	if len(lines)*len(want) > 200000 {
		want = want[:max(1, 200000/len(lines))]
	}
	grams := make([]map[string]bool, len(lines))
	for i, l := range lines {
		grams[i] = bigrams(l)
	}
	wanted := make([]map[string]bool, len(want))
	for i, l := range want {
		wanted[i] = bigrams(l)
	}
	best, bestScore := 1, 0.0
	for i := range lines {
		sum := 0.0
		for j := range want {
			if i+j < len(lines) {
				sum += likeness(grams[i+j], wanted[j])
			}
		}
		if score := sum / float64(len(want)); score > bestScore {
			best, bestScore = i+1, score
		}
	}
	return best, bestScore
}

// bigrams of a line without blanks; long lines by their beginning.
func bigrams(line string) map[string]bool {
	s := strings.Join(strings.Fields(plain.Line(line, 200)), "")
	out := map[string]bool{}
	for i := 0; i+2 <= len(s); i++ {
		out[s[i:i+2]] = true
	}
	if len(s) == 1 {
		out[s] = true
	}
	return out
}

// likeness is Dice's coefficient; two blank lines are alike.
func likeness(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	both := 0
	for g := range a {
		if b[g] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}

// sortedPlaces turns byte offsets into line numbers.
func sortedPlaces(old string, offsets []int) []int {
	var lines []int
	for _, o := range offsets {
		lines = append(lines, strings.Count(old[:o], "\n")+1)
	}
	slices.Sort(lines)
	return lines
}
