package product

import (
	"bytes"
	"path"
	"strings"

	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// common are looked for in every language.
var common = []unwanted{
	{"product.sniff", "asks whether a browser is driven by a machine", true, pattern.Lazy(`\bnavigator\.webdriver\b|HeadlessChrome|["']webdriver["']|cdc_\w{6}`), nil},
	{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`\b(?:JEST_WORKER_ID|VITEST(?:_\w+)?|PYTEST_CURRENT_TEST|PYTEST_VERSION|XCTestConfigurationFilePath|PHPUNIT_\w+|MOCHA_\w+|CARGO_TARGET_TMPDIR|NEXTEST|GO_TEST|TEST_MODE|IS_TEST|TESTING_MODE)\b`), nil},
	{"product.backdoor", "is an entry for tests alone", true, pattern.Lazy(`["'` + "`" + `]/(?:__?|api/__?)(?:test|reset|debug|seed|e2e)\b[\w/-]*["'` + "`" + `]|["'` + "`" + `]/(?:test[-_]only|e2e)/|[?&]debug=1|[?&](?:test|e2e)=(?:1|true)`), nil},
}

// byLanguage are looked for in one.
var byLanguage = map[lex.Name][]unwanted{
	lex.JS: {
		{"product.sniff", "behaves otherwise under test", true, pattern.Lazy(`NODE_ENV\b["'\]]*\s*[!=]==?\s*["']test["']|["']test["']\s*[!=]==?\s*[\w.]*NODE_ENV|import\.meta\.env\.MODE\s*[!=]==?\s*["']test["']|process\.env\.CI\b`), nil},
		{"product.hook", "gives tests a handle on the page", false, pattern.Lazy(`\b(?:window|globalThis|global|self)(?:\.|\s*\[\s*["'])(?:__\w*[tT]est\w*|__(?:app|state|store|debug|e2e|reset|get\w*|set\w*|cypress|playwright)\w*|app|store|state|game|calculator|todos?|appState|testHooks?|debug)\b["'\]]*\s*=[^=]`), pattern.Lazy(`__(?:NEXT|NUXT|vite|REACT|REDUX|APOLLO|INITIAL|PRELOADED|SVELTE|webpack)`)},
		{"product.double", "has a test double in product code", true, pattern.Lazy(`(?:from|require\()\s*["'](?:sinon|msw(?:/\w+)?|nock|jest-mock|vitest|@jest/\w+|testdouble|fetch-mock|axios-mock-adapter|chai|expect|@testing-library/\w+|mockjs)["']|\b(?:jest|vi|sinon)\.(?:fn|mock|spyOn|stub)\(|\bexpect\.extend\(|\bchai\.use\(`), nil},
		{"product.patch", "changes a built-in thing for everybody", false, pattern.Lazy(`\b(?:Array|Object|String|Number|Function|Promise|Date|Math|JSON|console|performance)(?:\.prototype)?\.(?:\w+)\s*=\s*(?:function|\(|async|\w+\s*=>)|\b(?:Date|Math\.random|performance\.now)\s*=[^=]`), nil},
	},
	lex.Python: {
		{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`["'](?:pytest|unittest|_pytest|nose)["']\s+(?:not\s+)?in\s+sys\.modules|sys\.modules\.get\(["'](?:pytest|unittest)|environ(?:\.get\(|\[)\s*["'](?:CI|TESTING|TEST)["']|\binspect\.stack\(\).*test|sys\.argv\[0\].*(?:pytest|unittest)`), nil},
		{"product.double", "has a test double in product code", false, pattern.Lazy(`^\s*(?:from\s+unittest(?:\.mock)?\s+import|import\s+unittest\.mock|from\s+mock\s+import|import\s+(?:mock|pytest|unittest|responses|freezegun)\b|from\s+pytest\b)|\bsys\.modules\s*\[[^\]]*\]\s*=|\bmonkeypatch\b`), nil},
		{"product.patch", "changes a built-in thing for everybody", false, pattern.Lazy(`^\s*(?:builtins\.\w+|time\.(?:time|sleep|perf_counter|monotonic)|random\.\w+|datetime\.datetime|sys\.excepthook|unittest\.TestCase\.\w+|pytest\.\w+)\s*=[^=]`), nil},
	},
	lex.Go: {
		{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`\btesting\.Testing\(\)|flag\.Lookup\("test\.|strings\.HasSuffix\(os\.Args\[0\],\s*"\.test"|os\.Getenv\("(?:CI|TESTING)"\)`), nil},
		{"product.double", "has test tools in product code", true, pattern.Lazy(`^\s*(?:import\s+)?(?:\w+\s+)?"(?:testing|testing/\w+|net/http/httptest|github\.com/stretchr/testify/\w+|github\.com/golang/mock/\w+|go\.uber\.org/mock/\w+)"`), nil},
	},
	lex.Rust: {
		{"product.sniff", "behaves otherwise under test", true, pattern.Lazy(`\bcfg!\(\s*(?:test|not\(test\))\s*\)|#\[cfg\(not\(test\)\)\]|env::var(?:_os)?\("(?:CI|TESTING|RUST_TEST_\w+)"`), nil},
		{"product.double", "has a test double in product code", false, pattern.Lazy(`^\s*use\s+(?:mockall|mockito|wiremock)\b|^\s*#\[(?:automock|mockall)`), nil},
	},
	lex.Java: jvm, lex.Kotlin: jvm,
	lex.Ruby: {
		{"product.sniff", "behaves otherwise under test", true, pattern.Lazy(`\bRails\.env\.test\?|ENV(?:\[|\.fetch\()\s*["'](?:RAILS_ENV|RACK_ENV|APP_ENV)["']\s*\]?\)?\s*==\s*["']test["']|\bdefined\?\(\s*(?:RSpec|Minitest)|ENV\[["']CI["']\]`), nil},
		{"product.double", "has a test double in product code", true, pattern.Lazy(`^\s*require\s+["'](?:rspec(?:/\w+)*|minitest(?:/\w+)*|webmock|mocha(?:/\w+)*|vcr)["']|\ballow_any_instance_of\b`), nil},
		{"product.patch", "changes a test tool", false, pattern.Lazy(`^\s*(?:class|module)\s+(?:Minitest|RSpec)\b`), nil},
	},
	lex.PHP: {
		{"product.sniff", "behaves otherwise under test", true, pattern.Lazy(`\bdefined\(\s*["']PHPUNIT|class_exists\(\s*["']?\\?PHPUnit|getenv\(\s*["'](?:APP_ENV|CI)["']\s*\)\s*===?\s*["']test(?:ing)?["']|runningUnitTests\(\)|environment\(["']testing["']\)`), nil},
		{"product.double", "has a test double in product code", false, pattern.Lazy(`^\s*use\s+(?:PHPUnit|Mockery|Prophecy)\\`), nil},
	},
	lex.CSharp: {
		{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`(?i)GetAssemblies\(\).*(?:xunit|nunit|mstest|testhost)|ProcessName.*testhost|UnitTestDetector|IsRunningInTest|GetEnvironmentVariable\("(?:CI|TESTING)"\)`), nil},
		{"product.double", "has a test double in product code", false, pattern.Lazy(`^\s*using\s+(?:Moq|NSubstitute|FakeItEasy|Xunit|NUnit)\b|\bnew\s+Mock<`), nil},
	},
	lex.Swift: {
		{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`NSClassFromString\("XCTest|XCTestCase"|"-?(?:UITEST\w*|isTesting|isRunningTests)"|environment\["(?:CI|XCTest\w*)"\]`), nil},
		{"product.double", "has test tools in product code", false, pattern.Lazy(`^\s*(?:@testable\s+)?import\s+XCTest\b|^\s*@testable\s+import`), nil},
	},
}

