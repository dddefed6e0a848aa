package runner

import (
	"bytes"
	"context"
	_ "embed" // the script that cargo starts each test program with
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed cargo_run.sh
var cargoScript string

// cargo runs cargo test. Each test program is started by a script of the
// harness, which has it list its tests and write their results to a file whose
// name is not in the output: what the product prints is not read. The program
// knows the name all the same, so the results are its own word.
type cargo struct{}

// prepare places the script and gives cargo's arguments for it.
func (cargo) prepare(ctx context.Context, r *Run, mode string) (argv []string, logs string, missing string, err error) {
	tool, ok := r.tool("cargo")
	if !ok {
		return nil, "", "cargo", nil
	}
	res, err := r.exec(ctx, "", 64<<10, tool, "--version", "--verbose")
	if err != nil {
		return nil, "", "", err
	}
	host := hostTriple.FindSubmatch(res.Stdout)
	if host == nil {
		return nil, "", "cargo", nil
	}
	if logs, err = os.MkdirTemp(r.Temp, "logs-"); err != nil {
		return nil, "", "", fmt.Errorf("make a folder for the results: %w", err)
	}
	source := strings.NewReplacer("@LOGS@", logs, "@MODE@", mode, "@NONCE@", r.secret()).Replace(cargoScript)
	script, err := r.place("run.sh", source)
	if err != nil {
		return nil, "", "", err
	}
	if err := os.Chmod(script, 0o755); err != nil {
		return nil, "", "", err
	}
	return []string{tool, "test", "--offline", "--no-fail-fast",
		"--config", fmt.Sprintf("target.%s.runner=%q", host[1], script)}, logs, "", nil
}

var hostTriple = regexp.MustCompile(`(?m)^host: ([\w-]+)$`)

func (c cargo) Run(ctx context.Context, r *Run) (Report, error) {
	argv, logs, missing, err := c.prepare(ctx, r, "run")
	if err != nil {
		return Report{}, err
	}
	if missing != "" {
		return Absent(missing), nil
	}
	flags, filters := cargoArgs(r.Args)
	argv = append(argv, flags...)
	if len(r.Only) > 0 {
		filters = cargoNames(r.Only)
	}
	if len(filters) > 0 {
		argv = append(argv, "--")
		if len(r.Only) > 0 {
			argv = append(argv, "--exact")
		}
		argv = append(argv, filters...)
	}
	res, err := r.exec(ctx, "", reportOutput, argv...)
	if err != nil {
		return Report{}, err
	}
	rep := Report{Output: string(res.Output), Results: map[string]string{}, OwnWord: true}
	if rep.Interrupted(res, r.Limit, false) {
		return rep, nil
	}
	programs, err := filepath.Glob(filepath.Join(logs, "*.list"))
	if err != nil {
		return rep, err
	}
	reason := ""
	for _, list := range programs {
		if why := rep.takeProgram(r, strings.TrimSuffix(list, ".list"), len(filters) > 0); why != "" {
			reason = why
		}
	}
	passed := rep.Count(Pass)
	docs, told, ended := readCargoOutput(res.Stdout)
	for id, result := range docs {
		rep.put(id, result)
	}
	switch {
	case cannotFetch.Match(res.Output):
		rep.unfinished("crates are missing: " + lastLines(res.Output, 2))
	case len(programs) == 0 && len(docs) == 0 && res.ExitCode != 0:
		rep.unfinished("cargo did not come to the tests: " + lastLines(res.Output, 3))
	case reason != "":
		rep.unfinished(reason)
	case !ended:
		rep.unfinished("the doc tests did not come to their end")
	case told < passed && res.Dropped == 0:
		rep.unfinished(fmt.Sprintf("the tests ended early: their results say that %d pass, the programs that %d do", passed, told))
	default:
		rep.unfinished("")
	}
	return rep, nil
}

var cannotFetch = regexp.MustCompile(`(?i)no matching package named|failed to (download|get|load source)|unable to update registry|attempting to make an HTTP request`)

func (c cargo) List(ctx context.Context, r *Run) ([]string, error) {
	argv, logs, missing, err := c.prepare(ctx, r, "list")
	if err != nil {
		return nil, err
	}
	if missing != "" {
		return nil, fmt.Errorf("%s is not installed", missing)
	}
	res, err := r.exec(ctx, "", reportOutput, argv...)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, fmt.Errorf("list the tests: %s", lastLines(res.Output, 2))
	}
	files, err := filepath.Glob(filepath.Join(logs, "*.list"))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range files {
		name, tests := readCargoList(f)
		for test := range tests {
			ids = append(ids, name+" "+test)
		}
	}
	return ids, nil
}

