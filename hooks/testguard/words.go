package testguard

import (
	"gitagent/hooks/lex"
	"gitagent/internal/pattern"
)

// skips are the words that keep a test from counting; they are looked for in
// code, not in strings or comments.
var skips = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`\bt[bc]?\.(Skip|Skipf|SkipNow)\(|\bb\.Skip|testing\.Short\(\)|(?m)^//go:build|^// \+build`),
	lex.JS:     pattern.Lazy(`\.(skip|todo|fails|failing|skipIf|runIf|fixme)\b|\bx(it|describe|test|specify|context)\b|\bpending\(`),
	lex.Python: pattern.Lazy(`skip|xfail|importorskip|SkipTest|expectedFailure|collect_ignore|__test__\s*=\s*False`),
	lex.Rust:   pattern.Lazy(`#!?\[\s*(ignore|should_panic|cfg\s*\()`),
	lex.Java:   pattern.Lazy(`@(?:[\w.]+\.)?(Disabled|Ignore|EnabledIf|DisabledIf|EnabledOn|DisabledOn)\w*|\bassum(e|ing)\w*\(`),
	lex.Kotlin: pattern.Lazy(`@(?:[\w.]+\.)?(Disabled|Ignore|EnabledIf|DisabledIf)\w*|\bassum(e|ing)\w*\(`),
	lex.Ruby:   pattern.Lazy(`\b(skip|pending|x(it|describe|specify|context|example)|omit|pend)\b|:skip|skip:|pending:`),
	lex.PHP:    pattern.Lazy(`markTest(Skipped|Incomplete)|@(group|requires)\b|#\[(Group|Requires)`),
	lex.CSharp: pattern.Lazy(`\[\s*Ignore|\bSkip\s*=|Assert\.(Ignore|Inconclusive)`),
	lex.Swift:  pattern.Lazy(`XCTSkip|XCTExpectFailure|\.disabled\(`),
}

// trait is how something shows in a language: in code alone, or in code whose
// strings count too. unless is what makes a line innocent.
type trait struct{ code, text, unless *pattern.Pattern }

// focuses are the words that make a runner run some tests and not the others.
var focuses = map[lex.Name]trait{
	lex.JS: {
		code: pattern.Lazy(`\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only\b|\b\w+\.only\s*\(|\b(?:fit|fdescribe|fcontext)\s*\(|\bonly\s*:\s*true`),
		text: pattern.Lazy(`\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\[\s*["'` + "`" + `]only["'` + "`" + `]\s*\]|\{[^}\n]*\bonly\b[^}\n]*\}\s*(?:=\s*(?:require\(|(?:it|test|describe|suite)\b)|from\s*["'](?:node:test|vitest|@playwright/test|mocha|@jest/globals)["'])`),
	},
	lex.Ruby:  {code: pattern.Lazy(`\b(?:fit|fdescribe|fcontext|fspecify)\b|\bfocus:\s*true|,\s*:focus\b`)},
	lex.Swift: {code: pattern.Lazy(`\bf(?:it|describe|context)\s*\(`)},
}

// ends are the words with which a test file ends the whole run.
var ends = map[lex.Name]trait{
	lex.Go: {code: pattern.Lazy(`\b(?:os|syscall)\.Exit\(\s*0\s*\)`)},
	lex.JS: {
		code: pattern.Lazy(`\bprocess\.(?:exit\(|exitCode\s*=\s*0|reallyExit)|\bDeno\.exit\(`),
		text: pattern.Lazy(`\bprocess\s*\[\s*["'` + "`" + `](?:exit|reallyExit|exitCode)|\brequire\(\s*["'](?:node:)?process["']\s*\)\s*\.\s*(?:exit|reallyExit|abort)|\{[^}\n]*\bexit\b[^}\n]*\}\s*(?:=\s*(?:process\b|require\(\s*["'](?:node:)?process["'])|from\s*["'](?:node:)?process["'])`),
	},
	lex.Python: {code: pattern.Lazy(`\bos\._exit\(|\bos\.exec[lv]\w*\(|\bpytest\.exit\(|(?m)^(?:sys\.exit|exit|quit)\(`)},
	lex.Ruby:   {code: pattern.Lazy(`\bexit!|\bat_exit\s*\{\s*exit|\b(?:Process|Kernel)\.(?:exit|exec)\b|(?m)^(?:exit|exec)\b`)},
	lex.PHP:    {code: pattern.Lazy(`(?m)^\s*(?:exit|die)\b`)},
	lex.Rust:   {code: pattern.Lazy(`\bprocess::exit\(`)},
	lex.Java:   {code: pattern.Lazy(`\bSystem\.exit\(\s*0|\bRuntime\.getRuntime\(\)\.(?:exit|halt)\(`)},
	lex.Kotlin: {code: pattern.Lazy(`\bexitProcess\(\s*0|\bSystem\.exit\(\s*0|\bRuntime\.getRuntime\(\)\.(?:exit|halt)\(`)},
	lex.CSharp: {code: pattern.Lazy(`\bEnvironment\.Exit\(`)},
	lex.Swift:  {code: pattern.Lazy(`(?:^|[^.\w])exit\(\s*(?:0|EXIT_SUCCESS)|\b(?:Darwin|Glibc|Foundation)\.exit\(`)},
}