var jvm = []unwanted{
	{"product.sniff", "asks whether a test runner runs it", true, pattern.Lazy(`getStackTrace\(\).*(?:junit|Test)|Class\.forName\("org\.junit|getProperty\("surefire\.|getenv\("(?:CI|TESTING)"\)|startsWith\("org\.junit`), nil},
	{"product.double", "has a test double in product code", false, pattern.Lazy(`^\s*import\s+(?:static\s+)?(?:org\.mockito|io\.mockk|org\.junit|org\.easymock|com\.github\.tomakehurst)\b`), nil},
}

var exitCall = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`\b(?:os\.Exit|syscall\.Exit|runtime\.Goexit)\(`),
	lex.JS:     pattern.Lazy(`\bprocess\.(?:exit|reallyExit|abort)\(|\bprocess\.exitCode\s*=\s*0|\bDeno\.exit\(`),
	lex.Python: pattern.Lazy(`\b(?:os\._exit|sys\.exit|os\.abort)\(|\batexit\.register\(|^\s*(?:exit|quit)\(|raise\s+SystemExit`),
	lex.Rust:   pattern.Lazy(`\bprocess::(?:exit|abort)\(`),
	lex.Java:   pattern.Lazy(`\bSystem\.exit\(|\bRuntime\.getRuntime\(\)\.(?:exit|halt)\(`),
	lex.Kotlin: pattern.Lazy(`\bexitProcess\(|\bSystem\.exit\(`),
	lex.Ruby:   pattern.Lazy(`\b(?:exit!|abort|Process\.exit!?|at_exit)\b|^\s*exit\b`),
	lex.PHP:    pattern.Lazy(`^\s*(?:exit|die)\b\s*[(;]|\bregister_shutdown_function\(`),
	lex.CSharp: pattern.Lazy(`\bEnvironment\.(?:Exit|FailFast)\(`),
	lex.Swift:  pattern.Lazy(`(?:^|[^.\w])exit\(|\bDarwin\.exit\(`),
}

