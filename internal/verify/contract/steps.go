package contract

import (
	"strings"

	"gitagent/internal/pattern"
)

// What a step in plain words says that a person does. The words are those of
// someone who gives an instruction; a noun such as "the press release" is none.
var action = pattern.Lazy(`(?i)(?:^|[.;:,]\s*|\b(?:and|then|or|you|user|person|to)\s+)(?:double[- ]?)?(?:` + actionVerbs + `)(?:s|es)?\b` +
	`|\b(?:after|by|on|when|upon|while)\s+(?:double[- ]?)?(?:` + actionVerbs + `)(?:t?ing)\b`)

const actionVerbs = `click|press|tap|type|typ|enter|select|choose|choos|drag|toggle|toggl|tick|fill|submit|hover`

// acts says whether a step tells of an action on a page or a prompt.
func acts(step string) bool { return action.MatchString(withoutQuotes(step)) }

// withoutQuotes puts a mark of the same length in the place of each quoted
// text, so that no word in it is taken for the step's own.
func withoutQuotes(step string) string {
	for _, re := range []*pattern.Pattern{quoted, single} {
		step = re.ReplaceAllStringFunc(step, func(s string) string { return strings.Repeat("\x00", len(s)) })
	}
	return step
}

var (
	negation = pattern.Lazy(`(?i)\b(no longer|not|never|without|disappears?|gone|removed?|vanish(es)?|hidden|hides?|no)\b|n't\b`)
	// A full stop ends a sentence where a capital follows; "e.g." does not.
	sentenceEnd = pattern.Lazy(`[.!?]\s+[A-Z]`)

	between  = pattern.Lazy(`(?i)^[\s,]*((and|then)\b[\s,]*)?$`)
	fewWords = pattern.Lazy(`^\s*(?:[\w-]+\s+){0,2}$`)
	lasting  = pattern.Lazy(`(?i)\b(still|remains?|stays?|keeps?|unchanged)\b`)
	arrives  = pattern.Lazy(`(?i)^\s*(?:open|reload|visit|load|go to|start again)\b`)
)

// cause is the step, counted from 1, whose action the outcome in step n belongs
// to: n itself, or an earlier one with nothing but actions in between. 0 means
// that the step tells of no outcome, or of one that was there all along.
func cause(steps []string, n int) int {
	text := withoutQuotes(steps[n-1])
	if !shows.MatchString(text) || lasting.MatchString(text) {
		return 0
	}
	for i := n; i > 0; i-- {
		text := withoutQuotes(steps[i-1])
		switch {
		case i < n && shows.MatchString(text): // an outcome of its own
			return 0
		case action.MatchString(text) || ranVerb.MatchString(text):
			return i
		case arrives.MatchString(text):
			return 0
		}
	}
	return 0
}

// judge notes what the step says about the value that stands at start:end.
func (v *value) judge(step string, start, end int) {
	plain := withoutQuotes(step)
	v.outcome = shows.MatchString(plain[sentenceOf(plain, start):start])
	v.acted = action.MatchString(plain[:start])
	clause := plain[strings.LastIndexAny(plain[:start], ".;")+1:]
	if i := strings.IndexAny(plain[end:], ".;"); i >= 0 {
		clause = plain[len(plain)-len(clause) : end+i]
	}
	v.negated = negation.MatchString(clause)
	v.done = !v.outcome && follows(plain[:start])
}

// sentenceOf is where the sentence begins that goes on at position at.
func sentenceOf(plain string, at int) int {
	ends := sentenceEnd.FindAllStringIndex(plain[:at], -1)
	if len(ends) == 0 {
		return 0
	}
	return ends[len(ends)-1][1] - 1 // the first letter
}

// follows says whether what comes next is the object of an action: the verb
// stands before it, with at most two words between, or another object does.
func follows(before string) bool {
	for {
		last := action.FindAllStringIndex(before, -1)
		mark := strings.LastIndexByte(before, 0)
		switch {
		case len(last) == 0:
			return false
		case last[len(last)-1][1] > mark:
			return fewWords.MatchString(before[last[len(last)-1][1]:])
		case !between.MatchString(before[mark+1:]):
			return false
		}
		before = strings.TrimRight(before[:mark+1], "\x00")
	}
}

var (
	ranVerb     = pattern.Lazy(`(?i)\b(?:run|runs|running|execute|executes)\s`)
	runVerb     = pattern.Lazy(`(?i)\b(?:run|runs|running|execute|executes|call|start)\s+`)
	programFile = pattern.Lazy(`^(?:\./)?(?:[\w-]+/)*[\w-]+\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php|lua|jar)$|^\./(?:[\w-]+/)*[\w-]+$`)
	argument    = pattern.Lazy(`^(?:-{1,2}[\w=-]+|[+-]?\d[\d.]*)$`)
	quantity    = pattern.Lazy(`(?i)^(?:times?|seconds?|minutes?|hours?|ms|s)\b`)
)

// runIn is the file that a step says to run, with the numbers and options right
// behind it; words may be prose and are left out.
func runIn(step string) []string {
	at := runVerb.FindStringIndex(withoutQuotes(step))
	if at == nil {
		return nil
	}
	words := strings.Fields(step[at[1]:])
	for i, w := range words {
		if i > 3 {
			break
		}
		w, ends := trimmed(w)
		if !programFile.MatchString(w) {
			continue
		}
		want := []string{w}
		for j := i + 1; j < len(words) && !ends; j++ {
			if w, ends = trimmed(words[j]); !argument.MatchString(w) || (!ends && j+1 < len(words) && quantity.MatchString(words[j+1])) {
				break
			}
			want = append(want, w)
		}
		return want
	}
	return nil
}

// trimmed takes punctuation off the end of a word and says whether there was
// any.
func trimmed(word string) (string, bool) {
	w := strings.TrimRight(word, ",;:.")
	return w, w != word
}