// narrows are the words with which a test file chooses which tests run.
var narrows = map[lex.Name]trait{
	lex.Go: {text: pattern.Lazy(`\bflag\.Set\("test\.|\bflag\.Lookup\("test\.[^\n]*\.Set\(|\bos\.Args\s*=[^\n]*"-?-test\.`)},
}

// ofUnittest, ofXCTest and their like are the names by which tests are run and
// fail: whoever gives them anew decides what counts.
const (
	ofUnittest = `(?:run|debug|fail|id|skipTest|countTestCases|defaultTestResult|_(?:callTestMethod|callSetUp|callTearDown|callCleanup|baseAssertEqual|getAssertEqualityFunc|addExpectedFailure|addUnexpectedSuccess|addSkip|feedErrorsToResult|formatMessage)|assert(?:Equals?|NotEquals?|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|IsInstance|Raises|RaisesRegex|AlmostEqual|Greater|GreaterEqual|Less|LessEqual|Regex|CountEqual|ListEqual|DictEqual|SetEqual|TupleEqual|SequenceEqual|MultiLineEqual))`
	ofMinitest = `(?:run|run_one_method|run_all|runnable_methods|flunk|passed\?|skipped\?|failures?|capture_exceptions|with_info_handler|refute\w*|assert(?:_(?:equal|nil|includes|raises|match|empty|in_delta|in_epsilon|instance_of|kind_of|same|operator|predicate|respond_to|silent|throws))?|expect)`
	ofPHPUnit  = `(?:run|runTest|runBare|fail|transformException|onNotSuccessfulTest|invokeTestMethod|assert(?:Same|NotSame|Equals|NotEquals|True|False|Null|NotNull|Count|Empty|NotEmpty|Contains|InstanceOf|That|ArrayHasKey|StringContainsString|MatchesRegularExpression))`
	ofXCTest   = `XCT(?:Assert(?:Equal|NotEqual|True|False|Nil|NotNil|Identical|NotIdentical|GreaterThan|GreaterThanOrEqual|LessThan|LessThanOrEqual|ThrowsError|NoThrow)?|Fail|Unwrap)`
	ofExpect   = `(?:toBe|toEqual|toStrictEqual|toMatch|toMatchObject|toMatchSnapshot|toContain|toContainEqual|toHaveLength|toHaveProperty|toThrow|toThrowError|toBeTruthy|toBeFalsy|toBeNull|toBeDefined|toBeUndefined|toBeGreaterThan|toBeLessThan|toBeCloseTo|toHaveBeenCalled|toHaveBeenCalledWith|toHaveBeenCalledTimes|toHaveText|toBeVisible|toHaveURL|toHaveTitle|toHaveCount)`
	ofGo       = `(?:true|false|nil|iota|error|len|cap|panic|recover|append|copy|string|int|bool|any|byte|rune|make|new)`
)

// methods are definitions, in a class of tests, of what runs or fails tests.
var methods = map[lex.Name]trait{
	lex.Python: {code: pattern.Lazy(`(?m)^[ \t]+(?:async )?def\s+` + ofUnittest + `\s*\(`)},
	lex.Ruby:   {code: pattern.Lazy(`(?m)^[ \t]*def\s+(?:self\.)?` + ofMinitest + `\b`)},
	lex.PHP:    {code: pattern.Lazy(`\bfunction\s+` + ofPHPUnit + `\s*\(`)},
	lex.Java:   {code: pattern.Lazy(`\bvoid\s+(?:runTest|runBare)\s*\(`)},
	lex.JS:     {code: pattern.Lazy(`\b(?:vi|jest)\.(?:mock|unstable_mockModule|enableAutomock|setMock)\(`)}, // moved to the top of the file, wherever it stands
}

