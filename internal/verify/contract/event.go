package contract

import (
	"path"
	"strconv"
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

// command tells the words of a command one by one, so that one more is seen as
// that. What only makes ready for the program shows nothing.
func (n *narrator) command(cmd *Command) error {
	n.add(event{kind: arriving})
	f := n.inputs()
	var seen []hole
	f.met = func(h hole) { seen = append(seen, h) }
	run, err := f.fill(cmd.Run)
	if err != nil {
		return err
	}
	inRun := len(seen)
	stdin, err := f.fill(cmd.Stdin)
	if err != nil {
		return err
	}
	if stdin = strings.TrimSpace(stdin); stdin != "" {
		n.add(event{kind: doing, verb: "enter", on: []string{stdin}, holes: seen[inRun:]})
	}
	for _, c := range (&Command{Run: run}).commands() {
		if classify(c) == prepare {
			continue
		}
		for i, word := range program(c.words) {
			verb := "with"
			if i == 0 {
				verb = "run"
			}
			n.add(event{kind: doing, verb: verb, on: []string{word}, many: i > 0, part: i > 0, holes: seen[:inRun]})
		}
	}
	for _, text := range append(append([]string{}, cmd.StdoutHas...), cmd.OutputHas...) {
		if err := n.looksFor(look{verb: toShow}, text); err != nil {
			return err
		}
	}
	if cmd.StdoutIs != nil {
		if err := n.looksFor(look{verb: toShow, exact: true}, *cmd.StdoutIs); err != nil {
			return err
		}
	}
	if cmd.Exit != 0 {
		n.add(event{kind: looking, look: look{verb: "exit", text: strconv.Itoa(cmd.Exit)}})
	}
	if cmd.Metric != nil {
		n.add(event{kind: looking, look: look{verb: "metric", text: cmd.Metric.String()}})
	}
	return nil
}

// interpreters run a file that is named behind them.
var interpreters = strings.Fields("sh bash dash ash ksh zsh node nodejs bun deno python python3 ruby perl php")

// program is a command without what only starts it: "sh ./sum.sh 2" is sum.sh 2.
func program(words []string) []string {
	words, _ = unwrap(words)
	if len(words) > 1 && contains(interpreters, path.Base(words[0])) && !strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	return append([]string{path.Clean(words[0])}, words[1:]...)
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
