package contract

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

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
	r := renames{}
	var set []string // by environment variables, which are arguments by another way
	for _, c := range (&Command{Run: run}).commands() {
		for _, e := range assignments(c) {
			if _, value, ok := strings.Cut(e, "="); ok {
				set = append(set, value)
			}
		}
		if role := classify(c); role == prepare || role == builds {
			r.note(c.words)
			continue
		}
		for i, word := range slices.Insert(r.program(c.words), 1, set...) {
			verb := "with"
			if i == 0 {
				verb = "run"
			}
			n.add(event{kind: doing, verb: verb, on: []string{squeeze(word)}, many: i > 0, part: i > 0, holes: seen[:inRun]})
		}
		set = nil
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

// valued are the options of interpreters that a value stands behind.
var valued = strings.Fields("-o +o -O -W -X -r --require --import --loader --experimental-loader -I -d --rcfile --init-file")

// renames are names that the commands of a check gave to programs, each with
// what it was called before.
type renames map[string]string

// note takes what a command copies, moves or links.
func (r renames) note(words []string) {
	if len(words) < 3 || !contains([]string{"cp", "mv", "ln"}, path.Base(words[0])) {
		return
	}
	from, to := path.Base(words[len(words)-2]), path.Base(words[len(words)-1])
	if from != to && r.named(from) != to {
		r[to] = r.named(from)
	}
}

func (r renames) named(name string) string {
	if old, ok := r[name]; ok {
		return old
	}
	return name
}

// program is a command without what only starts it, and without the folder:
// "sh -e t/sum.sh 2" is sum.sh 2, from wherever it is called.
func (r renames) program(words []string) []string {
	words, _ = unwrap(words)
	if len(words) > 1 && contains(interpreters, path.Base(words[0])) {
		words = interpreted(words)
	}
	return append([]string{r.named(path.Base(path.Clean(words[0])))}, words[1:]...)
}

// interpreted is what an interpreter runs, by the name of its file. Code on the
// command line has none, and stays as it is.
func interpreted(words []string) []string {
	name := path.Base(words[0])
	python := strings.HasPrefix(name, "python")
	shell := strings.HasSuffix(name, "sh") // whose -e and -p are no code
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case contains(valued, w):
			i++
		case python && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "m") && i+1 < len(words):
			return append([]string{strings.ReplaceAll(words[i+1], ".", "/") + ".py"}, words[i+2:]...)
		case contains([]string{"-c", "-"}, w), !shell && contains([]string{"-e", "--eval", "-p", "--print"}, w):
			return words
		case w == "run" && name == "deno", w == "--", strings.HasPrefix(w, "-"), strings.HasPrefix(w, "+"):
		case python && path.Base(w) == "__main__.py":
			return append([]string{path.Dir(w) + ".py"}, words[i+1:]...)
		case python && path.Ext(w) == "":
			return append([]string{w + ".py"}, words[i+1:]...)
		default:
			return words[i:]
		}
	}
	return words
}
