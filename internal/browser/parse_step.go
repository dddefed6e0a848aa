package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// modifierTable maps the keys beside the verb to their canonical names.
var modifierTable = [...]struct {
	key     string
	aliases []string
}{
	{"into", []string{"field", "to", "input_field"}},
	{"in", []string{"within", "inside", "region", "scope"}},
	{"from", nil},
	{"of", nil},
	{"onto", []string{"drop", "drop_on", "destination"}},
	{"content", []string{"contents", "data", "file_content"}},
	{"expect_status", []string{"status", "expected_status", "status_code"}},
	{"allow_status", []string{"may_status"}},
	{"is", []string{"equals", "expected", "be", "to_be", "should_be", "equal_to"}},
	{"text", []string{"with", "for", "file"}},
	{"target", []string{"selector", "element", "locator", "name", "label", "button", "on"}},
	{"option", nil},
	{"role", nil},
	{"nth", nil},
	{"width", nil},
	{"height", nil},
	{"timeout", []string{"timeout_s"}},
	{"seconds", nil},
	{"url", []string{"path", "href"}},
	{"dialog", nil},
	{"answer", []string{"dialog_answer"}},
	{"dialog_says", []string{"dialog_text"}},
	{"note", []string{"comment", "description", "why"}},
}

func modifierOf(word string) (string, bool) {
	word = canonical(word)
	for _, m := range modifierTable {
		if m.key == word || slices.Contains(m.aliases, word) {
			return m.key, true
		}
	}
	return "", false
}

// fields are the parts of a step while it is read; what is left at the end was
// not understood.
type fields struct {
	verb   Verb
	arg    string // what stands behind the verb
	hasArg bool
	mods   map[string]string
}

func parseStep(v any) (Step, error) {
	switch v := v.(type) {
	case string:
		return parseSentence(v)
	case map[string]any:
		f, sentence, err := readFields(v)
		if err != nil {
			return Step{}, err
		}
		if sentence != "" {
			return parseSentence(sentence)
		}
		return f.step()
	}
	return Step{}, wrong(`a step is an object such as {"click":"7"} or a text such as "click 7"`)
}

// readFields finds the verb and the modifiers of a step object.
func readFields(m map[string]any) (f *fields, sentence string, err error) {
	f = &fields{mods: map[string]string{}}
	m = cloneMap(m)
	if sentence, err = f.takeAction(m); err != nil || sentence != "" {
		return nil, sentence, err
	}
	if f.verb == "" {
		if err := f.takeVerbKey(m); err != nil {
			return nil, "", err
		}
	}
	for _, k := range sortedKeys(m) {
		if err := f.addModifier(k, m[k]); err != nil {
			return nil, "", err
		}
	}
	return f, "", nil
}

// takeAction understands {"action":"click","target":"7"} and its kin, also with
// "type" in the place of "action", and {"step":"click 7"}.
func (f *fields) takeAction(m map[string]any) (sentence string, err error) {
	for _, k := range sortedKeys(m) {
		word, isText := m[k].(string)
		switch c := canonical(k); c {
		case "action", "verb", "command", "do", "op", "step":
			if !isText {
				return "", wrong("%q must be a text", k)
			}
			verb, ok := verbOf(word)
			if !ok && len(m) == 1 && strings.Contains(strings.TrimSpace(word), " ") {
				return word, nil
			}
			if !ok {
				return "", unknownVerb(word)
			}
			f.verb = verb
			delete(m, k)
			return "", nil
		case "type", "kind":
			verb, ok := verbOf(word)
			if !isText || !ok || !hasAny(m, "target", "text", "in", "is", "url", "seconds", "option", "value", "key") || hasAny(m, "into") {
				continue
			}
			f.verb = verb
			delete(m, k)
			return "", nil
		}
	}
	return "", nil
}

// hasAny says whether one of m's keys means one of names.
func hasAny(m map[string]any, names ...string) bool {
	for k := range m {
		if mod, ok := modifierOf(k); ok && slices.Contains(names, mod) {
			return true
		}
		if slices.Contains(names, canonical(k)) {
			return true
		}
	}
	return false
}

