package contract

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"gitagent/internal/browser"
)

// An event is one thing that a check does or looks at, in a form that says
// nothing of how it was written: two checks that try the same have the same
// events, whatever they call their variables and verbs and however they are cut.
type event struct {
	kind eventKind
	verb string
	// on are the texts that it is done with, or the path where it arrives.
	on []string
	// many says that a placeholder alone in a text stands for several events:
	// clicks on the digits of a number, words of a command.
	many bool
	// part says that it belongs to the deed before it: a word behind the
	// program, a member of what is sent.
	part bool
	look look
	// holes are the placeholders in it.
	holes []hole
}

type eventKind int

const (
	// arriving: a page, a server or a program begins anew, so that what was done
	// before is seen only where it is kept.
	arriving eventKind = iota
	doing
	looking
)

// look is what is looked for.
type look struct {
	verb  string // toShow, toHide, toOffer, or the verb itself
	text  string
	place string // where, "" for anywhere
	// exact says that nothing else is in that place.
	exact bool
	// echo says that it reads back what was entered into the same field.
	echo bool
}

const (
	toShow  = "shows"
	toHide  = "hides"
	toOffer = "offers" // something named so can be acted on
)

// narrator tells a check as events.
type narrator struct {
	f *filler
	// marked fills what is done with marks instead of values, nil for values
	// everywhere: so the events become a pattern for those of other checks.
	marked *filler
	holes  []hole // by their marks
	events []event

	path    string          // the page that is open
	entered []browser.Step  // since it was
	given   map[string]bool // variables that were entered
}

// firstMark is in a plane of Unicode that is nobody's.
const firstMark = 0xF0000

// asMark says which placeholder a rune stands for.
func (n *narrator) asMark(r rune) (hole, bool) {
	if i := int(r) - firstMark; i >= 0 && i < len(n.holes) {
		return n.holes[i], true
	}
	return hole{}, false
}

// eventsOf tells check k with the values of env.
func eventsOf(k Check, env map[string]starlark.Value) ([]event, error) {
	n := &narrator{f: plainFiller(env)}
	return n.tell(k)
}

// patternOf tells k with marks in the place of what is entered.
func patternOf(k Check, env map[string]starlark.Value) (*narrator, error) {
	n := &narrator{f: plainFiller(env), marked: plainFiller(env)}
	n.marked.mark = func(h hole) string {
		n.holes = append(n.holes, h)
		return string(rune(firstMark + len(n.holes) - 1))
	}
	_, err := n.tell(k)
	return n, err
}

// plainFiller leaves every brace alone where there is no variable.
func plainFiller(env map[string]starlark.Value) *filler {
	return &filler{env: env, lenient: len(env) == 0}
}

func (n *narrator) tell(k Check) ([]event, error) {
	n.given = map[string]bool{}
	var err error
	switch {
	case k.Kind == KindPage:
		err = n.page(k.Page)
	case k.Command != nil:
		err = n.command(k.Command)
	default:
		err = n.exchanges(k.HTTP)
	}
	return n.events, err
}

// fill gives a text with its placeholders: of what is looked for, which always
// has values.
func (n *narrator) fill(text string) (out string, seen []hole, err error) {
	n.f.met = func(h hole) { seen = append(seen, h) }
	out, err = n.f.fill(text)
	return out, seen, err
}

// inputs gives the filler for what is done.
func (n *narrator) inputs() *filler {
	if n.marked != nil {
		return n.marked
	}
	return n.f
}

func (n *narrator) add(e event) { n.events = append(n.events, e) }

// looksFor adds a look for a text that may hold placeholders.
func (n *narrator) looksFor(l look, text string) (err error) {
	e := event{kind: looking, look: l}
	e.look.text, e.holes, err = n.fill(text)
	n.add(e)
	return err
}

// sameText says whether two texts are the same to a person.
func sameText(a, b string) bool { return strings.EqualFold(squeeze(a), squeeze(b)) }

// implies says whether what l finds says that m is there too: less of the same
// text, in that place or anywhere.
func (l look) implies(m look) bool {
	switch {
	case l.verb != m.verb || l.place != "" && m.place != "" && !sameText(l.place, m.place):
		return false
	case l.verb == toShow:
		return sameText(l.text, m.text) || Holds(strings.ToLower(l.text), strings.ToLower(m.text))
	}
	return sameText(l.text, m.text)
}

// alike says whether two events can be the same deed, by what is not text.
func (e event) alike(other event) bool {
	return e.kind == other.kind && e.verb == other.verb && len(e.on) == len(other.on)
}

// alone gives the placeholder that a text is nothing but.
func (n *narrator) alone(text string) (hole, bool) {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) {
		return hole{}, false
	}
	return n.asMark(r)
}
