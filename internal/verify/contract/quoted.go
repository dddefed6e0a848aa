package contract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gitagent/internal/pattern"
)

// quoted finds what a step puts in quotes: the values a check must name.
var quoted = pattern.Lazy("\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|„([^“”]+)[“”]|«([^»]+)»")

// single finds '…' where the marks cannot be apostrophes.
var single = pattern.Lazy(`(?:^|[\s(\[,:=])'([^'\n]+|[^'\n]*\w'\w[^'\n]*)'(?:$|[\s)\].,;:!?])`)

// shows finds the words after which a step speaks of an outcome.
var shows = pattern.Lazy(`(?i)\b(shows?|shown|displays?|displayed|sees?|prints?|printed|appears?|reads|contains?|outputs?|says|becomes|visible|listed|lists?|returns?|reports?|expect(s|ed)?)\b`)

// value is one quoted text of a step.
type value struct {
	text    string
	outcome bool // it stands after a word like "shows"
	acted   bool // it stands after an action
	negated bool // its sentence denies something
	done    bool // it is what an action is done with: Press "=", type "milk"
	given   bool // the step, or one before it, has it elsewhere too
}

func valuesOf(step string) []value {
	var out []value
	seen := make(map[value]bool)
	collect := func(re *pattern.Pattern) {
		for _, m := range re.FindAllStringSubmatchIndex(step, -1) {
			for g := 1; g < len(m)/2; g++ {
				if m[2*g] < 0 {
					continue
				}
				v := value{text: squeeze(step[m[2*g]:m[2*g+1]])}
				v.judge(step, m[0], m[1])
				key := value{text: v.text, outcome: v.outcome}
				if v.text == "" || seen[key] {
					continue
				}
				seen[key] = true
				v.given = Holds(step[:m[0]]+" "+step[m[1]:], v.text)
				out = append(out, v)
			}
		}
	}
	collect(quoted)
	if len(out) == 0 || !strings.Contains(step, `"`) {
		collect(single)
	}
	return out
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Holds says whether text holds value as a whole word or number: "8" is not in
// "18", "8.5" or "-8", "cat" is not in "concatenate". White space counts as one
// space.
func Holds(text, value string) bool {
	text, value = squeeze(text), squeeze(value)
	if value == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		start := from + i
		if apart(text[:start], value, text[start+len(value):]) {
			return true
		}
		_, w := utf8.DecodeRuneInString(text[start:])
		from = start + w
	}
}

// apart says whether value stands by itself between before and after.
func apart(before, value, after string) bool {
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	b, bw := utf8.DecodeLastRuneInString(before)
	a, aw := utf8.DecodeRuneInString(after)
	if word(first) && bw > 0 && word(b) || word(last) && aw > 0 && word(a) {
		return false
	}
	if unicode.IsDigit(last) && (a == '.' || a == ',') {
		if n, w := utf8.DecodeRuneInString(after[aw:]); w > 0 && unicode.IsDigit(n) {
			return false // 8 in 8.5
		}
	}
	if unicode.IsDigit(first) && bw > 0 {
		p, pw := utf8.DecodeLastRuneInString(before[:len(before)-bw])
		if (b == '.' || b == ',') && pw > 0 && unicode.IsDigit(p) {
			return false // 5 in 8.5
		}
		if (b == '-' || b == '−') && (pw == 0 || !word(p)) {
			return false // 8 in -8
		}
	}
	return true
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
