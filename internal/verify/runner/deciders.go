package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"gitagent/internal/project"
)

// maxDecider is how many bytes are read of a file that decides.
const maxDecider = 1 << 20

// Deciders finds the files in fsys that decide which tests count and how, each
// with a digest of what in them does so. A session that changes one of them has
// changed the scale it is weighed on. Programs that were installed are left out.
func Deciders(runner, command string, fsys fs.FS) map[string]string {
	d := digests{fsys: fsys, out: map[string]string{}}
	for _, env := range []string{".env", ".env.test", ".env.test.local", ".env.local"} {
		d.whole(env)
	}
	switch runner {
	case project.RunnerGo:
		d.part("go.mod", goReplaces)
		d.part("go.work", wholeText)
	case project.RunnerNode:
		d.whole("node.config.json")
	case project.RunnerVitest:
		d.match("vitest.config.*", "vite.config.*", "vitest.workspace.*", "vitest.setup.*", "vitest.shims.*")
		d.part("package.json", npmRunner("vitest"))
	case project.RunnerJest:
		d.match("jest.config.*", "jest.setup.*", "jest.preset.*", "babel.config.*", ".babelrc*")
		d.part("package.json", npmRunner("jest"))
	case project.RunnerPytest, project.RunnerUnittest:
		d.python(runner == project.RunnerPytest)
	case project.RunnerCargo:
		d.match(".cargo/config", ".cargo/config.toml", "rust-toolchain*")
		d.cargoManifests()
	default:
		d.other(command)
	}
	return d.out
}

type digests struct {
	fsys fs.FS
	out  map[string]string
}

func (d *digests) read(name string) (string, bool) {
	info, err := fs.Stat(d.fsys, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxDecider {
		return "", false
	}
	data, err := fs.ReadFile(d.fsys, name)
	return string(data), err == nil
}

func wholeText(text string) string { return text }

func (d *digests) whole(name string) { d.part(name, wholeText) }

// part notes what of a file decides; a file of which nothing does is left out.
func (d *digests) part(name string, of func(string) string) {
	text, ok := d.read(name)
	if !ok {
		return
	}
	if text = of(text); text != "" {
		sum := sha256.Sum256([]byte(text))
		d.out[name] = hex.EncodeToString(sum[:8])
	}
}

func (d *digests) match(patterns ...string) {
	for _, p := range patterns {
		names, err := fs.Glob(d.fsys, p)
		if err != nil {
			continue
		}
		for _, n := range names {
			d.whole(n)
		}
	}
}

// walk visits the product's own regular files.
func (d *digests) walk(visit func(name string)) {
	_ = fs.WalkDir(d.fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read decides nothing
		case e.IsDir():
			if slices.Contains([]string{"node_modules", ".venv", ".git", "target", "__pycache__", ".tox"}, e.Name()) {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			visit(name)
		}
		return nil
	})
}

func (d *digests) python(pytest bool) {
	if pytest {
		d.match("pytest.ini", ".pytest.ini", "tox.ini")
		d.part("pyproject.toml", sections("tool.pytest"))
		d.part("setup.cfg", sections("tool:pytest"))
	}
	d.walk(func(name string) {
		base := path.Base(name)
		switch {
		case base == "sitecustomize.py" || base == "usercustomize.py" || strings.HasSuffix(base, ".pth"):
			d.whole(name)
		case base == "conftest.py" && pytest:
			d.part(name, hooking)
		}
	})
}

// hooking are the lines of a conftest.py that can change what other tests do:
// fixtures that a test asks for do not.
func hooking(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if conftestHook.MatchString(line) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

var conftestHook = regexp.MustCompile(`\bpytest_\w+|collect_ignore|autouse|hookimpl|_pytest|os\._exit|\bsetattr\b|\bsys\.(modules|meta_path|settrace|setprofile)|builtins|\bgc\.|__class__|exec\(|eval\(`)

// sections are those sections of an ini or TOML file whose name begins so.
func sections(prefix string) func(string) string {
	return func(text string) string {
		var out []string
		in := false
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "["); ok {
				in = strings.HasPrefix(strings.TrimLeft(name, "[ "), prefix)
			}
			if in {
				out = append(out, strings.TrimSpace(line))
			}
		}
		return strings.TrimSpace(strings.Join(out, "\n"))
	}
}