// takeVerbKey finds the one key that is a verb. Beside "fill" and "select", the
// key "value" is what to enter.
func (f *fields) takeVerbKey(m map[string]any) error {
	var keys []string
	for _, k := range sortedKeys(m) {
		if _, isMod := modifierOf(k); isMod {
			continue
		}
		if _, ok := verbOf(k); ok {
			keys = append(keys, k)
		}
	}
	if len(keys) == 2 {
		for i, k := range keys {
			other, _ := verbOf(keys[1-i])
			if canonical(k) == "value" && (other == VerbType || other == VerbSelect) {
				keys = []string{keys[1-i]}
				break
			}
		}
	}
	switch len(keys) {
	case 0:
		return noVerb(m)
	case 1:
	default:
		return wrong("two verbs, %q and %q: write one step for each", keys[0], keys[1])
	}
	arg := m[keys[0]]
	f.verb, _ = verbOf(keys[0])
	delete(m, keys[0])
	if inner, ok := arg.(map[string]any); ok {
		for k, v := range inner {
			if _, twice := m[k]; twice {
				return wrong("%q is given twice", k)
			}
			m[k] = v
		}
		return nil
	}
	text, err := scalar(keys[0], arg)
	if err != nil {
		return err
	}
	f.arg, f.hasArg = text, arg != nil
	return nil
}

func noVerb(m map[string]any) error {
	for _, k := range sortedKeys(m) {
		if _, ok := modifierOf(k); !ok {
			return unknownVerb(k)
		}
	}
	if len(m) == 0 {
		return wrong("an empty step")
	}
	return wrong("no verb: a step is an object such as %s", verbTable[1].form)
}

func unknownVerb(word string) error {
	names := make([]string, len(verbTable))
	for i, v := range verbTable {
		names[i] = string(v.verb)
	}
	hint := "a step is an object such as " + verbTable[1].form + "."
	if near, ok := nearestVerb(word); ok {
		hint = fmt.Sprintf("did you mean %q, as in %s?", near, formOf(near))
	}
	return wrong("unknown verb %q: %s The verbs are %s", clip(word, 60), hint, strings.Join(names, ", "))
}

// unknownKey is the answer to a key that stands beside a verb and means nothing.
func (f *fields) unknownKey(key string) error {
	names := make([]string, len(modifierTable))
	for i, m := range modifierTable {
		names[i] = m.key
	}
	if near := nearest(canonical(key), names, 1)[0]; alike(canonical(key), near) {
		return wrong("unknown key %q beside %s: did you mean %q? Write %s", clip(key, 60), f.verb, near, formOf(f.verb))
	}
	return wrong("unknown key %q beside %s: write %s", clip(key, 60), f.verb, formOf(f.verb))
}

// alike says whether a word is so near to another that it may be a slip.
func alike(word, other string) bool {
	return distance(word, other) <= max(1, len(other)/2)
}

func (f *fields) addModifier(key string, v any) error {
	mod, ok := modifierOf(key)
	if !ok {
		switch c := canonical(key); {
		case c == "value" && f.verb != VerbValue: // {"fill":"Name","value":"Zoë"}
			mod = "text"
		case c == "key" && f.verb == VerbPress:
			mod = "text"
		case c == "value":
			mod = "is"
		default:
			if verb, isVerb := verbOf(key); isVerb {
				return wrong("two verbs, %q and %q: write one step for each", f.verb, verb)
			}
			return f.unknownKey(key)
		}
	}
	text, err := scalar(key, v)
	if err != nil {
		return err
	}
	if _, twice := f.mods[mod]; twice {
		return wrong("%q is given twice", mod)
	}
	f.mods[mod] = text
	return nil
}

// scalar is a JSON text, number or boolean as text; null is the empty text.
func scalar(key string, v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", wrong("%q must be a text or a number", clip(key, 60))
}

func cloneMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
