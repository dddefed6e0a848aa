package infra

import (
	"path"
	"strings"

	"gitagent/internal/pattern"
)

// formatOf finds how a file is read; nil where nothing in it is guarded.
func formatOf(file string) *format {
	name := base(file)
	if f, ok := byName(name); ok {
		return f
	}
	dir := strings.ToLower(path.Dir(file)) + "/"
	switch {
	case ciFile(dir, name):
		return &format{"", ciSettings}
	case jsConfig.MatchString(name):
		return &format{"js", jsSettings}
	case setupFile.MatchString(name):
		return &format{"js", whole("", false)}
	case strings.HasSuffix(name, ".pth"):
		return &format{"py", whole("runs at every start of Python", true)}
	case strings.HasPrefix(name, "tsconfig") && strings.HasSuffix(name, ".json"):
		return &format{"js", tsSettings}
	case strings.HasPrefix(name, "jsconfig") && strings.HasSuffix(name, ".json"):
		return &format{"js", tsSettings}
	case strings.HasSuffix(name, ".mk"):
		return &format{"", includedMake}
	case strings.HasSuffix(name, ".gradle") || strings.HasSuffix(name, ".gradle.kts"):
		return &format{"java", gradleSettings}
	case pipFile.MatchString(name):
		return &format{"py", pipSettings}
	case strings.HasPrefix(name, ".env") || name == "mise.toml" || name == ".mise.toml" || name == ".mise.local.toml":
		return &format{"", steering}
	case strings.HasSuffix(name, ".sln") || strings.HasSuffix(name, ".slnx") || strings.HasSuffix(name, ".slnf"):
		return &format{"cs", solutionSettings}
	case strings.HasSuffix(name, ".xcscheme"):
		return &format{"swift", schemeSettings}
	case strings.HasSuffix(dir, ".yarn/releases/") || strings.HasSuffix(dir, ".yarn/plugins/"):
		return &format{"js", whole("", false)}
	case strings.Contains("/"+dir, "/meta-inf/services/") && strings.HasPrefix(name, "org.junit."):
		return &format{"java", whole("changes how JUnit finds and runs tests", true)}
	case runner(dir, name):
		return &format{"", whole("", false)}
	case strings.HasSuffix(dir, ".cargo/") && (name == "config" || name == "config.toml"):
		return &format{"rs", cargoConfig}
	case strings.HasSuffix(dir, ".config/") && name == "nextest.toml":
		return &format{"rs", whole("decides which tests run", false)}
	case strings.HasSuffix(dir, ".mvn/"):
		return &format{"java", whole("changes how Maven runs", false)}
	case strings.HasSuffix(name, ".csproj") || strings.HasSuffix(name, ".fsproj") || strings.HasSuffix(name, ".props") || strings.HasSuffix(name, ".targets"):
		return &format{"cs", msbuildSettings}
	case strings.HasSuffix(name, ".runsettings"):
		return &format{"cs", whole("decides which tests run", false)}
	case strings.HasSuffix(name, ".xctestplan"):
		return &format{"swift", whole("decides which tests run", false)}
	case (strings.HasPrefix(dir, "patches/") || strings.HasSuffix(dir, ".yarn/patches/")) && strings.HasSuffix(name, ".patch"):
		return &format{"js", whole("patches a dependency", true)}
	case autoMocked(file):
		return &format{"js", whole("stands in for a test tool", true)}
	case shadows(file):
		return &format{"py", whole("stands in for a module of Python, or a test tool, that it is named after", false)}
	case strings.HasPrefix(dir, "node_modules/.bin/") || strings.Contains(dir, "/node_modules/.bin/"):
		return &format{"js", whole("stands in for a tool", true)}
	}
	return nil
}