func (d *digests) cargoManifests() {
	d.walk(func(name string) {
		if path.Base(name) == "Cargo.toml" {
			d.part(name, cargoTargets)
		}
	})
}

// cargoTargets are the lines that leave a target's tests out or give them a
// harness of their own, and what replaces dependencies.
func cargoTargets(text string) string {
	var out []string
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		}
		if cargoKey.MatchString(line) || strings.HasPrefix(section, "[patch") || strings.HasPrefix(section, "[replace") {
			out = append(out, section+" "+line)
		}
	}
	return strings.Join(out, "\n")
}

var cargoKey = regexp.MustCompile(`^(test|doctest|harness|autotests|required-features|exclude|default-members)\s*=`)

// goReplaces are the replacements in a go.mod.
func goReplaces(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "=>") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

// npmRunner is what package.json says about a runner: where it comes from, what
// replaces dependencies, and the runner's own settings.
func npmRunner(name string) func(string) string {
	return func(text string) string {
		var pkg map[string]any
		if json.Unmarshal([]byte(text), &pkg) != nil {
			return "unreadable"
		}
		said := map[string]any{}
		for _, key := range []string{name, "overrides", "resolutions"} {
			if v, ok := pkg[key]; ok {
				said[key] = v
			}
		}
		for _, key := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
			deps, _ := pkg[key].(map[string]any)
			for dep, version := range deps {
				if dep == name || strings.HasPrefix(dep, "@"+name+"/") {
					said[key+" "+dep] = version
				}
			}
		}
		if len(said) == 0 {
			return ""
		}
		data, err := json.Marshal(said) // keys are sorted
		if err != nil {
			return "unreadable"
		}
		return string(data)
	}
}

// other finds what decides for a command that only its exit code, or a report
// that it writes, speaks for.
func (d *digests) other(command string) {
	if text, ok := d.read("package.json"); ok {
		command += "\n" + scriptsBehind(command)(text)
	}
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'=", r) })
	for _, w := range words {
		switch path.Base(w) {
		case "make", "gmake":
			d.match("Makefile", "makefile", "GNUmakefile")
		case "just":
			d.match("justfile", "Justfile", ".justfile")
		case "task":
			d.match("Taskfile.y*ml")
		case "tox", "nox":
			d.match("tox.ini", "noxfile.py")
		case "mvn", "mvnw", "gradle", "gradlew":
			d.match("pom.xml", ".mvn/*", "build.gradle*", "settings.gradle*", "gradle.properties", "init.gradle")
		case "phpunit", "composer":
			d.match("phpunit.xml*")
		case "rspec":
			d.match(".rspec*")
		case "mocha":
			d.match(".mocharc*")
		case "rake":
			d.match("Rakefile")
		case "dotnet":
			d.match("*.runsettings", "Directory.Build.props")
		case "npm", "pnpm", "yarn", "bun", "npx":
			d.match(".npmrc", ".yarnrc*", ".pnpmfile.cjs", "bunfig.toml", "jest.config.*", "vitest.config.*", ".mocharc*", "karma.conf.*")
			d.part("package.json", scriptsBehind(command))
		case "playwright":
			d.match("playwright.config.*")
		}
		// A file that is named decides where its name says that it tests; the
		// product may be named as well.
		if name := path.Clean(w); fs.ValidPath(name) && (testsByName.MatchString(path.Base(name)) || project.IsTestPath(name, nil)) {
			d.whole(name)
		}
	}
}

var testsByName = regexp.MustCompile(`(?i)(test|check|spec|verif|suite|e2e|harness|^run|^ci)[^/]*\.\w+$`)

// scriptsBehind are the scripts of package.json that a command goes through.
func scriptsBehind(command string) func(string) string {
	return func(text string) string {
		scripts := project.NpmScripts([]byte(text))
		var out []string
		for name, line := range scripts {
			rest := map[string]string{}
			for k, v := range scripts {
				if k != name {
					rest[k] = v
				}
			}
			if project.ChangedTestScript(command, scripts, rest) == name {
				out = append(out, fmt.Sprintf("%s: %s", name, line))
			}
		}
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
}

// ChangedDecider names a file that decides and differs between two runs, ""
// when none does.
func ChangedDecider(old, new map[string]string) string {
	var names []string
	for name, digest := range new {
		if old[name] != digest {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, ok := new[name]; !ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[0]
}