// patches are the words with which code takes the place of a test tool, or of
// what it is made of, for others too.
var patches = map[lex.Name]trait{
	lex.Go: {code: pattern.Lazy(`(?m)^(?:const|var|func|type)\s+` + ofGo + `\b|^[ \t]+(?:true|false|nil)\s*=[^=]`)},
	lex.JS: {
		code: pattern.Lazy(`\bexpect\.extend\(\s*\{(?:[^}]|\}\s*,){0,400}?\b` + ofExpect + `\s*[(:]|\b(?:Assertion|utils)\.overwrite\w+\(|\bassert(?:\.strict)?\.\w+\s*=[^=]|\b(?:globalThis|global|window)\.(?:it|test|describe|expect|assert)\s*=[^=]|\b(?:Runner|Test|Suite|Runnable)\.prototype\.\w+\s*=[^=]|(?m)^(?:it|test|describe|expect)\.\w+\s*=[^=]`),
		text: pattern.Lazy(`\bObject\.definePropert(?:y|ies)\(\s*(?:globalThis|global|assert|expect)\s*,\s*["'](?:it|test|describe|expect|assert|equal|strictEqual|deepEqual|ok)`),
	},
	lex.Python: {code: pattern.Lazy(`(?m)^\s*(?:unittest|pytest|_pytest|doctest)(?:\.\w+)+\s*=[^=]|\b(?:TestCase|TestResult|TestRunner)\.\w+\s*=[^=]|\bsetattr\(\s*(?:unittest|pytest|_pytest|doctest|builtins)\b|\bbuiltins\.\w+\s*=[^=]|(?m)^\w+(?:\.\w+)+\s*=\s*(?:lambda\b|(?:(?:unittest\.)?mock\.)?(?:Magic)?Mock\b|print\b)`)},
	lex.Ruby:   {code: pattern.Lazy(`(?ms)^\s*(?:class|module)\s+(?:Minitest|RSpec|Test::Unit)(?:::\w+)*\s*$.*?\bdef\s+(?:self\.)?` + ofMinitest + `\b|\b(?:Minitest|RSpec)(?:::\w+)+\.(?:prepend|class_eval|define_method|send)\b`)},
	lex.PHP:    {code: pattern.Lazy(`(?mi)^\s*namespace\s+(?:PHPUnit|Pest|Mockery)\b`)},
	lex.CSharp: {code: pattern.Lazy(`\bclass\s+(?:Assert|(?:Fact|Theory|Test|TestMethod|TestCase)Attribute)\b|\bnamespace\s+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b|\[\s*assembly\s*:\s*(?:[\w.]+\.)?(?:TestFramework|Ignore|Explicit)\b|(?m)^\s*global\s+using\s+(?:Assert|Fact\w*|Test\w*)\s*=`)},
	lex.Java:   {code: pattern.Lazy(`(?m)^\s*package\s+(?:org\.junit|junit\.|org\.testng|org\.hamcrest|org\.assertj|org\.mockito)|\b(?:class|interface)\s+(?:Assertions|Assert|Test|ParameterizedTest)\b`)},
	lex.Kotlin: {code: pattern.Lazy(`(?m)^\s*package\s+(?:org\.junit|kotlin\.test|io\.kotest|org\.assertj|io\.mockk)|^fun\s+(?:<[^>]*>\s*)?assert(?:Equals|True|False|Null|NotNull|Same|NotEquals|Throws|FailsWith|ContentEquals|Contains|Is)\s*\(`)},
	lex.Swift:  {code: pattern.Lazy(`\bfunc\s+` + ofXCTest + `\s*[(<]|\btypealias\s+XCTestCase\b|\bclass\s+XCTestCase\b`)},
	lex.Rust: {
		code:   pattern.Lazy(`\bmacro_rules!\s*(?:assert|assert_eq|assert_ne|panic|unreachable|matches)\b|(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+[\w:]+::(?:\{[^}]*\b)?(?:assert|assert_eq|assert_ne|panic)\b`),
		unless: pattern.Lazy(`^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?:::)?(?:std|core|pretty_assertions|similar_asserts|assert2|k9|claims|googletest)\b`),
	},
}

// skipsForAll are the words that keep other tests from counting, in a file that
// holds for all.
var skipsForAll = map[lex.Name]trait{
	lex.Python: {code: pattern.Lazy(`\bSkipTest\b|\bpytest\.(?:skip|importorskip)\(|\bload_tests\b|\bcollect_ignore|\b__test__\b|\bpytestmark\b`)},
	lex.Ruby:   {code: pattern.Lazy(`\b(?:filter_run_excluding|filter_run_including|exclusion_filter|inclusion_filter|dry_run|fail_if_no_examples)\b|\b(?:before|setup|around)\b[^\n]*(?:\{|\bdo\b)[^}]*?\b(?:skip|pending|omit)\b`)},
	lex.PHP:    {code: pattern.Lazy(`markTest(?:Skipped|Incomplete)|->(?:skip|todo)\(`)},
	lex.CSharp: {code: pattern.Lazy(`Assert\.(?:Ignore|Inconclusive)\(`)},
}

// skipsAtTop are the same in what is loaded before tests, where they stand
// outside of everything.
var skipsAtTop = map[lex.Name]trait{
	lex.Python: {code: pattern.Lazy(`(?m)^(?:pytest\.skip\(|raise\s+(?:unittest\.)?SkipTest\b|pytest\.skip\.Exception)`)},
	lex.JS:     {code: pattern.Lazy(`(?m)^(?:beforeEach|before|beforeAll)\(.*\bskip\b`)},
}

func matches(set map[lex.Name]*pattern.Pattern, l *lex.Lang, text []byte) bool {
	re := set[l.Name]
	return re != nil && re.Match(text)
}

// has says whether a piece of source has a trait.
func has(set map[lex.Name]trait, l *lex.Lang, src []byte) bool { return textOf(l, src).find(set) >= 0 }
