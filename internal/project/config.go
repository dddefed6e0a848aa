package project

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ConfigPath is where a repository keeps its shared settings; InitScript is
// what installs the app's dependencies.
const (
	ConfigPath = ".agent/config"
	InitScript = "init.sh"
)

// Runners: how the results of a test command are read. All but the last give
// each test a result of its own.
const (
	RunnerGo       = "go" // go test
	RunnerNode     = "node"
	RunnerVitest   = "vitest"
	RunnerJest     = "jest"
	RunnerPytest   = "pytest"
	RunnerUnittest = "unittest"
	RunnerCargo    = "cargo"
	RunnerJUnit    = "junit" // any command that writes JUnit XML
	RunnerExit     = "exit"  // the exit code alone
)

// ReportVariable in the command of a junit runner stands for the file that the
// report is to be written to.
const ReportVariable = "$REPORT"

// Runners lists the names of the runners.
func Runners() []string {
	return []string{RunnerGo, RunnerNode, RunnerVitest, RunnerJest, RunnerPytest, RunnerUnittest, RunnerCargo, RunnerJUnit, RunnerExit}
}

// Config is the content of .agent/config. Commands are lines for sh -c, run in
// the root of the tree.
type Config struct {
	Setup        string        // installs dependencies; "" means init.sh, where there is one
	Start        string        // starts the app's server; PORT is in its environment
	Port         int           // the port the server always takes; 0 when it obeys PORT
	Static       string        // folder served as it is; "" when there is a server or nothing
	Tests        []TestCommand // in file order
	TestPatterns []string      // further globs of test files (doublestar)
}

// TestCommand is one way to run tests that the project had.
type TestCommand struct {
	Name    string
	Dir     string // slash path below the root; "" is the root
	Command string // a line for sh -c
	Runner  string // one of Runners
	Reports string // for junit: a pattern of report files below Dir, where the command names no $REPORT
}

// ConfigError is a line of .agent/config that cannot be accepted.
type ConfigError struct {
	Line int // from 1
	Msg  string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s line %d: %s", ConfigPath, e.Line, e.Msg)
}

// Parse reads .agent/config. It is strict: an unknown section or key, a value
// that cannot be, or a setting that is not for sharing is a *ConfigError.
func Parse(data []byte) (Config, error) {
	var c Config
	entries, err := readEntries(data)
	if err != nil {
		return Config{}, err
	}
	for _, e := range entries {
		if err := c.set(e); err != nil {
			return Config{}, err
		}
	}
	for _, t := range c.Tests {
		if t.Command == "" {
			return Config{}, &ConfigError{lineOf(entries, t.Name), fmt.Sprintf("[test %q] has no command", t.Name)}
		}
	}
	return c, nil
}

func lineOf(entries []entry, test string) int {
	for _, e := range entries {
		if e.section == "test" && e.sub == test {
			return e.line
		}
	}
	return 1
}

// set takes one entry over into the config.
func (c *Config) set(e entry) error {
	if err := checkKey(e); err != nil {
		return err
	}
	if e.section == "test" {
		return c.setTest(e)
	}
	switch e.key {
	case "":
	case "setup":
		c.Setup = e.value
	case "start":
		c.Start = e.value
	case "port":
		n, err := strconv.Atoi(e.value)
		if err != nil || n < 1 || n > 65535 {
			return &ConfigError{e.line, fmt.Sprintf("port must be a number from 1 to 65535, not %q", e.value)}
		}
		c.Port = n
	case "static":
		dir, err := insideDir(e)
		if err != nil {
			return err
		}
		c.Static = dir
	case "protect":
		if !doublestar.ValidatePattern(e.value) || e.value == "" {
			return &ConfigError{e.line, fmt.Sprintf("%q is not a pattern; an example is test/**/*.js", e.value)}
		}
		c.TestPatterns = append(c.TestPatterns, e.value)
	}
	return nil
}

func (c *Config) setTest(e entry) error {
	t := c.test(e.sub)
	switch e.key {
	case "":
	case "command":
		t.Command = e.value
	case "dir":
		dir, err := insideDir(e)
		if err != nil {
			return err
		}
		if dir == "." {
			dir = ""
		}
		t.Dir = dir
	case "runner":
		if !slices.Contains(Runners(), e.value) {
			return &ConfigError{e.line, fmt.Sprintf("runner must be one of %s, not %q", strings.Join(Runners(), ", "), e.value)}
		}
		t.Runner = e.value
	case "reports":
		if !doublestar.ValidatePattern(e.value) || !filepath.IsLocal(filepath.FromSlash(e.value)) {
			return &ConfigError{e.line, fmt.Sprintf("reports must be a pattern of files inside the repository, for example build/**/*.xml, not %q", e.value)}
		}
		t.Reports = e.value
	}
	return nil
}

// test returns the test command of that name, made when new.
func (c *Config) test(name string) *TestCommand {
	for i := range c.Tests {
		if c.Tests[i].Name == name {
			return &c.Tests[i]
		}
	}
	c.Tests = append(c.Tests, TestCommand{Name: name, Runner: RunnerExit})
	return &c.Tests[len(c.Tests)-1]
}

// insideDir cleans a folder and refuses one outside the repository.
func insideDir(e entry) (string, error) {
	dir := path.Clean(strings.ReplaceAll(e.value, `\`, "/"))
	if e.value == "" || path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.Contains(dir, ":") {
		return "", &ConfigError{e.line, fmt.Sprintf("%s must be a folder inside the repository, not %q", e.key, e.value)}
	}
	return dir, nil
}

// Commands lists what the config would run, one line each, for a person to
// read before trusting it.
func (c Config) Commands() []string {
	var out []string
	if c.Setup != "" {
		out = append(out, "setup: "+c.Setup)
	}
	if c.Start != "" {
		out = append(out, "start: "+c.Start)
	}
	for _, t := range c.Tests {
		where := ""
		if t.Dir != "" {
			where = " (in " + t.Dir + ")"
		}
		out = append(out, "test "+t.Name+where+": "+t.Command)
	}
	return out
}

// Bytes writes the config in git-config syntax; Parse reads the same back.
func (c Config) Bytes() []byte {
	var b strings.Builder
	b.WriteString("# Shared settings of git agent. Personal ones (models, host) are `git config agent.*`.\n")
	b.WriteString("[agent]\n")
	key := func(k, v string) {
		if v != "" {
			fmt.Fprintf(&b, "\t%s = %s\n", k, quoteValue(v))
		}
	}
	key("setup", c.Setup)
	key("start", c.Start)
	if c.Port != 0 {
		key("port", strconv.Itoa(c.Port))
	}
	key("static", c.Static)
	for _, p := range c.TestPatterns {
		key("protect", p)
	}
	for _, t := range c.Tests {
		fmt.Fprintf(&b, "[test %s]\n", quoteSub(t.Name))
		key("dir", t.Dir)
		key("command", t.Command)
		key("runner", t.Runner)
		key("reports", t.Reports)
	}
	return []byte(b.String())
}
