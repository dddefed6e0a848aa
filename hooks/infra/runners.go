package infra

import (
	"strings"

	"gitagent/internal/pattern"
)

// narrowing are the settings of JavaScript's runners that decide which tests
// run and what their failure means; true for those that may not be added.
var narrowing = map[string]bool{
	"testMatch": true, "testRegex": true, "testPathIgnorePatterns": true, "modulePathIgnorePatterns": true, "testNamePattern": true,
	"passWithNoTests": true, "bail": true, "forceExit": true, "dangerouslyIgnoreUnhandledErrors": true, "grepInvert": true, "grep": true,
	"fgrep": true, "invert": true, "exclude": true, "testIgnore": true, "spec": true, "ignore": true, "exit": true, "allowOnly": true, "failZero": false,
	"include": false, "testDir": false, "testEnvironment": false, "runner": true, "testRunner": true, "resolver": true, "shard": true, "update": true,
	"retry": true, "retries": false, "setupFiles": false, "setupFilesAfterEnv": false, "globalSetup": false, "globalTeardown": false, "require": false, "file": false,
	"reporters": false, "reporter": false, "moduleNameMapper": false, "alias": false, "conditions": false, "projects": true, "workspace": true,
	"roots": true, "rootDir": false, "forbidOnly": false, "timeout": false, "testTimeout": false, "maxFailures": true, "snapshotResolver": false, "snapshotSerializers": false,
	"coverageThreshold": false, "thresholds": false, "collectCoverageFrom": false, "coveragePathIgnorePatterns": true, "check-coverage": false,
	"dir": true, "root": true, "includeSource": false, "onUnhandledError": true, "automock": true, "testFailureExitCode": true, "testResultsProcessor": true, "testSequencer": true,
	"filter": true, "modulePaths": true, "moduleDirectories": false, "preset": false, "transform": false, "onlyChanged": true, "lastCommit": true, "changedSince": true, "onlyFailures": true, "listTests": true,
	"updateSnapshots": true, "ignoreSnapshots": true, "specPattern": true, "excludeSpecPattern": true, "specs": true, "match": true, "files": true, "failWithoutAssertions": true,
	"dry-run": true, "dryRun": true, "pass-on-failing-test-suite": true, "passOnFailingTestSuite": true, "node-option": true, "nodeOption": true, "loader": true, "import": true,
	"allow-uncaught": true, "allowUncaught": true, "opts": true, "package": true, "extension": false, "recursive": false, "g": true, "f": true, "i": true, "extends": false,
	"branches": false, "functions": false, "lines": false, "statements": false, "typecheck": false,
}

// runnerSetting rates one setting of a runner. Only those that narrow count;
// the others come back loose and free.
func runnerSetting(s Setting, path []string) Setting {
	for i, part := range path {
		if _, known := narrowing[part]; !known {
			continue
		}
		s.Loose = false
		s.Risk, s.Grows = rateRunner(part, s.Value), grows.MatchString(part)
		if mapKeys.MatchString(part) && i+1 < len(path) {
			s.Risk = leadsIn(part, path[i+1], s.Value)
		}
		if threshold.MatchString(s.Key) {
			s.Ratchet = 1
		}
		return s
	}
	s.Loose = true
	return s
}

// rateRunner says whether a setting that may be added otherwise leads tests to
// something else than the product, by what it is set to.
func rateRunner(key, value string) (risk string) {
	switch key {
	case "updateSnapshots":
		if strings.Contains(value, "none") || strings.Contains(value, "missing") {
			return ""
		}
	case "root", "dir", "rootDir":
		if sameFolder.MatchString(value) {
			return ""
		}
		return risky
	case "moduleDirectories", "modulePaths":
		if own := notInstalled.ReplaceAllString(value, ""); len(strings.Trim(own, "[]'\", \n")) == 0 {
			return ""
		}
		return risky
	case "preset", "testEnvironment", "testRunner", "resolver", "runner", "extends":
		if ownFile.MatchString(value) {
			return "takes a part of the runner from a file of the project"
		}
	}
	if narrowing[key] || key == "include" && ofTests.MatchString(value) {
		return risky
	}
	return ""
}

const risky = "decides which tests run, or what their failure means"

var (
	sameFolder   = pattern.Lazy(`^\W*(?:<rootDir>/?|\./?|\.\./?)?\W*$|__dirname|import\.meta|process\.cwd`)
	ownFile      = pattern.Lazy(`^["'` + "`" + `]?(?:\./|\.\./|<rootDir>)`)
	notInstalled = pattern.Lazy(`["']?(?:node_modules|src|<rootDir>(?:/(?:src|node_modules))?|\.)/?["']?`)
)

// grows are lists of which more may be named.
var grows = pattern.Lazy(`^(?:include|testMatch|testRegex|spec|specs|specPattern|roots|projects|workspace|files|includeSource|reporters|reporter)$`)

// leadsIn is leads for one entry of a map; what transforms code can also change
// what a test says.
func leadsIn(kind, from, to string) string {
	if kind != "transform" {
		return leads(from, to)
	}
	if ownFile.MatchString(to) && !asset.MatchString(from) {
		return "rewrites the code by a file of the project"
	}
	return ""
}

// leads says why a name of a map of modules (aliases, paths) may not lead where
// it does: to a stand-in, or away from a test tool or a file of the product.
func leads(from, to string) string {
	from = strings.Trim(from, "'\"` ^$\\")
	switch {
	case asset.MatchString(from):
		return ""
	case standIn.MatchString(to):
		return "leads to a stand-in"
	case testTool.MatchString(from), strings.HasPrefix(from, "./"), strings.HasPrefix(from, "../"):
		return "leads tests to something else"
	}
	return ""
}

var asset = pattern.Lazy(`(?i)css|less|s[ac]ss|styl|svg|png|jpe?g|gif|webp|ttf|woff|eot|mp[34]|webm|\bmd\b|html|glsl|wasm|\?(?:raw|url)`)

var mapKeys = pattern.Lazy(`^(?:moduleNameMapper|alias|transform|paths)$`)