// takeProgram reads what one test program listed and what became of it.
func (rep *Report) takeProgram(r *Run, base string, filtered bool) (reason string) {
	name, tests := readCargoList(base + ".list")
	if tests == nil { // a harness of its own: it is one test, judged by its end
		return "the tests of " + name + " do not run in Rust's own test harness, so single results are not known"
	}
	log, err := readReport(base + ".log")
	if err != nil && len(tests) > 0 && !filtered {
		return "the tests of " + name + " did not begin"
	}
	seen := 0
	for line := range strings.Lines(string(log)) {
		result, test, ok := strings.Cut(strings.TrimSpace(line), " ")
		if _, known := tests[test]; !ok || !known {
			continue
		}
		seen++
		rep.put(name+" "+test, map[string]string{"ok": Pass, "ignored": Skip}[strings.TrimSuffix(result, ",")])
	}
	end, err := os.ReadFile(base + ".end")
	switch {
	case err != nil || !bytes.Contains(end, []byte(r.secret())):
		return "the tests of " + name + " did not come to their end"
	case seen < len(tests) && !filtered:
		for test := range tests {
			if _, ok := rep.Results[name+" "+test]; !ok {
				return fmt.Sprintf("the tests of %s ended early: %s has no result (an exit in the program or in a test)", name, test)
			}
		}
	}
	return ""
}

// readCargoList reads a program's own list: first its name, then its tests;
// nil when it made none.
func readCargoList(path string) (name string, tests map[string]bool) {
	data, err := readReport(path)
	if err != nil {
		return filepath.Base(path), nil
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	name = crateHash.ReplaceAllString(filepath.Base(first), "")
	if !strings.Contains(rest, "git-agent-listed") {
		return name, nil
	}
	tests = map[string]bool{}
	for line := range strings.Lines(rest) {
		if test, ok := strings.CutSuffix(strings.TrimSpace(line), ": test"); ok {
			tests[test] = true
		}
	}
	return name, tests
}

// crateHash is what cargo adds to the name of a test program.
var crateHash = regexp.MustCompile(`-[0-9a-f]{16}$`)

// cargoArgs splits the arguments of a test run into cargo's own and names.
func cargoArgs(args []string) (flags, filters []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case (a == "-p" || a == "--package" || a == "--test" || a == "--bin" || a == "--features") && i+1 < len(args):
			flags = append(flags, a, args[i+1])
			i++
		case strings.HasPrefix(a, "-"):
			flags = append(flags, a)
		default:
			filters = append(filters, a)
		}
	}
	return flags, filters
}

func cargoNames(ids []string) (names []string) {
	for _, id := range ids {
		if _, name, ok := strings.Cut(id, " "); ok {
			names = append(names, name)
		}
	}
	return names
}

// docTest is a line of rustdoc, which runs each example in a process of its
// own and keeps its output to itself.
var docTest = regexp.MustCompile(`^test (\S+ - .*\(line \d+\)(?: - compile(?: fail)?)?) \.\.\. (ok|FAILED|ignored)$`)

// cargoResult is the last word of a test program.
var cargoResult = regexp.MustCompile(`(?m)^test result: \w+\. (\d+) passed;`)

// readCargoOutput reads the doc tests, and how many of the others their programs
// say have passed.
func readCargoOutput(stdout []byte) (docs map[string]string, told int, ended bool) {
	docs, ended = map[string]string{}, true
	_, rest, found := bytes.Cut(stdout, []byte("\nrunning "))
	for found {
		var part []byte
		part, rest, found = bytes.Cut(rest, []byte("\nrunning "))
		any := false
		for line := range strings.Lines(string(part)) {
			if m := docTest.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				any = true
				docs["doc "+lineNumber.ReplaceAllString(m[1], "")] = map[string]string{"ok": Pass, "FAILED": Fail, "ignored": Skip}[m[2]]
			}
		}
		if any {
			ended = bytes.Contains(part, []byte("test result: "))
			continue
		}
		for _, m := range cargoResult.FindAllSubmatch(part, -1) {
			if n, err := strconv.Atoi(string(m[1])); err == nil {
				told += n
			}
		}
	}
	return docs, told, ended
}

// lineNumber moves with every edit above an example; it is no part of an id.
var lineNumber = regexp.MustCompile(` \(line \d+\)`)
