// Package contract is the machine-checkable form of a feature's steps, agreed
// before any code is written: its format, the rules a good one keeps, and the
// form in which a small model writes one.
//
// A contract may name variables ("vars") and, for each, the value that the steps
// themselves use ("examples"). {expression} over them stands in what is typed,
// run, sent and expected; expr.go says what an expression may be, fill.go what is
// a placeholder and what is only a brace. Such a contract is tried once with its
// examples, so that the words of the steps hold, and twice with values that are
// drawn anew each time (Runs), which differ from the examples, from each other and
// from what anybody was shown (Avoiding). Validate judges it with the examples in
// place, so a value that a step quotes has to appear there as ever.
//
// Novelty says what a check shows that the checks of other features do not: for
// that a check is told as events (event.go), and the deeds of one are looked for
// among those of another (embed.go).
//
// It never runs a check; internal/verify does. A new kind of check is a new
// field of Check, a case in Validate and one in the runner.
package contract
