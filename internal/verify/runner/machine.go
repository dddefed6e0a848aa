package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gitagent/internal/plain"
	"gitagent/internal/project"
)

// Machine says what of this machine the results of a runner stand on: the
// versions of the programs that it uses, and the settings that programs heed.
// What was found out elsewhere, or before an upgrade, says little here.
func Machine(ctx context.Context, r *Run, name string) (string, error) {
	said := []string{runtime.GOOS + "/" + runtime.GOARCH}
	for _, kv := range r.Cell.Env() {
		if strings.HasPrefix(kv, "LANG=") || strings.HasPrefix(kv, "TZ=") {
			said = append(said, kv)
		}
	}
	var err error
	tell := func(argv ...string) string {
		text, ok := "", false
		if err == nil {
			text, ok, err = r.says(ctx, argv)
		}
		if ok {
			said = append(said, filepath.Base(argv[0])+": "+text)
		}
		return text
	}
	switch name {
	case project.RunnerPytest, project.RunnerUnittest:
		// A refused Python runs nothing, so it has no version either.
		for pythons, _ := r.pythons(name); len(pythons) > 0; pythons = pythons[1:] {
			// -I keeps the project's own files from standing in for either.
			if tell(pythons[0], "-I", "-c", "import sys, "+name+"; print(sys.version, getattr("+name+", '__version__', ''))") != "" {
				break
			}
		}
	case project.RunnerVitest, project.RunnerJest:
		tell("node", "--version")
		said = append(said, name+": "+r.installedVersion(name))
	default:
		for _, argv := range r.programs(name) {
			tell(argv...)
		}
	}
	return strings.Join(said, "\n"), err
}

// says runs a program that tells its version; ok is false where it cannot.
func (r *Run) says(ctx context.Context, argv []string) (text string, ok bool, err error) {
	path, found := argv[0], true
	if !filepath.IsAbs(path) {
		path, found = r.tool(argv[0])
	}
	if !found {
		return "", false, nil
	}
	res, err := r.exec(ctx, "", keptOutput, append([]string{path}, argv[1:]...)...)
	if err != nil || res.ExitCode != 0 {
		return "", false, err
	}
	return plain.Line(string(res.Output), 400), true, nil
}

// installedVersion is what an installed package of npm says of itself.
func (r *Run) installedVersion(name string) string {
	dir, _ := r.installed(name)
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var pkg struct{ Version string }
	if dir == "" || err != nil || json.Unmarshal(data, &pkg) != nil {
		return "none"
	}
	return plain.Line(pkg.Version, 60)
}

// programs are those behind a runner, or behind a command that is not known
// better, each with how it tells its version.
func (r *Run) programs(name string) (all [][]string) {
	words := []string{name}
	if name == project.RunnerExit || name == project.RunnerJUnit {
		words = r.words()
	}
	for _, w := range words {
		for _, argv := range versionOf(w) {
			if !slices.ContainsFunc(all, func(a []string) bool { return a[0] == argv[0] }) {
				all = append(all, argv)
			}
		}
	}
	return all
}

// words are those of the command, and of the scripts of package.json that it
// goes through.
func (r *Run) words() []string {
	command := r.Command
	if data, err := os.ReadFile(filepath.Join(r.Dir, "package.json")); err == nil && len(data) < maxDecider {
		command += "\n" + scriptsBehind(command)(string(data))
	}
	words := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'=:", c) })
	for i, w := range words {
		words[i] = filepath.Base(w)
	}
	return words
}

// versionOf is how the programs behind a word tell their versions.
func versionOf(word string) [][]string {
	switch word {
	case "go":
		return [][]string{{"go", "version"}}
	case "node", "npm", "npx", "pnpm", "yarn", "vitest", "jest", "mocha", "tsx", "playwright":
		return [][]string{{"node", "--version"}}
	case "bun", "deno", "make":
		return [][]string{{word, "--version"}}
	case "python", "python3", "pytest", "tox", "nox":
		return [][]string{{"python3", "--version"}}
	case "cargo":
		return [][]string{{"cargo", "--version"}, {"rustc", "--version"}}
	case "java", "mvn", "mvnw", "gradle", "gradlew":
		return [][]string{{"java", "-version"}}
	case "php", "phpunit", "composer":
		return [][]string{{"php", "--version"}}
	case "ruby", "rspec", "rake":
		return [][]string{{"ruby", "--version"}}
	case "dotnet":
		return [][]string{{"dotnet", "--version"}}
	}
	return nil
}
