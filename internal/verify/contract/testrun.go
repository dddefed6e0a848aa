package contract

import "strings"

// TestRun is a command check that is a test run the harness can count by id.
type TestRun struct {
	Runner string   // "go" or "node"
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
	if args, good := countable(last.words); good {
		run.Runner, run.Args = last.words[0], args
		return run, true
	}
	return TestRun{Runner: "exit"}, true
}

// countable keeps the arguments that choose tests and drops those that only
// change how results look; any other argument makes the run uncountable.
func countable(words []string) (args []string, ok bool) {
	switch {
	case len(words) >= 2 && words[0] == "go" && words[1] == "test":
	case len(words) >= 2 && words[0] == "node" && words[1] == "--test":
	default:
		return nil, false
	}
	for i := 2; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-v" || w == "-json" || w == "-race" || strings.HasPrefix(w, "-count") || strings.HasPrefix(w, "--test-reporter="):
		case (w == "-run" || w == "--test-name-pattern") && i+1 < len(words):
			args = append(args, w, words[i+1])
			i++
		case strings.HasPrefix(w, "-run=") || strings.HasPrefix(w, "--test-name-pattern="):
			args = append(args, w)
		case !strings.HasPrefix(w, "-"):
			args = append(args, w)
		default:
			return nil, false
		}
	}
	return args, true
}
