package infra

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"gitagent/hooks/rule"
	"gitagent/internal/pattern"
	"gitagent/internal/plain"
)

// Setting is one guarded value of a file.
type Setting struct {
	Key, Value string
	Line       int
	// Risk is why the setting may not even be added, "" when it may.
	Risk string
	// Always refuses an added risk also where there are no tests yet.
	Always bool
	// Loose settings may go and change; only adding one counts.
	Loose bool
	// Ratchet is the direction in which a number may move: 1 up, -1 down.
	Ratchet int
	// Grows says that the value is a list, of which more may be named.
	Grows bool
	// Within says that adding the setting counts only in a file that was there:
	// a new one beside the others takes nothing from them.
	Within bool
	// Scope is the part of the file that the setting belongs to; in a part that
	// is new as a whole adding it does not count.
	Scope string
}

// World answers what the project had before. Its functions may be dear and are
// only called where they decide.
type World struct {
	// Tests lists the test files of a family of languages ("go", "js", "py", …;
	// "" for all).
	Tests func(kind string) []string
	// Read is a file that was there and stays, nil for none.
	Read func(path string) []byte
}

func (w World) tests(kind string) []string {
	if w.Tests == nil {
		return nil
	}
	return w.Tests(kind)
}

func (w World) read(file string) []byte {
	if w.Read == nil {
		return nil
	}
	return w.Read(file)
}

// format is a kind of file that is guarded.
type format struct {
	kind string // of the tests that it bears on, "" for all
	read func(file string, data []byte, w World) []Setting
}

// Guarded says whether a file may hold settings that count.
func Guarded(file string) bool { return formatOf(file) != nil && !watched(base(file)) }

// Watched says whether Judge has anything to say of a file: of one that is
// guarded, and of one that people and programs change freely but for a few
// lines.
func Watched(file string) bool { return formatOf(file) != nil }

func watched(name string) bool {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json", "gemfile":
		return true
	}
	return pipFile.MatchString(name) || strings.HasPrefix(name, ".env") && !strings.HasPrefix(name, ".env.test") && !strings.HasPrefix(name, ".env.ci")
}

// Judge compares the guarded settings of one file, before and after.
func Judge(c rule.Change, w World) []rule.Finding {
	f := formatOf(c.Path)
	if f == nil {
		return nil
	}
	if c.New.There() && !c.New.Regular() {
		if c.Old.Mode == c.New.Mode && bytes.Equal(c.Old.Data, c.New.Data) {
			return nil
		}
		return []rule.Finding{{Code: "infra.replaced", What: "becomes something else than an ordinary file"}}
	}
	var old, new []Setting
	if c.Old.Regular() {
		old = numbered(f.read(c.Path, c.Old.Data, w))
	}
	if c.New.Regular() {
		new = numbered(f.read(c.Path, c.New.Data, w))
	}
	if !c.New.There() {
		return deleted(old)
	}
	out := append(kept(old, new), added(f, old, new, w, c.Old.There())...)
	if !c.Old.There() {
		out = append(out, before(c.Path, w)...)
	}
	return out
}

// deleted judges a file that is gone.
func deleted(old []Setting) []rule.Finding {
	for _, s := range old {
		if !s.Loose {
			return []rule.Finding{{Code: "infra.deleted", What: "is deleted, with " + name(s)}}
		}
	}
	return nil
}

// numbered makes keys unique: what stands twice counts twice.
func numbered(list []Setting) []Setting {
	seen := map[string]int{}
	for i := range list {
		key := list[i].Key
		if seen[key]++; seen[key] > 1 {
			list[i].Key = fmt.Sprintf("%s (%d)", key, seen[key])
		}
	}
	return list
}

func byKey(list []Setting) map[string]Setting {
	m := make(map[string]Setting, len(list))
	for _, s := range list {
		m[s.Key] = s
	}
	return m
}

// kept judges the settings that were there.
func kept(old, new []Setting) []rule.Finding {
	have := byKey(new)
	var out []rule.Finding
	for _, o := range old {
		n, ok := have[o.Key]
		switch {
		case o.Loose || ok && n.Value == o.Value:
		case ok && o.Grows && n.Grows && holds(n.Value, o.Value):
		case !ok:
			if o.Ratchet != 0 && o.Ratchet < 0 {
				continue // a limit on the wrong side is gone
			}
			out = append(out, rule.Finding{Code: "infra.removed", Key: o.Key, Line: o.Line, What: "no longer has " + name(o)})
		case o.Ratchet != 0 && better(o, n):
		case n.Ratchet != 0:
			out = append(out, rule.Finding{Code: "infra.lowered", Key: n.Key, Line: n.Line, What: fmt.Sprintf("has %s lowered from %s to %s", name(n), short(o.Value), short(n.Value))})
		default:
			out = append(out, rule.Finding{Code: "infra.changed", Key: n.Key, Line: n.Line, What: fmt.Sprintf("has %s changed from %s to %s", name(n), short(o.Value), short(n.Value))})
		}
	}
	return out
}