func byName(name string) (*format, bool) {
	switch name {
	case "package.json":
		return &format{"js", packageSettings}, true
	case "package-lock.json", "npm-shrinkwrap.json":
		return &format{"js", lockSettings}, true
	case "pnpm-workspace.yaml":
		return &format{"js", pnpmSettings}, true
	case "turbo.json", "nx.json", "project.json", "lerna.json":
		return &format{"js", monorepoSettings}, true
	case "babel.config.json", ".babelrc", ".babelrc.json", ".swcrc":
		return &format{"js", aliasSettings}, true
	case "mocha.opts":
		return &format{"js", whole(risky, false)}, true
	case "pytest.toml", ".pytest.toml":
		return &format{"py", pytestToml}, true
	case "setup.py":
		return &format{"py", setupSettings}, true
	case "gemfile":
		return &format{"rb", gemSettings}, true
	case "settings.gradle", "settings.gradle.kts":
		return &format{"java", includedProjects}, true
	case "gradle-wrapper.properties":
		return &format{"java", wrapperSettings}, true
	case "junit-platform.properties":
		return &format{"java", whole("changes how JUnit finds and runs tests", false)}, true
	case "nuget.config":
		return &format{"cs", nugetSettings}, true
	case "package.swift":
		return &format{"swift", swiftSettings}, true
	case "deno.json", "deno.jsonc":
		return &format{"js", denoSettings}, true
	case "composer.json":
		return &format{"php", composerSettings}, true
	case ".mocharc.json", ".mocharc.jsonc", ".mocharc.yml", ".mocharc.yaml", ".nycrc", ".nycrc.json", ".c8rc.json", ".taprc", ".nycrc.yml":
		return &format{"js", runnerSettings}, true
	case "pyproject.toml":
		return &format{"py", pyprojectSettings}, true
	case "setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini", ".coveragerc":
		return &format{"py", iniSettings}, true
	case "conftest.py":
		return &format{"py", conftestSettings}, true
	case "noxfile.py":
		return &format{"py", noxSettings}, true
	case "sitecustomize.py", "usercustomize.py":
		return &format{"py", whole("runs at every start of Python", true)}, true
	case ".npmrc", ".yarnrc", ".yarnrc.yml":
		return &format{"js", npmrcSettings}, true
	case ".pnpmfile.cjs":
		return &format{"js", whole("rewrites dependencies at install", true)}, true
	case "bunfig.toml":
		return &format{"js", bunSettings}, true
	case "cargo.toml":
		return &format{"rs", cargoSettings}, true
	case "go.mod":
		return &format{"go", goModSettings}, true
	case "go.work":
		return &format{"go", goWorkSettings}, true
	case "pom.xml":
		return &format{"java", pomSettings}, true
	case "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml":
		return &format{"php", phpunitSettings}, true
	case "build.gradle", "build.gradle.kts", "init.gradle", "gradle.properties":
		return &format{"java", gradleSettings}, true
	case "makefile", "gnumakefile", "justfile", ".justfile":
		return &format{"", makeSettings}, true
	case "taskfile.yml", "taskfile.yaml":
		return &format{"", taskSettings}, true
	case "rakefile", ".rspec", ".rspec-local":
		return &format{"rb", rubySettings}, true
	case ".gitattributes":
		return &format{"", attributeSettings}, true
	case ".gitignore":
		return &format{"", ignoreSettings}, true
	case "codecov.yml", ".codecov.yml":
		return &format{"", codecovSettings}, true
	case ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".java-version", ".go-version", ".tool-versions", "rust-toolchain", "rust-toolchain.toml":
		return &format{"", versionSettings}, true
	case "jenkinsfile":
		return &format{"", whole("", false)}, true
	}
	return nil, false
}

var (
	jsConfig  = pattern.Lazy(`^(?:jest|vitest|vite|playwright|cypress|ava|nyc|wdio|karma|web-test-runner|babel)(?:\.\w+)?\.(?:config|conf|workspace)\.[cm]?[jt]s(?:on)?$|^\.mocharc\.[cm]?js$`)
	setupFile = pattern.Lazy(`^(?:(?:jest|vitest|test|mocha)[.-]?setup|setup-?tests?|global-?setup)\.[cm]?[jt]sx?$`)
)

func ciFile(dir, name string) bool {
	yaml := strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
	switch {
	case strings.HasSuffix(dir, ".github/workflows/"), strings.HasSuffix(dir, ".gitea/workflows/"), strings.HasSuffix(dir, ".forgejo/workflows/"),
		strings.Contains(dir, ".github/actions/"), strings.Contains("/"+dir, "/.gitlab/"), strings.HasSuffix(dir, ".circleci/"), strings.HasSuffix(dir, ".buildkite/"), strings.HasSuffix(dir, ".woodpecker/"):
		return yaml
	}
	switch name {
	case ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml":
		return true
	}
	return false
}

// Loads says whether a file is code that is loaded before tests.
func Loads(file string) bool {
	name := base(file)
	return name == "conftest.py" || setupFile.MatchString(name) || setupName.MatchString(name)
}

// setupName matches the usual names of set-up files with the runner's name.
var setupName = pattern.Lazy(`^(?:vitest|jest|test|mocha|playwright|cypress)[.-]?(?:global)?[.-]?setup(?:[.-]?env)?\.[cm]?[jt]sx?$`)

// runnerName matches a script that is there to run the tests.
var runnerName = pattern.Lazy(`^(?:run[-_]?)?(?:all[-_]?)?(?:tests?|unit[-_]?tests?|checks?|ci|verify|e2e|coverage)(?:\.(?:sh|bash|zsh|js|mjs|cjs|ts|py|rb|pl|ps1|cmd|bat))?$`)

// runner says whether a file is a script that runs the tests: by its name, in a
// folder of scripts or at the top.
func runner(dir, name string) bool {
	switch strings.TrimSuffix(dir, "/") {
	case ".":
		return strings.Contains(name, ".") && runnerName.MatchString(name)
	case "scripts", "script", "bin", "tools", "ci", "hack", "build", "dev", "etc", ".ci":
		return runnerName.MatchString(name)
	}
	return false
}

// autoMocked says whether jest takes a file in place of a test tool by itself.
func autoMocked(file string) bool {
	name, ok := strings.CutPrefix(file, "__mocks__/")
	return ok && testTool.MatchString(strings.TrimSuffix(name, path.Ext(name)))
}

// pythonNames are modules that runners and tests use, and whose names a file at
// the top would take.
var pythonNames = map[string]bool{
	"unittest": true, "pytest": true, "_pytest": true, "pluggy": true, "doctest": true, "json": true, "random": true, "time": true,
	"os": true, "sys": true, "re": true, "datetime": true, "math": true, "collections": true, "asyncio": true, "subprocess": true,
	"io": true, "logging": true, "decimal": true, "tempfile": true, "inspect": true, "traceback": true, "importlib": true, "builtins": true, "nose": true, "hypothesis": true,
}

// shadows says whether a file at the top of the project takes the place of a
// module.
func shadows(file string) bool {
	top, rest, nested := strings.Cut(file, "/")
	if !nested {
		return pythonNames[strings.TrimSuffix(file, ".py")] && strings.HasSuffix(file, ".py")
	}
	return pythonNames[top] && (rest == "__init__.py" || rest == "__main__.py")
}
