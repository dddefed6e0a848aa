package infra

import (
	"strings"

	"gitagent/internal/pattern"
)

var pomRisk = pattern.Lazy(`(?i)^(?:skip|skipTests|skipITs|maven\.test\.skip|testFailureIgnore|maven\.test\.failure\.ignore|failIfNoTests|failIfNoSpecifiedTests|exclude|excludes|excludedGroups|groups|include|includes|test|rerunFailingTestsCount|argLine|excludesFile|testSourceDirectory|skipAfterFailureCount|haltOnFailure|dependenciesToScan|testExcludes?|testIncludes?|systemPath)$`)

// pomSettings are those of Maven that decide which tests run.
func pomSettings(_ string, data []byte, _ World) []Setting {
	var out []Setting
	for _, l := range xmlLeaves(data) {
		name := l.path[len(l.path)-1]
		s := Setting{Key: l.key(), Value: l.value, Line: l.line}
		switch {
		case name == "module" && strings.HasSuffix(s.Key, "modules.module"):
			s.Key += " " + l.value
		case s.Key == "project.packaging" && l.value == "pom":
			s.Risk, s.Within = "builds no tests", true
		case name == "packaging":
			continue
		case name == "phase" && l.value == "none":
			s.Key, s.Risk, s.Within = s.Key+" none", "takes a step out of the build", true
		case name == "minimum" || name == "coverageThreshold" || name == "mutationThreshold":
			s.Ratchet = 1
		case pomRisk.MatchString(name) && (!strings.Contains(s.Key, "exclusions") || name != "exclude"):
			if strings.Contains(s.Key, "resources") || strings.Contains(s.Key, "assembl") {
				continue
			}
			if l.value != "false" && l.value != "0" {
				s.Risk = "decides which tests run, or what their failure means"
			}
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

var (
	gradleBlock = pattern.Lazy(`(?m)^[ \t]*(?:tasks\.)?(?:(?:named|getByName|findByName)(?:\s*<[^>]*>)?\s*\(\s*["']?test["']?[^)]*\)(?:\.configure)?|withType\s*[(<]\s*Test\b[^{\n]*|test|integrationTest|jacocoTestCoverageVerification)\s*\{`)
	gradleRisk  = pattern.Lazy(`ignoreFailures|\bexclude\b|excludeTags|includeTags|includeTestsMatching|excludeTestsMatching|onlyIf|enabled\s*=?\s*false|failFast|forkEvery\s*=\s*-|filter\s*\{|setExcludes|maxRetries|testClassesDirs|isIgnoreFailures|srcDirs?\b|setSrcDirs`)
	gradleAny   = pattern.Lazy(`(?i)ignoreFailures\s*=\s*true|tasks\.(?:named|withType).*enabled\s*=\s*false|exclude\s*(?:group)?.*[Tt]est|\btest\.enabled|-x\s*test|skipTests|(?:getByName|findByName|named)(?:<[^>]*>)?\s*\(\s*["']test["'].*(?:enabled|onlyIf)|sourceSets\.test\b.*(?:srcDirs?|exclude|=\s*\[\s*\])|\btest\.(?:onlyIf|exclude|filter|setEnabled)|dependsOn\.remove|excludedTaskNames|taskGraph\.whenReady|substitute\b.*(?:junit|testng|mockito|assertj|kotest|hamcrest|kotlin-test)`)
)

// gradleSettings: the blocks that configure tests, line by line, and lines
// elsewhere that switch tests off.
func gradleSettings(file string, data []byte, _ World) []Setting {
	text := string(data)
	covered := make([]bool, strings.Count(text, "\n")+2)
	var out []Setting
	for _, m := range gradleBlock.FindAllStringIndex(text, -1) {
		depth, line := 0, strings.Count(text[:m[0]], "\n")+1
		for _, l := range strings.Split(text[m[0]:], "\n") {
			depth += strings.Count(l, "{") - strings.Count(l, "}")
			covered[line] = true
			if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "//") {
				s := Setting{Key: "test: " + t, Value: "set", Line: line, Loose: !gradleRisk.MatchString(t) && !strings.Contains(t, "useJUnit") && !strings.Contains(t, "minimum")}
				if gradleRisk.MatchString(t) {
					s.Risk = "decides which tests run, or what their failure means"
				}
				if strings.HasPrefix(t, "minimum") {
					_, value, _ := strings.Cut(t, "=")
					s = Setting{Key: "coverage minimum", Value: strings.Trim(value, " )"), Line: line, Ratchet: 1}
				}
				out = append(out, s)
			}
			line++
			if depth <= 0 {
				break
			}
		}
	}
	for n, l := range strings.Split(text, "\n") {
		if !covered[n+1] && gradleAny.MatchString(l) && !strings.HasPrefix(strings.TrimSpace(l), "//") {
			out = append(out, Setting{Key: strings.TrimSpace(l), Value: "set", Line: n + 1, Risk: "switches tests off", Loose: true})
		}
	}
	return out
}

var (
	gradleInclude = pattern.Lazy(`["'](:?[\w:./-]+)["']`)
	hostOf        = pattern.Lazy(`^\s*distributionUrl\s*=\s*(\w+)\\?:\\?/\\?/([\w.-]+)`)
)

// includedProjects are the projects of a build: one may be added.
func includedProjects(file string, data []byte, w World) []Setting {
	var out []Setting
	for n, line := range strings.Split(string(data), "\n") {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "include") {
			for _, m := range gradleInclude.FindAllStringSubmatch(text, -1) {
				out = append(out, Setting{Key: "include " + strings.TrimPrefix(m[1], ":"), Value: "here", Line: n + 1})
			}
		}
	}
	return append(out, gradleSettings(file, data, w)...)
}

// wrapperSettings: where the build tool itself comes from; another version is
// free.
func wrapperSettings(_ string, data []byte, _ World) []Setting {
	for n, line := range strings.Split(string(data), "\n") {
		if m := hostOf.FindStringSubmatch(line); m != nil {
			return []Setting{{Key: "the place of Gradle", Value: m[1] + "://" + m[2], Line: n + 1}}
		}
	}
	return nil
}
