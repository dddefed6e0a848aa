package bench

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/internal/verify"
)

// The lines around the two texts of an edit.
const (
	oldMark = "<<<<<<<"
	midMark = "======="
	newMark = ">>>>>>>"
)

// parseWrong reads a wrong solution: lines "why: …", "fails: F001 F002
// unverified" and "in: PATH", and behind each "in:" the edits of that file of the
// right solution.
func (a *App) parseWrong(name, text string) (Wrong, error) {
	w := Wrong{Name: name, Fails: map[string]string{}, Tree: maps.Clone(a.Right)}
	file := ""
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.TrimSpace(line) == "":
		case key == "why":
			w.Why = value
		case key == "fails":
			if err := a.parseFails(w.Fails, value); err != nil {
				return w, err
			}
		case key == "in":
			if _, ok := a.Right[value]; !ok {
				return w, fmt.Errorf("the right solution has no file %q", value)
			}
			file = value
		case line == oldMark:
			var err error
			if w.Tree[file], text, err = edit(w.Tree[file], text); err != nil {
				return w, fmt.Errorf("in %q: %w", file, err)
			}
		default:
			return w, fmt.Errorf("line %q is not understood", line)
		}
	}
	if w.Why == "" || len(w.Fails) == 0 {
		return w, fmt.Errorf("it does not say why it is wrong and which features fail")
	}
	return w, nil
}

// parseFails reads the features that fail; "unverified" behind one says that
// its verdict is that.
func (a *App) parseFails(fails map[string]string, text string) error {
	last := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		switch {
		case slices.ContainsFunc(a.Features, func(f features.Feature) bool { return f.ID == word }):
			fails[word], last = verify.Fail, word
		case word == verify.Unverified && last != "":
			fails[last] = verify.Unverified
		default:
			return fmt.Errorf("%q is no feature of the app", word)
		}
	}
	return nil
}

// edit makes one edit, whose two texts stand at the beginning of rest.
func edit(content []byte, rest string) (edited []byte, after string, err error) {
	old, rest, ok := cutLine(rest, midMark)
	if !ok {
		return nil, "", fmt.Errorf("an edit without %s", midMark)
	}
	fresh, rest, ok := cutLine(rest, newMark)
	if !ok {
		return nil, "", fmt.Errorf("an edit without %s", newMark)
	}
	if n := bytes.Count(content, []byte(old)); n != 1 || old == "" {
		return nil, "", fmt.Errorf("the text %q occurs %d times, not once", old, n)
	}
	return bytes.Replace(content, []byte(old), []byte(fresh), 1), rest, nil
}

// cutLine cuts text at a line that is mark. The end of the line before it belongs
// to neither side, so that a part of a line can be edited.
func cutLine(text, mark string) (before, after string, ok bool) {
	if after, ok = strings.CutPrefix(text, mark+"\n"); ok {
		return "", after, true
	}
	before, after, ok = strings.Cut(text, "\n"+mark+"\n")
	if !ok {
		before, ok = strings.CutSuffix(text, "\n"+mark)
	}
	return before, after, ok
}
