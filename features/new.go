package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

// New makes a list in its canonical layout. Texts are trimmed and freed of
// control and hidden characters; features without an id get F001, F002, …; when
// no feature has a priority they get 1, 2, 3, … in order. It refuses what Parse
// refuses, and features that say the same as another in other case, spacing or
// closing punctuation.
func New(project, goal string, fs []Feature) (*List, error) {
	l := &List{Version: Version, Project: oneLine(project), Goal: oneLine(goal), Features: make([]Feature, len(fs))}
	unranked := true
	for i, f := range fs {
		l.Features[i] = clean(f)
		unranked = unranked && f.Priority == 0
	}
	ids := l.counter(nil) // above every id that was given
	for i := range l.Features {
		if l.Features[i].ID == "" {
			l.Features[i].ID = ids.next()
		}
		if unranked {
			l.Features[i].Priority = i + 1
		}
		if err := valid(l.Features[i]); err != nil {
			return nil, fmt.Errorf("feature %d: %w", i+1, err)
		}
	}
	if err := distinct(l.Features); err != nil {
		return nil, err
	}
	made, err := Parse(l.format())
	if err != nil {
		return nil, fmt.Errorf("make the list: %w", err)
	}
	return made, nil
}

func oneLine(s string) string {
	s = strings.NewReplacer("\n", " ", "\t", " ").Replace(plain.Text(s))
	return strings.TrimSpace(s)
}

// clean returns a copy of f with texts as a list may hold them.
func clean(f Feature) Feature {
	f.ID, f.Category, f.Description = strings.TrimSpace(f.ID), oneLine(f.Category), oneLine(f.Description)
	f.Steps, f.DependsOn = slices.Clone(f.Steps), slices.Clone(f.DependsOn)
	for i := range f.Steps {
		f.Steps[i] = oneLine(f.Steps[i])
	}
	for i := range f.DependsOn {
		f.DependsOn[i] = strings.TrimSpace(f.DependsOn[i])
	}
	return f
}

// valid holds the rules for one feature by itself.
func valid(f Feature) error {
	if msg := badID(f.ID); msg != "" {
		return hint.Errorf(`write an id such as "F001", or leave it out`, "%s", msg)
	}
	if f.Description == "" {
		return hint.Errorf("say in one line what a person can do once the feature is there", "%s has no description", f.ID)
	}
	if len(f.Steps) == 0 {
		return hint.Errorf("write the steps as a person would try it", "%s (%s) has no steps, so it cannot be verified", f.ID, quote(f.Description))
	}
	if i := slices.IndexFunc(f.Steps, blank); i >= 0 {
		return hint.Errorf("write the step, or take it out", "step %d of %s (%s) is empty", i+1, f.ID, quote(f.Description))
	}
	if len(f.Steps) > maxItems || len(f.DependsOn) > maxItems {
		return hint.Errorf("split it", "%s has more than %d steps or dependencies", f.ID, maxItems)
	}
	if f.Priority < -maxNumber || f.Priority > maxNumber {
		return fmt.Errorf("the priority %d of %s is not of reasonable size", f.Priority, f.ID)
	}
	return nil
}

// distinct refuses two features that say the same.
func distinct(fs []Feature) error {
	seen := make(map[string]string, len(fs))
	for _, f := range fs {
		key := Fold(f.Description)
		if other, ok := seen[key]; ok {
			return hint.Errorf("keep one of the two, or say in what they differ",
				"%s and %s say the same: %s", other, f.ID, quote(f.Description))
		}
		seen[key] = f.ID
	}
	return nil
}

// SameDescription says whether two descriptions differ in case, white space and
// closing punctuation at most, so that a list may not hold both.
func SameDescription(a, b string) bool { return Fold(a) == Fold(b) }

// NewID is the n-th id of a list in the design's style: F001, F002, …
func NewID(n int) string { return fmt.Sprintf("F%03d", n) }

// counter gives out ids that were never used.
type counter struct {
	prefix string
	width  int
	last   int
}

// counter continues the ids of the list in their own style, above every id in
// the list and in used.
func (l *List) counter(used []string) *counter {
	c := &counter{prefix: "F", width: 3}
	for i := len(l.Features) - 1; i >= 0; i-- {
		if prefix, digits := cutNumber(l.Features[i].ID); digits != "" {
			c.prefix, c.width = prefix, len(digits)
			break
		}
	}
	note := func(id string) {
		prefix, digits := cutNumber(id)
		if n, err := strconv.Atoi(digits); err == nil && strings.EqualFold(prefix, c.prefix) {
			c.last = max(c.last, n)
		}
	}
	for _, f := range l.Features {
		note(f.ID)
	}
	for _, id := range used {
		note(id)
	}
	return c
}

func cutNumber(id string) (prefix, digits string) {
	prefix = strings.TrimRight(id, "0123456789")
	digits = id[len(prefix):]
	if len(digits) > 9 || prefix == "" {
		return id, ""
	}
	return prefix, digits
}

func (c *counter) next() string {
	c.last++
	return fmt.Sprintf("%s%0*d", c.prefix, c.width, c.last)
}

// NextID returns an id that neither the list nor used holds, in the style of
// the list's ids. used are the ids of features that were retired.
func (l *List) NextID(used []string) string { return l.counter(used).next() }

// format writes the canonical layout.
func (l *List) format() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"project\": %s,\n  \"goal\": %s,\n  \"features\": [", l.Version, literal(l.Project), literal(l.Goal))
	for i, f := range l.Features {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + canonical.write(f))
	}
	if len(l.Features) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("]\n}\n")
	return b.Bytes()
}

// layout is how a feature is laid out: what stands before each key, and before
// the closing brace.
type layout struct{ key, end string }

var canonical = layout{key: "\n      ", end: "\n    "}

func (y layout) write(f Feature) string {
	var b strings.Builder
	field := func(key, value string) {
		if b.Len() == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
			if y.key == "" {
				b.WriteByte(' ')
			}
		}
		b.WriteString(y.key + `"` + key + `": ` + value)
	}
	for _, key := range featureKeys {
		field(key, f.value(key))
	}
	b.WriteString(y.end + "}")
	return b.String()
}

// value is the JSON of one field.
func (f *Feature) value(key string) string {
	switch key {
	case "id":
		return literal(f.ID)
	case "category":
		return literal(f.Category)
	case "description":
		return literal(f.Description)
	case "steps":
		return literals(f.Steps)
	case "depends_on":
		return literals(f.DependsOn)
	case "priority":
		return strconv.Itoa(f.Priority)
	}
	return strconv.FormatBool(f.Passes)
}

func literals(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = literal(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// literal writes a JSON string, with <, > and & as they are.
func literal(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
