package testguard

import (
	"gitagent/hooks/lex"
	"gitagent/hooks/rule"
)

// skips are the words that keep a test from counting; they are looked for in
// code, not in strings or comments.
var skips = map[lex.Name]*rule.Pattern{
	lex.Go:     rule.Lazy(`\bt[bc]?\.(Skip|Skipf|SkipNow)\(|\bb\.Skip|testing\.Short\(\)|(?m)^//go:build|^// \+build`),
	lex.JS:     rule.Lazy(`\.(skip|todo|fails|failing|skipIf|runIf|fixme)\b|\bx(it|describe|test|specify|context)\b|\bpending\(`),
	lex.Python: rule.Lazy(`skip|xfail|importorskip|SkipTest|expectedFailure|collect_ignore|__test__\s*=\s*False`),
	lex.Rust:   rule.Lazy(`#!?\[\s*(ignore|should_panic|cfg\s*\()`),
	lex.Java:   rule.Lazy(`@(?:[\w.]+\.)?(Disabled|Ignore|EnabledIf|DisabledIf|EnabledOn|DisabledOn)\w*|\bassum(e|ing)\w*\(`),
	lex.Kotlin: rule.Lazy(`@(?:[\w.]+\.)?(Disabled|Ignore|EnabledIf|DisabledIf)\w*|\bassum(e|ing)\w*\(`),
	lex.Ruby:   rule.Lazy(`\b(skip|pending|x(it|describe|specify|context|example)|omit|pend)\b|:skip|skip:|pending:`),
	lex.PHP:    rule.Lazy(`markTest(Skipped|Incomplete)|@(group|requires)\b|#\[(Group|Requires)`),
	lex.CSharp: rule.Lazy(`\[\s*Ignore|\bSkip\s*=|Assert\.(Ignore|Inconclusive)`),
	lex.Swift:  rule.Lazy(`XCTSkip|XCTExpectFailure|\.disabled\(`),
}

// focuses are the words that make a runner run some tests and not the others.
var focuses = map[lex.Name]*rule.Pattern{
	lex.JS:    rule.Lazy(`\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only\b|\b(?:fit|fdescribe|fcontext)\s*\(|\bonly\s*:\s*true`),
	lex.Ruby:  rule.Lazy(`\b(?:fit|fdescribe|fcontext|fspecify)\b|\bfocus:\s*true|,\s*:focus\b`),
	lex.Swift: rule.Lazy(`\bf(?:it|describe|context)\s*\(`),
	lex.Zig:   nil,
}

// ends are the words with which a test file ends the whole run.
var ends = map[lex.Name]*rule.Pattern{
	lex.Go:     rule.Lazy(`\bos\.Exit\(\s*0\s*\)`),
	lex.JS:     rule.Lazy(`\bprocess\.(exit\(|exitCode\s*=\s*0|reallyExit)`),
	lex.Python: rule.Lazy(`\bos\._exit\(|\bpytest\.exit\(|^(?:sys\.exit|exit|quit)\(`),
	lex.Ruby:   rule.Lazy(`\bexit!|\bat_exit\s*\{\s*exit`),
	lex.PHP:    rule.Lazy(`(?m)^\s*(?:exit|die)\b`),
}

func matches(set map[lex.Name]*rule.Pattern, l *lex.Lang, text []byte) bool {
	re := set[l.Name]
	return re != nil && re.Match(text)
}
