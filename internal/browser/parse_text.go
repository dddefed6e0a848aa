package browser

import (
	"slices"
	"strings"
)

// token is a word of a sentence; quoted words are never keywords.
type token struct {
	text   string
	quoted bool
}

// parseSentence reads a step written as a sentence: click 7, type "Zoë" into
// Name, see "56" in Display, wait 2.
func parseSentence(s string) (Step, error) {
	if len(s) > 4*maxText {
		return Step{}, wrong("a sentence of %d bytes is too long", len(s))
	}
	toks := tokens(s)
	if len(toks) == 0 {
		return Step{}, wrong("an empty step")
	}
	verb, rest, ok := sentenceVerb(toks)
	for said := toks; !ok && len(said) > 1 && !said[0].quoted && slices.Contains([]string{"i", "then", "and", "now", "finally"}, strings.ToLower(strings.TrimSuffix(said[0].text, ","))); {
		said = said[1:]
		verb, rest, ok = sentenceVerb(said)
	}
	if !ok {
		return Step{}, unknownVerb(toks[0].text)
	}
	f := &fields{verb: verb, mods: map[string]string{}}
	rest = dropWords(rest, verb)
	arg, err := f.split(rest)
	if err != nil {
		return Step{}, err
	}
	if len(arg) > 0 {
		f.arg, f.hasArg = join(arg), true
	}
	if f.hasArg && verb == VerbValue && !f.has("of") && f.has("is") {
		f.mods["of"] = f.takeArg()
	}
	return f.step()
}

// sentenceVerb takes up to three words for the verb, the longest first, so that
// "do not see" is not "do".
func sentenceVerb(toks []token) (Verb, []token, bool) {
	for n := min(3, len(toks)); n > 0; n-- {
		words := make([]string, n)
		for i, t := range toks[:n] {
			words[i] = t.text
		}
		if v, ok := verbOf(strings.TrimSuffix(strings.Join(words, "_"), ":")); ok && !toks[0].quoted {
			return v, toks[n:], true
		}
	}
	return "", nil, false
}

// dropWords leaves out the filling words after the verb.
func dropWords(toks []token, verb Verb) []token {
	fill := []string{"the", "on", "to", "for"}
	if verb == VerbValue {
		fill = []string{"the"}
	}
	for len(toks) > 1 && !toks[0].quoted && slices.Contains(fill, strings.ToLower(toks[0].text)) {
		toks = toks[1:]
	}
	return toks
}

// keywordsOf are the words that divide the sentence of a verb.
func keywordsOf(verb Verb) []string {
	switch verb {
	case VerbType, VerbUpload:
		return []string{"into", "in"}
	case VerbDrag:
		return []string{"to", "onto", "into"}
	case VerbCount:
		return []string{"of"}
	case VerbSelect:
		return []string{"from", "in"}
	case VerbSee, VerbNotSee:
		return []string{"in"}
	case VerbValue:
		return []string{"of", "is"}
	}
	return nil
}

// split divides toks at the keywords of the verb. A sentence in which a keyword
// could just as well be part of an unquoted text is refused: guessing would
// change what is asserted.
func (f *fields) split(toks []token) (arg []token, err error) {
	keys := keywordsOf(f.verb)
	start, mod := 0, ""
	flush := func(end int) error {
		part := toks[start:end]
		if mod == "" {
			arg = part
			return nil
		}
		if _, twice := f.mods[mod]; twice || len(part) == 0 {
			return ambiguousSentence(f.verb)
		}
		f.mods[mod] = join(part)
		return nil
	}
	for i, t := range toks {
		if t.quoted || !slices.Contains(keys, strings.ToLower(t.text)) {
			continue
		}
		if f.verb != VerbValue && i == 0 {
			continue
		}
		if err := flush(i); err != nil {
			return nil, err
		}
		start = i + 1
		mod, _ = modifierOf(t.text) // every keyword is one
	}
	if err := flush(len(toks)); err != nil {
		return nil, err
	}
	// "see Logged in as Bob" is one text; "see 56 in Display" has a place.
	if mod == "in" && (len(arg) != 1 || start != len(toks)-1) {
		return nil, ambiguousSentence(f.verb)
	}
	return arg, nil
}

func ambiguousSentence(v Verb) error {
	return wrong(`the sentence can be read in two ways: put quotes around the texts, or write %s`, formOf(v))
}

func join(toks []token) string {
	words := make([]string, len(toks))
	for i, t := range toks {
		words[i] = t.text
	}
	return strings.Join(words, " ")
}

// tokens splits at white space; double, single and typographic quotes keep
// words together where a word begins with them.
func tokens(s string) []token {
	closing := map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '`': '`'}
	var out []token
	r := []rune(strings.TrimSpace(s))
	for i := 0; i < len(r); {
		if r[i] == ' ' || r[i] == '\t' || r[i] == '\n' || r[i] == '\r' {
			i++
			continue
		}
		if end, ok := closing[r[i]]; ok {
			if j := slices.Index(r[i+1:], end); j >= 0 {
				out = append(out, token{string(r[i+1 : i+1+j]), true})
				i += j + 2
				continue
			}
		}
		j := i
		for j < len(r) && !strings.ContainsRune(" \t\n\r", r[j]) {
			j++
		}
		out = append(out, token{string(r[i:j]), false})
		i = j
	}
	return out
}