func (j *judge) exits(code []byte) bool {
	re := exitCall[j.l.Name]
	return re != nil && re.Match(code)
}

// programs are the marks of a file that is a program of its own.
var programs = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`(?m)^package main\b`),
	lex.JS:     pattern.Lazy(`^#!|\bprocess\.argv\b|require\.main\s*===\s*module|import\.meta\.main|process\.on\(`),
	lex.Python: pattern.Lazy(`(?m)^#!|^if __name__|\bargparse\b|^import click|\bimport typer|\bsys\.argv\b`),
	lex.Rust:   pattern.Lazy(`\bfn main\(`),
	lex.Java:   pattern.Lazy(`static void main\(|void main\(`),
	lex.Kotlin: pattern.Lazy(`\bfun main\(`),
	lex.Ruby:   pattern.Lazy(`^#!|\$PROGRAM_NAME|__FILE__ == \$0|\bARGV\b|OptionParser`),
	lex.PHP:    pattern.Lazy(`^#!|\$argv|\bheader\(|http_response_code|\$_(?:GET|POST|SERVER)`),
	lex.CSharp: pattern.Lazy(`static (?:async )?(?:void|int|Task(?:<int>)?) Main\(|(?m)^var builder = `),
	lex.Swift:  pattern.Lazy(`@main\b|CommandLine\.arguments|ParsableCommand`),
}

// program says whether ending the process is this file's to decide.
func (j *judge) program(n int) bool {
	name := strings.ToLower(path.Base(j.path))
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch stem {
	case "main", "__main__", "cli", "server", "bin", "program", "app", "index", "manage", "cmd":
		if j.l.Name != lex.Python || stem != "app" && stem != "index" {
			if j.l.Name != lex.JS || stem != "app" && stem != "index" {
				return true
			}
		}
	}
	for part := range strings.SplitSeq(path.Dir(j.path), "/") {
		if part == "bin" || part == "cmd" || part == "cli" || part == "commands" {
			return true
		}
	}
	re := programs[j.l.Name]
	text := j.src
	if j.l.Name != lex.PHP && !bytes.HasPrefix(text, []byte("#!")) {
		text = bytes.Join(j.code, []byte("\n"))
	}
	return re != nil && re.Match(text)
}
