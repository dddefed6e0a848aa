package project

import (
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// testName matches the base name of a test file, lower-cased, per language.
var testName = regexp.MustCompile(strings.Join([]string{
	`_test\.go$`,
	`\.(test|spec|cy|e2e)\.[cm]?[jt]sx?$`, `^(test|spec)\.[cm]?[jt]sx?$`, `\.(test|spec)\.(vue|svelte|html)$`,
	`^test_.*\.pyi?$`, `_test\.py$`, `^tests?\.py$`, `^conftest\.py$`,
	`_(spec|test)\.rb$`, `^(spec|test)_helper\.rb$`, `^rails_helper\.rb$`,
	`_test\.rs$`, `^tests?\.rs$`,
	`_test\.(dart|exs|cc|cpp|c)$`, `^test_.*\.(c|cc|cpp)$`,
	`\.(snap|snapshot|approved\.[a-z]+|golden)$`, `\.bats$`, `\.feature$`,
}, "|"))

// camelTest keeps the capital that tells FooTest.java from latest.java.
var camelTest = regexp.MustCompile(`(^|[a-z0-9_])(Tests?|TestCase|IT|Spec)\.(java|kt|groovy|scala|php|cs|swift|fs|vb)$|^Test[A-Z].*\.(java|kt|php)$`)

// testDir says whether everything in a folder of that name, lower-cased, is
// tests, fixtures or snapshots.
func testDir(name string) bool {
	switch name {
	case "testdata", "__tests__", "__snapshots__", "__mocks__", "__fixtures__",
		"test", "tests", "e2e", "cypress", "spec", "specs", "playwright", "androidtest", "integration-tests",
		"fixtures", "fixture", "golden", "goldens", "snapshots", "cassettes", "vcr_cassettes":
		return true
	}
	return strings.HasSuffix(name, ".tests") || strings.HasSuffix(name, "uitests")
}

// IsTestPath says whether a slash path is a test, a fixture or a snapshot: by
// the habits of Go, JavaScript, Python, Rust, Java, Ruby, PHP, C# and Swift, or
// by one of the extra doublestar patterns. Case is ignored, so that no spelling
// escapes on a file system that ignores it.
func IsTestPath(p string, extra []string) bool {
	original := path.Base(p)
	p = strings.ToLower(path.Clean(strings.ReplaceAll(p, `\`, "/")))
	parts := strings.Split(p, "/")
	for _, dir := range parts[:len(parts)-1] {
		if testDir(dir) {
			return true
		}
	}
	if base := parts[len(parts)-1]; testName.MatchString(base) || camelTest.MatchString(original) {
		return true
	}
	for _, pattern := range extra {
		pattern = strings.ToLower(strings.TrimPrefix(pattern, "./"))
		anchored := strings.HasPrefix(pattern, "/")
		pattern = strings.TrimPrefix(pattern, "/")
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		if ok, err := doublestar.Match(pattern, p); err == nil && ok {
			return true
		}
		// Like .gitignore: a pattern without a slash names a file anywhere.
		if ok, err := doublestar.Match(pattern, path.Base(p)); !anchored && !strings.Contains(pattern, "/") && err == nil && ok {
			return true
		}
	}
	return false
}

// TestGlobs lists the default patterns and the config's own, for people.
func TestGlobs(c Config) []string {
	globs := []string{
		"**/*_test.go", "**/testdata/**",
		"**/*.{test,spec,cy}.{js,jsx,ts,tsx,mjs,cjs,mts,cts}", "**/{__tests__,__snapshots__,__mocks__}/**",
		"**/{test,tests,e2e,cypress,spec,specs,playwright}/**",
		"**/test_*.py", "**/*_test.py", "**/conftest.py",
		"**/*_spec.rb", "**/*_test.rb", "**/*Test.java", "**/*Test.php", "**/*Tests.cs", "**/*Tests.swift",
		"**/{fixtures,golden,goldens,snapshots,cassettes}/**", "**/*.snap",
	}
	return append(globs, c.TestPatterns...)
}
