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

// focuses are the words that make a runner run some tests and not the others.
var focuses = map[lex.Name]*pattern.Pattern{
	lex.JS:    pattern.Lazy(`\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only\b|\b(?:fit|fdescribe|fcontext)\s*\(|\bonly\s*:\s*true`),
	lex.Ruby:  pattern.Lazy(`\b(?:fit|fdescribe|fcontext|fspecify)\b|\bfocus:\s*true|,\s*:focus\b`),
	lex.Swift: pattern.Lazy(`\bf(?:it|describe|context)\s*\(`),
	lex.Zig:   nil,
}

// ends are the words with which a test file ends the whole run.
var ends = map[lex.Name]*pattern.Pattern{
	lex.Go:     pattern.Lazy(`\bos\.Exit\(\s*0\s*\)`),
	lex.JS:     pattern.Lazy(`\bprocess\.(exit\(|exitCode\s*=\s*0|reallyExit)`),
	lex.Python: pattern.Lazy(`\bos\._exit\(|\bpytest\.exit\(|^(?:sys\.exit|exit|quit)\(`),
	lex.Ruby:   pattern.Lazy(`\bexit!|\bat_exit\s*\{\s*exit`),
	lex.PHP:    pattern.Lazy(`(?m)^\s*(?:exit|die)\b`),
}

func matches(set map[lex.Name]*pattern.Pattern, l *lex.Lang, text []byte) bool {
	re := set[l.Name]
	return re != nil && re.Match(text)
}
