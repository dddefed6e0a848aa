package features

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gitagent/internal/plain"
)

// text reads a string that people will read: nothing in it may steer a
// terminal or hide from a reader.
func (s *scanner) text(want string) (string, span, error) {
	v, at, err := s.str(want)
	if err == nil && plain.Text(v) != v {
		err = s.fail(at.start, "hidden or control characters in the text", "take them out: "+quote(v))
	}
	return v, at, err
}

// texts reads a list of strings, none of them blank.
func (s *scanner) texts(want, what string) (out []string, where span, items []span, err error) {
	where, err = s.array(want, func(i int) error {
		if i == maxItems {
			return s.fail(s.pos, fmt.Sprintf("more than %d of them", maxItems), "split the feature")
		}
		article := "a "
		if what == "id" {
			article = "an "
		}
		v, at, err := s.text(article + what + " in double quotes")
		if err == nil && blank(v) {
			err = s.fail(at.start, fmt.Sprintf("%s %d is empty", what, i+1), "write it, or take it out")
		}
		out, items = append(out, v), append(items, at)
		return err
	})
	return out, where, items, err
}

func (s *scanner) checkID(id string, at span) error {
	if msg := badID(id); msg != "" {
		return s.fail(at.start, msg, `write an id such as "F001"`)
	}
	return nil
}

// badID says why id is no id, "" when it is one. Ids become file names and
// parts of refs on every system, hence the narrow rule.
func badID(id string) string {
	if id == "" || len(id) > maxID {
		return fmt.Sprintf("an id has 1 to %d characters", maxID)
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '_')) {
			return "the id " + quote(id) + " is not letters, digits, '-' and '_', a letter first"
		}
	}
	switch up := strings.ToUpper(id); up {
	case "CON", "PRN", "AUX", "NUL":
		return "the id " + quote(id) + " is no file name on Windows"
	default:
		if len(up) == 4 && (strings.HasPrefix(up, "COM") || strings.HasPrefix(up, "LPT")) && up[3] >= '0' && up[3] <= '9' {
			return "the id " + quote(id) + " is no file name on Windows"
		}
	}
	return ""
}

// unknownKey refuses a key, naming the one that was probably meant.
func (s *scanner) unknownKey(key string, at span, known []string) error {
	mend := "the keys here are: " + strings.Join(known, ", ")
	if near := nearest(key, known); near != "" {
		mend = "write " + quote(near) + ", exactly so"
	}
	return s.fail(at.start, "the key "+quote(key)+" is not known", mend)
}

// nearest returns the known word that key resembles: other case or
// separators, other Unicode forms, or up to two letters away; "" for none.
func nearest(key string, known []string) string {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || unicode.IsSpace(r) {
				return -1
			}
			return unicode.ToLower(unicode.ToUpper(r))
		}, plain.Text(s))
	}
	k := bare(key)
	if len(k) > 40 {
		return ""
	}
	for _, w := range known {
		if bare(w) == k || strings.EqualFold(w, key) {
			return w
		}
	}
	best, at := "", 3
	for _, w := range known {
		if d := distance(k, bare(w)); d < at && d*3 <= len(w) {
			best, at = w, d
		}
	}
	return best
}

// distance is the number of single-letter edits between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// blank says whether a person would see nothing.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// Fold makes two spellings of one description equal: case, white space and
// closing punctuation do not count.
func Fold(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimRight(s, ".!… ")
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}

func join(ids []string) string {
	if len(ids) > 6 {
		ids = append(slices.Clone(ids[:6]), "…")
	}
	return strings.Join(ids, ", ")
}

// circleIn returns the ids of one dependency circle, nil when there is none.
// It keeps its own stack: a list may hold a chain of many thousands.
func circleIn(fs []Feature, index map[string]int) []string {
	const fresh, open, done = 0, 1, 2
	state := make([]byte, len(fs))
	type frame struct{ at, next int }
	for start := range fs {
		if state[start] != fresh {
			continue
		}
		state[start] = open
		stack := []frame{{at: start}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			deps := fs[top.at].DependsOn
			if top.next == len(deps) {
				state[top.at] = done
				stack = stack[:len(stack)-1]
				continue
			}
			to, ok := index[deps[top.next]]
			top.next++
			if !ok || state[to] == done {
				continue
			}
			if state[to] == open {
				var ids []string
				for i := len(stack) - 1; i >= 0; i-- {
					ids = append(ids, fs[stack[i].at].ID)
					if stack[i].at == to {
						break
					}
				}
				slices.Reverse(ids)
				return ids
			}
			state[to] = open
			stack = append(stack, frame{at: to})
		}
	}
	return nil
}
