package infra

import (
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// steersRunner are the variables by which tools are told which tests to run, or
// what to load before them; with some only the value tells.
var (
	steersRunner = pattern.Lazy(`^(?:GOFLAGS|GOTEST\w*|PYTEST_\w+|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|VITEST_\w+|JEST_\w+|MOCHA_\w+|CARGO_BUILD_RUSTC\w*|CARGO_TARGET_\w+_RUNNER|RUSTC_WRAPPER|RUSTDOC|RUBYOPT|RUBYLIB|MINITEST_\w+|TESTOPTS|TESTOPT|SPEC_OPTS|NODE_PATH|BASH_ENV|LD_PRELOAD|DYLD_INSERT_LIBRARIES|NEXTEST_\w+|PLAYWRIGHT_\w*GREP\w*)$`)
	steersByText = pattern.Lazy(`^(?:NODE_OPTIONS|MAVEN_OPTS|MAVEN_ARGS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|GRADLE_OPTS|_JAVA_OPTIONS|RUSTFLAGS|NPM_CONFIG_\w+|npm_config_\w+|MAKEFLAGS)$`)
	loadsFirst   = pattern.Lazy(`--(?:require|import|loader|experimental-loader|test-\S*)\b|(?:^|\s|["'])-r\s|-D(?:skip|maven\.test|test\b)|-javaagent|-x\s*test|(?i)script.?shell|--cfg|(?:^|\s|["'])-?i\b|^["']?(?:\./|fakes?|\$PWD|\$\(pwd\))`)
	variable     = pattern.Lazy(`^\s*(?:export\s+|set\s+)?["']?([A-Za-z_]\w*)["']?\s*=\s*(.*)$`)
)

// steeringRisk says whether a variable chooses tests.
func steeringRisk(name, value string) string {
	value = strings.TrimSpace(value)
	if (name == "GOFLAGS" && harmlessGo.MatchString(value)) || (name == "PYTHONPATH" && plainPath.MatchString(value)) || strings.HasPrefix(name, "PYTEST_") && (name == "PYTEST_XDIST_AUTO_NUM_WORKERS" || name == "PYTEST_DISABLE_PLUGIN_AUTOLOAD") {
		return ""
	}
	if steersRunner.MatchString(name) || steersByText.MatchString(name) && loadsFirst.MatchString(value) {
		return "decides which tests run, or what is loaded before them"
	}
	return ""
}

var (
	harmlessGo = pattern.Lazy(`^["']?(?:\s*-(?:mod=\w+|buildvcs=\w+|trimpath|race|count=1|p=\d+|v|tags=[\w,]+))*["']?$`)
	plainPath  = pattern.Lazy(`^["']?(?:\.|src|\./src|\$PWD|\$\{?PYTHONPATH\}?|[:]|\$\(pwd\)|/app|\$\{\{ github\.workspace \}\})*(?:/src)?["']?$`)
)

// steering reads files of variables that tools and shells load by themselves.
func steering(file string, data []byte, w World) []Setting {
	var out []Setting
	if strings.HasPrefix(base(file), ".env.test") || strings.HasPrefix(base(file), ".env.ci") {
		out = envSettings(file, data, w)
	}
	for n, line := range strings.Split(string(data), "\n") {
		if m := variable.FindStringSubmatch(line); m != nil {
			if risk := steeringRisk(m[1], m[2]); risk != "" {
				out = append(out, Setting{Key: "the variable " + m[1], Value: m[2], Line: n + 1, Risk: risk, Loose: true})
			}
		}
	}
	return out
}

func swiftCode(data []byte) jsCode {
	l := lex.Of("x.swift")
	return jsCode{data: data, bare: l.NoComments(data), code: l.OnlyCode(data)}
}
