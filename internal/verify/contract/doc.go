// Package contract is the machine-checkable form of a feature's steps, agreed
// before any code is written: its format, the rules a good one keeps, and the
// form in which a small model writes one.
//
// It never runs a check; internal/verify does. A new kind of check is a new
// field of Check, a case in Validate and one in the runner.
package contract
