package testguard

import (
	"path"
	"strings"

	"gitagent/internal/pattern"
	"gitagent/internal/project"
)

// runnable matches the base names of files that a runner finds by itself.
var runnable = map[string]*pattern.Pattern{
	"go":    pattern.Lazy(`_test\.go$`),
	"js":    pattern.Lazy(`(?i)(\.(test|spec|cy|e2e)\.[cm]?[jt]sx?$|^test\.[cm]?[jt]s$)`),
	"py":    pattern.Lazy(`^test_.*\.py$|_test\.py$|^tests\.py$`),
	"rb":    pattern.Lazy(`_(spec|test)\.rb$`),
	"java":  pattern.Lazy(`(Tests?|TestCase|IT|Spec)\.(java|kt|groovy)$|^Test[A-Z].*\.(java|kt)$`),
	"php":   pattern.Lazy(`Test\.php$`),
	"cs":    pattern.Lazy(`Tests?\.cs$`),
	"swift": pattern.Lazy(`Tests?\.swift$`),
	"rs":    pattern.Lazy(`\.rs$`),
}

var kinds = map[string]string{
	".go": "go", ".py": "py", ".rb": "rb", ".java": "java", ".kt": "java", ".groovy": "java", ".php": "php",
	".cs": "cs", ".swift": "swift", ".rs": "rs",
	".js": "js", ".jsx": "js", ".ts": "js", ".tsx": "js", ".mjs": "js", ".cjs": "js", ".mts": "js", ".cts": "js",
}

// Kind is the family of languages that a test file belongs to, "" for others.
func Kind(file string) string { return kinds[strings.ToLower(path.Ext(file))] }

// goSystem are the last words of a Go file's name that bind it to a system.
var goSystem = pattern.Lazy(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm)_test\.go$`)

// aside are folders whose tests nobody runs.
var aside = pattern.Lazy(`(?i)^(archived?|attic|backups?|bak|deprecated|disabled|ignored?|legacy|obsolete|old|parked|quarantine|skip(ped)?|tmp|temp|trash|unused|node_modules|vendor|dist|build|out|target|coverage)$`)

// Discovered says whether a runner finds tests in this file.
func Discovered(file string) bool {
	kind := Kind(file)
	dir, base := path.Split(file)
	if kind == "" || !runnable[kind].MatchString(base) {
		return false
	}
	if kind == "rs" && path.Base(dir) != "tests" && (base != "main.rs" || path.Base(path.Dir(strings.TrimSuffix(dir, "/"))) != "tests") {
		return false
	}
	if kind == "go" && (base[0] == '_' || base[0] == '.') {
		return false
	}
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		switch {
		case part == "":
		case aside.MatchString(part), part[0] == '.':
			return false
		case kind == "go" && (part == "testdata" || part[0] == '_'):
			return false
		}
	}
	return true
}

// StaysFound says whether a test that moves with its content unchanged is found
// where it goes as it was where it came from.
func StaysFound(from, to string) bool {
	if !Discovered(from) {
		return false // a fixture, or a helper: it is found by its path
	}
	if Kind(from) == "go" && goSystem.MatchString(to) && goSystem.FindString(to) != goSystem.FindString(from) {
		return false
	}
	return Kind(from) == Kind(to) && Discovered(to) && root(from, to)
}

// root says whether a test that stood in a folder of tests goes to one of the
// same name again: a runner may be told to look there alone, and some look
// nowhere else.
func root(from, to string) bool {
	if path.Dir(from) == path.Dir(to) {
		return true
	}
	a, b := testRoot(from), testRoot(to)
	if path.Base(a) != path.Base(b) || (path.Dir(a) == ".") != (path.Dir(b) == ".") {
		return false
	}
	switch Kind(from) {
	case "java":
		return jvmRoot(from) == jvmRoot(to)
	case "swift", "cs":
		return strings.HasPrefix(path.Dir(to)+"/", unitOf(from, a)+"/")
	}
	return true
}

// testRoot is the first folder of tests above a file, "." for none.
func testRoot(file string) string {
	parts := strings.Split(path.Dir(file), "/")
	for i := range parts {
		if dir := strings.Join(parts[:i+1], "/"); project.IsTestPath(dir+"/x", nil) {
			return dir
		}
	}
	return "."
}

// jvmRoot is where Maven and Gradle look for the tests of a language, "" for
// elsewhere.
func jvmRoot(file string) string {
	m := jvmSources.FindStringSubmatch("/" + file)
	if m == nil {
		return ""
	}
	return m[1]
}

var jvmSources = pattern.Lazy(`/src/(\w*[tT]est\w*)/(?:java|kotlin|groovy|scala)/`)

// unitOf is the folder of what is built together: of a target in Swift, of a
// project in C#.
func unitOf(file, root string) string {
	if Kind(file) == "cs" {
		return root
	}
	parts := strings.Split(strings.TrimPrefix(path.Dir(file), root+"/"), "/")
	return path.Join(root, parts[0])
}

// SameTop says whether a test stays below the same folder at the top of the
// project: a runner of these languages may be told to look there alone.
func SameTop(from, to string) bool {
	switch Kind(from) {
	case "js", "py", "rb", "php":
		return top(from) == top(to)
	}
	return true
}

func top(file string) string {
	dir, _, nested := strings.Cut(file, "/")
	if !nested {
		return "."
	}
	return dir
}

// Below is a path from the folder of tests that it stands in.
func Below(file string) (string, bool) {
	return strings.CutPrefix(file, testRoot(file)+"/")
}
