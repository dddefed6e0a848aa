package contract

import "strings"

// TestRun is a command check that is a test run the harness can count by id.
type TestRun struct {
	Runner string   // go, node, vitest, jest, pytest, unittest or cargo
	Dir    string   // folder below the project, "" for its root
	Args   []string // packages or files, and a filter by name
}

// Tests says whether the command is a run of a test runner, and how to have it
// counted: Runner "exit" when only the exit code can be known.
func (cmd *Command) Tests() (run TestRun, ok bool) {
	chain, err := parseShell(cmd.Run)
	if err != nil || !endsInTests(chain) {
		return TestRun{}, false
	}
	run.Runner = "exit"
	last := chain[len(chain)-1][0]
	switch {
	case len(chain) > 2 || len(last.env) > 0:
		return run, true
	case len(chain) == 2:
		cd := chain[0]
		if len(cd) != 1 || len(cd[0].words) != 2 || cd[0].words[0] != "cd" || strings.HasPrefix(cd[0].words[1], "-") {
			return run, true
		}
		run.Dir = cd[0].words[1]
	}
	if runner, args, good := countable(last.words); good {
		run.Runner, run.Args = runner, args
		return run, true
	}
	return TestRun{Runner: "exit"}, true
}

// countable names the runner of a plain command. It keeps the arguments that
// choose tests and drops those that only change how results look; any other
// argument makes the run uncountable.
func countable(words []string) (runner string, args []string, ok bool) {
	words, runner = runnerOf(words)
	if runner == "" {
		return "", nil, false
	}
	known := flagsOf(runner)
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, _, glued := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-") || w == "--":
			if w == "--" {
				return "", nil, false
			}
			args = append(args, w)
		case hasFlag(known.looks, name):
		case hasFlag(known.choose, name) && glued:
			args = append(args, w)
		case hasFlag(known.choose, name) && i+1 < len(words):
			args = append(args, w, words[i+1])
			i++
		default:
			return "", nil, false
		}
	}
	return runner, args, true
}

// runnerOf says which runner the words start, and gives what follows them.
func runnerOf(words []string) (rest []string, runner string) {
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	python := at(0) == "python3" || at(0) == "python"
	switch {
	case at(0) == "go" && at(1) == "test":
		return words[2:], "go"
	case at(0) == "node" && at(1) == "--test":
		return words[2:], "node"
	case at(0) == "npx" && at(1) == "vitest", at(0) == "vitest":
		_, rest, _ := cutWord(words, "vitest")
		if len(rest) > 0 && rest[0] == "run" {
			rest = rest[1:]
		}
		return rest, "vitest"
	case at(0) == "npx" && at(1) == "jest", at(0) == "jest":
		_, rest, _ := cutWord(words, "jest")
		return rest, "jest"
	case at(0) == "pytest":
		return words[1:], "pytest"
	case python && at(1) == "-m" && (at(2) == "pytest" || at(2) == "unittest"):
		return words[3:], at(2)
	case at(0) == "cargo" && at(1) == "test":
		return words[2:], "cargo"
	}
	return nil, ""
}

func cutWord(words []string, word string) (before, after []string, found bool) {
	for i, w := range words {
		if w == word {
			return words[:i], words[i+1:], true
		}
	}
	return words, nil, false
}

// flags are a runner's options, separated by spaces.
type flags struct {
	looks  string // change how results look, or nothing that counts
	choose string // choose tests; each takes a value
}

func flagsOf(runner string) flags {
	switch runner {
	case "go":
		return flags{"-v -json -race -count", "-run"}
	case "node":
		return flags{"--test-reporter", "--test-name-pattern"}
	case "vitest", "jest":
		return flags{"--run --coverage --verbose --silent --ci --no-coverage --runInBand -i --no-color --colors", "-t --testNamePattern"}
	case "pytest":
		return flags{"-q -v -vv -s --verbose --quiet --tb --color -ra -rA --no-header", "-k -m"}
	case "unittest":
		return flags{"-v --verbose -q --quiet -b --buffer", "-s --start-directory -p --pattern -t --top-level-directory -k"}
	case "cargo":
		return flags{"-q --quiet --offline --no-fail-fast --locked --frozen --verbose -v", "-p --package --test --bin --features"}
	}
	return flags{}
}

func hasFlag(list, name string) bool {
	for _, f := range strings.Fields(list) {
		if f == name {
			return true
		}
	}
	return false
}