// added judges the settings that are new.
func added(f *format, old, new []Setting, w World, there bool) []rule.Finding {
	had := byKey(old)
	scopes := map[string]bool{}
	for _, o := range old {
		scopes[o.Scope] = true
	}
	var out []rule.Finding
	for _, n := range new {
		o, ok := had[n.Key]
		if n.Risk == "" || ok && (!n.Loose || o.Value == n.Value) {
			continue
		}
		if n.Within && !there || n.Scope != "" && !scopes[n.Scope] {
			continue
		}
		if first, more := firstOf(n.Key); more && n.Grows && !strings.HasPrefix(n.Value, "!") && had[first].Grows {
			continue // one more of a list
		}
		if !n.Always && len(w.tests(f.kind)) == 0 {
			continue // nothing that could be hidden yet
		}
		out = append(out, rule.Finding{Code: "infra.added", Key: n.Key, Line: n.Line, What: fmt.Sprintf("gains %s, which %s", name(n), n.Risk)})
	}
	return out
}

// firstOf is the key of the first element of the list that key is a later one
// of.
func firstOf(key string) (first string, more bool) {
	i := strings.LastIndexByte(key, '.') + 1
	if i == 0 || i == len(key) || strings.Trim(key[i:], "0123456789") != "" || key[i:] == "0" {
		return "", false
	}
	return key[:i] + "0", true
}

// holds says whether a list has everything that another has, and takes nothing
// away again. What is no text in it must be the same.
func holds(more, all string) bool {
	if plainParts(more) != plainParts(all) {
		return false
	}
	have := map[string]bool{}
	for _, m := range quotedText.FindAllString(all, -1) {
		have[m] = true
	}
	seen := map[string]bool{}
	for _, m := range quotedText.FindAllString(more, -1) {
		if !have[m] && strings.HasPrefix(m[1:], "!") {
			return false
		}
		seen[m] = true
	}
	for m := range have {
		if !seen[m] {
			return false
		}
	}
	return true
}

// plainParts is a list without its texts and what separates them.
func plainParts(list string) string {
	return strings.Join(strings.FieldsFunc(quotedText.ReplaceAllString(list, ""), func(r rune) bool { return strings.ContainsRune("[], \t", r) }), " ")
}

var quotedText = pattern.Lazy("'[^']*'|\"[^\"]*\"|`[^`]*`")

func name(s Setting) string {
	if s.Key == "" {
		return "its content"
	}
	return plain.Clip(plain.Line(s.Key, 120), 80)
}

func short(v string) string {
	if v == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", plain.Clip(plain.Line(v, 200), 60))
}

// better says whether a number moved the right way.
func better(o, n Setting) bool {
	a, okA := number(o.Value)
	b, okB := number(n.Value)
	if !okA || !okB || len(a) != len(b) && (len(a) == 0 || len(b) == 0) {
		return false
	}
	for i := 0; i < max(len(a), len(b)); i++ {
		x, y := nth(a, i), nth(b, i)
		if x != y {
			return (y > x) == (o.Ratchet > 0)
		}
	}
	return true
}

func nth(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// number reads the numbers of a value: one of a threshold, several of a
// version.
func number(v string) ([]float64, bool) {
	v = strings.Trim(strings.TrimSpace(v), `"'%v^~>=<`)
	var out []float64
	for part := range strings.SplitSeq(v, ".") {
		var n float64
		if _, err := fmt.Sscanf(part, "%g", &n); err != nil {
			return out, len(out) > 0
		}
		out = append(out, n)
	}
	return out, len(out) > 0
}

// whole takes a file as one setting: any change of its content counts. risk is
// why it may not be added.
func whole(risk string, always bool) func(string, []byte, World) []Setting {
	return func(_ string, data []byte, _ World) []Setting {
		return []Setting{{Value: lines(data), Risk: risk, Always: always}}
	}
}

// lines is a text without blank lines, comments and spaces at line ends.
func lines(data []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#!") || strings.HasPrefix(text, "//") {
			continue
		}
		b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
	}
	return b.String()
}

// base is the lower-cased last part of a path.
func base(file string) string { return strings.ToLower(path.Base(file)) }
